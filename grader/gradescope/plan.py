"""What an autograder archive grades and under which conditions; the same as JSON text."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from grader.errors import CourseError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.examples import Stored

NAME = "plan.json"
FORMAT = 1
MINUTES, MEMORY_MIB = 10, 768  # what Gradescope gives a submission unless the assignment's settings say otherwise


@dataclass(frozen=True, slots=True)
class Plan:
    """Plain data, equal for every submission.

    The seed is secret, and so are the examples drawn from it; ``digests`` are those of the course's own files.
    """

    seed: int
    digests: Mapping[str, str]  # by problem, in the order in which they are judged
    examples: Mapping[str, Mapping[str, Stored]]
    preload: tuple[str, ...] = ()
    torch: bool = False  # whether it is installed there
    hidden: str = "after_published"  # when students see hidden checks
    min_tier: int = 2
    minutes: int = MINUTES
    memory_mib: int = MEMORY_MIB

    def text(self) -> str:
        """Return it as JSON; the same plan gives the same text."""
        content = {field.name: getattr(self, field.name) for field in fields(self)} | {"format": FORMAT}
        content["examples"] = {
            slug: {name: [base64.b64encode(one).decode() for one in stored] for name, stored in drawn.items()}
            for slug, drawn in self.examples.items()
        }
        return json.dumps(content, indent=1) + "\n"


def read(text: str, where: str) -> Plan:
    """Read a plan.

    Raises:
        CourseError: the text is none.
    """
    try:
        content: dict[str, Any] = json.loads(text)
        if content.pop("format") != FORMAT:
            raise ValueError("format")  # noqa: TRY301 - one sentence for all that may be wrong
        content["preload"] = tuple(content["preload"])
        content["examples"] = {
            slug: {name: tuple(base64.b64decode(one) for one in stored) for name, stored in drawn.items()}
            for slug, drawn in content["examples"].items()
        }
        return Plan(**content)
    except (AttributeError, LookupError, TypeError, ValueError):
        raise CourseError(f"{where} is no plan that grade gradescope wrote; make the archive again") from None
