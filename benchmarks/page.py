"""Puts the figures of a run into docs/speed.md, between its markers.

python benchmarks/page.py bench.json
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from measuring import ROOT, shown

PAGE = ROOT / "docs" / "speed.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


def figures(run):
    """Return a run's rows as text of the page: ratios, for absolute times are those of one machine."""
    lines = [f"Measured on {run['machine']}.", ""]
    lines += ["| part | first : second | ratio | aim | |", "|---|---|---:|---|---|"]
    for row in run["rows"]:
        ratio = "" if row["ratio"] is None else shown(row["ratio"])
        cells = (f"({row['part']})", row["what"].strip(), ratio, row["aim"], row["note"])
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def with_figures(page, run):
    """Return a page with a run's figures in the place of those before."""
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"{PAGE} has no place for figures: {BEGIN} ... {END}")
    return pattern.sub(lambda _: f"{BEGIN}\n{figures(run)}\n{END}", page)


if __name__ == "__main__":
    measured = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    PAGE.write_text(with_figures(PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")
