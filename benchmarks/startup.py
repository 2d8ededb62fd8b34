"""Part (e): how long a student waits: `grade --help` and `grade check`, against the imports that they cannot avoid."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from measuring import GRADE, PYTHON, ROOT, alternated, compared, finished

NEEDED = "import numpy, click, rich, hypothesis"
CHECKED = {"xor": NEEDED, "batch_reduction": f"{NEEDED}, torch"}


def rows(rounds):
    with tempfile.TemporaryDirectory() as folder:
        course = student_course(Path(folder))
        contenders = {"click": lambda: finished([*PYTHON, "-c", "import click"])}
        contenders["help"] = lambda: finished([*GRADE, "--help"])
        for slug, imports in CHECKED.items():
            contenders[imports] = lambda imports=imports: finished([*PYTHON, "-c", imports])
            contenders[slug] = lambda slug=slug: finished([*GRADE, "--course", course, "check", slug], cwd=course)
        taken = alternated(contenders, rounds)
    yield compared("e", "grade --help : import click", taken["help"].wall, taken["click"].wall)
    for slug, imports in CHECKED.items():
        what = f"grade check {slug} : {imports.removeprefix('import ')}"
        yield compared("e", what, taken[slug].wall, taken[imports].wall)


def student_course(folder):
    """Write a course as students have it, with right answers in it."""
    for slug in CHECKED:
        for path in (ROOT / "problems" / slug).iterdir():
            if path.name in {"statement.md", "visible.py", "probes.py"}:
                (folder / "problems" / slug).mkdir(parents=True, exist_ok=True)
                shutil.copy(path, folder / "problems" / slug)
        (folder / "student_template").mkdir(exist_ok=True)
        shutil.copy(ROOT / "reference" / f"{slug}.py", folder / "student_template")
    return folder
