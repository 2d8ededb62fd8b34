"""Keeps proofs in ``<course>/.grade/proofs``, and says whether a problem as it stands has one here.

A proof holds for the bytes that were proved and for the versions that can change a number; whatever else changes
leaves it alone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from grader import versions, whole
from grader.verify import Proof

if TYPE_CHECKING:
    from pathlib import Path

    from grader.course import Course, ProblemFiles

FORMAT = 1


def keep(course: Course, proof: Proof) -> Path:
    """Keep what was found about a problem, in place of what was kept before.

    Raises:
        OSError: the folder cannot be written.
    """
    path = _path(course, proof.slug)
    content = {
        "format": FORMAT,
        "slug": proof.slug,
        "digest": proof.digest,
        "environment": environment(),
        "ok": proof.ok,
        "complaints": list(proof.complaints),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole.part(path) as part:
        part.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        part.replace(path)
    return path


def proved(course: Course, files: ProblemFiles) -> bool:
    """Whether exactly these files were proved in this environment."""
    kept = _kept(_path(course, files.slug))
    return (
        kept.get("format") == FORMAT
        and kept.get("ok") is True
        and kept.get("digest") == files.digest
        and kept.get("environment") == environment()
    )


def unreadable(files: ProblemFiles, reason: str) -> Proof:
    """Return what is found about a problem that cannot even be read."""
    return Proof(
        slug=files.slug,
        digest=files.digest,
        checks=0,
        right=0,
        wrong=0,
        caught=0,
        diagnosed=0,
        generic=0,
        margins={},
        table=(),
        complaints=(reason,),
    )


def environment() -> dict[str, str]:
    """Return what a proof depends on beside the problem."""
    return versions.environment()


def _path(course: Course, slug: str) -> Path:
    return course.root / ".grade" / "proofs" / f"{slug}.json"


def _kept(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # no proof is kept, or a damaged one, which proves nothing
    return content if isinstance(content, dict) else {}
