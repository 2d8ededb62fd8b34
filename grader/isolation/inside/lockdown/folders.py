"""Removing what a child has left behind."""

from __future__ import annotations

import contextlib
import os


def remove(folder: str) -> None:
    """Remove a folder, however deep a child made it, also where nobody may enter.

    What cannot be removed stays; no link is followed. The child must have ended. Folders are moved up before they
    are emptied, so that neither the depth nor the length of a path grows with what a child made.
    """
    with contextlib.suppress(OSError):
        os.rmdir(folder)  # noqa: PTH106 - pathlib is slow to import, and most folders are empty
    if not os.path.lexists(folder):
        return
    held = f"{folder}.removing"
    with contextlib.suppress(OSError):
        os.mkdir(held, 0o700)  # noqa: PTH102 - as above
    waiting = [folder]
    moved = 0
    while waiting:
        place = waiting.pop()
        for inner in _emptied(place):
            moved += 1
            with contextlib.suppress(OSError):
                os.rename(inner, f"{held}/{moved}")  # noqa: PTH104 - as above
                waiting.append(f"{held}/{moved}")
        with contextlib.suppress(OSError):
            os.rmdir(place)  # noqa: PTH106 - as above
    with contextlib.suppress(OSError):
        os.rmdir(held)  # noqa: PTH106 - as above


def _emptied(place: str) -> list[str]:
    """Remove all in a folder but the folders; return those, opened for whoever owns them."""
    inner: list[str] = []
    with contextlib.suppress(OSError):
        os.chmod(place, 0o700)  # noqa: PTH101 - as above
        with os.scandir(place) as entries:
            found = list(entries)
        for entry in found:
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    os.chmod(entry.path, 0o700)  # noqa: PTH101 - moving a folder needs the right to write to it
                    inner.append(entry.path)
                else:
                    os.unlink(entry.path)  # noqa: PTH108 - as above
    return inner
