"""Measures speed against others and against bounds, side by side, and prints one table of ratios.

    python benchmarks/bench.py [--students 60] [--rounds 3] [--parts abcdefgh] [-o bench.json]

Each row is `first : second`; where both are contenders they are measured in turn, and the ratio is that of their
medians. ``--students 1000`` is the class of the aims, and takes most of an hour. With ``-o`` the rows are kept, and
`python benchmarks/page.py bench.json` puts them into docs/speed.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from measuring import ROOT, NotMeasuredError, Row, kept, machine, table

PARTS = {"ab": "peers", "c": "bound", "dg": "growth", "e": "startup", "f": "transfer", "h": "spawn"}
SMALLEST = 10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=int, default=60, help="of the largest class; at least 40")
    parser.add_argument("--rounds", type=int, default=3, help="how often each contender's turn comes")
    parser.add_argument("--parts", default="abcdefgh", help="only these, by their letters")
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv-bench", help="where the other graders are installed")
    parser.add_argument("-o", dest="output", type=Path, help="keep the rows in this file")
    asked = parser.parse_args()
    if asked.students < 4 * SMALLEST or asked.rounds < 1:
        parser.error("--students is at least 40 and --rounds at least 1")
    told, rows = machine(), []
    print(told)
    with tempfile.TemporaryDirectory() as folder:
        for letters, name in PARTS.items():
            if set(letters) & set(asked.parts):
                rows += _part(letters, lambda name=name: _rows(name, asked, Path(folder) / name))
    print(table(rows))
    if asked.output:
        kept(asked.output, told, rows)


def _part(letters, measured):
    """Return the rows of one part; what it could not measure is one more."""
    rows, started = [], time.monotonic()
    try:
        rows.extend(measured())
    except NotMeasuredError as reason:
        rows.append(Row(letters[0], f"part ({letters[0]})", note=f"not measured: {reason}"))
    print(f"part {' and '.join(letters)}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    return rows


def _rows(name, asked, folder):
    """Return the rows of a part; its modules are imported only then."""
    students, rounds = asked.students, asked.rounds
    if name == "peers":
        import peers

        return peers.rows(folder, max(3, students // 100), max(300, students), rounds, asked.venv)
    if name == "growth":
        import growth

        return growth.rows(folder, (SMALLEST, round((SMALLEST * students) ** 0.5), students))
    if name == "bound":
        import bound

        return bound.rows(max(3, students // 20))
    import spawn
    import startup
    import transfer

    return {"startup": startup, "transfer": transfer, "spawn": spawn}[name].rows(max(5, rounds))


if __name__ == "__main__":
    main()
