"""Makes the pictures of the README from what the real commands print: ``python docs/pictures/make.py``."""

from __future__ import annotations

import io
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
sys.path.insert(0, str(ROOT))

from grader import course, problem  # noqa: E402 - found where this file lies

COLUMNS = 80
SLUG, MISTAKE = "gcn_gradient", "divided_by_row"


def printed(*arguments: str, cwd: Path = ROOT) -> str:
    """Return what a command prints on a terminal of eighty columns, colours included."""
    parent, child = pty.openpty()
    environment = {
        **{name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}},
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


def drawn(text: str, title: str, name: str) -> str:
    """Return a picture of a terminal that shows a text; needs no font and no network to be looked at."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text.from_ansi(text.rstrip("\n")))
    svg = console.export_svg(title=title, unique_id=name)
    svg = re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace")
    return re.sub(r"[ \t]+\n", "\n", svg)


def demo() -> str:
    """Return the picture of a class as `make demo` grades it."""
    with tempfile.TemporaryDirectory() as folder:
        return drawn(printed("demo", "-o", "demo", cwd=Path(folder)), "make demo", "demo")


def check() -> str:
    """Return the picture of a known mistake that a student finds with `grade check`."""
    variants = problem.load(course.find(ROOT).problem(SLUG)).variants
    with tempfile.TemporaryDirectory() as folder:
        answer = next(variant.text for variant in variants if variant.name == MISTAKE)
        (Path(folder) / f"{SLUG}.py").write_text(answer, encoding="utf-8")
        return drawn(printed("check", "-x", cwd=Path(folder)), "grade check -x", "check")


def main() -> None:
    """Draw every picture."""
    for picture in (demo, check):
        (HERE / f"{picture.__name__}.svg").write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
