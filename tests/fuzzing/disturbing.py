"""Students who leave things changed, each a file with one function ``f``; what comes after must not notice."""

PLAIN = {
    "nothing": "def f(): pass",
    "seeds": """
        import random, numpy as np
        random.seed(1); np.random.seed(1)
        def f():
            random.random = lambda: 0.5
            np.random.rand = lambda *_: 0.5
            random.Random.random = lambda self: 0.5 if False else 0.25
        """,
    "numpy's settings": """
        import numpy as np
        np.seterr(all="raise"); np.set_printoptions(precision=2, suppress=True); np.setbufsize(16384)
        def f(): np.sum = np.add = lambda *_, **__: 0
        """,
    "numpy gone": """
        import sys
        def f():
            for name in [name for name in sys.modules if name.startswith("numpy")]:
                sys.modules[name] = None
        """,
    "warnings": """
        import warnings
        warnings.simplefilter("error"); warnings.showwarning = None
        def f(): warnings.warn("x")
        """,
    "the environment": """
        import os, time
        os.environ.update(TZ="Asia/Tokyo", PYTHONHASHSEED="5", OMP_NUM_THREADS="7", LANG="de_DE", MINE="1")
        time.tzset()
        def f(): os.umask(0o777); os.environ.clear()
        """,
    "files": """
        import os
        for name in ("numpy.py", "xor.py", "surroundings.py", "sitecustomize.py", ".hidden"):
            open(name, "w").write("raise SystemExit")
        os.makedirs("a/b/c"); os.mkdir("closed", 0)
        open(os.path.join(os.environ["TMPDIR"], "left"), "w").write("x" * 10**6)
        def f(): os.chdir("a/b")
        """,
    "descriptors": """
        import os
        held = [os.open("f", os.O_CREAT | os.O_RDWR) for _ in range(100)]
        def f(): os.dup2(held[0], 0); os.set_blocking(1, False)
        """,
    "builtins": """
        import builtins
        def f():
            builtins.len = lambda _: 7
            builtins.sorted = builtins.repr = builtins.open = None
            builtins.extra = 1
        """,
    "the interpreter": """
        import decimal, gc, sys, threading
        sys.setrecursionlimit(77777); sys.setswitchinterval(1.0); sys.set_int_max_str_digits(0)
        decimal.getcontext().prec = 3; gc.disable(); gc.set_threshold(1)
        sys.path.insert(0, "."); sys.meta_path.reverse()
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        def f(): sys.setprofile(lambda *_: None); sys.stdout = sys.stderr = None; sys.modules["json"] = None
        """,
    "signals and limits": """
        import os, resource, signal
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
        signal.setitimer(signal.ITIMER_REAL, 1000)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        def f(): os.nice(5)
        """,
    "memory": """
        held = bytearray(80 * 2**20)
        def f(): held[::4096] = b"x" * len(held[::4096])
        """,
    "locale": """
        import locale
        def f():
            for name in ("C", "POSIX", "de_DE.UTF-8"):
                try: locale.setlocale(locale.LC_ALL, name)
                except locale.Error: pass
        """,
    "output": "def f():\n    print('x' * 500_000)",
    "an exit": "import os\ndef f(): os._exit(3)",
    "a crash": "import ctypes\ndef f(): ctypes.string_at(0)",
    "an exception": "raise RuntimeError('no')",
    "too much memory": "def f(): return bytearray(10**10)",
    "many results": "def f(): return [float(i) for i in range(50_000)]",
}

TORCH = {
    "nothing": "def f(): pass",
    "defaults": """
        import torch
        torch.set_default_dtype(torch.float16); torch.set_default_device("meta")
        torch.set_printoptions(precision=1); torch.set_flush_denormal(True)
        def f(): torch.manual_seed(1); torch.set_num_threads(2)
        """,
    "modes": """
        import torch
        torch.set_grad_enabled(False); torch.use_deterministic_algorithms(False)
        torch.autograd.set_detect_anomaly(True, check_nan=False)
        def f(): torch.set_float32_matmul_precision("medium"); torch._C._set_grad_enabled(False)
        """,
    "patches": """
        import torch
        def f():
            torch.randn = torch.zeros
            torch.nn.Linear.forward = lambda self, x: x
            torch.Tensor.sum = lambda self: 0
            torch.nn.init.kaiming_uniform_ = lambda tensor, **_: tensor
        """,
    "work": """
        import torch
        def f():
            net = torch.nn.Linear(50, 50); torch.optim.Adam(net.parameters())
            for _ in range(5): net(torch.randn(20, 50)).sum().backward()
            return torch.randn(1000)
        """,
}
