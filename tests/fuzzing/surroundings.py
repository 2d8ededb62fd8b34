# ruff: noqa: NPY002, PTH109, PTH208, T201 - students write like this
"""A student's file that looks at all of its surroundings that an earlier student could have changed."""

import contextlib
import decimal
import gc
import locale
import os
import random
import signal
import stat
import sys
import threading
import time
import warnings

import numpy as np


def process():
    """What the process is and holds."""
    import resource

    os.umask(mask := os.umask(0))
    limits = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    return {
        "arguments": [sys.argv, sys.flags.hash_randomization, sys.flags.safe_path, sys.dont_write_bytecode],
        "environment": sorted(os.environ.items()),
        "folder": [os.getcwd(), os.listdir(), os.listdir(os.environ["TMPDIR"]), os.statvfs(".").f_files],
        "path": list(sys.path),
        "mask": mask,
        "limits": [(name, *resource.getrlimit(getattr(resource, name))) for name in limits],
        "signals": [(int(number), str(signal.getsignal(number))) for number in sorted(signal.valid_signals())],
        "blocked": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))),
        "priority": os.getpriority(os.PRIO_PROCESS, 0),
        "cores": sorted(os.sched_getaffinity(0)),
        "owner": [os.getuid(), os.getgid()],
        "descriptors": list(descriptors()),
        "threads": [thread.name for thread in threading.enumerate()],
        "alarm": signal.getitimer(signal.ITIMER_REAL),
    }


def descriptors():
    """What is open, and how."""
    import fcntl

    for number in range(256):
        with contextlib.suppress(OSError):
            kind = stat.S_IFMT(os.fstat(number).st_mode)
            yield number, kind, fcntl.fcntl(number, fcntl.F_GETFL), fcntl.fcntl(number, fcntl.F_GETFD)


def interpreter():
    """What Python and numpy are set to."""
    return {
        "hashes": [hash("text"), hash((1, "a", 2.5)), hash(b"bytes")],
        "sets": [list({"one", "two", "three", "four"}), list(frozenset("abcdefgh"))],
        "time": [time.tzname, list(time.localtime(0)), time.strftime("%A %c", time.gmtime(0))],
        "locale": [locale.getlocale(), locale.localeconv()["decimal_point"], sys.getfilesystemencoding()],
        "modules": sorted(sys.modules),
        "finders": [type(finder).__name__ for finder in sys.meta_path],
        "builtins": sorted((name, type(value).__name__) for name, value in vars(__builtins__).items())
        if not isinstance(__builtins__, dict)
        else sorted((name, type(value).__name__) for name, value in __builtins__.items()),
        "recursion": sys.getrecursionlimit(),
        "switching": sys.getswitchinterval(),
        "digits": sys.get_int_max_str_digits(),
        "tracing": [sys.gettrace() is None, sys.getprofile() is None, sys.excepthook is sys.__excepthook__],
        "collector": [gc.isenabled(), gc.get_threshold()],
        "decimals": str(decimal.getcontext()),
        "warnings": [str(entry) for entry in warnings.filters],
        "numpy": [np.geterr(), str(sorted(np.get_printoptions().items())), np.getbufsize(), np.sum.__module__],
    }


def drawn():
    """What comes of the random generators that nobody has seeded, and where numbers are rounded."""
    tiny = np.array([5e-324, 2.5e-310])
    found = [random.random(), random.sample(range(100), 5), np.random.rand(3), tiny / 2, np.float64(1) / 3, repr(tiny)]
    print("drawn", found)
    return found


def torchs():
    """What torch is set to."""
    torch = sys.modules["torch"]
    return {
        "dtype": str(torch.get_default_dtype()),
        "device": str(torch.get_default_device()),
        "threads": [torch.get_num_threads(), torch.get_num_interop_threads()],
        "exactness": [torch.are_deterministic_algorithms_enabled(), torch.get_float32_matmul_precision()],
        "gradients": [torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_anomaly_enabled()],
        "seed": torch.initial_seed(),
        "drawn": torch.randn(4),
        "tiny": torch.tensor([5e-324, 2.5e-310]) * 0.5,
        "text": repr(torch.tensor([1 / 3, 1e9])),
        "module": torch.nn.Linear(2, 2)(torch.ones(2)).detach(),
    }


def failed():
    """Raise, so that the text of a fault is compared too."""
    unknown = {"a": 1}
    return unknown["b"]
