"""The shapes that name a student's hand-ins by folders: our own inbox, nbgrader's ``submitted/`` tree.

::

    DIR/STUDENT/20261130T221500Z-1a2b3c4d.zip      what `grade submit --to DIR` delivers: time, start of the SHA-256
    DIR/STUDENT/20261130T221500Z-1a2b3c4d.json     its receipt: student, time, digest, files
    submitted/STUDENT/ASSIGNMENT/*.ipynb           with timestamp.txt beside them
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from grader.errors import SubmissionError
from grader.submission import names
from grader.submission.haul import Found, Haul
from grader.submission.ledger import TOTAL_BYTES
from grader.submission.moments import moment
from grader.submission.names import quoted, twin
from grader.submission.places import SMALL, below

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from grader.submission.places import InZip, Node

HIDDEN = "hidden, or left by a tool"
SUBMITTED = "submitted"
NBGRADERS = ("source", "release", "autograded", "feedback")
_STAMPED = re.compile(r"([0-9]{8}T[0-9]{6}Z)-([0-9a-f]{8})\.zip\Z")
_STAMP = "timestamp.txt"


def is_inbox(children: Sequence[Node]) -> bool:
    """Say whether a folder that holds these is a student's in our own inbox."""
    return any(_STAMPED.match(child.name) for child in children)


def inbox(children: Sequence[Node], student: str, haul: Haul) -> None:
    """Take in each delivery of one student as a hand-in of its own."""
    receipts = {names.stem(child.name): child for child in children if child.name.endswith(".json")}
    for child in children:
        if match := not child.is_folder and not child.oddity and _STAMPED.match(child.name):
            receipt = receipts.pop(names.stem(child.name) + ".json", None)
            note = _doubt(child, match[2], student, receipt)
            when = None if note else moment(match[1])
            haul.add(Found(student, (), handed_in=when, note=note), child)
        elif child not in receipts.values():
            haul.ignore(child, HIDDEN if names.is_litter(child.name) else "no delivery of grade submit, among those")
    for receipt in receipts.values():
        haul.ignore(receipt, "a receipt without its zip")


def _doubt(delivery: Node, start: str, student: str, receipt: Node | None) -> str:
    """Return why the time in a delivery's name is not to be believed; "" if it is."""
    try:
        digest = hashlib.sha256(delivery.read(TOTAL_BYTES)).hexdigest()
    except SubmissionError as error:
        return f"{quoted(delivery.name)}: {error}"
    if not digest.startswith(start):
        return f"{quoted(delivery.name)} was changed after it was delivered, so nobody knows when it was handed in"
    if receipt is None:
        return f"{quoted(delivery.name)} has no receipt, so nobody knows when it was handed in"
    told = _receipt(receipt)
    fits = told.get("digest") == digest and moment(str(told.get("time"))) == moment(delivery.name.partition("-")[0])
    if not fits or twin(str(told.get("student"))) != twin(student):
        return f"the receipt of {quoted(delivery.name)} does not fit it, so nobody knows when it was handed in"
    return ""


def _receipt(node: Node) -> dict[str, object]:
    with suppress(SubmissionError, ValueError, RecursionError):
        told = json.loads(node.read(SMALL))
        if isinstance(told, dict):
            return told
    return {}


def submitted(top: Node, assignment: str, haul: Haul) -> None:
    """Take in nbgrader's tree: of each student the folder of one assignment, or the only one there is."""
    for student in _folders(top, "no student's folder", haul):
        folders = _folders(student, "in no assignment's folder", haul)
        _choose(names.student(student.name), folders, assignment, haul)
        if not folders:
            haul.ignore(student, "it holds no assignment's folder")


def _folders(top: Node, otherwise: str, haul: Haul) -> list[Node]:
    """Return the folders in a folder; list what else is there."""
    folders = []
    try:
        children = top.children()
    except OSError as error:
        haul.ignore(top, f"it cannot be read ({error.strerror})")
        return []
    for child in children:
        if child.is_folder and not names.is_litter(child.name):
            folders.append(child)
        else:
            haul.ignore(child, HIDDEN if names.is_litter(child.name) else child.oddity or otherwise)
    return folders


def _choose(student: str, folders: list[Node], assignment: str, haul: Haul) -> None:
    for folder in folders:
        if assignment and twin(folder.name) != twin(assignment):
            haul.ignore(folder, f"of another assignment than {assignment}")
        elif not assignment and len(folders) > 1:
            haul.ignore(folder, "one of several assignments; choose one with --assignment")
        else:
            haul.add(Found(student, (), handed_in=_stamp(folder)), folder)


def _stamp(folder: Node) -> datetime | None:
    with suppress(SubmissionError, UnicodeDecodeError, OSError):
        for child in folder.children():
            if child.name == _STAMP and not child.oddity:
                return moment(child.read(SMALL).decode("utf-8-sig"))
    return None


def class_in_zip(top: InZip, slugs: Sequence[str], *, is_one: Callable[[Node], bool]) -> InZip | None:
    """Return where in a zip a class's folder begins; None if the zip is one student's.

    It is a class's if names in it are a download's, a folder is called ``submitted`` or is an inbox's, or if it
    would be no proper hand-in of one student: the same problem in two folders, two authors, archives alone.
    """
    children = top.children()
    while len(children) == 1 and children[0].is_folder and not _tells(children[0]):
        top, children = children[0], children[0].children()
    if is_one(top):
        return None
    if any(map(_tells, children)):
        return top
    loose = [child.name for child in children if not child.is_folder]
    authors = {who for name in loose if names.is_source(name) for who, _ in names.authored(name, slugs)}
    packed = sum(map(names.is_archive, loose)) > 1 and not any(map(names.is_source, loose))
    is_class = len(authors) > 1 or packed or _repeats(children, slugs)
    return top if is_class else None


def _tells(node: Node) -> bool:
    inbox_here = node.is_folder and is_inbox(node.children())
    return bool(names.delivery(node.name)) or (node.is_folder and node.name == SUBMITTED) or inbox_here


def _repeats(children: Sequence[InZip], slugs: Sequence[str]) -> bool:
    """Say whether two of some folders hold a file for the same problem."""
    seen: set[str] = set()
    for child in children:
        files = [file.name for file in below(child)] if child.is_folder else []
        mine = {slug for slug in slugs for name in files if names.fit(name, slug)}
        if mine & seen:
            return True
        seen |= mine
    return False
