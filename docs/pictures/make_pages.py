"""Makes the pictures of the class page and of a student's page from a real run: ``python docs/pictures/make_pages.py``.

It grades the class of ``grade demo`` and looks at the pages in Chromium, light and dark.
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

from grader import store  # noqa: E402
from grader.report import page  # noqa: E402
from grader.report.page import names  # noqa: E402
from grader.verdict import Status  # noqa: E402

SIZES = {"class": (1320, 1150), "student": (1000, 1150)}  # in pixels


def graded(folder: Path) -> Path:
    """Grade the class of the demo; return where its run lies."""
    command = [sys.executable, "-m", "grader", "--course", str(ROOT), "demo", "-o", str(folder / "demo")]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return folder / "demo" / "run"


def main() -> None:
    """Draw both pages, each in both schemes."""
    with tempfile.TemporaryDirectory() as made, browsing.page() as browser:
        folder = Path(made)
        run = store.read(graded(folder))
        for path, content in page.files(run).items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(content)
        # Whose page shows most: a hint for as many of the checks as anybody's.
        hinted = {
            one.student: sum(bool(check.hint) for verdict in one.verdicts for check in verdict.checks)
            + len({check.status for verdict in one.verdicts for check in verdict.checks} - {Status.PASSED})
            for one in run.students
        }
        pages = {"class": "index.html", "student": names.path(max(hinted, key=lambda name: hinted[name]))}
        for name, path in pages.items():
            for scheme in ("light", "dark"):
                browser.look(width=SIZES[name][0], height=SIZES[name][1], dark=scheme == "dark")
                browser.open(folder / path)
                browser.picture(HERE / f"page_{name}_{scheme}.png")


if __name__ == "__main__":
    main()
