"""Hand-ins, a roster, times and a due date -> one entry a student, and a reason for everything that is in none."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from grader import submission
from grader.assignments import Lateness
from grader.errors import SubmissionError
from grader.intake import roster as rosters
from grader.intake import times as clocks
from grader.submission import Wanted
from grader.submission.names import natural, quoted, twin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from grader.assignments import Assignment
    from grader.intake.roster import Roster, Row
    from grader.intake.times import Time
    from grader.submission import Found, Place, Submission

_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Entry:
    """One student's submission that counts; without places, a student of the roster who handed in nothing."""

    student: str
    places: tuple[Place, ...]
    handed_in: datetime | None = None  # in UTC; None where nothing tells
    note: str = ""
    late: Lateness = field(default_factory=Lateness)
    on_roster: bool | None = None  # None without a roster

    @property
    def path(self) -> Path | tuple[Path, ...]:
        """Where it lies, as somebody reads it; () for nothing."""
        shown = tuple(place.shown for place in self.places)
        return shown[0] if len(shown) == 1 else shown

    @property
    def absent(self) -> bool:
        """Whether nothing was handed in."""
        return not self.places

    def submission(self, slugs: Iterable[str]) -> Submission:
        """Read the files, wherever they lie; whatever is wrong with them is said in ``refused``."""
        return submission.load_places(self.places, student=self.student, slugs=slugs)


@dataclass(frozen=True, slots=True)
class Intake:
    """Everything that was delivered: what counts, and every path that does not, with the reason."""

    entries: tuple[Entry, ...]  # one a student, in the order of their names, the absent ones too
    unmatched: tuple[tuple[str, str], ...]  # a path, a line or a name, and what is the matter with it
    absent: tuple[str, ...]  # students of the roster without a submission
    roster: tuple[Row, ...] = ()


def gather(
    paths: Iterable[Path],
    slugs: Iterable[str],
    *,
    roster: Path | None = None,
    times: Path | None = None,
    assignment: Assignment | None = None,
    students: Iterable[str] = (),
    run: Path | None = None,
) -> Intake:
    """Bring everything at some paths together with a roster, times and a due date.

    Of several hand-ins of one student the latest on time counts; if none is on time, the latest, and its note says so;
    where nobody knows when, the last by Canvas's numbers, else the first that was found. The others are listed.

    Args:
        paths: folders, files and archives.
        slugs: names of all problems of the course.
        roster: a CSV file of the class.
        times: a CSV file of when each student handed in, which overrides what names tell.
        assignment: what is graded; it brings the due date, and the name of nbgrader's folders.
        students: whose work alone is wanted; of one, also what a path is called that is one submission.
        run: where the run is kept, which is nobody's submission.

    Raises:
        SubmissionError: there is nothing at a path, or no submission of a student who is wanted.
        UsageError: the roster or the times cannot be read.
    """
    wanted = tuple(students)
    book = rosters.read(roster) if roster else None
    clock = clocks.read(times) if times else ()
    found = submission.find(
        paths,
        Wanted(
            slugs=tuple(slugs),
            judged=assignment.problems if assignment else (),
            assignment=assignment.name if assignment else "",
            name=wanted[0] if len(wanted) == 1 else "",
            run=run,
            known=book.knows if book else None,
        ),
    )
    desk = _Desk(book, assignment)
    desk.unmatched += [(str(path), reason) for path, reason in found.ignored]
    desk.receive(found.found)
    desk.tell(clock, times)
    return desk.intake(wanted)


@dataclass(slots=True)
class _Student:
    name: str
    row: Row | None = None
    versions: list[Found] = field(default_factory=list)

    @property
    def aliases(self) -> tuple[str, ...]:
        return self.row.aliases if self.row else ()


class _Desk:
    """Sorts hand-ins by student."""

    def __init__(self, roster: Roster | None, assignment: Assignment | None) -> None:
        self.unmatched: list[tuple[str, str]] = []
        self._roster = roster
        self._assignment = assignment
        rows = roster.rows if roster else ()
        self._students = {row.student: _Student(row.student, row) for row in rows}
        if roster:
            self.unmatched += [(_line(roster.path, line), reason) for line, reason in roster.passed_over]

    def receive(self, hand_ins: Sequence[Found]) -> None:
        """Give each hand-in to its student; one that is not surely of the roster is listed, and keeps its name."""
        claims = [(found, self._rows(found.student, found.number)) for found in hand_ins]
        people: dict[str, set[str]] = {}
        for found, rows in claims:
            if len(rows) == 1 and found.number:
                people.setdefault(rows[0].student, set()).add(found.number)
        for found, rows in claims:
            if len(rows) == 1 and _one_person(people.get(rows[0].student, ())):
                self._students[rows[0].student].versions.append(found)
            else:
                self._receive_stranger(found, rows)

    def _rows(self, name: str, number: str = "") -> tuple[Row, ...]:
        return self._roster.match(name, number) if self._roster else ()

    def _receive_stranger(self, found: Found, rows: Sequence[Row]) -> None:
        name = found.student
        if self._roster:
            who = _either(rows) if len(rows) > 1 else f"no student of {self._roster.path.name}"
            if len(rows) == 1:
                who = f"one of several who may be {quoted(rows[0].student)}"
            name += " (unclear)" if name in self._students and self._students[name].row else ""
            for place in found.places:
                self.unmatched.append(
                    (str(place.shown), f"of {quoted(found.student)}, {who}; graded as {quoted(name)}")
                )
        self._students.setdefault(name, _Student(name)).versions.append(found)

    def tell(self, times: Iterable[Time], path: Path | None) -> None:
        """Set when students handed in: the latest hand-in of each."""
        by_name = {twin(name): student for name, student in self._students.items()}
        for time in times:
            rows = self._rows(time.student)
            student = self._students[rows[0].student] if len(rows) == 1 else by_name.get(twin(time.student))
            if student is None or not student.versions:
                about = f"{_either(rows)}" if len(rows) > 1 else "nothing was handed in under that name"
                self.unmatched.append((_line(path, time.line), f"of {quoted(time.student)}: {about}"))
                continue
            latest = max(
                student.versions, key=lambda found: (found.handed_in is not None, found.handed_in or time.time)
            )
            student.versions[student.versions.index(latest)] = replace(latest, handed_in=time.time, note="")

    def intake(self, wanted: Sequence[str]) -> Intake:
        """Choose what counts and list the rest."""
        self._check_extensions()
        self._check_twins()
        chosen = [student for student in self._students.values() if not wanted or _is_wanted(student, wanted)]
        missing = [name for name in wanted if not any(_is_wanted(student, [name]) for student in chosen)]
        if missing:
            raise SubmissionError(
                f"no submission of {', '.join(missing)} was found; students are named after their folder or file"
            )
        chosen.sort(key=lambda student: natural(student.name))
        entries = tuple(map(self._entry, chosen))
        unmatched = sorted(dict.fromkeys(self.unmatched), key=lambda each: natural(each[0]))
        absent = tuple(entry.student for entry in entries if entry.absent)
        return Intake(entries, tuple(unmatched), absent, self._roster.rows if self._roster else ())

    def _entry(self, student: _Student) -> Entry:
        on_roster = student.row is not None if self._roster else None
        if not student.versions:
            return Entry(student.name, (), note="nothing was handed in", on_roster=on_roster)
        counts = self._choose(student)
        late = self._lateness(student, counts)
        notes = [
            "" if on_roster is not False else "not on the roster",
            counts.note,
            _which(student.versions, counts, late),
            "marked late by the download" if counts.late else "",
            "when it was handed in is not known" if late.seconds is None else "",
        ]
        return Entry(
            student=student.name,
            places=counts.places,
            handed_in=counts.handed_in,
            note="; ".join(filter(None, notes)),
            late=late,
            on_roster=on_roster,
        )

    def _choose(self, student: _Student) -> Found:
        """Return the hand-in that counts; list the others."""
        timed = [found for found in student.versions if found.handed_in]
        in_time = [
            found for found in timed or student.versions if not (self._lateness(student, found).late or found.late)
        ]
        if timed:
            counts = max(in_time or timed, key=lambda found: found.handed_in or _NEVER)
        else:
            chosen = in_time or student.versions
            counts = max(chosen, key=lambda found: found.item) if _are_numbered(chosen) else chosen[0]
        for other in student.versions:
            if other is not counts:
                reason = f"another submission of {student.name}{_when(other)}; {_shown(counts)}{_when(counts)} counts"
                self.unmatched += [(str(place.shown), reason) for place in other.places]
        return counts

    def _lateness(self, student: _Student, found: Found) -> Lateness:
        if self._assignment is None:
            return Lateness()
        return self._assignment.lateness(student.name, found.handed_in, *student.aliases)

    def _check_extensions(self) -> None:
        names = {twin(name) for student in self._students.values() for name in (student.name, *student.aliases)}
        for name in self._assignment.extensions if self._assignment else ():
            if twin(name) not in names:
                self.unmatched.append((f"extension of {name}", "no student of that name handed in or is on the roster"))

    def _check_twins(self) -> None:
        spellings: dict[str, str] = {}
        for name in self._students:
            first = spellings.setdefault(twin(name), name)
            if first != name:
                self.unmatched.append(
                    (name, f"the same name as {quoted(first)} but for its spelling; graded as two students")
                )


def _is_wanted(student: _Student, wanted: Iterable[str]) -> bool:
    return bool({student.name, *student.aliases} & set(wanted))


def _one_person(numbers: Iterable[str]) -> bool:
    """Say whether one student may have these numbers: one in each system."""
    systems = [number.partition(" ")[0] for number in numbers]
    return len(systems) == len(set(systems))


def _are_numbered(versions: Iterable[Found]) -> bool:
    """Say whether a download's numbers tell which of some hand-ins came later."""
    return all(found.item for found in versions)


def _which(versions: Sequence[Found], counts: Found, late: Lateness) -> str:
    """Return which of several hand-ins counts; "" for an only one."""
    number = len(versions)
    if number == 1:
        return ""
    if counts.handed_in is None:
        which = "the last uploaded" if _are_numbered(versions) else "the first found"
        return f"{which} of {number} submissions"
    if late.late:
        return f"none of {number} submissions is on time; the latest counts"
    return f"the latest on time of {number} submissions"


def _when(found: Found) -> str:
    if found.handed_in:
        return f" ({found.handed_in:%Y-%m-%d %H:%M:%S} UTC)"
    return " (marked late)" if found.late else " (nobody knows when)"


def _shown(found: Found) -> str:
    return quoted(found.places[0].shown.name)


def _either(rows: Sequence[Row]) -> str:
    return f"who may be {' or '.join(quoted(row.student) for row in rows)}"


def _line(source: Path | None, number: int) -> str:
    return f"{source}, line {number}"
