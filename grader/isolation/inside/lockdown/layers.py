"""The order in which a child locks itself down, and the check from inside that it has."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import select
import signal
from typing import TYPE_CHECKING, Final, NamedTuple

from . import kernel, landlock, mounts, seccomp

if TYPE_CHECKING:
    from collections.abc import Iterator

DESCRIPTORS: Final = frozenset({0, 1, 2, 3, 4})  # stdin, stdout, stderr, requests, replies
MIB: Final = 2**20
# The grader owns the clock; this ends a child whose grader does not.
_CPU_SECONDS: Final = (1800, 1810)
_STACK: Final = 64 * MIB
_FILES, _CUDA_FILES = 256, 1024
_THREADS: Final = 512
_SIGNALS: Final = 256  # that wait, and timers; the count is shared with all that this user runs
_FILTERING: Final = 2  # how the kernel calls a process under a seccomp filter
_DATA_SLACK, _ADDRESS_SLACK = 64 * MIB, 1024 * MIB  # stacks of threads; reservations of the allocator


class LayerError(Exception):
    """A promised layer cannot be had; `layer` names it."""

    def __init__(self, layer: str, error: BaseException) -> None:
        super().__init__(f"{layer}: {error}")
        self.layer = layer


class Plan(NamedTuple):
    """All that a child needs for locking itself down; made by the zygote, so that the child only acts."""

    namespaces: bool
    rlimits: bool
    rules: tuple[tuple[str, str], ...] = ()  # Landlock's; none without that layer
    landlock_abi: int = 0
    program: bytes = b""  # seccomp's; none without that layer
    folder: str = ""  # where a child without namespaces may write
    memory_mib: int = 1024
    scratch_mib: int = 128
    cuda: bool = False
    address_bytes: int = 0  # of the zygote, so of a new child
    data_bytes: int = 0

    @property
    def any(self) -> bool:
        """Whether the child is locked down at all; attacks' controls run without."""
        return self.namespaces or self.rlimits or bool(self.rules) or bool(self.program)


def lock(plan: Plan, parent: int) -> list[str]:
    """Apply every layer of the plan to this process and prove it; returns what Landlock dropped.

    Raises LayerError at the first step that fails: a child is locked down wholly or not at all.
    """
    with step("session"):
        _begin_session(parent)
    with step("namespaces"):
        _enter_folder(plan)
    with step("capabilities"):
        _give_up_privileges(plan)
    with step("rlimits"):
        _set_limits(plan)
    with step("landlock"):
        dropped = _restrict_files(plan)
    with step("seccomp"):
        _restrict_calls(plan)
    with step("verification"):
        verify(plan)
    return dropped


@contextlib.contextmanager
def step(name: str) -> Iterator[None]:
    """Name the layer that is at fault if the kernel refuses something inside."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise LayerError(name, error) from error


def _begin_session(parent: int) -> None:
    """Leave the terminal, and die with the zygote."""
    os.setsid()
    kernel.prctl("prctl(PR_SET_PDEATHSIG)", kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise ProcessLookupError(errno.ESRCH, "the zygote has ended")


def _enter_folder(plan: Plan) -> None:
    if plan.namespaces:
        mounts.add_private_folder(plan.scratch_mib)
    else:
        os.chdir(plan.folder)


def _give_up_privileges(plan: Plan) -> None:
    if plan.any:
        kernel.drop_capabilities()
        kernel.prctl("prctl(PR_SET_NO_NEW_PRIVS)", kernel.PR_SET_NO_NEW_PRIVS, 1)


def _set_limits(plan: Plan) -> None:
    if not plan.rlimits:
        return
    _limit(resource.RLIMIT_CPU, *_CPU_SECONDS)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_MEMLOCK, 0)
    _limit(resource.RLIMIT_RTPRIO, 0)
    _limit(resource.RLIMIT_NICE, 0)
    _limit(resource.RLIMIT_MSGQUEUE, 0)
    _limit(resource.RLIMIT_SIGPENDING, _SIGNALS)
    _limit(resource.RLIMIT_STACK, _STACK)
    _limit(resource.RLIMIT_FSIZE, plan.scratch_mib * MIB)
    _limit(resource.RLIMIT_NOFILE, _CUDA_FILES if plan.cuda else _FILES)
    if plan.namespaces:  # elsewhere the count is shared with all that this user runs
        _limit(resource.RLIMIT_NPROC, _THREADS)
    if not plan.cuda:  # which reserves address space by the terabyte
        _limit(resource.RLIMIT_DATA, plan.data_bytes + plan.memory_mib * MIB + _DATA_SLACK)
        _limit(resource.RLIMIT_AS, plan.address_bytes + 2 * plan.memory_mib * MIB + _ADDRESS_SLACK)


def _limit(kind: int, soft: int, hard: int | None = None) -> None:
    """Lower a limit; one that is lower already stays."""
    ceiling = resource.getrlimit(kind)[1]
    hard = soft if hard is None else hard
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(kind, (soft, hard))


def _restrict_files(plan: Plan) -> list[str]:
    if not plan.rules:
        return []
    folder = mounts.WORK if plan.namespaces else plan.folder
    return landlock.restrict([*plan.rules, (folder, "write")], plan.landlock_abi)


def _restrict_calls(plan: Plan) -> None:
    if plan.program:
        kernel.install_filter(seccomp.for_process(plan.program, os.getpid()))


def verify(plan: Plan) -> None:
    """Check that this process is what the plan says. Raises PermissionError, naming what it is not."""
    if open_descriptors() != DESCRIPTORS:
        raise PermissionError(errno.EPERM, f"open descriptors: {sorted(open_descriptors())}")
    if not plan.any:
        return
    if kernel.capabilities() != (0, 0, 0):
        raise PermissionError(errno.EPERM, "capabilities are left")
    if kernel.prctl("prctl(PR_GET_NO_NEW_PRIVS)", kernel.PR_GET_NO_NEW_PRIVS) != 1:
        raise PermissionError(errno.EPERM, "no_new_privs is off")
    if plan.program and kernel.prctl("prctl(PR_GET_SECCOMP)", kernel.PR_GET_SECCOMP) != _FILTERING:
        raise PermissionError(errno.EPERM, "seccomp is off")


def open_descriptors() -> set[int]:
    """Return the open descriptors below the usual limit, asked of the kernel in one call.

    The child closes all above its own by one call too; this is the proof that it did.
    """
    closed = {number for number, event in _EVERY_DESCRIPTOR.poll(0) if event & select.POLLNVAL}
    return set(range(_FILES)) - closed


def _poll_of(count: int) -> select.poll:
    poll = select.poll()
    for number in range(count):
        poll.register(number, 0)
    return poll


_EVERY_DESCRIPTOR: Final = _poll_of(_FILES)
