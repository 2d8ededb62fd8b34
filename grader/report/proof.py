"""The author's proof as text: candidates by checks, margins, and what does not hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from grader.report.text import counted, plain, safe, sign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.table import Table

    from grader.verify import Proof

TOGETHER = 5  # signs between two gaps
LEGEND = "✓ passed, ✗ failed, - not attempted or skipped, ! ended otherwise, ? broken"


def proof(proof: Proof) -> RenderableType:
    """Return a proof: a table of candidates by checks, the margins of each check, the complaints."""
    from rich.console import Group
    from rich.padding import Padding

    parts: list[RenderableType] = [plain(_headline(proof), style="bold"), _candidates(proof), plain(LEGEND), plain("")]
    parts += [_margins(proof), plain("")]
    parts += [Padding(plain(f"✗ {complaint}", style="red"), (0, 0, 0, 2)) for complaint in proof.complaints]
    return Group(*parts)


def document(proof: Proof) -> dict[str, Any]:
    """Return a proof as JSON data; a margin that no number measures is null."""
    margins = {name: {"right": margin.right, "wrong": margin.wrong} for name, margin in proof.margins.items()}
    counts = ("slug", "ok", "checks", "right", "wrong", "caught", "diagnosed", "generic")
    return {
        **{name: getattr(proof, name) for name in counts},
        "margins": margins,
        "complaints": list(proof.complaints),
    }


def margin(value: float | None) -> str:
    """Return a share of what a tolerance allows.

    >>> margin(0.02), margin(350000.0), margin(float("inf")), margin(None)
    ('0.02', '3.5e+05', 'exact', '-')
    """
    if value is None:
        return "-"
    return "exact" if math.isinf(value) else f"{value:.2g}"


def _headline(proof: Proof) -> str:
    verdict = "proved" if proof.ok else f"NOT proved, {counted(len(proof.complaints), 'complaint')}"
    return (
        f"{proof.slug}: {verdict}. {counted(proof.checks, 'check')}, {proof.right} right, {proof.wrong} wrong "
        f"({proof.caught} caught, {proof.diagnosed} diagnosed), {counted(proof.generic, 'generic answer')}."
    )


def _candidates(proof: Proof) -> Table:
    table = _bare()
    table.add_column(plain("kind", style="bold"), no_wrap=True)
    table.add_column(plain("candidate", style="bold"), overflow="fold")
    table.add_column(plain(_grouped(str(n % 10) for n in range(1, proof.checks + 1)), style="bold"), overflow="fold")
    for row in proof.table:
        signs = _grouped(sign(row.statuses[name]) if name in row.statuses else " " for name in proof.margins)
        table.add_row(plain(row.kind), plain(row.name), plain(signs))
    return table


def _margins(proof: Proof) -> Table:
    table = _bare()
    for heading in ("", "check", "right uses", "wrong misses by"):
        table.add_column(plain(heading, style="bold"), overflow="fold")
    for number, (name, one) in enumerate(proof.margins.items(), start=1):
        table.add_row(plain(str(number)), plain(safe(name)), plain(margin(one.right)), plain(margin(one.wrong)))
    table.columns[0].justify = "right"
    return table


def _bare() -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    return Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))


def _grouped(signs: Iterator[str]) -> str:
    """Return signs in groups that can be counted.

    >>> _grouped(iter("1234567"))
    '12345 67'
    """
    every = list(signs)
    return " ".join("".join(every[start : start + TOGETHER]) for start in range(0, len(every), TOGETHER))
