"""Starts things from nothing: a course folder, and a problem that is proved as it stands.

::

    course_files    what a new course consists of
    problem_files   what a new problem consists of, its stub included
    start_course    the former, into a folder of its own
    start_problem   the latter, into a course

What is written here is the author's from then on: nothing refers back to it, and nothing is ever written over.
"""

from __future__ import annotations

import ast
import contextlib
import keyword
import re
import sys
import unicodedata
from typing import TYPE_CHECKING

from grader import bundle, course, variants
from grader.errors import SubmissionError, UsageError
from grader.submission import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from grader.course import Course

LONGEST = 60
_PLACEHOLDER = "my_problem"  # where a new course has no problem yet
_LIBRARIES = {"grader", "hypothesis", "numpy", "scipy", "sympy", "torch", "torchvision"}


def start_problem(here: Course, slug: str) -> tuple[str, ...]:
    """Write a new problem into a course; return the paths of its files below the course.

    A folder that cannot be written keeps none of them.

    Raises:
        UsageError: the name cannot be a problem's, something of that name is there, the course is a bundle that
            was released to students, or it cannot be written.
    """
    if (here.root / bundle.LIST).exists():
        raise UsageError(
            f"{here.root} was released to students ({bundle.LIST}); start a problem in the course that it came from"
        )
    _demand_name(slug, here)
    files = problem_files(slug)
    for taken in (here.root / "problems" / slug, *(here.root / path for path in files)):
        if taken.exists() or taken.is_symlink():
            raise UsageError(f"{taken} exists already, and nothing is written over; choose another name or move it")
    _write(here.root, files)
    return tuple(files)


def start_course(folder: Path, first: str = "") -> tuple[str, ...]:
    """Write a new course, with a first problem if one is named; return the paths of its files.

    Raises:
        UsageError: the folder holds something (Git's own folder is nothing), it cannot be written, or the
            problem's name cannot be one.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder for the course")
    try:
        present = sorted(path.name for path in folder.iterdir() if path.name != ".git") if folder.is_dir() else []
    except OSError as error:
        raise UsageError(f"{folder} cannot be read ({error.strerror}); name another folder") from error
    if present:
        raise UsageError(f"{folder} is not empty, it holds {present[0]}; name a new folder for the course")
    if first:
        _demand_name(first, course.Course(folder, {}))
    files = course_files(folder.resolve().name, first) | (problem_files(first) if first else {})
    _write(folder, files)
    return tuple(files)


def _write(root: Path, files: Mapping[str, str]) -> None:
    made: list[Path] = []
    try:
        for name, text in files.items():
            path = root / name
            missing = [folder for folder in path.parents if not folder.exists()]
            path.parent.mkdir(parents=True, exist_ok=True)
            made += reversed(missing)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                made.append(path)
                file.write(text)
    except OSError as error:
        for path in reversed(made):
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise UsageError(
            f"{error.filename or root} cannot be written ({error.strerror}), so nothing was; "
            "make room or choose another place"
        ) from error


# Names


def _demand_name(slug: str, here: Course) -> None:
    reason = _unfit(slug) or _taken(slug, here)
    if reason:
        better = suggested(slug, here)
        raise UsageError(
            f"{names.quoted(slug)} cannot name a problem: {reason}" + (f" (what about {better}?)" if better else "")
        )


def suggested(wanted: str, here: Course) -> str:
    """Return a name that a problem may have, near the one that was wanted; "" if there is nothing to go by.

    >>> from pathlib import Path
    >>> here = course.Course(Path("nowhere"), {})
    >>> [suggested(name, here) for name in ("SoftMax", "Über-Fit!", "2layer net", "random", "???")]
    ['soft_max', 'uber_fit', 'problem_2layer_net', 'random_problem', '']
    """
    plain = unicodedata.normalize("NFKD", wanted).encode("ascii", "ignore").decode()
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()
    name = re.sub(r"[^a-z0-9]+", "_", parted).strip("_")[:LONGEST].rstrip("_")
    if not name:
        return ""
    if not name[0].isalpha():
        name = f"problem_{name}"[:LONGEST]
    return f"{name}_problem" if _unfit(name) or _taken(name, here) else name


def _unfit(slug: str) -> str:
    """Return what is wrong with a name whatever the course; "" if nothing is."""
    if not course.SLUG.match(slug):
        return "it takes lower-case letters, digits and underscores, a letter first"
    if len(slug) > LONGEST:
        return f"it is longer than {LONGEST} characters"
    if keyword.iskeyword(slug):
        return "it is a word of Python's own, and no module of that name can be imported"
    if slug in sys.stdlib_module_names:
        return f"Python has a module {slug}, and a student's {slug}.py would stand in its place"
    try:
        names.clean(f"{slug}.py")
    except SubmissionError:
        return "Windows keeps it for a device and can have no such file"
    return ""


def _taken(slug: str, here: Course) -> str:
    """Return which module of this course's problems a student's file would stand in the place of."""
    if slug in _LIBRARIES or slug in here.preload or slug in set(_imported(here)):
        return f"problems import a module {slug}, and a student's {slug}.py would stand in its place"
    return ""


def _imported(here: Course) -> Iterator[str]:
    """Yield the top name of each module that the course's own files import; files that do not parse have none."""
    for path in (*here.root.glob("problems/*/*.py"), *here.root.glob("reference/*.py")):
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.partition(".")[0]


# A problem


def problem_files(slug: str) -> dict[str, str]:
    """Return the files of a new problem by path: small, true, and proved as they stand."""
    title = slug.replace("_", " ").capitalize()
    home, reference = f"problems/{slug}", _REFERENCE.replace("TITLE", title)
    return {
        f"{home}/statement.md": _STATEMENT.replace("TITLE", title),
        f"{home}/visible.py": _VISIBLE,
        f"{home}/hidden.py": _HIDDEN,
        f"{home}/variants.py": _VARIANTS,
        f"reference/{slug}.py": reference,
        f"student_template/{slug}.py": variants.stub(reference, f"reference/{slug}.py"),
    }


_STATEMENT = """\
# TITLE

Replace this text. Say what is asked, with every convention that an answer depends on, and the shape of everything that
goes in or comes out. Nothing may be judged that is not said here. Formulas stand between dollars.

Take the mean off: of $x = (x_1, \\dots, x_n)$ return $x_i - \\frac1n \\sum_j x_j$ for every $i$.

| function | takes | returns |
|---|---|---|
| `centred(x)` | array $x$ of shape $(n,)$, $n \\ge 1$ | array of shape $(n,)$ |
"""

_REFERENCE = '''\
"""TITLE, worked out."""

import numpy as np

# What stands between BEGIN SOLUTION and END SOLUTION is what students write; all the rest is handed out as it is.
# Annotate torch.Tensor in place of np.ndarray, and students get tensors.


def centred(x: np.ndarray) -> np.ndarray:
    """Return x, of shape (n,), less its mean; the shape stays."""
    # BEGIN SOLUTION
    return x - x.mean()
    # END SOLUTION
'''

_VISIBLE = '''\
"""Students receive this file: checks with literal numbers, which never ask for the reference."""

import numpy as np

from grader import check, close, settings

# Replace: CPU seconds of one check, whether torch may be imported (by_hand=True: it may not), where it comes from.
limits = settings(seconds=2, by_hand=True, source="")


# Replace: the promise that a student reads, the call, and the numbers, worked out without the reference.
@check(points=1)
def centres_three_numbers(student):
    """The mean of 1, 2 and 6 is 3, which leaves -2, -1 and 3."""
    close(student.centred(np.array([1.0, 2.0, 6.0])), np.array([-2.0, -1.0, 3.0]))
'''

_HIDDEN = '''\
"""Only instructors have this file: the same promises on numbers that are drawn anew for every run."""

import numpy as np
from hypothesis import strategies as st

from grader import check, close, normal


# Replace: what is drawn, and what is promised of it. The differences may cancel, so scale says how large the numbers
# are that they are differences of.
@check(points=2, given={"x": normal((st.integers(4, 9),), 3.0)}, examples=8)
def centres_any_numbers(student, reference, x):
    """The mean is taken off whatever the numbers are and however many there are."""
    close(student.centred(x), reference.centred(x), scale=np.abs(x).max())
'''

_VARIANTS = '''\
"""Right answers of another make, which must pass, and known mistakes, which must be caught and named."""

import numpy as np

from grader import right, wrong


# Replace: an answer that is right and looks as little as possible like the reference.
@right(replaces="centred")
def number_by_number(x):
    mean = sum(x.tolist()) / len(x)
    return [number - mean for number in x.tolist()]


# Replace: the mistakes that you expect. Every check is the caught_by of at least one; a hint gives no answer away.
@wrong(replaces="centred", caught_by="centres_three_numbers", hint="By how many numbers is a mean of n divided?")
def divided_by_one_less(x):
    return x - x.sum() / (len(x) - 1)


@wrong(replaces="centred", caught_by="centres_three_numbers", hint="That is the number in the middle, not the mean.")
def less_the_median(x):
    return x - np.median(x)


@wrong(replaces="centred", caught_by="centres_any_numbers", hint="Does it hold for other lengths than the example's?")
def divided_by_three(x):
    return x - x.sum() / 3
'''


# A course


def course_files(title: str, first: str = "") -> dict[str, str]:
    """Return the files of a new course by path, apart from those of its problems.

    Args:
        title: the course's name, for its README.
        first: the problem that examples name.
    """
    example = first or _PLACEHOLDER
    return {
        "README.md": _README.replace("COURSE", title).replace("SLUG", example),
        "course.toml": _COURSE.replace("SLUG", example),
        ".gitignore": _IGNORED,
        "problems/.gitkeep": "",
        "reference/.gitkeep": "",
        "student_template/.gitkeep": "",
    }


_COURSE = """\
# What holds for the whole course. All of it is optional; a line that begins with "#" and no space is an example.

# The isolation that graded runs demand, 1 to 3; `grade doctor` says what this machine reaches. Without it: 2.
#min_tier = 2

# Modules that are imported once for all students, beside numpy and torch; others take their time in each child.
#preload = ["scipy"]

# An assignment: problems, one due date with its offset from UTC, who has longer, and what lateness costs.
#[assignments.week1]
#problems = ["SLUG"]
#due = 2030-01-31T23:59:00+01:00

#[assignments.week1.extensions]
#ada = 2030-02-02T23:59:00+01:00

# Each day begun takes a tenth of what was earned, half of it at most; a quarter of an hour is forgiven.
#[assignments.week1.late]
#per_day = 0.1
#cap = 0.5
#grace_minutes = 15
"""

_IGNORED = """\
# Students' work, runs and what is handed out: none of it belongs in a course's history.
runs/
run.sqlite*
submissions/
handout/

.grade/
.hypothesis/
.venv/
__pycache__/
"""

_README = """\
# COURSE

| folder | what it holds |
|---|---|
| `problems/SLUG/` | statement, visible and hidden checks, known answers |
| `reference/` | the worked solutions |
| `student_template/` | what students fill in, made from the references |
| `course.toml` | assignments, due dates, the isolation that is demanded |

Hidden checks, known answers and references are for instructors alone: keep this folder private, and give students
what `grade release` writes.

```
grade new SLUG                           # start a problem, unless it is there
grade verify                             # prove that the checks of every problem are sound
python -m grader.template                # the stubs again, when a reference has changed
grade release -o handout                 # what students receive
grade run submissions/ -o runs/first     # grade what they hand in
grade explain runs/first STUDENT         # everything about one student
```
"""
