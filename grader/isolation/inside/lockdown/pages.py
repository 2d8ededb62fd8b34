"""Huge pages for a zygote that forks often: fork and exit cost by the page, and torch has ninety thousand."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from . import kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

HUGE: Final = 2 * 2**20
_WORTH_IT: Final = 32 * HUGE  # less memory than this forks quickly as it is
_COLLAPSE: Final = 25  # MADV_COLLAPSE, since Linux 6.1


def collapse(maps: int) -> int:
    """Move this process's own memory into huge pages where the kernel can; return how many bytes were asked for.

    Only the speed depends on it, so a kernel that refuses is left alone. Takes about a second for torch.

    Args:
        maps: an open descriptor of this process's /proc/self/maps.
    """
    regions = list(_own_regions(_text(maps)))
    size = sum(end - start for start, end in regions)
    if size < _WORTH_IT:
        return 0
    for start, end in regions:
        kernel.advise(start, end - start, _COLLAPSE)
    return size


def _text(maps: int) -> str:
    parts, offset = [], 0
    while part := os.pread(maps, 2**16, offset):
        parts.append(part)
        offset += len(part)
    return b"".join(parts).decode()


def _own_regions(text: str) -> Iterator[tuple[int, int]]:
    """Yield the aligned parts of writable private memory that comes from no file."""
    for line in text.splitlines():
        span, permissions, *rest = line.split()
        if permissions != "rw-p" or (len(rest) > 3 and rest[3] != "[heap]"):  # noqa: PLR2004 - the name is the sixth word
            continue
        start, end = (int(word, 16) for word in span.split("-"))
        start, end = -(-start // HUGE) * HUGE, end // HUGE * HUGE
        if start < end:
            yield start, end
