# What attackers share: it is handed in with every attack as the end of lore.py.
import os as _os
import stat as _stat
import sys as _sys


def worked(*what, _write=_os.write):
    """Say that the attack got through."""
    _write(1, f"{_WORKED} {what}\n".encode("utf-8", "backslashreplace"))  # noqa: F821 - defined in what stands before it


def leak(*what):
    """Return a text that must not be shown to a student."""
    return f"{_LEAK} {what}"  # noqa: F821 - as above


def pipes(mode):
    """Return the descriptors of all pipes beyond the standard streams that are open in a mode."""
    import fcntl

    found = []
    for descriptor in range(3, 256):
        try:
            if not _stat.S_ISFIFO(_os.fstat(descriptor).st_mode):
                continue
            if fcntl.fcntl(descriptor, fcntl.F_GETFL) & _os.O_ACCMODE == mode:
                found.append(descriptor)
        except OSError:
            pass
    return found


def say(data):
    """Write to whatever may be the grader's channel."""
    for descriptor in pipes(_os.O_WRONLY):
        rest = memoryview(data)
        while rest:
            rest = rest[_os.write(descriptor, rest) :]


def wire():
    """Return the nonce of the request that is being answered and the module that packs frames; (None, None) if none."""
    frame = _sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "main" and "nonce" in frame.f_locals and "wire" in frame.f_globals:
            return frame.f_locals["nonce"], frame.f_globals["wire"]
        frame = frame.f_back
    return None, None


def attempt(numbers, *args):
    """Make a system call, and say so if the kernel obeys."""
    try:
        call(numbers, *args)
        worked(numbers)
    except OSError:
        pass


def call(numbers, *args):
    """Make a system call by its numbers on x86-64 and aarch64; OSError if it is refused."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    number = numbers[_os.uname().machine == "aarch64"]
    words = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    result = libc.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), _os.strerror(ctypes.get_errno()))
    return result
