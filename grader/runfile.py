"""The run on disk: ``RUN/run.json``, what was graded, under which conditions and with which examples."""

from __future__ import annotations

import base64
import dataclasses
import json
import os
import platform
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

from grader import __version__
from grader.classroom import Graded
from grader.errors import UsageError
from grader.verdict import CheckResult, Status, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from grader.isolation import Survey

FORMAT = 1
NAME = "run.json"
Examples = dict[str, dict[str, tuple[bytes, ...]]]


@dataclass(frozen=True, slots=True)
class Run:
    """One grading of many submissions."""

    run: str
    tier: int
    device: str
    dtype: str
    seed: int
    words: str
    missing: tuple[str, ...]
    problems: dict[str, str]  # digest by slug
    unproved: tuple[str, ...]
    ignored: tuple[tuple[str, str], ...]  # (path, reason)
    versions: dict[str, str]
    examples: Examples
    students: tuple[Graded, ...]

    def document(self) -> dict[str, Any]:
        """Return what ``--json`` prints: everything but the seed and the examples."""
        return {
            "run": self.run,
            "tier": self.tier,
            "device": self.device,
            "dtype": self.dtype,
            "isolation": {"words": self.words, "missing": list(self.missing)},
            "problems": self.problems,
            "unproved": list(self.unproved),
            "ignored": [{"path": path, "reason": reason} for path, reason in self.ignored],
            "versions": self.versions,
            "students": [student_document(graded) for graded in self.students],
        }


def student_document(graded: Graded) -> dict[str, Any]:
    """Return one student's results as JSON data."""
    return {
        "student": graded.student,
        "score": graded.score,
        "points": graded.points,
        "path": graded.path,
        "digest": graded.digest,
        "verdicts": [verdict_document(verdict) for verdict in graded.verdicts],
    }


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return one verdict as JSON data."""
    document = dataclasses.asdict(verdict)
    document["checks"] = [check_document(check) for check in verdict.checks]
    document["notes"] = list(verdict.notes)
    return document


def check_document(check: CheckResult) -> dict[str, Any]:
    """Return one check's result as JSON data; a share that no number measures is null."""
    document = dataclasses.asdict(check)
    if check.share is not None and check.share == float("inf"):
        document["share"] = None
    return document


def write(run: Run, folder: Path) -> Path:
    """Write the run whole or not at all.

    Raises:
        UsageError: the folder cannot be written.
    """
    content = run.document() | {
        "format": FORMAT,
        "seed": run.seed,
        "examples": {
            slug: {check: [base64.b64encode(one).decode() for one in stored] for check, stored in checks.items()}
            for slug, checks in run.examples.items()
        },
    }
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); choose another folder with -o") from error
    return path


def read(folder: Path) -> Run:
    """Read a run.

    Raises:
        UsageError: there is none at that place, or it is not one that this version wrote.
    """
    path = folder / NAME if folder.is_dir() else folder
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} is no run ({error.strerror}); give the folder that grade run -o wrote") from error
    except ValueError as error:
        raise UsageError(f"{path} is not valid JSON ({error}); grade the submissions again") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UsageError(f"{path} was not written by this version of grade run; grade the submissions again")
    return _run(content)


def _run(content: dict[str, Any]) -> Run:
    return Run(
        run=content["run"],
        tier=content["tier"],
        device=content["device"],
        dtype=content["dtype"],
        seed=content["seed"],
        words=content["isolation"]["words"],
        missing=tuple(content["isolation"]["missing"]),
        problems=content["problems"],
        unproved=tuple(content["unproved"]),
        ignored=tuple((one["path"], one["reason"]) for one in content["ignored"]),
        versions=content["versions"],
        examples={
            slug: {check: tuple(map(base64.b64decode, stored)) for check, stored in checks.items()}
            for slug, checks in content["examples"].items()
        },
        students=tuple(_graded(one) for one in content["students"]),
    )


def _graded(content: dict[str, Any]) -> Graded:
    verdicts = tuple(_verdict(verdict) for verdict in content["verdicts"])
    return Graded(content["student"], content["path"], content["digest"], verdicts)


def _verdict(content: dict[str, Any]) -> Verdict:
    checks = tuple(CheckResult(**{**check, "status": Status(check["status"])}) for check in content["checks"])
    return Verdict(
        **{
            **content,
            "status": Status(content["status"]),
            "checks": checks,
            "notes": tuple(content["notes"]),
        }
    )


def versions() -> dict[str, str]:
    """Return the versions that can change a number."""
    found = {"python": platform.python_version(), "platform": platform.platform(), "tensor-grader": __version__}
    for name in ("numpy", "torch", "hypothesis"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "absent"
    capability = os.environ.get("ATEN_CPU_CAPABILITY")
    return found | ({"ATEN_CPU_CAPABILITY": capability} if capability else {})


def stamped(survey: Survey) -> dict[str, Any]:
    """Return what a run says about its isolation."""
    return {"tier": survey.tier, "words": survey.words, "missing": tuple(survey.missing)}
