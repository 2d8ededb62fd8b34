"""A student's name as the name of a file: plain ASCII on every system, and no two names alike.

File systems ignore case, normalise accents and reserve names, so only small letters, digits, ``-`` and ``_`` stand
for themselves. A capital is ``+`` and its small letter; every other byte of UTF-8 is ``~`` and two digits.
"""

from __future__ import annotations

import hashlib

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})
LONGEST = 120  # characters; systems allow 255 bytes
KEPT = 50  # of a longer name, before its digest


def path(student: str) -> str:
    """Return where a student's page lies, from the page of the class; also its address, since nothing needs quoting."""
    return f"students/{stem(student)}.html"


def stem(student: str) -> str:
    """Return a name for a file: injective, up to a collision of SHA-256 for names that are too long.

    >>> stem("ada"), stem("Ada L."), stem("../é"), stem("con")
    ('ada', '+ada~20+l~2e', '~2e~2e~2f~c3~a9', '~63on')
    """
    if student in RESERVED:
        return _byte(ord(student[0])) + student[1:]
    whole = "".join(map(_spelled, student)) or "~"
    if len(whole) <= LONGEST:
        return whole
    digest = hashlib.sha256(student.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{whole[:KEPT].rstrip('~')}~~{digest}"  # "~~" stands in no other name


def _spelled(character: str) -> str:
    if character in PLAIN:
        return character
    if character.isascii() and character.isalpha():
        return f"+{character.lower()}"
    return "".join(map(_byte, character.encode("utf-8", "surrogatepass")))


def _byte(value: int) -> str:
    return f"~{value:02x}"
