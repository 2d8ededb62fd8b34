"""What a student's machine is told of a problem that it cannot find out: ``problems/<slug>/released.json``.

The stub as it was handed out tells which functions take tensors, whatever the student makes of the file in
``student_template/``. Of the hidden checks there are counts and points alone.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from grader.errors import CourseError

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "released.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Released:
    """One problem as it was handed out.

    ``digest`` is that of the instructor's whole problem, to tell which version a student has; nothing can be read
    from it.
    """

    digest: str
    stub: str
    hidden_checks: int
    hidden_points: float
    manual_points: float

    def text(self) -> str:
        """Return the file's text; the same for the same problem."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1, ensure_ascii=False) + "\n"


def read(text: str, where: str) -> Released | None:
    """Return what a file says, or None where there is none.

    Args:
        text: the file's text; "" if there is no such file.
        where: the file's name, for the sentence.

    Raises:
        CourseError: it is damaged, or of a later format.
    """
    if not text:
        return None
    try:
        return _read(json.loads(text))
    except (LookupError, RecursionError, TypeError, ValueError):
        raise CourseError(f"{where} is damaged or of a later release; take it from the course's bundle again") from None


def _read(content: Mapping[str, object]) -> Released:
    if content["format"] != FORMAT:
        raise ValueError(content["format"])
    found = Released(
        digest=content["digest"],  # type: ignore[arg-type]  # told apart below
        stub=content["stub"],  # type: ignore[arg-type]
        hidden_checks=content["hidden_checks"],  # type: ignore[arg-type]
        hidden_points=content["hidden_points"],  # type: ignore[arg-type]
        manual_points=content["manual_points"],  # type: ignore[arg-type]
    )
    numbers = (found.hidden_checks, found.hidden_points, found.manual_points)
    if not (isinstance(found.digest, str) and isinstance(found.stub, str)):
        raise TypeError("digest and stub are texts")
    if not all(type(number) in {int, float} and number >= 0 for number in numbers):
        raise TypeError("counts and points are numbers")
    return found
