"""The table of system calls and the filter made of it, for both architectures, without a kernel.

The filter is run here by an interpreter of the few instructions that it uses, so that the one for aarch64 is
tested as far as it can be without such a machine.
"""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.isolation.inside.lockdown import seccomp

MACHINES = sorted(seccomp.ARCHITECTURES)
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
PID = 4711
ALLOWED, KILLED = "allowed", "killed"
HEADERS = {
    "x86_64": (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), r"#define __NR_(\w+) (\d+)$"),
    "aarch64": (Path("/usr/include/asm-generic/unistd.h"), r"#define __NR(?:3264)?_(\w+)\s+(\d+)$"),
}
LEGACY = {  # aarch64 was born without these
    *("chmod", "chown", "fork", "futimesat", "ioperm", "iopl", "lchown", "inotify_init", "mknod", "modify_ldt"),
    *("utime", "utimes", "vfork"),
}


def decide(machine: str, number: int, *args: int, audit: int | None = None, cuda: bool = False) -> str | int:
    """Run the filter as the kernel would; the answer is ALLOWED, KILLED or an errno."""
    program = seccomp.for_process(seccomp.program(machine, cuda=cuda), PID)
    words = [*args, *[0] * (6 - len(args))]
    data = struct.pack("IIQ6Q", number, AUDIT[machine] if audit is None else audit, 0, *words)
    at = accumulator = 0
    while True:
        code, yes, no, value = struct.unpack_from("HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("I", data, value)[0]
        elif code == 0x54:
            accumulator &= value
        elif code == 0x05:
            at += value
        elif code in (0x15, 0x35):
            at += yes if (accumulator == value if code == 0x15 else accumulator >= value) else no
        else:
            assert code == 0x06, f"an instruction that this interpreter does not know: {code:#x}"
            return {0x7FFF0000: ALLOWED, 0x80000000: KILLED}.get(value, value & 0xFFFF)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_call_of_the_policy_has_a_number_of_its_own(machine):
    numbers = seccomp.numbers(machine)
    named = {*seccomp.refused(), *(rule.call for rule in seccomp.RULES), "clone3", "socketpair"}
    assert named - set(numbers) == (LEGACY if machine == "aarch64" else set())
    assert set(numbers) <= named, "the table numbers a call that no rule names"
    assert len(set(numbers.values())) == len(numbers)
    assert max(numbers.values()) <= seccomp.NEWEST


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_those_of_the_kernel_headers(machine):
    header, pattern = HEADERS[machine]
    if not header.exists():
        pytest.skip(f"{header} is not installed")
    known = dict(re.findall(pattern, header.read_text(encoding="utf-8"), re.MULTILINE))
    numbers = seccomp.numbers(machine)
    newer = set(numbers) - set(known)
    assert {name: str(number) for name, number in numbers.items() if name not in newer} == {
        name: known[name] for name in numbers if name not in newer
    }
    newest = max(map(int, known.values()))
    assert all(numbers[name] > newest for name in newer), "a call with an old number is missing in the header"


@pytest.mark.parametrize("machine", MACHINES)
def test_each_refused_call_is_refused(machine):
    numbers = seccomp.numbers(machine)
    for name in seccomp.refused():
        if name in numbers:
            assert decide(machine, numbers[name], PID, PID) == errno.EPERM, name


@pytest.mark.parametrize(
    ("call", "args", "verdict"),
    [
        ("clone", (0x003D0F00,), ALLOWED),  # a thread
        ("clone", (0x003D0F00 & ~0x400,), errno.EPERM),  # a thread with files of its own
        ("clone", (0x003D0F00 | 0x20000,), errno.EPERM),  # a thread with mounts of its own
        ("clone", (0x003D0F00 | 0x40000000,), errno.EPERM),  # a thread with a network of its own
        ("clone", (0x11,), errno.EPERM),  # a fork
        ("close_range", (5, 2**32 - 1), ALLOWED),
        ("close_range", (5, 2**32 - 1, 4), ALLOWED),  # only marks them
        ("close_range", (5, 2**32 - 1, 2), errno.EPERM),  # makes a table of files
        ("clone", (0x10000000 | 0x11,), errno.EPERM),  # a user namespace
        ("clone3", (), errno.ENOSYS),
        ("kill", (PID, 9), ALLOWED),
        ("kill", (PID + 1, 9), errno.EPERM),
        ("kill", (2**64 - 1, 9), errno.EPERM),
        ("kill", (0, 9), errno.EPERM),
        ("tgkill", (PID, PID, 6), ALLOWED),
        ("tgkill", (1, 1, 6), errno.EPERM),
        ("prlimit64", (0,), ALLOWED),
        ("prlimit64", (PID,), ALLOWED),
        ("prlimit64", (1,), errno.EPERM),
        ("sched_setaffinity", (0,), ALLOWED),
        ("sched_setaffinity", (1,), errno.EPERM),
        ("prctl", (15,), ALLOWED),  # a thread's name
        ("prctl", (1,), errno.EPERM),
        ("prctl", (22, 2), errno.EPERM),  # another filter
        ("prctl", (62, 1), errno.EPERM),  # a core to itself
        ("prctl", (4,), errno.EPERM),
        ("prctl", (0x59616D61,), errno.EPERM),
        ("fcntl", (3, 4), ALLOWED),  # F_SETFL
        ("fcntl", (3, 6), errno.EPERM),  # F_SETLK
        ("fcntl", (3, 8), errno.EPERM),  # F_SETOWN
        ("fcntl", (3, 1031), errno.EPERM),  # F_SETPIPE_SZ
        ("ioctl", (0, 0x5401), ALLOWED),  # TCGETS, which isatty asks
        ("ioctl", (0, 0x5412), errno.EPERM),  # TIOCSTI
        ("ioctl", (3, 0x40086602), errno.EPERM),  # SETFLAGS of a file
        ("ioctl", (3, 0x5000940E), errno.EPERM),  # a command of one filesystem
        ("mmap", (0, 2**20, 3, 0x22), ALLOWED),
        ("mmap", (0, 2**20, 3, 0x01), ALLOWED),  # of a file
        ("mmap", (0, 2**20, 3, 0x21), errno.EPERM),  # shared memory in no file
        ("mmap", (0, 2**20, 3, 0x23), errno.EPERM),  # the same, by another name
        ("mmap", (0, 2**20, 3, 0x40022), errno.EPERM),  # of the machine's huge pages
        ("madvise", (0, 2**20, 14), ALLOWED),
        ("madvise", (0, 2**20, 21), errno.EPERM),  # out to where it is not counted
        ("socketpair", (1, 1), ALLOWED),
        ("socketpair", (1, 1 | 0x80000), ALLOWED),  # with CLOEXEC, as Python makes them
        ("socketpair", (1, 2), errno.EPERM),  # datagrams could be sent to any named socket
        ("socketpair", (2, 1), errno.EPERM),
    ],
)
@pytest.mark.parametrize("machine", MACHINES)
def test_calls_judged_by_an_argument(machine, call, args, verdict):
    assert decide(machine, seccomp.numbers(machine)[call], *args) == verdict


@pytest.mark.parametrize("machine", MACHINES)
@given(number=st.integers(0, 2**32 - 1), args=st.lists(st.integers(0, 2**64 - 1), max_size=6))
def test_what_is_not_named_is_allowed_and_what_is_unknown_does_not_exist(machine, number, args):
    numbers = set(seccomp.numbers(machine).values())
    verdict = decide(machine, number, *args)
    if machine == "x86_64" and number >= 0x40000000:
        assert verdict == KILLED
    elif number > seccomp.NEWEST:
        assert verdict == errno.ENOSYS
    elif number not in numbers:
        assert verdict == ALLOWED


@pytest.mark.parametrize("machine", MACHINES)
def test_every_ordinary_call_is_decided(machine):
    numbers = seccomp.numbers(machine)
    decided = {number for number in range(seccomp.NEWEST + 1) if decide(machine, number) != ALLOWED}
    always = {numbers[name] for name in (*seccomp.refused(), "clone3") if name in numbers}
    assert always <= decided <= set(numbers.values())


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architectures_calls_kill(machine):
    i386 = 0x40000003
    assert decide(machine, 0, audit=i386) == KILLED


@pytest.mark.parametrize("machine", MACHINES)
def test_a_gpu_needs_shared_memory_and_commands_and_gets_nothing_else(machine):
    numbers = seccomp.numbers(machine)
    assert decide(machine, numbers["mmap"], 0, 2**20, 3, 0x21, cuda=True) == ALLOWED
    assert decide(machine, numbers["ioctl"], 3, 0xC020462A, cuda=True) == ALLOWED
    for command in (0x5412, 0x541C, 0x8901, 0x8902, 0x40086602, 0x401C5820, 0x40806685):
        assert decide(machine, numbers["ioctl"], 3, command, cuda=True) == errno.EPERM
    assert {rule.call for rule in seccomp.RULES if rule.cuda is not None} == {"ioctl", "mmap"}
    assert decide(machine, numbers["memfd_create"], cuda=True) == ALLOWED
    assert set(seccomp.refused()) - set(seccomp.refused(cuda=True)) == {"memfd_create"}


def test_a_machine_without_a_table_is_refused_not_left_unfiltered():
    with pytest.raises(OSError, match="riscv64"):
        seccomp.program("riscv64")


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_fits_the_kernel(machine):
    assert len(seccomp.program(machine)) // 8 <= 4096


@pytest.mark.parametrize("machine", MACHINES)
def test_the_placeholder_stands_only_for_the_process_id(machine):
    template = seccomp.program(machine)
    one, other = seccomp.for_process(template, 1), seccomp.for_process(template, 2)
    differing = sum(a != b for a, b in zip(one, other, strict=True))
    mentions = sum(0x7EEDC0DE in rule.values for rule in seccomp.RULES)
    assert 0 < differing <= mentions  # neighbouring calls with one rule share its code
