"""A run as HTML: one page of the class, and a page a student. Pure functions of the run: same run, same bytes.

::

    names       a student -> a file name that is safe everywhere, no two alike
    chart       bars as numbers
    maps        where an answer misses: as shapes, and in words
    tally       what can be counted over a class: checks, mistakes, problems, scores
    notices     what needs somebody's attention
    classroom   the page of the class, as plain data
    student     the page of one student, as plain data: ``message`` and ``hint``, never ``detail``; pictures of
                visible checks alone
    render      plain data -> HTML; the only importer of Jinja2
    templates/  the pages, their one stylesheet and one script

A page is one file: no network, and a policy in it that lets nothing run but our own script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.results import Run


def files(run: Run) -> dict[str, bytes]:
    """Return all pages of a run by their path: ``index.html``, and ``students/NAME.html`` for each student.

    Raises:
        UsageError: Jinja2 is not installed.
    """
    from grader.report.page import classroom, names, render, student

    renderer = render.Renderer()
    pages = {"index.html": renderer.page("class.html", page=classroom.page(run), script="class.js")}
    for graded in run.students:
        shown = student.page(graded, run.conditions.assignment)
        pages[names.path(graded.student)] = renderer.page("student.html", page=shown)
    return {path: text.encode() for path, text in pages.items()}
