"""What students receive for each problem: a stub made from the reference, kept in ``student_template/``.

Run as ``python -m grader.template`` to write the stubs of the course around the working folder again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader import course as courses
from grader import variants

if TYPE_CHECKING:
    from pathlib import Path

    from grader.course import Course


def stubs(course: Course) -> dict[Path, str]:
    """Return the text of each stub by its path in ``student_template/``.

    Raises:
        AuthoringError: a reference's BEGIN/END SOLUTION lines do not pair.
    """
    folder = course.root / "student_template"
    references = {slug: course.problem(slug).reference for slug in course.slugs}
    return {
        folder / f"{slug}.py": variants.stub(reference, f"reference/{slug}.py")
        for slug, reference in references.items()
        if reference
    }


def write(course: Course) -> None:
    """Write every stub that differs from what lies there."""
    for path, text in stubs(course).items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(courses.find())
