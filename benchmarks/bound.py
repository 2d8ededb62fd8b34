"""Part (c): what judging one answer takes, against what it cannot do without.

The bound of one answer is the sum of

* a child of the zygote, locked down, with an empty file imported, and ended;
* running the student's file once;
* the student's functions on every argument that the checks call them with, in a process that knows them already;
* that many times a bare round trip: a number to a child and back.

Everything is measured in turn on one core, answer by answer; each answer's digits are its own, so that nothing is
known from the answer before. What is made once a run is no part of it: the examples, the questions of the checks,
what the reference answers to them and, for a mistake that a class makes many times, what the known mistakes answer.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import statistics
import time
from dataclasses import dataclass, replace
from types import ModuleType

from classes import hand_ins
from measuring import ROOT, Row

from grader import course, isolation, judge, submission
from grader import problem as problems
from grader.isolation import Source, SourceFile, Worker
from grader.isolation.inside.wire import Handle
from grader.student import mapped

TRIPS = 50
MIX = {"right": 0.5, "wrong": 0.5}


@dataclass(frozen=True)
class Parts:
    """Seconds that one answer takes, and of what its bound is made."""

    judged: float
    child: float
    imported: float
    own: float
    calls: int
    trip: float

    @property
    def bound(self):
        return self.child + self.imported + self.own + self.calls * self.trip


def rows(answers, slugs=()):
    """Yield, for each problem, what its right answers and its known mistakes take against their bounds."""
    survey = isolation.survey()
    base = judge.RunSettings(seed=1, examples={}, tier=survey.tier, layers=survey.layers)
    launcher = isolation.launcher(survey.layers)
    found = course.find(ROOT)
    with contextlib.closing(launcher), one_core():
        for slug in slugs or found.slugs:
            measured = Bound(found.problem(slug), base, launcher).measured(answers)
            for kind, parts in measured.items():
                yield _row(slug, kind, parts)


def _row(slug, kind, every):
    judged, bound = (
        statistics.median(values) for values in zip(*((one.judged, one.bound) for one in every), strict=True)
    )
    one = sorted(every, key=lambda parts: parts.bound)[len(every) // 2]
    made_of = f"child {one.child * 1e3:.1f}, import {one.imported * 1e3:.1f}, own {one.own * 1e3:.1f}"
    return Row(
        "c",
        f"{slug}, {'right answer' if kind == 'right' else 'known mistake'} : bound",
        f"{judged * 1e3:.3g} ms",
        f"{bound * 1e3:.3g} ms",
        judged / bound,
        "at most 2",
        f"{made_of}, {one.calls} calls of {one.trip * 1e3:.2f} ms",
    )


@contextlib.contextmanager
def one_core():
    """Keep this process and its children on one core meanwhile, as a judge is."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Bound:
    """Measures answers to one problem."""

    def __init__(self, files, base, launcher):
        self._files, self._launcher = files, launcher
        self._problem = problems.load(files)
        limits = self._problem.settings
        self._run = judge.RunSettings(
            seed=base.seed,
            examples=judge.settled(self._problem, base.seed),
            dtype=limits.dtype or base.dtype,
            tier=base.tier,
            layers=base.layers,
        )

    def measured(self, number):
        """Return the parts of ``number`` answers of each kind."""
        found = {kind: [] for kind in MIX}
        for one in hand_ins(ROOT, 20 * number, mix=MIX, bits=True, slugs=[self._files.slug]):
            if len(found[one.kind]) < number:
                self._parts(replace(one, text=one.text.replace("2.0**-50", "2.0**-49")))  # the same, in other digits
                found[one.kind].append(self._parts(one))
        return found

    def _parts(self, one):
        handed_in = submission.Submission.of(
            one.student, [submission.SubmittedFile(f"{one.slug}.py", one.text.encode())]
        )
        started = time.perf_counter()
        examined = judge.examine(self._files, handed_in, self._run, self._launcher)
        judged = time.perf_counter() - started
        profile = judge.profile(self._problem, submission.answer(handed_in, one.slug), self._run)
        child, trip = self._bare(profile)
        imported, own = self._alone(one, examined.logs)
        calls = sum(1 for log in examined.logs.values() for _ in log.calls)
        return Parts(judged, child, imported, own, calls, trip)

    def _bare(self, profile):
        """Return what a child takes that imports next to nothing, and what a call takes that does nothing."""
        source = Source(slug="same", main=SourceFile("same.py", ("def same(x):\n    return x\n",)))
        started = time.perf_counter()
        with Worker(self._launcher, source, profile) as worker:
            worker.begin(60)
            ready = time.perf_counter()
            for _ in range(TRIPS):
                worker.call(("same",), (1.0,), {}, tensors=False)
            called = time.perf_counter()
        ended = time.perf_counter()
        return ready - started + ended - called, (called - ready) / TRIPS

    def _alone(self, one, logs):
        """Return what running a student's file takes, and its functions on all that they were called with."""
        started = time.perf_counter()
        module = ModuleType(one.slug)
        exec(compile(one.text, f"{one.slug}.py", "exec"), module.__dict__)
        imported = time.perf_counter() - started
        probes = problems.execute(self._problem.probes, "probes.py") if self._problem.probes else {}
        with _float64(torch="torch" in one.text):
            own = sum(_spent(example, module.__dict__, probes) for log in logs.values() for example in log.examples)
        return imported, own


def _spent(example, functions, probes):
    """Return what the calls of one example take."""
    objects, spent = {}, 0.0
    for call in example:
        owner = call.target[0]
        if isinstance(owner, Handle):
            function = getattr(objects[owner.id], call.target[1] or "__call__")
        else:
            function = (probes if owner == "probe" else functions)[call.target[-1]]
        args, kwargs = mapped((call.args, call.kwargs), lambda leaf: _given(leaf, call, objects))  # noqa: B023 - used at once
        started = time.perf_counter()
        try:
            value = function(*args, **kwargs)
        except Exception:  # noqa: BLE001 - a check may ask for it
            value = None
        spent += time.perf_counter() - started
        objects |= _made(call.value, value)
    return spent


def _given(leaf, call, objects):
    if isinstance(leaf, Handle):
        return objects[leaf.id]
    if hasattr(leaf, "dtype"):
        import torch

        return torch.from_numpy(leaf.copy()) if call.tensors else leaf.copy()
    return leaf


def _made(answer, value):
    if isinstance(answer, Handle):
        return {answer.id: value}
    if isinstance(answer, (list, tuple)) and isinstance(value, (list, tuple)):
        pairs = zip(answer, value, strict=False)
        return dict(itertools.chain.from_iterable(_made(a, b).items() for a, b in pairs))
    return {}


@contextlib.contextmanager
def _float64(*, torch):
    """Compute as a child does: in float64, with one thread."""
    if not torch:
        yield
        return
    import torch

    before = torch.get_default_dtype(), torch.get_num_threads()
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_default_dtype(before[0])
        torch.set_num_threads(before[1])
