"""The filter: which system calls a child is refused, assembled for the machine it runs on.

The policy is a table of sentences; `program` turns it into the kernel's classic BPF. What is not named is
allowed, except calls newer than this table, which do not exist for the child (ENOSYS), and calls made
through another architecture's numbers, which kill it. The x86-64 filter was run; the aarch64 one is made
from the same table and was not yet run.
"""

from __future__ import annotations

import errno
import struct
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Code = list[bytes]  # one instruction each

# name, number on x86-64, number on aarch64 ("-": the call does not exist there)
_NUMBERS: Final = """
accept 43 202                         accept4 288 242                       acct 163 89
add_key 248 217                       adjtimex 159 171                      bind 49 200
bpf 321 280                           capset 126 91                         chmod 90 -
chown 92 -                            chroot 161 51                         clock_adjtime 305 266
clock_settime 227 112                 clone 56 220                          clone3 435 435
close_range 436 436                   connect 42 203                        delete_module 176 106
execve 59 221                         execveat 322 281                      fanotify_init 300 262
fchmod 91 52                          fchmodat 268 53                       fchmodat2 452 452
fchown 93 55                          fchownat 260 54                       fcntl 72 25
file_setattr 469 469                  finit_module 313 273                  flock 73 32
fork 57 -                             fremovexattr 199 16                   fsconfig 431 431
fsetxattr 190 7                       fsmount 432 432                       fsopen 430 430
fspick 433 433                        futimesat 261 -                       get_robust_list 274 100
init_module 175 105                   inotify_add_watch 254 27              inotify_init 253 -
inotify_init1 294 26                  io_setup 206 0                        io_uring_enter 426 426
io_uring_register 427 427             io_uring_setup 425 425                ioctl 16 29
ioperm 173 -                          iopl 172 -                            ioprio_set 251 30
kcmp 312 272                          kexec_file_load 320 294               kexec_load 246 104
keyctl 250 219                        kill 62 129                           landlock_add_rule 445 445
landlock_create_ruleset 444 444       landlock_restrict_self 446 446        lchown 94 -
listen 50 201                         listmount 458 458                     lremovexattr 198 15
lsetxattr 189 6                       madvise 28 233                        memfd_create 319 279
memfd_secret 447 447                  migrate_pages 256 238                 mknod 133 -
mknodat 259 33                        mmap 9 222                            modify_ldt 154 -
mount 165 40                          mount_setattr 442 442                 move_mount 429 429
move_pages 279 239                    mq_getsetattr 245 185                 mq_notify 244 184
mq_open 240 180                       mq_timedreceive 243 183               mq_timedsend 242 182
mq_unlink 241 181                     msgctl 71 187                         msgget 68 186
msgrcv 70 188                         msgsnd 69 189                         name_to_handle_at 303 264
open_by_handle_at 304 265             open_tree 428 428                     open_tree_attr 467 467
perf_event_open 298 241               personality 135 92                    pidfd_getfd 438 438
pidfd_open 434 434                    pidfd_send_signal 424 424             pivot_root 155 41
prctl 157 167                         prlimit64 302 261                     process_madvise 440 440
process_mrelease 448 448              process_vm_readv 310 270              process_vm_writev 311 271
ptrace 101 117                        quotactl 179 60                       quotactl_fd 443 443
reboot 169 142                        removexattr 197 14                    removexattrat 466 466
request_key 249 218                   rt_sigqueueinfo 129 138               rt_tgsigqueueinfo 297 240
sched_setaffinity 203 122             sched_setattr 314 274                 sched_setparam 142 118
sched_setscheduler 144 119            seccomp 317 277                       semctl 66 191
semget 64 190                         semop 65 193                          semtimedop 220 192
sendmmsg 307 269                      sendmsg 46 211                        setdomainname 171 162
setfsgid 123 152                      setfsuid 122 151                      setgid 106 144
setgroups 116 159                     sethostname 170 161                   setns 308 268
setpgid 109 154                       setpriority 141 140                   setregid 114 143
setresgid 119 149                     setresuid 117 147                     setreuid 113 145
setsid 112 157                        setsockopt 54 208                     settimeofday 164 170
setuid 105 146                        setxattr 188 5                        setxattrat 463 463
shmat 30 196                          shmctl 31 195                         shmdt 67 197
shmget 29 194                         socket 41 198                         socketpair 53 199
statmount 457 457                     swapoff 168 225                       swapon 167 224
sync 162 81                           syncfs 306 267                        syslog 103 116
tgkill 234 131                        tkill 200 130                         truncate 76 45
umount2 166 39                        unshare 272 97                        userfaultfd 323 282
utime 132 -                           utimensat 280 88                      utimes 235 -
vfork 58 -                            vhangup 153 58                        vmsplice 278 75
"""
NEWEST: Final = 469  # the last call this table has considered, on both architectures

_REFUSED: Final = {
    "network": "socket connect bind listen accept accept4",
    "room in sockets, and files in flight": "setsockopt sendmsg sendmmsg",
    "new processes": "fork vfork execve execveat",
    "namespaces and mounts": "unshare setns mount umount2 pivot_root chroot open_tree open_tree_attr move_mount "
    "fsopen fsconfig fsmount fspick mount_setattr statmount listmount",
    "other processes": "ptrace process_vm_readv process_vm_writev kcmp pidfd_open pidfd_getfd pidfd_send_signal "
    "process_madvise process_mrelease get_robust_list tkill rt_sigqueueinfo rt_tgsigqueueinfo setpriority "
    "ioprio_set migrate_pages move_pages setsid setpgid",
    "identity": "setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset",
    "memory that no limit counts": "memfd_create memfd_secret shmget shmat shmctl shmdt semget semop semctl "
    "semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr "
    "vmsplice",
    "what the whole machine shares": "io_setup inotify_init inotify_init1 inotify_add_watch sync syncfs",
    "marks on files of ours": "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat "
    "utimensat setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat "
    "file_setattr flock mknod mknodat truncate",
    "large kernel surfaces": "bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register "
    "keyctl add_key request_key seccomp fanotify_init open_by_handle_at name_to_handle_at modify_ldt personality "
    "iopl ioperm landlock_create_ruleset landlock_add_rule landlock_restrict_self",
    "the machine": "quotactl quotactl_fd acct syslog reboot swapon swapoff kexec_load kexec_file_load init_module "
    "finit_module delete_module settimeofday clock_settime adjtimex clock_adjtime sethostname setdomainname vhangup",
}
_CUDA_NEEDS: Final = frozenset({"memfd_create"})  # the driver makes its own shared memory

_SELF: Final = 0x7EEDC0DE  # stands for the child's own process id; no process has one as large

_KILL: Final = 0x80000000
_ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000
_LOAD, _AND, _JUMP, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x06
_LONGEST_JUMP: Final = 255
_OFFSET_OF_NUMBER, _OFFSET_OF_ARCHITECTURE, _OFFSET_OF_ARGUMENTS = 0, 4, 16
_X32: Final = 0x40000000  # from here on, x86-64's numbers are x32's


class Rule(NamedTuple):
    """A call that is allowed or refused by one of its arguments (the low word of it)."""

    call: str
    argument: int
    values: tuple[int, ...]
    allows: bool = True  # the values are the only ones allowed; otherwise the only ones refused
    mask: int = 0xFFFFFFFF
    cuda: bool | None = None  # whether only children with a GPU are under it, or only the others


RULES: Final = (
    # Threads, no processes, in no other namespace. All share one table of files: each of its own could be filled.
    Rule("clone", 0, (0x10F00,), mask=0x7E030F00),
    Rule("close_range", 2, (0, 4)),  # without UNSHARE, which makes a table of files
    Rule("kill", 0, (_SELF,)),
    Rule("tgkill", 0, (_SELF,)),
    Rule("prlimit64", 0, (0, _SELF)),
    Rule("sched_setaffinity", 0, (0, _SELF)),
    Rule("sched_setparam", 0, (0, _SELF)),
    Rule("sched_setscheduler", 0, (0, _SELF)),
    Rule("sched_setattr", 0, (0, _SELF)),
    # PDEATHSIG, DUMPABLE, MM, CHILD_SUBREAPER, PTRACER: how a process would outlive or expose itself;
    # SECCOMP: memory that no limit counts; SCHED_CORE: keeps others off a core; MEMORY_MERGE: shares pages with others
    Rule("prctl", 0, (1, 4, 22, 35, 36, 62, 67, 0x59616D61), allows=False),
    # SETOWN, SETSIG, SETOWN_EX, SETLEASE, NOTIFY: a signal to another process by way of a descriptor;
    # SETPIPE_SZ: memory that no limit counts; GETLK, SETLK, SETLKW and their OFD forms: locks that others see
    Rule("fcntl", 1, (5, 6, 7, 8, 10, 15, 36, 37, 38, 1024, 1026, 1031), allows=False),
    # FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TCGETS, TIOCGWINSZ, TCGETS2: filesystems have commands that change
    # files which are open for reading only, and mount flags alone do not stop all of them.
    Rule("ioctl", 1, (0x541B, 0x5421, 0x5451, 0x5450, 0x5401, 0x5413, 0x802C542A), cuda=False),
    # A driver has hundreds of commands, so here what is known to harm: TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP,
    # SETFLAGS (64 and 32 bits), FSSETXATTR, SETVERSION, ENABLE_VERITY
    Rule(
        "ioctl",
        1,
        (0x5412, 0x541C, 0x8901, 0x8902, 0x40086602, 0x40046602, 0x401C5820, 0x40087602, 0x40806685),
        allows=False,
        cuda=True,
    ),
    # SHARED with ANONYMOUS, or HUGETLB: memory that need not be resident to be held, or is never counted
    Rule("mmap", 3, (0x21, 0x40000, 0x40001, 0x40020, 0x40021), allows=False, mask=0x40021, cuda=False),
    Rule("madvise", 2, (12, 21), allows=False),  # MERGEABLE, PAGEOUT: shares pages; sends them where none counts
)
# A pair of connected streams stays within the process; a pair of datagrams could send to any named socket.
_SOCKETPAIR: Final = (Rule("socketpair", 0, (1,)), Rule("socketpair", 1, (1,), mask=0xF))


class Architecture(NamedTuple):
    """How one machine numbers its calls."""

    audit: int
    column: int


ARCHITECTURES: Final = {
    "x86_64": Architecture(0xC000003E, 0),
    "aarch64": Architecture(0xC00000B7, 1),
}


def numbers(machine: str) -> Mapping[str, int]:
    """Return the numbers of all calls in the policy that exist on a machine."""
    column = ARCHITECTURES[machine].column
    words = _NUMBERS.split()
    rows = zip(words[0::3], words[1 + column :: 3], strict=True)
    return {name: int(number) for name, number in rows if number != "-"}


def refused(*, cuda: bool = False) -> tuple[str, ...]:
    """Return the names of the calls that are refused whatever their arguments."""
    names = (name for group in _REFUSED.values() for name in group.split())
    return tuple(name for name in names if not (cuda and name in _CUDA_NEEDS))


def for_process(template: bytes, pid: int) -> bytes:
    """Return the filter for one process; what `program` gives is the same for all."""
    return template.replace(struct.pack("I", _SELF), struct.pack("I", pid))


def program(machine: str, *, cuda: bool = False) -> bytes:
    """Assemble the filter, with a placeholder where the child's own process id belongs.

    Raises OSError on a machine whose calls the table does not number.
    """
    if machine not in ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"no table of system calls for {machine}")
    prologue = [
        _step(_LOAD, _OFFSET_OF_ARCHITECTURE),
        _step(_JUMP_EQUAL, ARCHITECTURES[machine].audit, 1, 0),
        _return(_KILL),
        _step(_LOAD, _OFFSET_OF_NUMBER),
    ]
    return b"".join([*prologue, *_tree(_runs(machine, cuda=cuda))])


def _verdicts(machine: str, *, cuda: bool) -> Mapping[int, Code]:
    """Return what is done about each call that is not simply allowed."""
    number = numbers(machine)
    verdicts = {number[name]: _EPERM for name in refused(cuda=cuda) if name in number}
    verdicts |= {number[rule.call]: _test(rule) for rule in RULES if rule.cuda in (None, cuda)}
    verdicts[number["socketpair"]] = [*_test(_SOCKETPAIR[0], last=False), *_test(_SOCKETPAIR[1])]
    verdicts[number["clone3"]] = _ENOSYS  # the C library falls back to clone
    return verdicts


def _runs(machine: str, *, cuda: bool) -> list[tuple[int, Code]]:
    """Return the verdicts as runs of equal ones, each with the first number that it is for."""
    verdicts = _verdicts(machine, cuda=cuda)
    runs: list[tuple[int, Code]] = []
    for number in range(NEWEST + 1):
        code = verdicts.get(number, _ALLOWED)
        if not runs or code != runs[-1][1]:
            runs.append((number, code))
    runs.append((NEWEST + 1, _ENOSYS))
    return [*runs, (_X32, [_return(_KILL)])] if machine == "x86_64" else runs


def _tree(runs: Sequence[tuple[int, Code]]) -> Code:
    """Search for the call's run by halves: the kernel walks the filter for every call when it is installed."""
    if len(runs) == 1:
        return runs[0][1]
    middle = len(runs) // 2
    low, high = _tree(runs[:middle]), _tree(runs[middle:])
    first = runs[middle][0]
    if len(low) <= _LONGEST_JUMP:
        return [_step(_JUMP_AT_LEAST, first, len(low), 0), *low, *high]
    return [_step(_JUMP_AT_LEAST, first, 0, 1), _step(_JUMP, len(low)), *low, *high]


def _test(rule: Rule, *, last: bool = True) -> Code:
    """Test one argument: refuse, or go on to the next test, or allow if it is the last."""
    head = [_step(_LOAD, _OFFSET_OF_ARGUMENTS + 8 * rule.argument), _step(_AND, rule.mask)]
    on_hit, on_miss = (_ALLOWED, _EPERM) if rule.allows else (_EPERM, _ALLOWED)
    if not last:  # one value, and a hit goes on
        return [*head, _step(_JUMP_EQUAL, rule.values[0], 1, 0), *on_miss]
    hits = [step for value in rule.values for step in (_step(_JUMP_EQUAL, value, 0, 1), *on_hit)]
    return [*head, *hits, *on_miss]


def _return(verdict: int) -> bytes:
    return _step(_RETURN, verdict)


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


_ALLOWED: Final = [_return(_ALLOW)]
_EPERM: Final = [_return(_ERRNO | errno.EPERM)]
_ENOSYS: Final = [_return(_ERRNO | errno.ENOSYS)]
