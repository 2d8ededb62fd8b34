"""What a file's name and first bytes say about it, and which names are refused.

Pure functions of text and bytes; nothing here touches a disk.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.errors import SubmissionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SOURCES = (".py", ".ipynb")
ARCHIVES = (".tar.gz", ".tar.bz2", ".tar.xz", ".zip", ".tar", ".tgz", ".tbz2", ".txz")

PATH_BYTES = 1024
PART_BYTES = 255
DEPTH = 32  # also keeps the work on one name small

# What operating systems and tools leave behind, and folders of other people's code.
_LITTER = {"__MACOSX", "__pycache__", "node_modules", "site-packages", "venv"}
_LITTER |= {"Icon\r", "Thumbs.db", "desktop.ini"}
_RESERVED = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
_RESERVED |= {f"{port}{digit}" for port in ("COM", "LPT") for digit in "123456789¹²³"}
_SHOWN = 80
_NAMED = 5  # of many names in a sentence

# Bulk downloads. Canvas: lovelaceada_LATE_123_456_xor.py is user 123's file 456, anon_aB3dE_456_xor.py a nameless
# one's. Moodle: "Ada Lovelace_77_assignsubmission_file_" is participant 77's folder, or comes before a file's name.
_CANVAS = re.compile(r"(?!anon_)([^_/]+)_(LATE_)?([0-9]{2,})_([0-9]{3,})_(?=[^/])")
_CANVAS_ANONYMOUS = re.compile(r"(anon)_(LATE_)?([0-9A-Za-z]{5})_([0-9]{3,})_(?=[^/])")
_CANVAS_TYPED = re.compile(r"[^_/]+_(?:LATE_)?[0-9A-Za-z]{2,}_(?:text|link)\.html\Z")
_MOODLE = re.compile(r"([^_/]+)_([0-9]+)_assignsubmission_([a-z]+)(?:_|\Z)")
# What browsers and desktops add to a name that is taken: xor (1), xor-2, xor-Copy1, xor - Copy, xor copy 2.
_COPIED = re.compile(r"(?: ?\([0-9]{1,3}\)|(?: - | |-)copy(?: ?[0-9]{1,3})?|-[0-9]{1,3})+$", re.IGNORECASE)
_COPY_OF = re.compile(r"(?:copy of )+", re.IGNORECASE)
_DOWNLOADED = re.compile(r"(?: ?\([0-9]{1,3}\))+$")
_BETWEEN = ("_", "-", ".", " ")  # what parts a student's name from a problem's

_OPENINGS = (
    (b"PK", "a zip archive or an office document"),
    (b"%PDF", "a PDF document"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "a picture"),
    (b"version https://git-lfs", "a pointer of Git LFS, which stands for a file that was not uploaded"),
    (b"<", "a web page, perhaps the log-in page that a download met in its place"),
)


class Fit(enum.Enum):
    """How well a file's name fits a problem."""

    EXACT = "exact"
    DECORATED = "decorated"  # by a download, a copy or another case


def extension(name: str) -> str:
    """Return the known ending of a name in lower case, or "" for a file of no kind that we read.

    >>> extension("hand-in/Xor.PY"), extension("ada.tar.gz"), extension("notes.txt")
    ('.py', '.tar.gz', '')
    """
    low = name.lower()
    return next((end for end in (*SOURCES, *ARCHIVES) if low.endswith(end)), "")


def is_source(name: str) -> bool:
    """Say whether a file of this name can hold an answer."""
    return extension(name) in SOURCES


def is_archive(name: str) -> bool:
    """Say whether a file of this name is an archive that we open."""
    return extension(name) in ARCHIVES


def stem(name: str) -> str:
    """Return a name without its known ending.

    >>> stem("ada.tar.gz"), stem("xor.py"), stem("week.2")
    ('ada', 'xor', 'week.2')
    """
    return name[: len(name) - len(extension(name))]


def is_litter(path: str) -> bool:
    """Say whether a path is hidden, or left by a tool: neither read nor worth a word."""
    return any(part.startswith(".") or part in _LITTER for part in path.split("/"))


def shown(name: str) -> str:
    r"""Return a name as it may be printed anywhere: one line, nothing invisible, not long.

    >>> shown("a\x1b[2Jb\u202e")
    'a\\x1b[2Jb\\u202e'
    """
    visible = _visible(name)
    if len(visible) <= _SHOWN:
        return visible
    return f"{visible[: _SHOWN // 2]}...{visible[-_SHOWN // 2 :]}"


def some(texts: Sequence[str]) -> str:
    """Return the first few of many texts as they stand in a sentence.

    >>> some(["a", "b"]), some(list("abcdefg"))
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    first = ", ".join(texts[:_NAMED])
    return first if len(texts) <= _NAMED else f"{first} and {len(texts) - _NAMED} more"


def _visible(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def quoted(name: str) -> str:
    """Return a name from a submission as it stands in a sentence."""
    return f'"{shown(name)}"'


def clean(raw: str) -> str:
    """Return an entry's name as a relative path with forward slashes; "" for what nobody misses.

    Names that lead elsewhere, or mean another file to another system or another reader, are refused.

    >>> clean("./ada//xor.py"), clean("./"), clean("__MACOSX/ada/._xor.py")
    ('ada/xor.py', '', '')

    Raises:
        SubmissionError: the name, the reason and what to do.
    """
    parts = [part for part in raw.split("/") if part not in {"", "."}]
    reason = _too_long(raw, parts) or _leads_away(raw, parts)
    if not reason and is_litter("/".join(parts)):
        return ""
    if reason := reason or _unprintable(raw) or _ambiguous(parts):
        raise SubmissionError(f"the name {quoted(raw)} {reason}; rename that file and hand in again")
    return "/".join(parts)


def _too_long(raw: str, parts: list[str]) -> str:
    if len(raw) > PATH_BYTES or _size(raw) > PATH_BYTES:
        return f"is longer than {PATH_BYTES} bytes"
    if any(_size(part) > PART_BYTES for part in parts):
        return f"has a part longer than {PART_BYTES} bytes"
    return f"lies more than {DEPTH} folders deep" if len(parts) > DEPTH else ""


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _leads_away(raw: str, parts: list[str]) -> str:
    if raw.startswith("/"):
        return "is an absolute path"
    if re.match("[A-Za-z]:", raw):
        return "begins with a drive letter"
    if "\\" in raw:
        return "holds a backslash"
    return "leads out of its folder" if ".." in parts else ""


def _unprintable(raw: str) -> str:
    if re.search("[\ud800-\udfff]", raw):
        return "is not text in UTF-8"
    if re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029]", raw):
        return "holds a control character"
    if re.search("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", raw):
        return "holds a character that turns the direction of writing"
    return ""


def _ambiguous(parts: list[str]) -> str:
    if any(part.endswith((".", " ")) for part in parts):
        return "ends in a dot or a space"
    if any(part.split(".")[0].rstrip().upper() in _RESERVED for part in parts):
        return "is reserved for a device on Windows"
    return ""


def twin(path: str) -> str:
    """Return what is equal for paths that some file system takes for one: other case, other composition."""
    return composed(unicodedata.normalize("NFD", path).casefold())


def composed(path: str) -> str:
    """Return a path in the composition (NFC) that does not tell which system packed it."""
    return unicodedata.normalize("NFC", path)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a name from a bulk download tells."""

    system: str  # "Canvas" or "Moodle"
    who: str
    number: str  # of the student in that system
    rest: str  # the student's own name for the file; "" for Moodle's folders
    sort: str = "file"
    item: int = 0  # Canvas counts files up: of two the larger came later
    late: bool = False

    @property
    def student(self) -> str:
        """Name and number, which no two students share."""
        return f"{self.who}_{self.number}"


def delivery(name: str) -> Delivery | None:
    """Read the name of a file or folder from a bulk download; None for any other name.

    >>> found = delivery("lovelaceada_LATE_123_456_xor.py")
    >>> found.system, found.student, found.rest, found.item, found.late
    ('Canvas', 'lovelaceada_123', 'xor.py', 456, True)
    >>> found = delivery("Ada Lovelace_77_assignsubmission_file_")
    >>> found.system, found.student, found.rest
    ('Moodle', 'Ada Lovelace_77', '')
    """
    if match := _CANVAS.match(name) or _CANVAS_ANONYMOUS.match(name):
        who, late, number, item = match.groups()
        return Delivery("Canvas", who, number, name[match.end() :], item=int(item[:18]), late=bool(late))
    if match := _MOODLE.match(name):
        who, number, sort = match.groups()
        return Delivery("Moodle", who, number, name[match.end() :], sort=sort)
    return None


def is_typed(name: str) -> bool:
    """Say whether a file of Canvas's download holds text or a link that was typed in, in place of a file."""
    return bool(_CANVAS_TYPED.match(name))


def undelivered(name: str) -> str:
    """Return a file's name without what a bulk download put before it.

    >>> undelivered("lovelaceada_LATE_123_456_xor.py"), undelivered("Ada_77_assignsubmission_file_xor.py")
    ('xor.py', 'xor.py')
    """
    found = delivery(name)
    return (found and found.rest) or name


def deliverer(name: str) -> str:
    """Return who handed in a file of a bulk download: name and user number; "" for any other name.

    >>> deliverer("lovelaceada_LATE_123_456_xor.py"), deliverer("xor.py")
    ('lovelaceada_123', '')
    """
    found = delivery(name)
    return found.student if found else ""


def student(name: str) -> str:
    r"""Return a name as a student is called by it: composed, nothing invisible, nothing left out.

    >>> student("Ze\u0301 \x1b[2J")
    'Zé \\x1b[2J'
    """
    return _visible(composed(name))


def bare(name: str) -> str:
    """Return a file's name without its ending and without what a download or a copy added to it.

    >>> bare("Copy of xor (1).ipynb"), bare("ada_12_345_xor-2.py")
    ('xor', 'xor')
    """
    return _COPIED.sub("", _COPY_OF.sub("", stem(undelivered(name)), count=1))


def authored(name: str, tags: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return each way to read a name as a student's joined to one of some tags: (student, tag).

    >>> authored("ada_xor.py", ["xor"]), authored("XOR - ada (1).py", ["xor"]), authored("ada.py", ["xor"])
    ((('ada', 'xor'),), (('ada', 'xor'),), ())

    Of two tags at the same end the longer is meant:

    >>> authored("ada_deep_xor.py", ["xor", "deep_xor"])
    (('ada', 'deep_xor'),)
    """
    front, back = bare(name), _DOWNLOADED.sub("", _COPY_OF.sub("", stem(name), count=1))
    found = []
    longest_first = sorted(tags, key=len, reverse=True)
    for tag in longest_first:
        if front[-len(tag) :].casefold() == tag.casefold() and front[: -len(tag)].endswith(_BETWEEN):
            found.append((front[: -len(tag)].strip("".join(_BETWEEN)), tag))
            break
    for tag in longest_first:
        if back[: len(tag)].casefold() == tag.casefold() and back[len(tag) :].startswith(_BETWEEN):
            found.append((back[len(tag) :].strip("".join(_BETWEEN)), tag))
            break
    return tuple(dict.fromkeys((student(who), tag) for who, tag in found if who))


def fit(name: str, slug: str) -> Fit | None:
    """Say how well a file's name (without folders) fits a problem.

    >>> fit("xor.py", "xor"), fit("Xor (1).ipynb", "xor"), fit("xor_old.py", "xor")
    (<Fit.EXACT: 'exact'>, <Fit.DECORATED: 'decorated'>, None)
    """
    if name in {slug + end for end in SOURCES}:
        return Fit.EXACT
    if not is_source(name):
        return None
    return Fit.DECORATED if bare(name).casefold() == slug.casefold() else None


def natural(name: str) -> tuple[list[str | int], str]:
    """Return the key that sorts names as people count: week 2 before week 10.

    >>> sorted(["week10", "Week2", "ada"], key=natural)
    ['ada', 'Week2', 'week10']
    """
    pieces = re.split("([0-9]{1,18})", name.casefold())
    return [int(piece) if index % 2 else piece for index, piece in enumerate(pieces)], name


def looks_like(head: bytes) -> str:
    """Return what a file that is not what its name says may be, from its first bytes; "" if unknown."""
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head:
        return "empty"
    return next((what for opening, what in _OPENINGS if head.startswith(opening)), "")
