"""The stamp that says that a mark is ours: sibling metadata of a grade cell, sealed with the secret of its run.

::

    cell.metadata.grader.stamp = {"cell": "xor--check--NAME", "score": 2.0, ..., "seal": "..."}

Metadata pass from a student's file through nbgrader's steps, so anybody can write a stamp; only who has the run file,
whose seed is secret, can seal one. A stamp holds no input, no wanted value and nothing of a hidden check but its name.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import asdict, astuple, dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.results import Key, Run

OURS = "grader"  # the metadata beside nbgrader's own, whose schema takes nothing of ours
_STAMP, _SEAL = "stamp", "seal"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What was written for one grade cell of one student.

    ``score`` and ``points`` are nbgrader's: of what the gradebook gives for the cell. ``score`` is None where there is
    none: the cell needs a person. ``key`` is the digest of all that the verdict depends on.
    """

    student: str
    assignment: str
    notebook: str
    cell: str
    status: str
    score: float | None
    points: float
    key: str
    grader: str


class Seal:
    """Presses stamps and knows its own."""

    def __init__(self, seed: int) -> None:
        self._secret = hashlib.sha256(f"stamps of the run {seed}".encode()).digest()

    @staticmethod
    def of(run: Run) -> Seal:
        """Return the seal of a run."""
        return Seal(run.conditions.seed)

    def pressed(self, stamp: Stamp) -> dict[str, Any]:
        """Return the metadata that go beside nbgrader's."""
        content = asdict(stamp)
        return {_STAMP: {**content, _SEAL: self._sealed(content)}}

    def read(self, cell: Mapping[str, Any]) -> Stamp | None:
        """Return the stamp of a cell, or None if it has none of this run's."""
        found = _inner(_inner(_inner(cell, "metadata"), OURS), _STAMP)
        content = {one.name: found[one.name] for one in fields(Stamp) if one.name in found}
        sealed = found.get(_SEAL)
        if len(content) < len(fields(Stamp)) or not isinstance(sealed, str):
            return None
        try:
            good = hmac.compare_digest(sealed.encode(), self._sealed(content).encode())
        except (TypeError, ValueError):  # what somebody wrote there is no JSON of ours
            return None
        return Stamp(**content) if good else None

    def _sealed(self, content: Mapping[str, Any]) -> str:
        text = json.dumps(content, sort_keys=True, allow_nan=False)
        return hmac.new(self._secret, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def stamped(cell: Mapping[str, Any], seal: Seal, *, student: str, assignment: str, notebook: str) -> Stamp | None:
    """Return the stamp of a grade cell if it is ours and made for this very cell of this student's, else None."""
    stamp = seal.read(cell)
    if stamp is None or stamp.cell != _inner(_inner(cell, "metadata"), "nbgrader").get("grade_id"):
        return None
    meant = (stamp.student, stamp.assignment, stamp.notebook)
    return stamp if meant == (student, assignment, notebook) else None


def key_digest(key: Key) -> str:
    """Return the digest of all that a verdict depends on."""
    return hashlib.sha256(json.dumps(astuple(key)).encode()).hexdigest()


def _inner(outer: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = outer.get(name)
    return found if isinstance(found, dict) else {}
