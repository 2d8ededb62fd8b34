"""Tiny courses for tests: one or two problems of a few lines, whole or as a student has them."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

DOUBLE = {
    "statement.md": """\
        # Twice as much

        Write `double(x)`: it returns $2x$ for any array $x$ of shape $(n,)$.
        """,
    "visible.py": """\
        import numpy as np
        from hypothesis import strategies as st

        from grader import check, close, normal, settings

        limits = settings(seconds=2, by_hand=True, source="a test")


        @check(points=1)
        def doubles_three_numbers(student):
            \"\"\"The doubles of 1.5, -2 and 5 are 3, -4 and 10.\"\"\"
            close(student.double(np.array([1.5, -2.0, 5.0])), np.array([3.0, -4.0, 10.0]))


        @check(points=1, given={"x": normal((st.integers(2, 5),))}, examples=4)
        def adds_to_itself(student, x):
            \"\"\"The double of an array is the array added to itself.\"\"\"
            close(student.double(x), x + x)
        """,
    "hidden.py": """\
        from hypothesis import strategies as st

        from grader import check, close, uniform


        @check(points=2, given={"x": uniform((st.integers(2, 5),), 2.0, 9.0)}, examples=4)
        def doubles_any_array(student, reference, x):
            \"\"\"Any array is doubled.\"\"\"
            close(student.double(x), reference.double(x))
        """,
    "variants.py": """\
        import numpy as np

        from grader import right, wrong


        @right(replaces="double")
        def by_adding(x):
            return x + x


        @wrong(replaces="double", caught_by="doubles_three_numbers", hint="Is two a factor here, or a power?")
        def squares(x):
            return x**2


        @wrong(replaces="double", caught_by="adds_to_itself", hint="Negative numbers have doubles too.")
        def forgets_signs(x):
            return 2 * np.abs(x)


        @wrong(replaces="double", caught_by="doubles_any_array", hint="Every entry is doubled, the first one too.")
        def skips_the_first(x):
            doubled = 2 * x
            doubled[0] = x[0]
            return doubled
        """,
}
DOUBLE_REFERENCE = '''\
    """Twice as much, worked out."""

    import numpy as np


    def double(x: np.ndarray) -> np.ndarray:
        """Return 2x, of the shape of x, which is (n,)."""
        # BEGIN SOLUTION
        return 2 * x
        # END SOLUTION
    '''

TRIPLE = {
    "statement.md": """\
        # Three times as much

        Write `triple(x)`: it returns $3x$ for a number $x$.
        """,
    "visible.py": """\
        from grader import check, close


        @check(points=3)
        def triples_two(student):
            \"\"\"Three times two is six.\"\"\"
            close(student.triple(2.0), 6.0)
        """,
    "marking.md": """\
        points: 2

        Is it explained?
        """,
    "variants.py": """\
        from grader import wrong


        @wrong(replaces="triple", caught_by="triples_two", hint="Is three a factor here, or a power?")
        def cubes(x):
            return x**3
        """,
}
TRIPLE_REFERENCE = '''\
    """Three times as much, worked out."""


    def triple(x: float) -> float:
        """Return 3x."""
        # BEGIN SOLUTION
        return 3 * x
        # END SOLUTION
    '''

PROBLEMS = {"double": (DOUBLE, DOUBLE_REFERENCE), "triple": (TRIPLE, TRIPLE_REFERENCE)}
INSTRUCTORS = {"hidden.py": "hidden", "variants.py": "variants", "marking.md": "hidden"}


def tiny_course(
    folder: Path,
    *slugs: str,
    reference: bool = True,
    hidden: bool = True,
    variants: bool = True,
    template: bool = True,
) -> Path:
    """Write a course below ``folder`` and return its root; without slugs it has the problem ``double`` alone.

    ``double`` (4 points: 2 visible checks, 1 hidden, 1 right variant, 3 wrong) and ``triple`` (3 points, one visible
    check, 2 points marked by hand). The options leave out what a student's machine does not have.
    """
    from grader import variants as texts

    root = folder / "course"
    kept = {"hidden": hidden, "variants": variants}
    for slug in slugs or ("double",):
        files, solution = PROBLEMS[slug]
        for name, text in files.items():
            if kept.get(INSTRUCTORS.get(name, ""), True):
                put(root / "problems" / slug / name, text)
        if reference:
            put(root / "reference" / f"{slug}.py", solution)
        if template:
            put(root / "student_template" / f"{slug}.py", texts.stub(dedent(solution)))
    return root


def student_course(folder: Path, *slugs: str) -> Path:
    """Write a course as a student has it: statements, visible checks and stubs."""
    return tiny_course(folder, *slugs, reference=False, hidden=False, variants=False)


def put(path: Path, text: str) -> Path:
    """Write a file and its folders; the text is dedented."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")
    return path


def solution(slug: str) -> str:
    """Return the worked solution of a tiny problem as text."""
    return dedent(PROBLEMS[slug][1])
