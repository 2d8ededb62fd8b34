"""Gradescope: one student's results as ``results.json``, by its documented rules; several students' in a zip."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

from grader.errors import UsageError
from grader.export import Exported, feedback, standing
from grader.report.text import safe
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.export import Wish
    from grader.results import Graded, Result, Run

HIDDEN = ("after_published", "after_due_date", "hidden", "visible")
_TEXT = "text"  # in place of HTML, Markdown or escape codes: a student's words do nothing
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can tell; the same run gives the same bytes


def export(run: Run, wish: Wish) -> Exported:
    """Return one student's ``results.json``, or with ``archive`` everybody's.

    Raises:
        UsageError: there are several students and no archive is wanted.
    """
    if not wish.archive:
        if len(run.students) > 1:
            raise UsageError(
                f"results.json holds one student, and the run has {len(run.students)}; name one with --student, or "
                "write to a file that ends in .zip"
            )
        return Exported(_encoded(run.students[0], wish))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, graded in enumerate(run.students, start=1):
            entry = zipfile.ZipInfo(f"{_folder(graded.student, number)}/results.json", _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, _encoded(graded, wish))
    return Exported(buffer.getvalue())


def results(graded: Graded, *, late: bool = False, hidden: str = HIDDEN[0]) -> dict[str, Any]:
    """Return what Gradescope reads of one student.

    Where a check is BROKEN, something is not judged yet or nothing was handed in, neither the whole nor any test has a
    score: Gradescope then asks the staff, and nobody gets a mark that is too low. A part marked by hand that is
    pending is not in the score, since Gradescope adds what is marked there.

    Args:
        graded: the student.
        late: take off what lateness costs; Gradescope has late rules of its own.
        hidden: when hidden checks are shown.
    """
    is_open = standing.reason(graded) in {standing.BROKEN, standing.UNJUDGED, standing.NOTHING}
    score = None if is_open else graded.score if late else graded.earned
    tests = [test for number, result in enumerate(graded.results, start=1) for test in _tests(result, number, hidden)]
    if score is None:
        for test in tests:
            test.pop("score", None)
    document: dict[str, Any] = {} if score is None else {"score": score}
    return document | {
        "output": "\n".join(_output(graded, late=late)),
        "output_format": _TEXT,
        "test_output_format": _TEXT,
        "test_name_format": _TEXT,
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }


def _tests(result: Result, number: int, hidden: str) -> Iterator[dict[str, Any]]:
    slug = result.judged.problem
    for place, check in enumerate(result.verdict.checks, start=1):
        test = {
            "name": f"{slug}: {safe(check.promise)}",
            "number": f"{number}.{place}",
            "score": check.score,
            "max_score": check.points,
            "status": "passed" if check.status is Status.PASSED else "failed",
            "output": feedback.check(check, promise=False),
            "visibility": "visible" if check.visible else hidden,
        }
        yield {key: value for key, value in test.items() if value is not None}
    if result.by_hand is not None:
        yield {
            "name": f"{slug}: marked by hand",
            "number": f"{number}.{len(result.verdict.checks) + 1}",
            "score": result.by_hand.points,
            "max_score": result.judged.manual_points,
            "visibility": "visible",
        }


def _output(graded: Graded, *, late: bool) -> Iterator[str]:
    if not standing.handed_in(graded):
        yield "Nothing was handed in."
    for result in graded.results:
        for note in result.judged.notes:
            yield f"{result.judged.problem}: {safe(note)}"
        for one in feedback.standing(result):
            yield f"{result.judged.problem}: {one}"
    if standing.reason(graded) in {standing.BROKEN, standing.UNJUDGED}:
        yield "Something could not be judged, through no fault of yours; there is no score until it is."
    if late and graded.late is not None and graded.earned is not None and graded.late.sentence:
        yield f"{graded.late.line(graded.earned)}."


def _encoded(graded: Graded, wish: Wish) -> bytes:
    document = results(graded, late=wish.late, hidden=wish.hidden)
    return (json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _folder(student: str, number: int) -> str:
    """Return a name for a student's folder that leads nowhere else; numbered, so that no two are the same."""
    kept = "".join(c if c.isalnum() or c in "-_@" else "_" for c in student)[:60]
    return f"{number:04d}-{kept}"
