"""Makes the pictures of formgrader and of Validate in JupyterLab: ``python docs/pictures/make_nbgrader.py``.

It runs the test that grades in a real JupyterLab with nbgrader and looks at it in Chromium, and keeps two of the
pictures. The formulas of a statement are seen as they are written: nbgrader loads what sets them from the network.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = {"formgrader_report": "nbgrader_formgrader", "validate_failed": "nbgrader_validate"}


def main() -> None:
    """Run the test, and keep what was seen."""
    with tempfile.TemporaryDirectory() as seen:
        command = [sys.executable, "-m", "pytest", "-q", "tests/test_notebook_browser.py"]
        subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "GRADER_PICTURES": seen})
        for name, kept in KEPT.items():
            shutil.copy(Path(seen) / f"{name}.png", HERE / f"{kept}.png")


if __name__ == "__main__":
    main()
