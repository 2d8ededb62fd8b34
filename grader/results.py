"""What a run has come to: frozen plain data, as the store reads it and every report shows it.

Three things make a score: what was judged, what somebody marked by hand, and how late it came. They stay apart here,
each to be seen by itself, and meet only in ``Result.score`` and ``Graded.score``.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.assignments import Lateness
    from grader.examples import Stored
    from grader.submission import Place
    from grader.verdict import Verdict

# What is said to have changed where a part of a key differs.
CHANGED = {
    "submission": "the submission",
    "problem": "the problem",
    "examples": "the examples",
    "environment": "the grader's environment",
    "device": "the device",
    "dtype": "the dtype",
    "tier": "the isolation",
}


@dataclass(frozen=True, slots=True)
class Key:
    """All that a verdict depends on; a verdict whose key is not the run's latest is stale."""

    submission: str
    problem: str
    examples: str
    environment: str
    device: str
    dtype: str
    tier: int

    def changed(self, now: Key) -> tuple[str, ...]:
        """Return in words what has changed; examples are drawn anew with a changed problem, so that is said once."""
        names = [one.name for one in fields(self) if getattr(self, one.name) != getattr(now, one.name)]
        return tuple(CHANGED[name] for name in names if name != "examples" or "problem" not in names)


@dataclass(frozen=True, slots=True)
class Mark:
    """Points that a person gave, and why.

    ``by_hand`` marks are the points that a problem keeps for a reader (its ``marking.md``). The others override what
    was judged: one check's points, or with an empty ``check`` the whole problem's.
    """

    student: str
    slug: str
    check: str
    by_hand: bool
    points: float
    reason: str
    who: str
    when: str  # ISO 8601, UTC

    @property
    def target(self) -> str:
        """What it is given for: ``slug`` or ``slug::check``."""
        return f"{self.slug}::{self.check}" if self.check else self.slug


@dataclass(frozen=True, slots=True)
class Move:
    """A judged score that came out otherwise than before; ``kept``: the higher one stands, the lower one waits."""

    student: str
    problem: str
    before: float | None
    after: float | None
    kept: bool


@dataclass(frozen=True, slots=True)
class Result:
    """One student's answer to one problem as it stands.

    ``judged`` is the verdict in force, ``waiting`` a later one that is not, because it is lower or BROKEN.
    ``stale`` says what has changed since the verdict in force was made.
    """

    judged: Verdict
    key: Key | None = None
    stale: tuple[str, ...] = ()
    waiting: Verdict | None = None
    marks: tuple[Mark, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict with its overrides applied; statuses stay as they were judged."""
        overrides = {mark.check: mark.points for mark in self.marks if not mark.by_hand}
        if not overrides:
            return self.judged
        checks = tuple(replace(check, score=overrides.get(check.name, check.score)) for check in self.judged.checks)
        scores = [check.score for check in checks]
        summed = None if None in scores else sum(score or 0.0 for score in scores)
        return replace(self.judged, checks=checks, score=overrides.get("", summed))

    @property
    def by_hand(self) -> Mark | None:
        """What a reader gave for the part that is marked by hand; None while it is pending or there is none."""
        return next((mark for mark in self.marks if mark.by_hand), None)

    @property
    def score(self) -> float | None:
        """The points as they stand, with those given by hand; None where a check is BROKEN and nobody overrode it."""
        score = self.verdict.score
        return None if score is None else score + (self.by_hand.points if self.by_hand else 0.0)

    @property
    def points(self) -> float:
        """What can be had: the part marked by hand counts once it is marked."""
        return self.judged.points + (self.judged.manual_points if self.by_hand else 0.0)

    @property
    def idle(self) -> tuple[Mark, ...]:
        """Overrides of checks that the problem no longer has: kept, and of no effect."""
        names = {"", *(check.name for check in self.judged.checks)}
        return tuple(mark for mark in self.marks if mark.check not in names)


@dataclass(frozen=True, slots=True)
class Graded:
    """One student in a run.

    ``path`` says where the files lie, a path a line, and ``places`` where to read them again. ``unjudged`` names
    problems of the run that this student has no verdict on yet.
    """

    student: str
    path: str
    digest: str
    results: tuple[Result, ...]
    unjudged: tuple[str, ...] = ()
    handed_in: str = ""  # ISO 8601, UTC; empty where unknown
    late: Lateness | None = None
    note: str = ""
    present: bool = True  # found by the latest run
    places: tuple[Place, ...] = ()

    @staticmethod
    def of(student: str, path: str, digest: str, verdicts: Iterable[Verdict]) -> Graded:
        """Return a student with verdicts that nobody has marked and nothing has made stale."""
        return Graded(student, path, digest, tuple(map(Result, verdicts)))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts as they stand, in the run's order of problems."""
        return tuple(result.verdict for result in self.results)

    @property
    def earned(self) -> float | None:
        """The sum over problems before anything is taken for lateness; None while one of them has no score."""
        scores = [result.score for result in self.results]
        return None if self.unjudged or None in scores else sum(score or 0.0 for score in scores)

    @property
    def taken(self) -> float:
        """The points taken for lateness."""
        return self.late.taken(self.earned) if self.late is not None and self.earned is not None else 0.0

    @property
    def score(self) -> float | None:
        """What the student gets."""
        return None if self.earned is None else self.earned - self.taken

    @property
    def points(self) -> float:
        """What the problems are worth; parts marked by hand count where they are marked."""
        return sum(result.points for result in self.results)

    def result(self, slug: str) -> Result:
        """Return what stands for one problem.

        Raises:
            UsageError: the run holds none; the sentence names the nearest.
        """
        known = [result.judged.problem for result in self.results]
        if slug in self.unjudged:
            raise UsageError(f"{slug} has not been judged yet for {self.student}; run the same grade run again")
        if slug not in known:
            raise UsageError(f"the run did not judge {slug!r}; it judged {', '.join(known) or 'nothing yet'}")
        return self.results[known.index(slug)]


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under what a run was last graded; the seed is secret, since examples are drawn from it."""

    tier: int
    words: str
    missing: tuple[str, ...]
    device: str
    dtype: str
    seed: int
    versions: Mapping[str, str]
    environment: str
    assignment: str = ""
    ignored: tuple[tuple[str, str], ...] = ()  # (path, reason)
    gpus: tuple[str, ...] = ()  # name and UUID of each that judged


@dataclass(frozen=True, slots=True)
class Run:
    """One grading of many submissions, as it stands."""

    run: str
    conditions: Conditions
    problems: Mapping[str, str]  # digest by slug, as last seen
    unproved: tuple[str, ...]
    examples: Mapping[str, Mapping[str, Stored]]
    students: tuple[Graded, ...]
    moved: tuple[Move, ...] = ()
    finished: bool = True
    marks: tuple[Mark, ...] = field(default=())

    def student(self, name: str) -> Graded:
        """Return one student.

        Raises:
            UsageError: there is none of that name; the sentence names the nearest.
        """
        found = next((one for one in self.students if one.student == name), None)
        if found is None:
            known = [one.student for one in self.students]
            raise UsageError(f"the run has no student {name!r}; {near(name, known)}")
        return found

    @property
    def broken(self) -> bool:
        """Whether something has no score, through our own fault."""
        return any(result.score is None for graded in self.students for result in graded.results)


def near(name: str, known: Sequence[str]) -> str:
    """Return a hint at what was meant.

    >>> near("Bob", ["ada", "bob"]), near("zz", ["ada", "bob"])
    ('did you mean bob?', 'it has 2, such as ada')
    """
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    close += [one for one in known if name and name.casefold() in one.casefold() and one not in close][:3]
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"it has {len(known)}, such as {known[0]}" if known else "it has none"
