"""What is due when: the assignments of ``course.toml``, extensions, and what lateness costs.

::

    [assignments.week1]
    problems = ["xor", "coin_flips"]
    due = 2026-11-30T23:59:00+01:00

    [assignments.week1.extensions]
    ada = 2026-12-02T23:59:00+01:00

    [assignments.week1.late]
    per_day = 0.1           # share of the points earned, taken for each day begun
    cap = 0.5               # never more than this share
    grace_minutes = 15      # up to here nothing is late

Times are kept in UTC, so that a day has 24 hours whatever clocks on walls do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from grader.course import listed, nearest
from grader.errors import CourseError
from grader.submission.names import quoted, shown, twin

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.course import Course

DAY = timedelta(days=1)
_EXAMPLE = "2026-11-30T23:59:00+01:00"


@dataclass(frozen=True, slots=True)
class LatePolicy:
    """What lateness costs: shares of the points earned, between 0 and 1."""

    per_day: float
    cap: float = 1.0
    grace_minutes: int = 0

    def share(self, days: int) -> float:
        """Return the share that is taken after so many days begun.

        >>> LatePolicy(per_day=0.1, cap=0.5).share(3), LatePolicy(per_day=0.1, cap=0.5).share(9)
        (0.3, 0.5)
        """
        return float(min(Fraction(str(self.cap)), Fraction(str(self.per_day)) * days))


@dataclass(frozen=True, slots=True)
class Lateness:
    """How late one submission is, and what that costs.

    ``seconds`` is 0 on time and None where nobody knows when it was handed in (which costs nothing). ``days`` are
    days begun: 1 from the first second after the due date, 2 from 24 hours and one second. ``share`` is the
    part of the points earned that is taken.
    """

    seconds: int | None = 0
    days: int = 0
    share: float = 0.0

    @property
    def late(self) -> bool:
        """Whether it is known to be late."""
        return self.days > 0

    @property
    def sentence(self) -> str:
        """Say it without points; "" on time.

        >>> Lateness(86_400, 1, 0.1).sentence, Lateness(90_000, 2).sentence, Lateness().sentence
        ('1 day late: 10 % off', '2 days late', '')
        """
        if not self.late:
            return ""
        off = f": {100 * self.share:.4g} % off" if self.share else ""
        return f"{self.days} day{'s' if self.days > 1 else ''} late{off}"

    def taken(self, earned: float) -> float:
        """Return how many of the points earned are taken."""
        return self.share * earned

    def line(self, earned: float) -> str:
        """Say it with points, as the line of its own in a report; "" on time.

        >>> Lateness(86_400, 1, 0.1).line(40)
        '1 day late: 10 % off (4.0 of 40 points)'
        """
        points = f" ({self.taken(earned):.1f} of {earned:.4g} points)" if self.share else ""
        return self.sentence + points


@dataclass(frozen=True, slots=True)
class Assignment:
    """Problems with one due date; all times in UTC."""

    name: str
    problems: tuple[str, ...]
    due: datetime | None = None
    extensions: Mapping[str, datetime] = field(default_factory=dict)
    late: LatePolicy | None = None

    def due_of(self, *students: str) -> datetime | None:
        """Return when it is due for a student, who may go by several names.

        Case, and how an accent is encoded, make no other name. Of several extensions the longest counts.
        """
        wanted = set(map(twin, students))
        granted = [until for name, until in self.extensions.items() if twin(name) in wanted]
        return max(granted, default=self.due)

    def lateness(self, student: str, handed_in: datetime | None, *aliases: str) -> Lateness:
        """Return how late a student's submission is.

        Args:
            student: whose it is.
            handed_in: when, with an offset; None where nobody knows.
            aliases: other names under which the student may have an extension.
        """
        due = self.due_of(student, *aliases)
        if due is None:
            return Lateness()
        if handed_in is None:
            return Lateness(seconds=None)
        policy = self.late or LatePolicy(per_day=0.0)
        after = handed_in - due
        if after <= timedelta(minutes=policy.grace_minutes):
            return Lateness()
        days = math.ceil(after / DAY)
        return Lateness(math.ceil(after.total_seconds()), days, policy.share(days))


def names(course: Course) -> tuple[str, ...]:
    """Return the names of a course's assignments, in the order of its file."""
    return tuple(_assignments(course).value)


def read(course: Course, name: str) -> Assignment:
    """Return one assignment of a course.

    Raises:
        CourseError: there is none of this name, or something in it is not as it must be; the sentence names
            the file, the key, what is wanted, and the nearest that exists.
    """
    found = _assignments(course).tables(name)
    found.demand_known("problems", "due", "extensions", "late")
    due = found.time("due")
    extensions = found.table("extensions")
    late = found.table("late")
    if due is None and (extensions or late):
        raise found.fault("due", "a date and time, since it has extensions or a late policy; there is none")
    return Assignment(
        name=name,
        problems=_problems(found, course),
        due=due,
        extensions=_extensions(extensions, due) if extensions and due else {},
        late=_policy(late) if late else None,
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of ``course.toml``, which knows where it stands."""

    file: str
    path: str
    value: Mapping[str, Any]

    def fault(self, key: str, wanted: str) -> CourseError:
        at = f"{self.path}.{key}" if key else self.path
        return CourseError(f"{self.file}: {shown(at)} must be {wanted}")

    def demand_known(self, *known: str) -> None:
        for key in self.value:
            if key not in known:
                near = nearest(key, known)
                raise CourseError(
                    f"{self.file}: [{self.path}] has no key {quoted(key)}{near}; it takes {listed(known)}"
                )

    def table(self, key: str) -> _Table | None:
        if key not in self.value:
            return None
        found = self.value[key]
        if not isinstance(found, Mapping):
            raise self.fault(key, f"a table, written as [{self.path}.{key}]; it is {_is(found)}")
        return _Table(self.file, f"{self.path}.{key}", found)

    def tables(self, key: str) -> _Table:
        found = self.table(key)
        if found is None:
            known = listed(map(shown, self.value))
            raise CourseError(f"{self.file} has no assignment {key!r}{nearest(key, self.value)}; it has {known}")
        return found

    def time(self, key: str) -> datetime | None:
        found = self.value.get(key)
        if key not in self.value:
            return None
        if not isinstance(found, datetime):
            dotted = "; a key with a dot in it needs quotes" if isinstance(found, Mapping) else ""
            raise self.fault(
                key, f"a date and time with its offset, as {_EXAMPLE} without quotes; it is {_is(found)}{dotted}"
            )
        if found.tzinfo is None:
            raise self.fault(
                key,
                f"a date and time with its offset from UTC, as {_EXAMPLE}; {found} has none, so that it means "
                "another moment in every time zone",
            )
        return found.astimezone(UTC)

    def number(self, key: str, otherwise: float, *, fits: Callable[[float], bool], wanted: str) -> float:
        found = self.value.get(key, otherwise)
        if type(found) not in {int, float} or not fits(found):
            raise self.fault(key, f"{wanted}; it is {_is(found)}")
        return float(found)


def _assignments(course: Course) -> _Table:
    root = _Table(str(course.root / "course.toml"), "", course.config)
    found = course.config.get("assignments", {})
    if not isinstance(found, Mapping):
        raise root.fault("assignments", f"tables, written as [assignments.NAME]; it is {_is(found)}")
    return _Table(root.file, "assignments", found)


def _problems(table: _Table, course: Course) -> tuple[str, ...]:
    found = table.value.get("problems")
    if not isinstance(found, list) or not found or not all(isinstance(each, str) for each in found):
        is_now = "there is none" if found is None else f"it is {_is(found)}"
        raise table.fault("problems", f'a list of names of problems, as ["xor", "coin_flips"]; {is_now}')
    known = course.slugs
    for slug in found:
        if slug not in known:
            raise table.fault(
                "problems", f"names of problems; {quoted(slug)} is none{nearest(slug, known)} (known: {listed(known)})"
            )
        if found.count(slug) > 1:
            raise table.fault("problems", f"different names; {quoted(slug)} is there twice")
    return tuple(found)


def _extensions(table: _Table, due: datetime) -> dict[str, datetime]:
    granted: dict[str, datetime] = {}
    for student in table.value:
        until = table.time(student)
        if until is None or until < due:
            raise table.fault(student, f"later than the due date, {due.isoformat()}; it is {until}")
        if twin(student) in map(twin, granted):
            raise table.fault(student, "there once; the same name stands there in another spelling")
        granted[student] = until
    return granted


def _policy(table: _Table) -> LatePolicy:
    table.demand_known("per_day", "cap", "grace_minutes")
    if "per_day" not in table.value:
        raise table.fault("per_day", "there: the share of the points earned that each day begun costs, as 0.1")
    share, wanted = (lambda value: 0 <= value <= 1), "a share between 0 and 1, as 0.1 for 10 %"
    minutes = table.number(
        "grace_minutes",
        0,
        fits=lambda value: value >= 0 and float(value).is_integer(),
        wanted="a whole number of minutes",
    )
    return LatePolicy(
        per_day=table.number("per_day", 0, fits=share, wanted=wanted),
        cap=table.number("cap", 1, fits=share, wanted=wanted),
        grace_minutes=int(minutes),
    )


def _is(value: object) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "a table"}
    return f"{kinds.get(type(value), type(value).__name__)}, {shown(repr(value))}"
