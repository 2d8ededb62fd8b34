"""The author's proof: a problem's tests accept right answers and catch known mistakes.

Demanded, by the letters of the design:

(a) the reference and every right variant pass, using at most half of what a tolerance allows, in float64 and
    float32, on two fresh seeds, and on the GPU where there is one;
(b) the stub is NOT_ATTEMPTED in every check;
(c) every wrong variant fails the check it names by at least twice the tolerance, and gets its own hint and no
    other's;
(d) every check is named by some wrong variant;
(e) generic wrong answers, made from the reference's own results, fail some check wherever they differ from them;
(f) unusable answers are never PASSED and never BROKEN;
(g) a probe measures and never judges.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader import classroom, generic
from grader import problem as problems
from grader.crew import Crew
from grader.diagnose import hint_of
from grader.errors import AuthoringError
from grader.judge import RunSettings, bench, judge, settled
from grader.submission import Submission, SubmittedFile
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from grader.course import ProblemFiles
    from grader.examples import Stored
    from grader.isolation.profile import Launcher, Layers
    from grader.problem import Problem
    from grader.variants import Variant
    from grader.verdict import CheckResult, Verdict

RIGHT_SHARE = 0.5
WRONG_SHARE = 2.0
DTYPES = ("float64", "float32")


@dataclass(frozen=True, slots=True)
class Margin:
    """How far a check stands from both sides, as shares of what it allows; None where no number was compared."""

    right: float | None
    wrong: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate of the table: its name, what it is, and the status of each check."""

    name: str
    kind: str
    statuses: Mapping[str, Status]


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found about one problem; ``complaints`` is empty if it is proved."""

    slug: str
    digest: str
    checks: int
    right: int
    wrong: int
    caught: int
    diagnosed: int
    generic: int
    margins: Mapping[str, Margin]
    table: tuple[Row, ...]
    complaints: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether every demand holds."""
        return not self.complaints


@dataclass(slots=True)
class _Notes:
    """What is gathered on the way to a proof."""

    complaints: list[str] = field(default_factory=list)
    table: list[Row] = field(default_factory=list)
    rights: dict[str, float] = field(default_factory=dict)
    wrongs: dict[str, float] = field(default_factory=dict)
    caught: int = 0
    diagnosed: int = 0
    generic: int = 0


@dataclass(frozen=True, slots=True)
class Conditions:
    """What proofs are made under: the first of two seeds, how isolated, and on which devices."""

    seed: int
    tier: int
    layers: Layers
    devices: tuple[str, ...] = ("cpu",)
    preload: tuple[str, ...] = ()


def prove_all(
    every: Sequence[ProblemFiles], conditions: Conditions, *, jobs: int = 1
) -> Iterator[tuple[ProblemFiles, Proof | AuthoringError]]:
    """Yield each problem with its proof, or with why it cannot be proved, in the order given.

    Args:
        every: the problems.
        conditions: what they are proved under.
        jobs: how many are proved side by side.
    """
    if jobs <= 1 or len(every) <= 1:
        with classroom.one_core():
            for files in every:
                yield files, _proved(files, conditions)
        return
    with Crew(functools.partial(_proving, conditions), min(jobs, len(every))) as provers:
        # The longest first, so that none is left over at the end while others stand idle.
        longest = sorted(every, key=lambda files: -len(files.variants))
        begun = {files.slug: provers.submit(files) for files in longest}
        for files in every:
            yield files, begun[files.slug].result()


def _proving(conditions: Conditions) -> Callable[[ProblemFiles], Proof | AuthoringError]:
    return lambda files: _proved(files, conditions)


def _proved(files: ProblemFiles, conditions: Conditions) -> Proof | AuthoringError:
    try:
        return Prover(files, classroom.launcher(conditions.layers, conditions.preload), conditions).prove()
    except AuthoringError as error:
        return error


class Prover:
    """Judges every candidate of one problem and says what does not hold."""

    def __init__(self, files: ProblemFiles, launcher: Launcher, conditions: Conditions) -> None:
        self._files = files
        self._problem = problems.load(files)
        self._launcher = launcher
        self._conditions = conditions
        self._seeds = (conditions.seed, conditions.seed + 1)
        self._notes = _Notes()
        self._examples: dict[int, dict[str, Stored]] = {}

    def prove(self) -> Proof:
        """Return the proof.

        Raises:
            AuthoringError: there is nothing to prove with: no reference, or files that cannot be read.
        """
        problem, notes = self._problem, self._notes
        if not problem.reference:
            raise AuthoringError(f"reference/{problem.slug}.py is missing; a proof needs the worked solution")
        self._probes()
        if not notes.complaints:  # a probe that may not be loaded would stop every judging
            self._right_answers()
            self._stub()
            self._wrong_answers()
            self._named_checks()
            self._generic_answers()
        return Proof(
            slug=problem.slug,
            digest=self._files.digest,
            checks=len(problem.checks),
            right=len(problem.right),
            wrong=len(problem.wrong),
            caught=notes.caught,
            diagnosed=notes.diagnosed,
            generic=notes.generic,
            margins={c.name: Margin(notes.rights.get(c.name), notes.wrongs.get(c.name)) for c in problem.checks},
            table=tuple(notes.table),
            complaints=tuple(notes.complaints),
        )

    def _right_answers(self) -> None:
        candidates = [("reference", self._problem.reference), *((v.name, v.text) for v in self._problem.right)]
        for name, text in candidates:
            for dtype, seed, device in itertools.product(self._dtypes, self._seeds, self._conditions.devices):
                verdict = self._judged(name, text, dtype=dtype, seed=seed, device=device)
                self._demand_pass(name, verdict, dtype)
            self._notes.table.append(_row(name, "reference" if name == "reference" else "right", verdict))

    def _demand_pass(self, name: str, verdict: Verdict, dtype: str) -> None:
        for check in verdict.checks:
            if check.status is not Status.PASSED:
                self._complain(f"(a) {name} is right, but {check.name} says {check.status} in {dtype}: {_why(check)}")
                continue
            share = check.share
            if share is None:
                continue
            self._notes.rights[check.name] = max(share, self._notes.rights.get(check.name, 0.0))
            if share > RIGHT_SHARE:
                self._complain(
                    f"(a) {name} uses {share:.2g} of what {check.name} allows in {dtype}; "
                    f"at most {RIGHT_SHARE} may be used"
                )

    def _stub(self) -> None:
        verdict = self._judged("stub", self._problem.stub)
        self._notes.table.append(_row("stub", "stub", verdict))
        for check in verdict.checks:
            if check.status is not Status.NOT_ATTEMPTED:
                self._complain(f"(b) the stub is {check.status} in {check.name}, not NOT_ATTEMPTED: {_why(check)}")

    def _wrong_answers(self) -> None:
        first, *others = self._dtypes
        for variant in self._problem.wrong:
            verdict = self._judged(variant.name, variant.text, dtype=first)
            caught = self._demand_caught(variant, verdict, first)
            hinted = self._demand_hint(variant, verdict, first)
            for dtype in others:  # where a mistake may drown in rounding; its hint does not depend on that
                named = self._judged(variant.name, variant.text, dtype=dtype, only=variant.caught_by)
                caught &= self._demand_caught(variant, named, dtype)
            self._notes.table.append(_row(variant.name, "wrong", verdict))
            self._notes.caught += caught
            self._notes.diagnosed += hinted

    def _demand_caught(self, variant: Variant, verdict: Verdict, dtype: str) -> bool:
        check = next(check for check in verdict.checks if check.name == variant.caught_by)
        share = math.inf if check.share is None else check.share
        if check.status is not Status.FAILED:
            self._complain(
                f"(c) {variant.name} must fail {check.name} in {dtype}, but is {check.status} there: {_why(check)}"
            )
            return False
        if share < WRONG_SHARE:
            self._complain(
                f"(c) {variant.name} misses {check.name} by only {share:.2g} of what is allowed in {dtype}; "
                f"at least {WRONG_SHARE} is wanted"
            )
        self._notes.wrongs[check.name] = min(share, self._notes.wrongs.get(check.name, math.inf))
        return share >= WRONG_SHARE

    def _demand_hint(self, variant: Variant, verdict: Verdict, dtype: str) -> bool:
        own = hint_of(variant, self._problem)
        given = {check.name: check.hint for check in verdict.checks if check.hint}
        others = {name: hint for name, hint in given.items() if hint != own}
        for name, hint in others.items():
            self._complain(f"(c) {variant.name} gets another mistake's hint in {name} in {dtype}: {hint!r}")
        if given.get(variant.caught_by) != own:
            self._complain(
                f"(c) {variant.name} does not get its own hint in {variant.caught_by} in {dtype}; "
                "another mistake may give the same numbers (say alike=) or the checks do not call what it replaces"
            )
        return not others and given.get(variant.caught_by) == own

    def _named_checks(self) -> None:
        named = {variant.caught_by for variant in self._problem.wrong}
        for check in self._problem.checks:
            if check.name not in named:
                self._complain(f"(d) no wrong variant names {check.name}: nothing proves that it can fail")

    def _generic_answers(self) -> None:
        table = bench(self._problem, self._problem.settings.dtype or "float64")
        found = generic.survey(self._problem, table, self._stored(self._seeds[0]))
        self._notes.generic = found.tried
        self._notes.complaints += found.complaints

    def _probes(self) -> None:
        self._notes.complaints += generic.judging_probes(self._problem)

    @property
    def _dtypes(self) -> tuple[str, ...]:
        pinned = self._problem.settings.dtype
        return (pinned,) if pinned else DTYPES

    def _judged(
        self,
        name: str,
        text: str,
        *,
        dtype: str = "float64",
        seed: int | None = None,
        device: str = "cpu",
        only: str = "",
    ) -> Verdict:
        seed = self._seeds[0] if seed is None else seed
        run = RunSettings(
            seed=seed,
            examples=self._stored(seed),
            dtype=dtype,
            device=device,
            tier=self._conditions.tier,
            layers=self._conditions.layers,
            only=frozenset({only} if only else ()),
        )
        return judge(self._files, as_submission(name, self._problem.slug, text), run, self._launcher)

    def _stored(self, seed: int) -> dict[str, Stored]:
        if seed not in self._examples:
            self._examples[seed] = settled(self._problem, seed)
        return self._examples[seed]

    def _complain(self, sentence: str) -> None:
        if sentence not in self._notes.complaints:
            self._notes.complaints.append(sentence)


def as_submission(student: str, slug: str, text: str) -> Submission:
    """Return a text as the submission it stands for."""
    return Submission.of(student, (SubmittedFile(f"{slug}.py", text.encode()),))


def candidates(problem: Problem) -> Iterator[tuple[str, str, str]]:
    """Yield (name, kind, text) of the reference, the stub and every variant."""
    yield "reference", "right", problem.reference
    yield "stub", "stub", problem.stub
    for variant in problem.variants:
        yield variant.name, "right" if variant.right else "wrong", variant.text


def _row(name: str, kind: str, verdict: Verdict) -> Row:
    return Row(name, kind, {check.name: check.status for check in verdict.checks})


def _why(check: CheckResult) -> str:
    return " ".join((check.detail or check.finding).split())[:300] or "no reason given"
