"""The process that imports the libraries once and forks children.

It is started by exec, so it holds nothing of the grader's memory; it never computes, never touches a GPU,
runs one thread and freezes what it has imported. It does what one socket says: a JSON message with three
descriptors asks for a child; one answer carries the child's process handle, a later one says how it ended.
It ends, and with it every child, when the grader closes the socket or dies. Its own imports are few, since they
are a good part of what a survey of the machine costs.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from . import attacks, folders, kernel, landlock, layers, mounts, pages, seccomp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

REQUESTS, REPLIES = 3, 4  # where a child finds its channels
_ABOVE: Final = 16  # where descriptors wait while they are put into place
_MESSAGE: Final = 65536
_BUSY_AFTER: Final = 16  # children; then a second spent on making forks cheaper is soon won back
_STEP: Final = 16 * 2**20
_NOT_INITIALISED: Final = 3  # what the CUDA driver answers in a process that has not touched it


def main(text: str) -> None:
    """Run a zygote as a file of JSON says, until the grader has gone; never returns.

    Args:
        text: JSON with the descriptor of that file.
    """
    with open(json.loads(text)["config"], "rb") as file:  # noqa: PTH123 - a descriptor has no path
        config = json.load(file)
    run(config, socket.socket(fileno=config["channel"]))


def run(config: dict[str, Any], channel: socket.socket) -> NoReturn:
    """Be a zygote as a configuration says, with a grader at the other end of the channel."""
    try:
        zygote = Zygote(config, channel)
    except Exception as error:  # noqa: BLE001 - whatever it is, the grader must be told
        try:
            channel.sendall(_complaint(error))
        except OSError:  # there is no grader any more, and nobody else to tidy up
            folders.remove(config["folder"])
    else:
        zygote.serve()
    os._exit(0)  # tearing down the libraries would take longer than all else here


class Zygote:
    """One prepared process and its children."""

    def __init__(self, config: dict[str, Any], channel: socket.socket) -> None:
        self._channel = channel
        self._grader: int = config["grader"]
        self._folder: str = config["folder"]
        self._children: dict[int, tuple[int, int]] = {}  # process handle -> (process id, serial)
        if self._folder:
            os.mkdir(self._folder, 0o700)  # noqa: PTH102 - by this name or not at all
        _reset_signals()
        with contextlib.suppress(OSError):  # where /proc is read-only; the memory watch does not need this
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
        absent = {path for path, _ in config["rules"] if not Path(path).exists()}
        config["rules"] = [rule for rule in config["rules"] if rule[0] not in absent]
        self._plan = _plan(config)
        if self._plan.namespaces:
            _become_init(channel, self._grader)
        self._main = _import_libraries(config)
        self._forks = 0
        self._movable = not config["shared"]  # what is moved is shared no longer
        self._sizes = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        self._maps = os.open("/proc/self/maps", os.O_RDONLY | os.O_CLOEXEC)
        absent.update(_move_into_root(config) if self._plan.namespaces else ())
        if config["layers"]["user"] and not self._plan.namespaces:
            with layers.step("user"):
                _become(config["layers"]["user"], self._folder, config["libraries"])
        if not self._plan.cuda:  # whose driver writes to files in /proc that would then be root's
            # Neither it nor a child leaves a core to a handler on the host, which no limit stops, or can be traced.
            kernel.prctl("prctl(PR_SET_DUMPABLE)", kernel.PR_SET_DUMPABLE, 0)
        gc.collect()
        gc.freeze()
        self._say({"ready": True, "dropped": sorted(absent), "landlock": self._plan.landlock_abi})

    def serve(self) -> None:
        """Start children and report their ends until the grader has gone; then end them all."""
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        poll.register(self._grader, select.POLLIN)
        with contextlib.suppress(ConnectionError):
            while self._once(poll):
                pass
        for handle, (pid, _) in self._children.items():
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            os.waitpid(pid, 0)
        if self._folder:
            folders.remove(self._folder)

    def _once(self, poll: select.poll) -> bool:
        for ready, _ in poll.poll():
            if ready == self._grader:
                return False
            if ready in self._children:
                poll.unregister(ready)
                self._reap(ready)
                self._move()
            elif not self._answer(poll):
                return False
        return True

    def _answer(self, poll: select.poll) -> bool:
        """Start the child that is asked for; False if the grader has closed the socket."""
        text, descriptors, _, _ = socket.recv_fds(self._channel, _MESSAGE, 3, socket.MSG_CMSG_CLOEXEC)
        if not text:
            return False
        request = json.loads(text)
        self._forks += 1
        plan, parent = self._plan_for(request), os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self._say({"serial": request["serial"], "error": f"fork: {error}"})
            return True
        if pid == 0:
            _live(plan, parent, descriptors, self._main, request["attacks"])
        for descriptor in descriptors:
            os.close(descriptor)
        handle = os.pidfd_open(pid)  # nobody else can reap the child, so the number is still its own
        self._children[handle] = (pid, request["serial"])
        poll.register(handle, select.POLLIN)
        self._say({"serial": request["serial"], "started": pid}, handle)
        return True

    def _move(self) -> None:
        """Make forks cheaper, once it pays, between two children: whoever watches for saves waits for neither then."""
        if self._movable and self._forks >= _BUSY_AFTER and not self._children:
            self._movable = False
            pages.collapse(self._maps)

    def _plan_for(self, request: dict[str, Any]) -> layers.Plan:
        page = os.sysconf("SC_PAGE_SIZE")
        sizes = os.pread(self._sizes, 256, 0).split()  # total resident shared text library data dirty
        return self._plan._replace(
            folder=request["folder"],
            memory_mib=request["memory_mib"],
            scratch_mib=request["scratch_mib"],
            address_bytes=_rounded(int(sizes[0]) * page),
            data_bytes=_rounded(int(sizes[5]) * page),
        )

    def _reap(self, handle: int) -> None:
        pid, serial = self._children.pop(handle)
        _, status, used = os.wait4(pid, 0)
        os.close(handle)
        self._say({"serial": serial, "ended": status, "cpu": used.ru_utime + used.ru_stime})

    def _say(self, message: dict[str, Any], handle: int | None = None) -> None:
        text = json.dumps(message).encode()
        if handle is None:
            self._channel.sendall(text)
        else:
            socket.send_fds(self._channel, [text], [handle])


def _rounded(size: int) -> int:
    """Return a size up to the next step, so that what forking itself adds changes no child's limits."""
    return -(-size // _STEP) * _STEP


def _reset_signals() -> None:
    """Undo what the grader may have set for itself: a child that is sent a signal must be seen to end by it."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGALRM, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)


def _plan(config: dict[str, Any]) -> layers.Plan:
    """Find out early what this kernel refuses; the numbers of a request are filled in later."""
    wanted, cuda = config["layers"], config["cuda"]
    abi, program = 0, b""
    if wanted["landlock"]:
        with layers.step("landlock"):
            abi = landlock.abi()
    if wanted["seccomp"]:
        with layers.step("seccomp"):
            program = seccomp.program(os.uname().machine, cuda=cuda)
    return layers.Plan(
        namespaces=wanted["namespaces"],
        rlimits=wanted["rlimits"],
        rules=tuple((path, right) for path, right in config["rules"]) if abi else (),
        landlock_abi=abi,
        program=program,
        cuda=cuda,
    )


def _become_init(channel: socket.socket, grader: int) -> None:
    """Go on as the first process of a new pid namespace: when it ends, the kernel ends all in it.

    What remains of the old process waits for it, so that the grader has something to wait for.
    """
    with layers.step("namespaces"):
        mounts.enter_namespaces()
        pid = os.fork()
    if pid:
        channel.close()
        os.close(grader)
        os.waitpid(pid, 0)
        os._exit(0)
    kernel.prctl("prctl(PR_SET_PDEATHSIG)", kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


def _become(user: int, folder: str, libraries: Sequence[str]) -> None:
    """Be another user for good, with all its children; what is root's alone is then out of their reach.

    Raises PermissionError where that user cannot read what children import, or enter the folder.
    """
    os.chmod(folder, 0o711)  # noqa: PTH101, S103 - children enter their own in it, and change nothing of it
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.chdir(folder)  # children go through it to their own
    os.chdir("/")
    for path in (os.path.dirname(os.__file__), *libraries):  # noqa: PTH120 - pathlib's result would be a text again
        if not os.access(path, os.R_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "another user cannot read it", path)


def _import_libraries(config: dict[str, Any]) -> Callable[[int, int], None] | None:
    """Import what children use; returns the loop that they enter, if it is among that."""
    own = sys.path[0]  # this folder: Python puts it first because it runs it
    sys.path.extend(config["libraries"])
    for name in config["imports"]:
        importlib.import_module(name)
    sys.path.remove(own)
    serve = sys.modules.get("serve")
    if serve is not None:
        serve.warm_up()
    if len(list(Path("/proc/self/task").iterdir())) != 1:
        raise RuntimeError("importing the libraries started a thread; children would hang")
    if config["cuda"] and not _cuda_is_untouched():
        raise RuntimeError("importing the libraries touched the GPU; children could not use it")
    return None if serve is None else serve.main


def _cuda_is_untouched() -> bool:
    """Ask the driver, since libraries initialise it behind torch's back. Not yet run with a GPU."""
    count = ctypes.c_int()
    return bool(ctypes.CDLL("libcuda.so.1").cuDeviceGetCount(ctypes.byref(count)) == _NOT_INITIALISED)


def _move_into_root(config: dict[str, Any]) -> list[str]:
    with layers.step("namespaces"):
        return mounts.replace_root(config["binds"], config["devices"], config["hidden"], proc=config["cuda"])


def _live(
    plan: layers.Plan,
    parent: int,
    descriptors: Sequence[int],
    main_loop: Callable[[int, int], None] | None,
    attack: dict[str, Any] | None,
) -> NoReturn:
    """Be the child: lock down, say so, and run until the requests end. Never returns to the zygote's loop."""
    code = 1
    try:
        _put_into_place(descriptors)
        os.environ["HOME"] = os.environ["TMPDIR"] = mounts.WORK if plan.namespaces else plan.folder
        if _locked_down(plan, parent):
            code = _run(main_loop, attack)
    except BaseException:  # noqa: BLE001 - nothing may reach the zygote's loop
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code & 0xFF)


def _put_into_place(descriptors: Sequence[int]) -> None:
    """Leave the child its five descriptors and nothing else."""
    requests, replies, output = (fcntl.fcntl(number, fcntl.F_DUPFD, _ABOVE) for number in descriptors)
    for number, place in ((requests, REQUESTS), (replies, REPLIES), (output, 1), (output, 2)):
        os.dup2(number, place)
    os.closerange(REPLIES + 1, 2**31 - 1)


def _locked_down(plan: layers.Plan, parent: int) -> bool:
    """Lock down and report it on the reply channel, as the one line that comes before any frame."""
    try:
        dropped = layers.lock(plan, parent)
    except Exception as error:  # noqa: BLE001 - whatever it is, the grader must be told
        os.write(REPLIES, _complaint(error) + b"\n")
        return False
    os.write(REPLIES, json.dumps({"ready": True, "dropped": dropped}).encode() + b"\n")
    return True


def _complaint(error: Exception) -> bytes:
    layer = error.layer if isinstance(error, layers.LayerError) else ""
    text = str(error) if layer else f"{type(error).__name__}: {error}"
    return json.dumps({"error": text, "layer": layer}).encode()


def _run(main_loop: Callable[[int, int], None] | None, attack: dict[str, Any] | None) -> int:
    """Run the loop, or attacks instead; returns the exit code that a SystemExit asks for."""
    try:
        if attack is not None:
            attacks.run(attack, REPLIES)
        elif main_loop is not None:
            main_loop(REQUESTS, REPLIES)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    return 0
