"""What can be counted over a class: how often each check is missed, which mistakes are made, how scores lie."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING

from grader.report.text import WORDS
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.picture import Picture
    from grader.results import Graded, Result
    from grader.verdict import CheckResult

BINS = 10
LOW, HIGH = 0.5, 2.0  # between these shares of a tolerance, who is right is a close call


@dataclass(slots=True)
class Check:
    """One check over the class.

    ``used`` is the worst share of the tolerance that a pass used, ``missed`` the least by which a fail missed it;
    None where no number was compared.
    """

    problem: str
    name: str
    promise: str
    visible: bool
    points: float
    statuses: Counter[Status] = field(default_factory=Counter)
    used: float | None = None
    missed: float | None = None

    @property
    def judged(self) -> int:
        """How many students it says anything about: all but those where it is BROKEN."""
        return self.statuses.total() - self.statuses[Status.BROKEN]

    @property
    def misses(self) -> int:
        """How many students did not pass it."""
        return self.judged - self.statuses[Status.PASSED]

    @property
    def share_missed(self) -> float:
        """The part of the students who did not pass it."""
        return self.misses / self.judged if self.judged else 0.0

    @property
    def close_call(self) -> bool:
        """Whether a pass or a fail was near the edge, by the author's own proof's measure."""
        return (self.used is not None and self.used > LOW) or (self.missed is not None and self.missed < HIGH)

    @property
    def words(self) -> str:
        """Return how it went in words, the passes left out.

        >>> Check("p", "c", "", True, 1, Counter({Status.FAILED: 2, Status.CRASHED: 1})).words
        '2 failed, 1 crashed'
        """
        return in_words(Counter({status: n for status, n in self.statuses.items() if status is not Status.PASSED}))

    def add(self, check: CheckResult) -> None:
        """Count one student's."""
        self.statuses[check.status] += 1
        if check.share is None:
            return
        if check.status is Status.PASSED:
            self.used = check.share if self.used is None else max(self.used, check.share)
        elif check.status is Status.FAILED and check.share > 1:
            self.missed = check.share if self.missed is None else min(self.missed, check.share)


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem over the class; ``mean`` is of the points that are not given by hand, over those who have them."""

    slug: str
    points: float
    manual_points: float
    students: int
    mean: float | None
    statuses: Counter[Status]
    times: tuple[tuple[float, str], ...] = ()  # CPU time of the students' processes in seconds, the shortest first

    @property
    def words(self) -> str:
        """Return how it went in words."""
        return in_words(self.statuses)

    @property
    def time_words(self) -> str:
        """Return how long answers took, the longest by name.

        >>> Problem("p", 1, 0, 2, None, Counter(), ((0.04, "ben"), (1.26, "ada"))).time_words
        'median 0.65 s, longest 1.26 s (ada)'
        """
        if not self.times:
            return "not measured"
        longest, student = self.times[-1]
        return f"median {median(time for time, _ in self.times):.2f} s, longest {longest:.2f} s ({student})"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A known mistake, by its hint, and who made it."""

    problem: str
    hint: str
    students: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alike:
    """Who is off alike in a check: in the same places of the same array, by about as much.

    ``hints`` are those that they got; none where no known mistake fits.
    """

    check: CheckResult
    problem: str
    picture: Picture
    students: tuple[str, ...]
    hints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scores:
    """How scores lie, as shares of what each student can have so far: parts marked by hand count once they are marked.

    ``bins`` counts students by tenths; ``left_out`` have no score yet.
    """

    bins: tuple[int, ...]
    left_out: int
    mean: float | None
    median: float | None


def in_words(statuses: Mapping[Status, int]) -> str:
    """Return counts of statuses in words, passes first and then the commonest."""
    ordered = sorted(statuses.items(), key=lambda item: (item[0] is not Status.PASSED, -item[1], item[0].value))
    return ", ".join(f"{number} {WORDS[status]}" for status, number in ordered if number)


def slugs(students: Sequence[Graded]) -> tuple[str, ...]:
    """Return the problems of a class in the run's order."""
    found: dict[str, None] = {}
    for graded in students:
        found.update(dict.fromkeys(result.judged.problem for result in graded.results))
    return tuple(found)


def results(students: Sequence[Graded], slug: str) -> Iterator[tuple[Graded, Result]]:
    """Yield everybody's answer to one problem."""
    for graded in students:
        yield from ((graded, result) for result in graded.results if result.judged.problem == slug)


def checks(students: Sequence[Graded]) -> tuple[Check, ...]:
    """Return every check of the class in the run's order; as it was judged, whatever was overridden."""
    found: dict[tuple[str, str], Check] = {}
    for graded in students:
        for result in graded.results:
            slug = result.judged.problem
            for check in result.judged.checks:
                key = slug, check.name
                if key not in found:
                    found[key] = Check(slug, check.name, check.promise, check.visible, check.points)
                found[key].add(check)
    place = {slug: number for number, slug in enumerate(slugs(students))}
    return tuple(sorted(found.values(), key=lambda check: place[check.problem]))


def problems(students: Sequence[Graded]) -> tuple[Problem, ...]:
    """Return every problem of the class in the run's order."""
    made = []
    for slug in slugs(students):
        pairs = list(results(students, slug))
        found = [result for _, result in pairs]
        times = [(seconds, one.student) for one, result in pairs if (seconds := result.judged.seconds) is not None]
        scores = [score for result in found if (score := result.verdict.score) is not None]
        made.append(
            Problem(
                slug,
                points=max(result.judged.points for result in found),
                manual_points=max(result.judged.manual_points for result in found),
                students=len(found),
                mean=sum(scores) / len(scores) if scores else None,
                statuses=Counter(result.judged.status for result in found),
                times=tuple(sorted(times)),
            )
        )
    return tuple(made)


def mistakes(students: Sequence[Graded]) -> tuple[Mistake, ...]:
    """Return the known mistakes that were made, the commonest first; a student counts once for each."""
    made: dict[tuple[str, str], dict[str, None]] = {}
    for graded in students:
        for result in graded.results:
            for check in result.judged.checks:
                if check.hint and check.status is not Status.PASSED:
                    made.setdefault((result.judged.problem, check.hint), {})[graded.student] = None
    ordered = sorted(made.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Mistake(problem, hint, tuple(names)) for (problem, hint), names in ordered)


def alike(students: Sequence[Graded]) -> tuple[Alike, ...]:
    """Return who is off alike, the most first; a student counts in every check that shows it."""
    found: dict[tuple[str, str, Picture], tuple[CheckResult, list[str], dict[str, None]]] = {}
    for graded in students:
        for result in graded.results:
            for check in result.judged.checks:
                if check.picture is None:
                    continue
                same = replace(check.picture, got=())  # a last digit more or less is no other mistake
                _, names, hints = found.setdefault((result.judged.problem, check.name, same), (check, [], {}))
                names.append(graded.student)
                if check.hint:
                    hints[check.hint] = None
    made = [
        Alike(check, problem, check.picture, tuple(names), tuple(hints))
        for (problem, _, _), (check, names, hints) in found.items()
        if check.picture is not None
    ]
    return tuple(sorted(made, key=lambda one: -len(one.students)))


def scores(students: Sequence[Graded]) -> Scores:
    """Return how the scores lie; more than all points counts in the last tenth."""
    shares = [one.score / one.points for one in students if one.score is not None and one.points]
    bins = [0] * BINS
    for share in shares:
        tenth = int(round(share * BINS, 6))  # 0.3 of the points is three tenths, however it was rounded
        bins[min(max(tenth, 0), BINS - 1)] += 1
    mean = sum(shares) / len(shares) if shares else None
    return Scores(tuple(bins), len(students) - len(shares), mean, median(shares) if shares else None)
