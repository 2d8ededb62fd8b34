"""Makes the pictures of the class page and of a student's page from a real run: ``python docs/pictures/make_pages.py``.

It writes a class of sixty, grades it, marks most of what a person marks, and looks at the pages in Chromium, light and
dark. That takes a few minutes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import browsing  # noqa: E402 - found where the tests are
import class_of_sixty  # noqa: E402

from grader import marks, store  # noqa: E402
from grader.report import page  # noqa: E402
from grader.report.page import names  # noqa: E402
from grader.results import Graded  # noqa: E402, TC001
from grader.verdict import Status  # noqa: E402

STUDENTS = 60
PROBLEMS = ("xor", "coin_flips", "gcn_gradient", "deep_linear_autoencoder", "receptive_fields")
TO_MARK = 4  # students who are not marked by hand yet
SEED = 2
# Of each picture: the page, its size in pixels, and what is to be at its top.
PICTURES = {"class": (1320, 1150, ""), "alike": (1320, 860, "#alike"), "student": (1000, 1150, "section:has(.graph)")}


def graded(folder: Path) -> Path:
    """Write a class and grade it; return where its run lies."""
    some = [word for slug in PROBLEMS for word in ("--problem", slug)]
    classes = [sys.executable, ROOT / "benchmarks" / "classes.py", folder, "--students", str(STUDENTS)]
    subprocess.run([*classes, *some, "--hangs", "0.01"], check=True, stdout=subprocess.DEVNULL)
    for path, name in zip(sorted((folder / "class").iterdir()), class_of_sixty.names(STUDENTS), strict=True):
        path.rename(path.with_name(name))
    grade = [sys.executable, "-m", "grader", "--course", ROOT, "run", folder / "class", "-o", folder / "week1"]
    subprocess.run([*grade, *some, "--seed", str(SEED)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return folder / "week1"


def mark(run: Path) -> None:
    """Give points for what a person marks: all for right answers, half for others."""
    for student in store.read(run).students[TO_MARK:]:
        for result in student.results:
            if worth := result.judged.manual_points:
                given = worth if result.judged.status is Status.PASSED else worth / 2
                marks.give(run, marks.Wish(student.student, result.judged.problem), given, "read")


def _worth(student: Graded) -> int:
    """Return how much a student's page has to show: graphs first, then other pictures, hints and kinds of endings."""
    checks = [check for verdict in student.verdicts for check in verdict.checks]
    pictures = [check.picture for check in checks if check.picture and check.visible]
    graphs = sum(picture.nodes > 0 for picture in pictures)
    return 9 * graphs + len(pictures) + sum(bool(check.hint) for check in checks) + len({c.status for c in checks})


def main() -> None:
    """Draw all pictures in both schemes."""
    with tempfile.TemporaryDirectory() as made, browsing.page() as browser:
        folder = Path(made)
        where = graded(folder)
        mark(where)
        run = store.read(where)
        for path, content in page.files(run).items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(content)
        shown = {one.student: _worth(one) for one in run.students}
        pages = {"student": names.path(max(shown, key=lambda name: shown[name]))}
        for name, (width, height, top) in PICTURES.items():
            for scheme in ("light", "dark"):
                browser.look(width=width, height=height, dark=scheme == "dark")
                browser.open(folder / pages.get(name, "index.html"))
                if top:
                    browser.ask(f"document.querySelector({top!r}).scrollIntoView()")
                browser.picture(HERE / f"page_{name}_{scheme}.png")


if __name__ == "__main__":
    main()
