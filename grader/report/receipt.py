"""What was handed in, by whom, when and where to: what a student keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.report.text import counted, plain

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType

    from grader.handin import Receipt


def receipt(given: Receipt, path: Path, *, delivered: bool) -> RenderableType:
    """Return a receipt as text.

    Args:
        given: the receipt.
        path: where the zip lies.
        delivered: whether that is an inbox; otherwise the student uploads it.
    """
    from rich.console import Group
    from rich.table import Table

    files = Table.grid(padding=(0, 2))
    files.add_column(overflow="fold")
    files.add_column(justify="right", no_wrap=True)
    for entry in given.files:
        files.add_row(plain(entry.path), plain(f"{entry.bytes:,} bytes"))
    who = f" of {given.student}" if given.student else ""
    heading = f"{'Delivered' if delivered else 'Packed'}: {counted(len(given.files), 'file')}{who}"
    facts = [("Zip", str(path)), ("Time", _both_times(given)), ("Digest", given.digest)]
    lines = Table.grid(padding=(0, 2))
    lines.add_column(no_wrap=True)
    lines.add_column(overflow="fold")
    for name, fact in facts:
        lines.add_row(plain(name, style="dim"), plain(fact))
    ending = "Keep this receipt." if delivered else "Upload this zip as it is, and keep this receipt."
    return Group(plain(heading, style="bold"), files, lines, plain(ending))


def _both_times(given: Receipt) -> str:
    return f"{given.time:%Y-%m-%d %H:%M:%S} UTC ({given.time.astimezone():%Y-%m-%d %H:%M} here)"
