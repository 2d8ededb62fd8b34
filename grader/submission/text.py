"""The bytes of a .py file -> its text, without parsing it."""

from __future__ import annotations

import codecs
import re

from grader.errors import SubmissionError
from grader.submission.ledger import MIB
from grader.submission.names import quoted, shown

SOURCE_BYTES = MIB
_UTF8 = "save it as UTF-8 and hand in again"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)  # UTF-32-LE opens as UTF-16-LE does
# As Python reads it: a comment in the first two lines, the first of which holds nothing else.
_COOKIE = re.compile(r"(?:[ \t\f]*(?:#[^\n]*)?\n)??[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_UTF8_NAME = re.compile("utf[-_]?8(?:[-_].*)?", re.IGNORECASE)
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_HALF = re.compile("[\ud800-\udfff]")


def source_text(content: bytes, name: str) -> str:
    """Return the text of a .py file; its lines end as they do on Unix.

    Raises:
        SubmissionError: it is too large, not UTF-8, declares another encoding, or does not read as it looks.
    """
    text = decoded(content, name, limit=SOURCE_BYTES)
    cookie = _COOKIE.match(text)
    if cookie and not _UTF8_NAME.fullmatch(cookie[1]):
        raise SubmissionError(f"{name} declares the encoding {quoted(cookie[1])}; delete that line, {_UTF8}")
    return legible(text, name)


def decoded(content: bytes, name: str, *, limit: int) -> str:
    """Return what strict UTF-8 makes of some bytes; a byte order mark is dropped, lines end as on Unix.

    Raises:
        SubmissionError: more bytes than ``limit``, or bytes that are no UTF-8; says which.
    """
    if len(content) > limit:
        raise SubmissionError(f"{name} is larger than {limit // MIB} MiB; hand in the code alone")
    if content.startswith(_UTF16):
        raise SubmissionError(f"{name} is saved as UTF-16 or UTF-32; {_UTF8}")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        where = f"byte {error.start} (0x{content[error.start]:02x}, line {_line(content, error.start)})"
        raise SubmissionError(f"{name} is not UTF-8: {where} belongs to no character; {_UTF8}") from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _line(content: bytes, offset: int) -> int:
    return content.count(b"\n", 0, offset) + 1


def legible(text: str, name: str) -> str:
    """Return the text if it reads as it looks.

    Raises:
        SubmissionError: a NUL, half a character, or a control character that reorders what is shown.
    """
    if (at := text.find("\0")) >= 0:
        raise SubmissionError(f"{name} holds a NUL byte at {_place(text, at)}; {_UTF8}")
    if text.isascii():
        return text
    if match := _HALF.search(text):
        raise SubmissionError(f"{name} holds half a character at {_place(text, match.start())}; delete it")
    if match := _TURNS.search(text):
        what = f"the invisible character {shown(match[0])}, which makes code look other than it is"
        raise SubmissionError(f"{name} holds {what}, at {_place(text, match.start())}; delete it")
    return text


def _place(text: str, at: int) -> str:
    column = at - text.rfind("\n", 0, at)
    return f"line {text.count(chr(10), 0, at) + 1}, column {column}"
