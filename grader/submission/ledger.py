"""What one folder or archive may hold: names, kinds and sizes are judged entry by entry.

One bad entry refuses the whole. What a careful reader and a careless one would unpack differently is not
graded at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from grader.errors import SubmissionError
from grader.submission import names
from grader.submission.names import quoted

MIB = 2**20
TOTAL_BYTES = 64 * MIB  # of sources kept, and of everything in a tar, which has to be read through
ENTRIES = 2_000
STEP = "pack only your .py and .ipynb files and hand in again"


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """One source as it was handed in."""

    path: str  # relative, with forward slashes, NFC
    content: bytes


@dataclass(frozen=True, slots=True)
class Contents:
    """What a folder or an archive holds: its sources, and the paths of what was left aside."""

    files: tuple[SubmittedFile, ...] = ()
    aside: tuple[str, ...] = ()


class Ledger:
    """What has been met so far in one folder or archive; refuses names and sizes that must not be."""

    def __init__(self, entries: int = ENTRIES) -> None:
        self._entries = entries
        self._seen: dict[str, tuple[str, bool]] = {}  # by twin: the spelling, and whether it is a folder
        self._kept: dict[str, bytes] = {}
        self._aside: list[str] = []
        self._room = TOTAL_BYTES

    def count(self) -> None:
        """Take note of one more entry, whatever it is."""
        self._entries -= 1
        if self._entries < 0:
            raise SubmissionError(f"it holds too many files; {STEP}")

    def admit(self, raw: str, *, oddity: str = "", folder: bool = False) -> str:
        """Judge one entry; return its path if it is a source whose content is wanted, else ""."""
        path = names.clean(raw)
        if path and oddity:
            raise SubmissionError(f"{quoted(raw)} is {oddity}; {STEP}")
        if path:
            self._register(path.split("/"), folder=folder)
        if folder or not path:
            return ""
        if names.is_source(path):
            return path
        self.leave(path)
        return ""

    def _register(self, parts: list[str], *, folder: bool) -> None:
        for depth in range(1, len(parts) + 1):
            mine = ("/".join(parts[:depth]), folder or depth < len(parts))
            known = self._seen.setdefault(names.twin(mine[0]), mine)
            if known[0] != mine[0]:
                raise SubmissionError(
                    f"{quoted(known[0])} and {quoted(mine[0])} are one name on some computers; "
                    "rename one of them and hand in again",
                )
            if known is not mine and not (known[1] and mine[1]):
                raise SubmissionError(f"it holds {quoted(mine[0])} twice; {STEP}")

    def leave(self, path: str) -> None:
        """Take note of a file that holds no answer."""
        self._aside.append(path)

    def afford(self, size: int) -> None:
        """Refuse a source that there is no more room for."""
        if size > self._room or len(self._kept) >= ENTRIES:
            most = f"{ENTRIES:,} files or {TOTAL_BYTES // MIB} MiB"
            raise SubmissionError(f"its .py and .ipynb files are more than {most}; {STEP}")

    def keep(self, path: str, content: bytes) -> None:
        """Keep an admitted source."""
        self.afford(len(content))
        self._room -= len(content)
        self._kept[path] = content

    def contents(self) -> Contents:
        """Return all that was kept, without the folders that all of it lies in, in one order."""
        top = _common(list(self._kept))
        files = [SubmittedFile(names.composed(path[top:]), data) for path, data in self._kept.items()]
        return Contents(tuple(sorted(files, key=lambda file: file.path)), tuple(sorted(self._aside)))


def _common(paths: list[str]) -> int:
    """Return how many characters the folders take up that all paths lie in."""
    size = 0
    while paths and all("/" in path for path in paths) and len({path.split("/")[0] for path in paths}) == 1:
        top = len(paths[0].split("/")[0]) + 1
        size += top
        paths = [path[top:] for path in paths]
    return size
