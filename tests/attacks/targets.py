"""The tiny problems that attacks answer: one function ``target``, one visible check, one hidden."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

VISIBLE, HIDDEN = "holds_at_sight", "holds_for_drawn_arguments"
LIMITS = {"seconds": 1.0, "import_seconds": 3.0, "problem_seconds": 30.0, "memory_mib": 128}

ARRAYS = {
    "visible": "close(student.target(np.array([1.0, 2.0, 4.0])), np.array([2.0, 5.0, 11.0]))",
    "given": '{"x": normal((st.integers(3, 6),), 3.0)}',
    "hidden": "close(student.target(x), reference.target(x))",
    "argument": "x",
    "reference": "def target(x: np.ndarray) -> np.ndarray:",
    "body": "return 3 * x - 1",
}
PROBLEMS = {
    "arrays": ARRAYS,
    "tensors": {
        **ARRAYS,
        "imports": "import torch",
        "reference": "def target(x: torch.Tensor) -> torch.Tensor:",
    },
    "integers": {
        "visible": "equal(student.target(4), 10)",
        "given": '{"n": st.integers(5, 400)}',
        "hidden": "equal(student.target(n), reference.target(n))",
        "argument": "n",
        "reference": "def target(n: int) -> int:",
        "body": "return n * (n + 1) // 2",
    },
    "objects": {
        **ARRAYS,
        "visible": "close(student.Target(3.0).act(np.array([1.0, 2.0, 4.0])), np.array([2.0, 5.0, 11.0]))",
        "hidden": "close(student.Target(3.0).act(x), reference.Target(3.0).act(x))",
        "reference": "class Target:\n"
        "    def __init__(self, factor: float) -> None:\n"
        "        self.factor = factor\n\n"
        "    def act(self, x: np.ndarray) -> np.ndarray:",
        "body": "        return self.factor * x - 1",
    },
}


def right(problem: str) -> str:
    """Return the source of a right answer."""
    parts = PROBLEMS[problem]
    indent = " " * (len(parts["body"]) - len(parts["body"].lstrip()) or 4)
    body = f"{indent}# BEGIN SOLUTION\n{indent}{parts['body'].lstrip()}\n{indent}# END SOLUTION"
    return f"import numpy as np\n{parts.get('imports', '')}\n\n\n{parts['reference']}\n{body}\n"


def write(course: Path, problem: str, limits: Mapping[str, float], canaries: Mapping[str, str]) -> None:
    """Write a course whose one problem ``target`` has these limits; each file holds its own canary."""
    parts = PROBLEMS[problem]
    limits = {name: value for name, value in {**LIMITS, **limits}.items() if name != "patience"}  # the control's own
    settings = ", ".join(f"{name}={value:g}" for name, value in limits.items())
    by_hand = problem != "tensors"
    folder = course / "problems" / "target"
    folder.mkdir(parents=True)
    (course / "reference").mkdir()
    (folder / "statement.md").write_text("# The target\n\nWrite `target`.\n", encoding="utf-8")
    (folder / "visible.py").write_text(
        dedent(f'''\
            import numpy as np
            from grader import check, close, equal, settings

            limits = settings({settings}, by_hand={by_hand}, source="an attack")


            @check(points=1)
            def {VISIBLE}(student):
                """It holds for numbers that everybody knows."""
                {parts["visible"]}
            '''),
        encoding="utf-8",
    )
    (folder / "hidden.py").write_text(
        dedent(f'''\
            from grader import check, close, equal, normal
            from hypothesis import strategies as st

            CANARY = "{canaries["hidden"]}"


            @check(points=2, given={parts["given"]}, examples=3)
            def {HIDDEN}(student, reference, {parts["argument"]}):
                """It holds for others too."""
                {parts["hidden"]}
            '''),
        encoding="utf-8",
    )
    (folder / "variants.py").write_text(f'CANARY = "{canaries["variants"]}"\n', encoding="utf-8")
    (course / "reference" / "target.py").write_text(
        f'"""Worked out: {canaries["reference"]}."""\n{right(problem)}', encoding="utf-8"
    )
