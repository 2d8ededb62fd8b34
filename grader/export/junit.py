"""JUnit's XML, for whatever shows tests: a suite for each student and problem, a case for each check.

Valid against the two schemas in use, Jenkins' and Ant's. A failure is the student's, an error is ours; a check that the
problem's time did not reach, and all of who handed in nothing, is skipped. Runs keep no times: ``time`` is 0, and
``timestamp`` when it was handed in, or 1970 where nobody knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from grader.export import Exported, cells, feedback, standing
from grader.report.text import safe
from grader.verdict import Status

if TYPE_CHECKING:
    from grader.export import Wish
    from grader.results import Graded, Result, Run
    from grader.verdict import CheckResult

_NEVER = "1970-01-01T00:00:00"
_SECONDS = len(_NEVER)


def export(run: Run, wish: Wish) -> Exported:
    """Return the suites of all students."""
    root = ET.Element("testsuites")
    for graded in run.students:
        for result in graded.results:
            _suite(root, graded, result, wish)
        for slug in graded.unjudged:
            _unjudged(root, graded, slug)
    ET.indent(root)
    # ElementTree escapes what has a meaning in XML; what XML cannot hold at all `safe` has spelled out.
    return Exported(ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")


def _suite(root: ET.Element, graded: Graded, result: Result, wish: Wish) -> None:
    suite = _begun(root, graded, result.judged.problem)
    properties = {
        "student": graded.student,
        "problem": result.judged.problem,
        "status": result.judged.status.value,
        "score": cells.number(standing.part(graded, result)),
        "points": cells.number(result.judged.points + result.judged.manual_points),
    }
    if wish.late and graded.late is not None:
        properties["late"] = graded.late.sentence
    for name, value in properties.items():
        ET.SubElement(suite[0], "property", name=name, value=safe(value))
    for check in result.verdict.checks:
        _case(suite, check, graded, result.judged.problem)
    _ended(suite)


def _unjudged(root: ET.Element, graded: Graded, slug: str) -> None:
    suite = _begun(root, graded, slug)
    case = ET.SubElement(suite, "testcase", name="judged", classname=slug, time="0")
    ET.SubElement(case, "error", type="UNJUDGED", message=standing.UNJUDGED)
    _ended(suite)


def _case(suite: ET.Element, check: CheckResult, graded: Graded, slug: str) -> None:
    case = ET.SubElement(suite, "testcase", name=check.name, classname=slug, time="0")
    if check.status is Status.PASSED:
        return
    if not standing.handed_in(graded):
        kind = "skipped"
    else:
        kind = {Status.BROKEN: "error", Status.SKIPPED: "skipped"}.get(check.status, "failure")
    told = ET.SubElement(case, kind, type=check.status.value, message=safe(check.promise))
    told.text = feedback.check(check)


def _begun(root: ET.Element, graded: Graded, slug: str) -> ET.Element:
    suite = ET.SubElement(
        root,
        "testsuite",
        name=f"{safe(graded.student)}/{slug}",
        package=slug,
        id=str(len(root)),
        hostname="localhost",
        timestamp=graded.handed_in[:_SECONDS] or _NEVER,
        time="0",
    )
    ET.SubElement(suite, "properties")
    return suite


def _ended(suite: ET.Element) -> None:
    for attribute, path in {
        "tests": "testcase",
        "failures": "testcase/failure",
        "errors": "testcase/error",
        "skipped": "testcase/skipped",
    }.items():
        suite.set(attribute, str(len(suite.findall(path))))
    ET.SubElement(suite, "system-out")
    ET.SubElement(suite, "system-err")
