"""A folder of files that we wrote, with a list of them; what somebody has changed in it is never written over.

::

    write       files -> the folder, and the list of them
    Entry       one file of the list: path, sha256, bytes
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grader import whole
from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

LIST = "manifest.json"
FORMAT = 1
_ELSEWHERE = "name another folder with -o"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a bundle: its path with forward slashes, and what its bytes are."""

    path: str
    sha256: str
    bytes: int


def entries(files: Mapping[str, bytes]) -> tuple[Entry, ...]:
    """Return the list of some files, by path."""
    return tuple(Entry(path, _digest(files[path]), len(files[path])) for path in sorted(files))


def write(files: Mapping[str, bytes], folder: Path) -> tuple[Entry, ...]:
    """Write files below a folder, and the list of them; return the list.

    An earlier release is brought up to date: files that it alone had are removed. What was edited since, and what
    was never ours, is kept: where a file of ours would have to take its place, nothing at all is written. Ended in
    the middle, it leaves whole files, and the same call finishes the work.

    Raises:
        UsageError: the folder holds something else or something edited, or cannot be written.
    """
    try:
        earlier = _earlier(folder)
        _demand_room(folder, files, earlier)
        for path, digest in (earlier or {}).items():
            if path not in files and _held(folder / path) == digest:
                _remove(folder, path)
        for path in sorted(files):
            _put(folder / path, files[path])
        listed = entries(files)
        _put(folder / LIST, _listed(listed))
    except OSError as error:
        raise UsageError(f"{folder} cannot be written ({error.strerror}); {_ELSEWHERE}") from error
    return listed


def _listed(listed: tuple[Entry, ...]) -> bytes:
    content = {"format": FORMAT, "files": [asdict(entry) for entry in listed]}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _earlier(folder: Path) -> dict[str, str] | None:
    """Return the digests of an earlier release by path; None where there is none."""
    path = folder / LIST
    if not path.exists() and not path.is_symlink():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = {entry["path"]: entry["sha256"] for entry in content["files"]}
        if content["format"] != FORMAT or not all(_stays_inside(name) for name in found):
            raise ValueError(content["format"])  # noqa: TRY301 - one sentence for all that may be wrong
    except (LookupError, RecursionError, TypeError, ValueError):
        raise UsageError(f"{path} is no list that grade release wrote; {_ELSEWHERE}") from None
    return found


def _stays_inside(path: object) -> bool:
    return isinstance(path, str) and all(part not in {"", ".", ".."} for part in path.replace("\\", "/").split("/"))


def _demand_room(folder: Path, files: Mapping[str, bytes], earlier: Mapping[str, str] | None) -> None:
    """Refuse before anything is written."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; {_ELSEWHERE}")
    if earlier is None:
        for path in _present(folder):
            if path not in files:
                raise UsageError(f"{folder} is not empty and no earlier release: it holds {path}; {_ELSEWHERE}")
    for path in files:
        _demand_folders(folder, path)
        if not _is_free(folder / path, files[path], (earlier or {}).get(path)):
            raise UsageError(
                f"{folder / path} is not as it was released, so nothing was written; {_ELSEWHERE}, or move it away"
            )


def _is_free(path: Path, content: bytes, known: str | None) -> bool:
    """Whether a file may be written: nothing is there, or what we would write, or what we once wrote."""
    if not path.exists() and not path.is_symlink():
        return True
    return _held(path) in {_digest(content), known}


def _held(path: Path) -> str:
    """Return the digest of an ordinary file; "" for anything else."""
    return _digest(path.read_bytes()) if path.is_file() and not path.is_symlink() else ""


def _demand_folders(folder: Path, path: str) -> None:
    for parent in list(Path(path).parents)[:-1]:
        place = folder / parent
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise UsageError(f"{place} is no folder of an earlier release; {_ELSEWHERE}")


def _present(folder: Path) -> Iterator[str]:
    """Yield the files below a folder; hidden ones, as Git's and those of a write that was cut off, are nobody's."""
    for root, folders, names in os.walk(folder):
        linked = [name for name in folders if (Path(root) / name).is_symlink()]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted([*names, *linked]):
            if not name.startswith("."):
                yield (Path(root) / name).relative_to(folder).as_posix()


def _remove(folder: Path, path: str) -> None:
    (folder / path).unlink()
    with contextlib.suppress(OSError):  # the first folder that is not empty ends it
        for parent in list(Path(path).parents)[:-1]:
            (folder / parent).rmdir()


def _put(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; one that is so already is not touched."""
    if _held(path) == _digest(content):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole.part(path) as part:
        part.write_bytes(content)
        part.replace(path)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
