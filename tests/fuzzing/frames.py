"""Hostile frames, made from frames that the module itself wrote; and a run of many with what came of them.

As a command, ``python frames.py COUNT SEED`` (with `ENVIRONMENT`) decodes COUNT mutated frames in a process whose
memory is limited and x
"""

from __future__ import annotations

import collections
import copy
import json
import math
import os
import random
import re
import struct
import sys
import time
import traceback
import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
from carrying import same

from grader.isolation.inside import nodes, wire

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))}
NONCE = bytes(range(1, wire.NONCE_BYTES + 1))
SECONDS = 1.0  # of processor time for one frame: a thousand times what the slowest honest one of its size takes
ROOM = 96 * 2**20  # of address space beyond what the process has when it starts to decode
SMALL = 2**16  # a frame that is longer has its memory traced
WEIGHED_EACH = 500  # of the small ones, how many to one that is traced
PIECES_EACH = 3
BYTES_A_BYTE = 48  # memory for one byte of a frame: parsed, "[]," is a list and its place in another
BASE = 2**18  # memory that does not depend on the frame: a traceback, a message

TOKEN = re.compile(rb'"[^"]*"|[A-Za-z0-9_.+-]+|.', re.DOTALL)
HOSTILE = [
    *(b"0", b"-0", b"1", b"-1", b"2", b"9", b"17", b"255", b"256", b"65536", b"4294967295", b"2147483648"),
    *(b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"1" + b"0" * 40, b"f" * 250),
    *(b"-" + b"f" * 300, b"1e9", b"1e999999999", b"1.5", b"-1e-400", b"NaN", b"Infinity", b"-Infinity", b"nan"),
    *(b"inf", b"0x1p0", b"0x1p1023", b"0x1p99999999", b"0x.8p-1074", b"0x1.fffffffffffffp+1024", b"1_000", b" 1 "),
    *(b"null", b"true", b"false", b"[]", b"{}", b'""', b'"a"', b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\u0000"'),
    *(b'"\xc3\xa9"', b'"\xed\xa0\x80"', b'"\xff"', b'"\\x41"', b"'a'", b"[[]]", b"[null]", b"[[[[[[[[[[]]]]]]]]]]"),
    *(b'{"a":1}', b"[1,2]", b"\0", b"\x7f", b"\xef\xbb\xbf", b"//", b"/**/", b"\\", b"O", b"U5", b"M8", b">f8", b"|V8"),
    *(code.encode() for code in nodes.DTYPES),
]
NUMBERS = [0, 1, 2, 3, 7, 127, 128, 255, 256, 2**15, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1]


def values() -> list:
    """One value of every kind, alone and inside others."""
    nan = np.frombuffer(struct.pack("<3Q", 0x7FF8DEADBEEF0001, 0x7FF0000000000001, 0xFFF8000000000000), "<f8")
    arrays = [np.arange(6).astype(dtype).reshape(2, 3) for dtype in nodes.DTYPES.values()]
    scalars = [None, True, False, 0, -1, 2**63, 10**299, -(10**299), 0.1, -0.0, math.inf, math.nan, 5e-324, 1.7e308]
    scalars += [1 + 2j, complex(math.nan, -math.inf), Fraction(-22, 7), Fraction(10**299, 3), wire.Handle(7, "Net")]
    texts = ["", "word", "two words", "ä€😀", "\ud800 \udfff", "\0", '"[', "x" * 300, "\u202e"]
    nested: list = [1]
    for _ in range(60):
        nested = [nested]
    return [
        *scalars,
        *texts,
        *arrays,
        nan,
        np.array(3.5),
        np.zeros((0, 4)),
        np.zeros((1,) * 30),
        np.arange(500.0),
        [],
        (),
        {},
        [[], (), {}, [[]]],
        nested,
        [1, [2, (3.5, {"k": [None, "t"]})]],
        {"a": 1, "b": [1.5, 2.5], (1, "x"): {True: None}},
        {i: str(i) for i in range(40)},
        {i * sys.hash_info.modulus: i for i in range(1, 60)},
        {(i * sys.hash_info.modulus, ("k", float(i))): None for i in range(10)},
        {float(i): (i, -i) for i in range(20)},
        {"value": np.arange(4.0), "warnings": []},
        {"fault": {"kind": "exception", "mro": ["ValueError"], "text": "no", "frames": [("a.py", 3)]}},
        [*range(60)],
        [i / 7 for i in range(60)],
        ["ab"] * 30,
        [Fraction(i, 7) for i in range(20)],
    ]


class Mutator:
    """An endless stream of frames that are wrong in some way; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.frames = [wire.pack(nonce, value) for value in values() for nonce in (bytes(len(NONCE)), NONCE)]
        self.trees = [tree for tree in map(_tree, self.frames) if tree is not None]
        self.deep = [*[(self.tree, True)] * 4, (self.payload, True)]
        self.kinds = [
            *self.deep,
            *[(self.tokens, True)] * 4,
            *[(self.payload, True)] * 2,
            *[(self.bytes, True)] * 2,
            *[(self.crossed, True)] * 2,
            (self.bytes, False),
            (self.lengths, False),
            (self.nonce, False),
            (self.cut, False),
        ]

    def frame(self) -> bytes:
        """Return the next."""
        data = self.random.choice(self.frames)
        kinds = self.random.choice((self.kinds, self.deep))
        for _ in range(self.random.choice((1, 1, 1, 2, 2, 3, 5))):
            mutate, lengths_follow = self.random.choice(kinds)
            data = self.mended(data, mutate) if lengths_follow else mutate(data)
        return data

    def large(self) -> bytes:
        """Return a frame of up to a megabyte that holds one thing far too often, or one inside the other."""
        head, header, payload = _parts(self.random.choice(self.frames))
        kind, times = self.random.randrange(5), int(10 ** self.random.uniform(2, 5))
        tokens = TOKEN.findall(header) or [b"0"]
        one = b"".join(tokens[self.random.randrange(len(tokens)) :][: self.random.randrange(1, 7)])
        times = min(times, 2**20 // len(one))
        if kind == 0:
            header = one * times
        elif kind == 1:
            header = self.inserted(header, b",".join([one] * times))
        elif kind == 2:
            header = self.inserted(header, b"9" * times)
        elif kind == 3:
            opening = self.random.choice((b"[", b'["l",', b'["d",null,', b'["t",', b"[[],"))
            header = opening * times + header + b"]" * self.random.choice((times, 0, 1))
        else:
            payload += self.random.randbytes(times)
        return _joined(head, header, payload)

    def mended(self, data: bytes, mutate) -> bytes:
        """Mutate what follows the announced lengths, and announce what it then is."""
        head, header, payload = _parts(data)
        if mutate == self.payload:
            return _joined(head, header, mutate(payload))
        if mutate == self.crossed:
            return _joined(head, *mutate(header, payload))
        return _joined(head, mutate(header), payload)

    def tree(self, header: bytes) -> bytes:
        """Change the structure where the header is JSON, and its tokens where it is something else."""
        try:
            root = [json.loads(header)]
        except (ValueError, RecursionError):
            return self.tokens(header)
        for _ in range(self.random.choice((1, 1, 2, 4))):
            self.grafted(root)
        return json.dumps(root[0], separators=(",", ":")).encode()

    def grafted(self, root: list) -> None:
        """Change one place of a tree."""
        branch = root
        at = 0
        for _ in range(self.random.randrange(6)):  # down to some place
            if not (isinstance(branch[at], list) and branch[at]):
                break
            branch = branch[at]
            at = self.random.randrange(len(branch))
        kind = self.random.randrange(8)
        if kind == 0:
            branch[at] = self.leaf()
        elif kind == 1:
            branch[at] = copy.deepcopy(self.random.choice(self.trees))
        elif kind == 2 and branch is not root:
            del branch[at]
        elif kind == 3 and branch is not root:
            branch[at:at] = copy.deepcopy(branch[at : at + self.random.randrange(1, 5)]) * self.random.choice(
                (1, 1, 2, 9)
            )
        elif kind == 4 and branch is not root:
            other = self.random.randrange(len(branch))
            branch[at], branch[other] = branch[other], branch[at]
        elif kind == 5:
            branch[at] = [branch[at]]
        elif kind == 6 and branch is not root:
            branch.insert(at, self.leaf())
        else:
            branch[at] = self.varied(branch[at])

    def leaf(self) -> object:
        kind = self.random.randrange(5)
        if kind == 0:
            return self.random.choice(NUMBERS) * self.random.choice((1, 1, -1))
        if kind == 1:
            return self.random.choice((None, True, False, [], 1.5, -0.0, 1e308, "", "\ud800", "\0", "é"))
        if kind == 2:
            return self.random.choice(HOSTILE).decode("latin-1")
        tree = self.random.choice(self.trees)
        while isinstance(tree, list) and tree:
            tree = self.random.choice(tree)
        return copy.deepcopy(tree)

    def varied(self, node: object) -> object:
        """Return nearly the same."""
        if isinstance(node, bool) or node is None:
            return not node
        if isinstance(node, (int, float)):
            return self.random.choice((node + 1, node - 1, -node, 2 * node, 0.5, str(node)[:20]))
        if isinstance(node, str):
            return self.random.choice(
                (node.upper(), node[::-1], node[:-1], node + node, "-" + node, node + "0", node[1:])
            )
        return node[::-1] if isinstance(node, list) else {"k": node}

    def tokens(self, header: bytes) -> bytes:
        found = TOKEN.findall(header)
        for _ in range(self.random.choice((1, 1, 2, 4))):
            at = self.random.randrange(len(found) + 1)
            end = min(at + self.random.randrange(1, 9), len(found))
            kind = self.random.randrange(8)
            if kind == 0:
                found[at : at + 1] = [self.random.choice(HOSTILE)]
            elif kind == 1:
                found.insert(at, self.random.choice(HOSTILE) + self.random.choice((b"", b",")))
            elif kind == 2:
                del found[at:end]
            elif kind == 3:
                found[at:at] = found[at:end] * self.random.choice((1, 1, 2, 20))
            elif kind == 4 and found:
                other = self.random.randrange(len(found))
                found[at : at + 1], found[other] = [found[other]], found[min(at, len(found) - 1)]
            elif kind == 5:
                found[at:end] = [b"[", *found[at:end], b"]"]
            elif kind == 6:
                found[at : at + 1] = [self.number(token) for token in found[at : at + 1]]
            else:
                start = self.random.randrange(len(found) + 1)
                found[at:end] = found[start : start + self.random.randrange(9)]
        return b"".join(found)

    def number(self, token: bytes) -> bytes:
        """Return a token with one run of digits replaced."""
        return re.sub(rb"[0-9a-f]+", lambda _: str(self.random.choice(NUMBERS)).encode(), token, count=1)

    def inserted(self, text: bytes, more: bytes) -> bytes:
        at = self.random.randrange(len(text) + 1)
        return text[:at] + more + text[at:]

    def payload(self, payload: bytes) -> bytes:
        kind = self.random.randrange(5)
        if kind == 0:
            return payload[: self.random.randrange(len(payload) + 1)]
        if kind == 1:
            return payload + self.random.randbytes(self.random.randrange(1, 40))
        if kind == 2:
            return self.inserted(payload, self.random.choice((b"\xff", b"\xed\xa0\x80", b"\0", b"\x02")))
        if kind == 3:
            return self.random.randbytes(len(payload))
        return self.bytes(payload)

    def bytes(self, data: bytes) -> bytes:
        found = bytearray(data)
        for _ in range(self.random.choice((1, 1, 2, 4))):
            at = self.random.randrange(len(found) + 1)
            kind = self.random.randrange(6)
            if kind == 0:
                found[at : at + 1] = self.random.randbytes(1)
            elif kind == 1 and at < len(found):
                found[at] ^= 1 << self.random.randrange(8)
            elif kind == 2:
                del found[at : at + self.random.randrange(1, 9)]
            elif kind == 3:
                found[at:at] = self.random.choice((b"\0", b"\xff" * 4, b"[", b"]", b",", b'"', b"-", b"\\u", b"9"))
            elif kind == 4:
                found[at:at] = found[at : at + self.random.randrange(1, 20)]
            else:
                width = self.random.choice((1, 2, 4, 8))
                number = self.random.choice(NUMBERS) % 2 ** (8 * width)
                found[at : at + width] = number.to_bytes(width, self.random.choice(("little", "big")))
        return bytes(found)

    def crossed(self, header: bytes, payload: bytes) -> tuple[bytes, bytes]:
        """Mix two frames."""
        _, other, more = _parts(self.random.choice(self.frames))
        kind = self.random.randrange(3)
        if kind == 0:
            return other, payload
        if kind == 1:
            return self.inserted(header, b"," + other), payload + more
        mine, theirs = TOKEN.findall(header), TOKEN.findall(other)
        return b"".join(
            mine[: self.random.randrange(len(mine) + 1)] + theirs[self.random.randrange(len(theirs) + 1) :]
        ), more

    def lengths(self, data: bytes) -> bytes:
        """Announce something else than what follows."""
        fields = list(wire.PREFIX.unpack_from(data)) if len(data) >= wire.PREFIX.size else []
        places = [place for place, field in enumerate(fields) if type(field) is int]
        if not places:
            return data
        place = self.random.choice(places)
        fields[place] = self.random.choice((fields[place] + 1, abs(fields[place] - 1), *NUMBERS))
        try:
            return wire.PREFIX.pack(*fields) + data[wire.PREFIX.size :]
        except struct.error:
            return data

    def nonce(self, data: bytes) -> bytes:
        """Answer another request, or nearly this one."""
        other = self.random.choice((bytes(len(NONCE)), NONCE, NONCE[::-1], self.random.randbytes(len(NONCE))))
        return data.replace(NONCE, other, 1) if NONCE in data else data.replace(bytes(len(NONCE)), other, 1)

    def cut(self, data: bytes) -> bytes:
        """End early, or go on."""
        at = self.random.randrange(len(data) + 1)
        return self.random.choice((data[:at], data[at:], data + data[:at], data + data))


def _parts(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Return what precedes the announced parts, and these two."""
    size = wire.PREFIX.size
    lengths = [field for field in wire.PREFIX.unpack_from(data.ljust(size, b"\0")) if type(field) is int]
    middle = size + (lengths[0] if lengths[0] <= len(data) - size else max(len(data) - size, 0))
    return data[:size].ljust(size, b"\0"), data[size:middle], data[middle:]


def _tree(data: bytes) -> object:
    """Return the header of a frame if it is JSON."""
    try:
        return json.loads(_parts(data)[1])
    except ValueError:
        return None


def _joined(head: bytes, header: bytes, payload: bytes) -> bytes:
    lengths = iter((len(header), len(payload)))
    fields = (next(lengths) if type(field) is int else field for field in wire.PREFIX.unpack(head))
    return wire.PREFIX.pack(*fields) + header + payload


class Trial:
    """Decodes frames as the grader does and keeps what should not have happened."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.frames = self.values = 0
        self.slowest = 0.0
        self.most = 0.0  # memory by byte of the frame
        self.reasons: collections.Counter[tuple[str, int, str]] = collections.Counter()
        self.findings: list[str] = []

    def judge(self, data: bytes, *, weighed: bool = False) -> None:
        """Decode one frame in both forms; a nonce decides which of them can take it."""
        self.frames += 1
        stored = self._timed(data, lambda: wire.decode(data), weighed=weighed)
        answer = self._timed(data, lambda: self._answered(data), weighed=weighed)
        if stored is not None and answer is not None:
            self._find(data, "one frame was taken as an answer and as a stored value")

    def _answered(self, data: bytes) -> object:
        """Decode as a reply that arrives in pieces."""
        reader = wire.Reader(NONCE)
        at = 0
        while at < len(data):
            end = at + self.random.choice((1, 7, 40, len(data) // PIECES_EACH + 1, len(data)))
            reader.feed(data[at:end])
            at = end
        return reader.value()

    def _timed(self, data: bytes, decode, *, weighed: bool) -> object:
        if weighed:
            tracemalloc.start()
        began = time.process_time()
        value = None
        try:
            value = [decode()]
        except wire.WireError as error:
            self._refused(data, error)
        except BaseException as error:  # noqa: BLE001 - the finding that all this is for
            self._find(data, "".join(traceback.format_exception(error)))
        seconds = time.process_time() - began
        if weighed:
            self._weigh(data, tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        else:
            self.slowest = max(self.slowest, seconds)
            if seconds > SECONDS:
                self._find(data, f"{seconds:.1f} s")
        if value is not None:
            self._taken(data, value[0])
        return value

    def _refused(self, data: bytes, error: wire.WireError) -> None:
        if type(error) is not wire.WireError:
            self._find(data, f"a {type(error).__name__}")
        if len(data) < SMALL and isinstance(error.__cause__, MemoryError):
            self._find(data, "a small frame took all memory")
        where = error.__traceback__
        while where.tb_next:
            where = where.tb_next
        self.reasons[where.tb_frame.f_code.co_filename, where.tb_lineno, type(error.__cause__).__name__] += 1

    def _taken(self, data: bytes, value: object) -> None:
        self.values += 1
        try:
            if not same(wire.decode(wire.encode(value)), value):
                self._find(data, "another value after one more round")
        except BaseException as error:  # noqa: BLE001 - another finding
            self._find(data, f"taken, but cannot be sent: {error!r}")

    def _weigh(self, data: bytes, peak: int) -> None:
        self.most = max(self.most, peak / max(len(data), 2**10))
        if peak > BYTES_A_BYTE * len(data) + BASE:
            self._find(data, f"{peak} bytes of memory for {len(data)}")

    def _find(self, data: bytes, what: str) -> None:
        if len(self.findings) < 20:
            self.findings.append(f"{what}\n{data[:400]!r} ({len(data)} bytes)")


def run(count: int, seed: int) -> dict:
    """Decode that many frames; return what came of it."""
    import resource

    mutator, trial = Mutator(seed), Trial(seed)
    began = time.process_time()
    for number in range(count):
        if number % WEIGHED_EACH == 0:
            large = mutator.large()
            trial.judge(large, weighed=number % (2 * WEIGHED_EACH) == 0)
        else:
            trial.judge(mutator.frame(), weighed=number % WEIGHED_EACH == 1)
    return {
        "frames": trial.frames,
        "values": trial.values,
        "reasons": {
            f"{Path(file).name}:{line} from {cause}": times
            for (file, line, cause), times in trial.reasons.most_common()
        },
        "slowest_ms": round(1000 * trial.slowest, 2),
        "bytes_a_byte": round(trial.most, 1),
        "cpu_seconds": round(time.process_time() - began, 1),
        "resident_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "findings": trial.findings,
    }


def limit() -> None:
    """Allow this process a little more memory than it has."""
    import resource

    with Path("/proc/self/statm").open(encoding="ascii") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, size + ROOM))


if __name__ == "__main__":
    limit()
    sys.stdout.write(json.dumps(run(*map(int, sys.argv[1:])), indent=1) + "\n")
