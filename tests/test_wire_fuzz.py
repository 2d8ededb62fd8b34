"""The decoder against frames made to break it: a value or a `WireError`, in bounded memory and time.

``GRADER_FUZZ`` says how many frames; the long form takes a million.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from carrying import plain, same
from fuzzing import frames
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from grader.isolation.inside import values, wire
from grader.isolation.inside.wire import Reader, WireError, decode, encode

COUNT = int(os.environ.get("GRADER_FUZZ", "20000"))
SHARES = 1 if COUNT < 100_000 else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


@pytest.fixture(scope="module")
def outcome():
    """What came of all frames, decoded in processes of their own with limited memory."""
    pytest.importorskip("resource", reason="this platform cannot limit a process's memory: not run")
    share = -(-COUNT // SHARES)
    started = [
        subprocess.Popen(
            [sys.executable, frames.__file__, str(share), str(seed)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | frames.ENVIRONMENT,
        )
        for seed in range(SHARES)
    ]
    ended = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0] * SHARES, ended
    return [json.loads(said) for said, _ in ended]


def test_every_mutated_frame_gives_a_value_or_a_wire_error_in_bounded_memory_and_time(outcome):
    for one in outcome:
        print(json.dumps(one))  # noqa: T201 - shown by pytest -s, and when this fails
    assert [one["findings"] for one in outcome] == [[]] * SHARES
    assert sum(one["frames"] for one in outcome) >= COUNT


def test_the_mutations_reach_deep(outcome):
    """Frames that are all refused for their first byte would prove nothing."""
    for one in outcome:
        assert one["values"] > one["frames"] / 50
        assert len(one["reasons"]) >= 12, "different places or causes of a refusal"
        assert max(one["reasons"].values()) < 0.8 * sum(one["reasons"].values())


class RefusalError(WireError):
    """Another exception than the one that is promised."""


def raising(error):
    def decoder(_data):
        raise error

    return decoder


def taking_memory(data):
    held = bytearray(100 * len(data) + 2**20)
    raise WireError(f"{len(held)}")


def taking_time(_data):
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    raise WireError("at last")


@pytest.mark.parametrize(
    ("decoder", "words"),
    [
        (raising(KeyError("x")), "KeyError"),
        (raising(SystemExit()), "SystemExit"),
        (raising(RefusalError("no")), "a RefusalError"),
        (taking_memory, "bytes of memory"),
        (taking_time, "s\n"),
        (lambda _data: object(), "cannot be sent"),
        (lambda _data: 5, "as an answer and as a stored value"),
    ],
    ids=["KeyError", "SystemExit", "subclass", "memory", "time", "no value", "any nonce"],
)
def test_the_trial_finds_what_it_looks_for(monkeypatch, decoder, words):
    """The control: a decoder with each fault is found out."""
    monkeypatch.setattr(wire, "decode", decoder)
    monkeypatch.setattr(frames, "SECONDS", 0.02)
    trial = frames.Trial(0)
    trial.judge(wire.pack(frames.NONCE, [1, 2.5]), weighed=decoder is taking_memory)
    assert words in "".join(trial.findings)


def test_an_honest_frame_is_no_finding():
    trial = frames.Trial(0)
    for value in frames.values()[:30]:
        trial.judge(wire.pack(frames.NONCE, value), weighed=True)
        trial.judge(encode(value))
    assert trial.findings == []
    assert trial.values == 60


@given(st.integers(0, 2**32), st.lists(st.integers(1, 60), min_size=1, max_size=30))
def test_the_pieces_in_which_a_frame_arrives_change_nothing(seed, sizes):
    """Whole or in any pieces, the same value comes out or the frame is refused."""
    data = frames.Mutator(seed).frame()
    assert same(outcome_of([data]), outcome_of(pieces(data, sizes)))


def pieces(data, sizes):
    at = 0
    while at < len(data):
        size = sizes[at % len(sizes)]
        yield data[at : at + size]
        at += size


def outcome_of(parts):
    reader = Reader(frames.NONCE)
    try:
        for part in parts:
            reader.feed(part)
        return reader.value()
    except WireError:
        return "refused"


def test_nothing_is_allocated_for_what_is_only_announced():
    frame = wire.pack(frames.NONCE, None)
    fields = wire.PREFIX.unpack_from(frame)
    most = [wire.SIZE if type(field) is int else field for field in fields]
    for announced in (most, [min(field, 2**20) if type(field) is int else field for field in most]):
        reader = Reader(frames.NONCE)
        tracemalloc.start()
        try:
            reader.feed(wire.PREFIX.pack(*announced) + frame[wire.PREFIX.size :])
        except WireError:
            continue
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 2**14
        assert not reader.complete
        with pytest.raises(WireError):
            reader.value()


@dataclasses.dataclass
class Record:
    one: object
    other: object


def returned(parts):
    """What a student's function may return, made of such parts."""
    return st.one_of(
        st.builds(Record, parts, parts),
        st.lists(parts, max_size=3),
        st.lists(parts, max_size=3).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=3), st.integers().map(np.float64)), parts, max_size=3),
        st.lists(parts, max_size=3).map(containing_itself),
        st.lists(parts, max_size=2).map(lambda made: np.array([*made, None], dtype=object)),
    )


def containing_itself(parts):
    parts.append(parts)
    return parts


odd = st.one_of(
    plain,
    st.sampled_from([np.float16(1), np.float32(2.5), np.int8(-3), np.bool_(1), np.longdouble(1), np.complex64(1j)]),
    st.sampled_from([object(), {1, 2}, b"x", range(3), iter([1]), len, 10**301, Fraction(1, 10**301), np.array("x")]),
    st.integers(-(10**400), 10**400),
)


@hypothesis_settings(max_examples=200)
@given(st.recursive(odd, returned, max_leaves=8))
def test_whatever_is_returned_is_refused_or_comes_back_as_it_was_exported(value):
    """What `values.export` lets through can be sent, and no second export changes it."""
    kept = []
    try:
        exported = values.export(value, lambda thing: wire.Handle(kept.append(thing) or len(kept), "thing"))
    except values.Untransportable:
        return
    assert same(decode(encode(exported)), exported)
    assert kept or same(values.export(exported, kept.append), exported)
