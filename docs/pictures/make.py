"""Makes the pictures of the README from what the real commands print: ``python docs/pictures/make.py``."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COLUMNS = 80
CLASS = ROOT / "tests" / "class_of_ten"


def printed(*arguments: str, cwd: Path = ROOT) -> str:
    """Return what a command prints on a terminal of eighty columns, colours included."""
    parent, child = pty.openpty()
    environment = {
        **os.environ,
        "COLUMNS": str(COLUMNS),
        "LINES": "60",
        "TERM": "xterm-256color",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "grader", "--course", str(ROOT), *arguments]
    process = subprocess.Popen(
        command, stdout=child, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=cwd, env=environment
    )
    os.close(child)
    pieces = []
    while True:
        try:
            piece = os.read(parent, 65536)
        except OSError:  # the terminal's other end is closed
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(parent)
    process.wait()
    return b"".join(pieces).decode().replace("\r\n", "\n")


def drawn(text: str, title: str, path: Path) -> None:
    """Write a picture of a terminal that shows a text; needs no font and no network to be looked at."""
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    console.print(Text.from_ansi(text.rstrip("\n")))
    svg = console.export_svg(title=title, unique_id=path.stem)
    svg = re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace")
    path.write_text(re.sub(r"[ \t]+\n", "\n", svg), encoding="utf-8")


def main() -> None:
    """Draw every picture."""
    with tempfile.TemporaryDirectory() as folder:
        demo = printed("demo", "-o", "demo", cwd=Path(folder))
        drawn(demo, "make demo", HERE / "demo.svg")
        found = printed("check", str(CLASS / "dan" / "xor.py"))
        drawn(found, "grade check xor.py", HERE / "check.svg")


if __name__ == "__main__":
    main()
