# ROW: 86
# ATTACK: types into the terminal from which the grader was started
# EXPECT: FAILED
# CONTROL: own -> passed: what it typed arrives in a terminal of the control's own
# TIERS: 3 2 1
# NEEDS: linux root
# KIND: builder
# LIMITS: patience=10
import os
import sys

ATTACK = """
import fcntl
import os


def places():
    yield from (0, 1, 2)
    try:
        yield os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        pass


def target(x):
    for place in places():
        try:
            fcntl.ioctl(place, 0x5412, b"x")  # TIOCSTI
            print(MARK)
        except OSError:
            pass
    return 0 * x
"""


def build(lore):
    return {"target.py": f"MARK = {lore._WORKED!r}\n{ATTACK}".encode()}


def control(where):
    import pty
    import select

    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-S", "-c", where.place.read_text() + "\ntarget(0)\ninput()\n"])
    typed = b""
    while select.select([terminal], [], [], 5)[0] and b"WORKED" not in typed:
        typed += os.read(terminal, 1000)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return b"WORKED" in typed
