"""One submission's answer to one problem: every check on every example, in one child."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import time
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from grader import diagnose, examples, script
from grader import problem as problems
from grader.blame import Bench
from grader.errors import IsolationError, StudentFault
from grader.isolation import Layers, Profile, Source, Worker
from grader.isolation.inside.wire import WireError
from grader.outcome import Outcome
from grader.student import Log
from grader.trusted import trusted
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from grader.course import ProblemFiles
    from grader.isolation.profile import Launcher
    from grader.isolation.worker import Performance
    from grader.problem import Check, Problem
    from grader.script import Asked, Script
    from grader.submission import Answer

# A student's calls may take three times the CPU limit and 1 s on the clock; what is beyond that is our own work.
PATIENCE, PATIENCE_AT_LEAST = 4, 10
NOT_BY_HAND = ("torch", "torchvision", "torchaudio", "jax", "tensorflow")


# For all scripts of a problem, and for one; what takes longer is asked again, at last call by call with all its time.
TOGETHER_SECONDS, ALONE_SECONDS = 1.0, 0.5
REMEMBERED = 2048  # judged answers to one check each; a class gives many of them in common


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The conditions of one problem's judging in a run; plain data, equal for every student.

    ``examples`` are the stored arguments by check. ``visible_only`` judges what students may see;
    ``only`` names the checks to judge where not all are wanted. ``memory_mib`` is what this machine has for a child,
    where that is less than a problem allows.
    """

    seed: int
    examples: Mapping[str, examples.Stored]
    dtype: str = "float64"
    device: str = "cpu"
    tier: int = 0
    layers: Layers = field(default_factory=Layers)
    visible_only: bool = False
    only: frozenset[str] = frozenset()
    memory_mib: int | None = None


@dataclass(frozen=True, slots=True)
class Sat:
    """What came of a sitting: how each check went, what was answered, and what a reader should know."""

    outcomes: Mapping[str, Outcome]
    logs: Mapping[str, Log] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    keys: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)  # of what decided, where answers alone did
    seconds: float | None = None  # CPU time of the student's processes


class Memory:
    """What was last made of something, by what it was made of."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Any, Any] = OrderedDict()

    def get(self, key: Any) -> Any:
        """Return what is kept under a key; None if nothing is."""
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def made(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what is kept under a key; make it, and keep it, if nothing is."""
        found = self.get(key)
        if found is None:
            found = make()
            self.keep(key, found)
        return found

    def keep(self, key: Any, value: Any) -> None:
        """Keep a value, and forget what was not asked for the longest."""
        self._kept[key] = value
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)


# A check is a function of the answers, so equal answers to equal questions are compared once.
_JUDGED = Memory(REMEMBERED)


class Sitting:
    """One submission's answer to one problem, judged check by check in one child.

    All checks that have a script are answered in one exchange and judged on the answers. Whatever is unusual about that
    (a child that ends, prints or takes long) has a fresh child answer check by check; what is unusual then (or a
    question that is not in a script) is left to the way call by call, with all the check's time, so that it alone
    decides.
    """

    def __init__(self, files: ProblemFiles, answer: Answer, run: RunSettings, launcher: Launcher) -> None:
        self._files = files
        self._problem = problem = problems.load(files)
        self._run = run
        self._left = problem.settings.problem_seconds
        self._bench = bench(problem, run.dtype)
        self._prompt = bool(problem.reference)  # whether a script is worth a try
        self._begun = False  # whether the check has had the child to itself
        self._said = ""  # what was printed while the file was imported, for the first check to tell
        self._logs: dict[str, Log] = {}
        self._keys: dict[str, tuple[Any, ...]] = {}
        source = Source(slug=problem.slug, main=answer.main, helpers=answer.helpers, probes=problem.probes)
        self._worker = Worker(launcher, source, profile(problem, answer, run))

    def run(self, checks: tuple[Check, ...]) -> Sat:
        """Judge these checks, in order."""
        outcomes: dict[str, Outcome] = {}
        with self._worker:
            performed = self._at_once(checks)
            for check in checks:
                self._logs[check.name] = Log()
                outcomes[check.name] = self._judged(check, performed.get(check.name), first=not outcomes)
        return Sat(outcomes, self._logs, tuple(self._worker.notes), self._keys, round(self._worker.used, 3) or None)

    def _at_once(self, checks: Sequence[Check]) -> dict[str, Performance]:
        """Have every script performed in one exchange.

        Nothing comes of it where anything is unusual, or something is printed: which check it was could not be told.
        """
        scripts = [(check, written) for check in checks if (written := self._script(check)) is not None]
        if not scripts:
            return {}
        seconds = min(self._problem.settings.seconds, self._left)
        try:
            self._worker.begin(seconds, rest=False)
            said = self._worker.output()
            performances = self._performed(scripts, min(seconds, TOGETHER_SECONDS))
            silent = self._worker.output() == said
            if performances is None or not silent:
                self._worker.renew()
            self._left -= self._worker.spent
        except (StudentFault, IsolationError):  # each check will hear of it
            return {}
        if performances is None or not silent:
            return {}
        self._said = said
        return {check.name: one for (check, _), one in zip(scripts, performances, strict=True)}

    def _judged(self, check: Check, performance: Performance | None, *, first: bool) -> Outcome:
        left, began = self._left, time.monotonic()
        if left <= 0:
            return Outcome(Status.SKIPPED)
        self._begun = False
        outcome = self._within(check, min(self._problem.settings.seconds, left), performance)
        # As for one check: what the clock shows counts a third, so that a busy machine costs nobody a point.
        self._left -= max(self._worker.spent if self._begun else 0.0, (time.monotonic() - began) / 3)
        if outcome.status is Status.TIMED_OUT and left < self._problem.settings.seconds and not first:
            return Outcome(Status.SKIPPED)  # the checks before had left it less than its own time
        return outcome

    def _within(self, check: Check, seconds: float, performance: Performance | None) -> Outcome:
        written = self._script(check)
        try:
            if performance is None:
                self._begin(seconds, rest=written is None)
                performance = self._alone(check, written, seconds) if written is not None else None
            if written is None or performance is None:
                outcome, _ = self._over_examples(check, None, (), seconds)
            else:
                outcome = self._on_answers(check, written, performance, seconds)
        except StudentFault as fault:
            outcome = Outcome(fault.status, fault=fault)
        except IsolationError as error:
            return Outcome(Status.BROKEN, trouble=f"IsolationError: {error}")
        said, self._said = self._said, ""
        return replace(outcome, output=said + (self._worker.output() if self._begun else ""))

    def _begin(self, seconds: float, *, rest: bool = True) -> None:
        self._begun = True
        self._worker.begin(seconds, rest=rest)

    def _script(self, check: Check) -> Script | None:
        return _script(self._files, self._run, check.name) if self._prompt else None

    def _alone(self, check: Check, written: Script, seconds: float) -> Performance | None:
        """Have one script performed, in what time that usually takes; None if it comes to nothing."""
        performances = self._performed([(check, written)], min(seconds, ALONE_SECONDS))
        self._prompt = performances is not None
        if performances is None:
            self._worker.renew()
        self._worker.allow(seconds)
        return None if performances is None else performances[0]

    def _performed(self, scripts: Sequence[tuple[Check, Script]], seconds: float) -> list[Performance] | None:
        try:
            request = script.request(tuple(written.packed for _, written in scripts))
        except WireError:
            return None
        return self._worker.perform(
            request,
            [written.lines for _, written in scripts],
            seconds if self._run.device == "cpu" else self._problem.settings.seconds,  # a GPU takes time to wake up
            lambda place, answers: _JUDGED.get(self._key(*scripts[place], answers)) is not None,
        )

    def _key(self, check: Check, written: Script, answers: bytes) -> tuple[Any, ...]:
        """Return all that a check's outcome depends on: other checks may ask the same and want something else."""
        drawn = self._run.examples[check.name]  # not all of it need be in a question
        return self._files, self._run.dtype, check.name, drawn, written.packed, answers

    def _on_answers(self, check: Check, written: Script, performance: Performance, seconds: float) -> Outcome:
        """Judge a check on the answers to its script; a function of these answers where they are all it needs."""
        key = self._key(check, written, performance.key)
        known = _JUDGED.get(key) if performance.key else None
        if known is None:
            answers = script.answered(written, performance)
            outcome, alone = self._over_examples(check, written, answers, seconds)
            if not alone or not performance.key:
                return outcome
            _JUDGED.keep(key, (outcome, self._logs[check.name]))
        else:
            outcome, self._logs[check.name] = known
        self._keys[check.name] = key
        return outcome

    def _over_examples(
        self, check: Check, written: Script | None, answers: Sequence[Sequence[Asked]], seconds: float
    ) -> tuple[Outcome, bool]:
        """Run a check on every example, a failed one or not: only all calls together tell mistakes apart.

        The verdict tells of the first example that does not hold; a fault ends the check. Also returned is whether
        these answers were all that was needed.
        """
        alone = True
        first = Outcome(Status.PASSED)
        shares: list[float] = []
        log = self._logs[check.name]
        for place, stored in enumerate(self._run.examples[check.name]):
            outcome = None
            if written is not None:
                outcome = self._bench.replay(check, written.scenes[place], answers[place], log)
            if outcome is None:
                alone = False
                if not self._begun:
                    self._begin(seconds)
                outcome = self._bench.run(check, examples.decode(stored), self._worker, log)
            shares += [] if outcome.share is None else [outcome.share]
            if first.status is Status.PASSED:
                first, log.telling = outcome, place
            if outcome.status not in {Status.PASSED, Status.FAILED}:
                break
        return replace(first, share=max(shares, default=None)), alone


def _script(files: ProblemFiles, run: RunSettings, name: str) -> Script | None:
    """Return the script of a check, if it has one; written once a process."""
    return _written(files, run.dtype, name, run.examples[name], _child_seed(run.seed))


@functools.lru_cache(maxsize=4096)
def _written(files: ProblemFiles, dtype: str, name: str, stored: examples.Stored, seed: int) -> Script | None:
    problem = problems.load(files)
    table = bench(problem, dtype)
    assert table.reference is not None, "there is nobody to write it with"
    return script.write(
        problem.check(name),
        stored,
        # Not the same as the bench's: its objects are to be numbered by themselves.
        trusted(problem.reference, f"script/{files.slug}.py", problem.probes),
        table.reference,
        dtype=dtype,
        takes_tensors=problem.takes_tensors,
        seed=seed,
        patience=table.patience,
    )


@functools.lru_cache(maxsize=4096)
def questions(files: ProblemFiles, dtype: str, name: str, stored: bytes) -> frozenset[bytes]:
    """Return what a check asks of the reference on an example, in the student's place."""
    problem = problems.load(files)
    table = bench(problem, dtype)
    assert table.reference is not None, "there is nobody to put questions to"
    return script.questions(
        problem.check(name),
        examples.decode(stored),
        table.reference,
        dtype=dtype,
        takes_tensors=problem.takes_tensors,
        patience=table.patience,
    )


def profile(problem: Problem, answer: Answer, run: RunSettings) -> Profile:
    """Return the conditions of the child for one answer."""
    limits = problem.settings
    names_torch = "torch" in problem.reference + problem.stub
    # Where only the answer names it and it is not here, importing it fails in the child, as it would anywhere.
    names_torch = names_torch or (_has_torch() and any("torch" in cell for cell in answer.main.cells))
    return Profile(
        torch=names_torch and not limits.by_hand,
        dtype=run.dtype,
        device=run.device,
        threads=limits.threads,
        autograd=limits.autograd,
        seed=_child_seed(run.seed),
        memory_mib=min(limits.memory_mib, run.memory_mib or limits.memory_mib),
        import_seconds=limits.import_seconds,
        hidden_packages=("grader", *(NOT_BY_HAND if limits.by_hand else ())),
    )


@functools.cache
def _has_torch() -> bool:
    return importlib.util.find_spec("torch") is not None


def _child_seed(seed: int) -> int:
    """A student's child gets a seed of its own: from the run's seed it could draw what we drew."""
    return int.from_bytes(hashlib.sha256(f"child {seed}".encode()).digest()[:4], "big")


def bench(problem: Problem, dtype: str) -> Bench:
    """Return the bench that a problem's checks run at."""
    reference = diagnose.trusted_reference(problem) if problem.reference else None
    patience = PATIENCE * problem.settings.seconds + PATIENCE_AT_LEAST
    return Bench(reference=reference, dtype=dtype, takes_tensors=problem.takes_tensors, patience=patience)
