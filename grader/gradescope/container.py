"""One submission graded in a container of Gradescope.

::

    /autograder/source/       the archive: this package, plan.json, course/
    /autograder/submission/   what the student handed in
    /autograder/results/      results.json, written anew after every problem

Students' code runs in children that are locked down; where that leaves them this user's files, they become another
user, who owns nothing. Below the tier that the plan demands nothing is run, and the result says so.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from grader import classroom, course, isolation, submission, versions, whole
from grader import problem as problems
from grader.errors import SubmissionError
from grader.gradescope import document, memory, plan
from grader.isolation import libraries
from grader.isolation.profile import Layers
from grader.judge import RunSettings
from grader.submission import Submission

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from grader.course import Course
    from grader.gradescope.plan import Plan
    from grader.isolation import Survey
    from grader.problem import Problem
    from grader.verdict import Verdict

    Say = Callable[[str], None]

STUDENT_USER = 64555  # nobody's number, and within what a container has
SPARE_SECONDS = 60  # of Gradescope's time, for starting and for the last results
STUDENT = "you"
_HIDDEN_PACKAGES = ("grader",)  # of children that have torch
_DETAIL_CHARACTERS = 4000
_TOO_OPEN = (
    "Your work was not judged: this machine would let one submission read what it must not, so none is run on it. "
    + document.NOT_FINAL
)


def check(root: Path, say: Say) -> None:
    """Read all of an archive once it is set up, so that what is missing is found out before any student waits.

    Raises:
        GraderError: something is missing; the sentence says what.
        ImportError: a package is missing, or does not work here.
    """
    wanted, here = _archive(root)
    for slug in wanted.digests:
        say(f"{slug}: {len(problems.load(here.problem(slug)).checks)} checks")
    for name in ("numpy", *(["torch"] if wanted.torch else []), *wanted.preload):
        importlib.import_module(name)
    survey = isolation.survey(Layers(user=STUDENT_USER))
    say(f"The machine that builds this isolates at tier {survey.tier}; what counts is the one that grades.")


def start(root: Path, script: Path) -> None:
    """Where problems need PyTorch, become a process that shares it with the children; return where none does.

    Two copies would fill the memory that a container has.
    """
    wanted, _ = _archive(root)
    if wanted.torch and sys.platform == "linux":
        from grader.isolation.zygotes import INSIDE

        kind = _torch_kind(wanted)
        config = {
            "imports": kind.imports,
            "libraries": libraries.needs(kind, namespaces=True).libraries,
            "script": str(script),
            "arguments": [str(root)],
            "path": sys.path,
        }
        # Not -I, which would ignore PYTHONHASHSEED; the environment is wholly ours anyway.
        command = [sys.executable, "-s", "-P", "-S", "-B", str(INSIDE), "seedling", json.dumps(config)]
        os.execve(sys.executable, command, libraries.environment(cuda=False))  # noqa: S606 - our own file


def share(root: Path, pid: int, channel: int) -> None:
    """Have the children that need PyTorch forked from a process that waits for it; see `start`."""
    from grader.isolation import zygotes

    zygotes.sow(_torch_kind(_archive(root)[0]), pid, channel)


def grade(root: Path, say: Say) -> None:
    """Judge what is in the submission folder, and keep the results file right after every problem.

    Args:
        root: ``/autograder``.
        say: is told what the staff may read.
    """
    wanted, here = _archive(root)
    loaded = {slug: problems.load(here.problem(slug)) for slug in wanted.digests}
    survey = isolation.survey(Layers(user=STUDENT_USER))
    desk = _Desk(root, wanted, survey)
    say(f"Isolation: tier {survey.tier}, {survey.words}.")
    for sentence in survey.missing:
        say(f"  {sentence}")
    if survey.layers.user and not survey.layers.namespaces:
        say("  Students' code runs as another user, who cannot enter the folders of the tests.")
    if reason := _refusal(survey, wanted.min_tier):
        say(reason)
        desk.put([document.unjudged(one, "Not judged.") for one in loaded.values()], _TOO_OPEN)
        return
    handed_in, trouble = _handed_in(root, tuple(wanted.digests))
    if trouble:
        say(trouble)
    verdicts = _all_judged(_Judge(wanted, here, survey, handed_in), loaded, desk, say)
    late = [verdict for verdict in verdicts if not verdict.tier]
    desk.put(verdicts, trouble, document.OUT_OF_TIME if late else "", execution_time=desk.seconds)


class _Desk:
    """Where results are put down, whole each time."""

    def __init__(self, root: Path, wanted: Plan, survey: Survey) -> None:
        self._began = time.monotonic()
        self._place = root / "results" / "results.json"
        self._hidden = wanted.hidden
        self._tier = f"Judged at isolation tier {survey.tier} of 3."
        self._extra: dict[str, Any] = {
            "tier": survey.tier,
            "isolation": survey.words,
            "missing": list(survey.missing),
            "problems": dict(wanted.digests),
            "versions": versions.versions(),
        }

    @property
    def seconds(self) -> float:
        """How long this has taken."""
        return round(time.monotonic() - self._began, 3)

    def put(self, verdicts: Sequence[Verdict], *said: str, **more: float) -> None:
        """Write the results; ``said`` is for students, ``more`` are fields of Gradescope's."""
        judged = any(verdict.tier for verdict in verdicts)
        made = document.document(
            verdicts, hidden=self._hidden, said=[*said, self._tier if judged else ""], extra=self._extra, more=more
        )
        with whole.part(self._place) as part:
            part.write_bytes(made)
            part.replace(self._place)


class _Judge:
    """Who judges one submission's answers, one problem after the other."""

    def __init__(self, wanted: Plan, here: Course, survey: Survey, handed_in: Submission) -> None:
        self.wanted = wanted
        self._here = here
        self._survey = survey
        self._handed_in = handed_in

    def __call__(self, slug: str) -> Verdict:
        """Return the verdict on one problem, with the memory that there is now."""
        run = RunSettings(
            self.wanted.seed,
            self.wanted.examples[slug],
            tier=self._survey.tier,
            layers=self._survey.layers,
            memory_mib=memory.left_mib(self.wanted.memory_mib),
        )
        return classroom.judge_one(self._here.problem(slug), run, self._handed_in, preload=self.wanted.preload)


def _all_judged(judge: _Judge, loaded: Mapping[str, Problem], desk: _Desk, say: Say) -> list[Verdict]:
    """Judge every problem as long as there is time; the results tell of each as soon as it is judged."""
    verdicts = {slug: document.unjudged(problem, "Not judged.") for slug, problem in loaded.items()}
    for slug in loaded:
        if desk.seconds > judge.wanted.minutes * 60 - SPARE_SECONDS:
            say(f"{slug}: not judged, since the time that Gradescope gives is used up")
            verdicts[slug] = document.unjudged(loaded[slug], document.OUT_OF_TIME)
            continue
        before = desk.seconds
        one = verdicts[slug] = judge(slug)
        say(f"{slug}: {one.status.value}, {one.score} of {one.points:g} points, {desk.seconds - before:.1f} s")
        for broken in (result for result in one.checks if result.score is None):
            say(f"  {broken.name}: {broken.detail[:_DETAIL_CHARACTERS]}")
        desk.put(list(verdicts.values()), document.UNFINISHED)
    return list(verdicts.values())


def _archive(root: Path) -> tuple[Plan, Course]:
    source = root / "source"
    text = (source / plan.NAME).read_text(encoding="utf-8")
    return plan.read(text, str(source / plan.NAME)), course.find(source / "course")


def _torch_kind(wanted: Plan) -> libraries.Kind:
    """Return what children are forked from; raises IsolationError where a library is not installed."""
    return libraries.kind(torch=wanted.torch, device="cpu", hidden=_HIDDEN_PACKAGES, preload=wanted.preload)


def _refusal(survey: Survey, min_tier: int) -> str:
    """Return why nothing may be run here; "" if it may."""
    root = hasattr(os, "getuid") and os.getuid() == 0
    if root and survey.tier and not (survey.layers.namespaces or survey.layers.user):
        return "Not judged: a student's code would run here as root, and could read and write whatever it likes."
    if survey.tier < max(min_tier, 1):
        return (
            f"Not judged: tier {min_tier} is wanted and this machine reaches {survey.tier}. Make the archive with "
            f"--min-tier {survey.tier} if that is enough for you; docs/gradescope.md says what it leaves open."
        )
    return ""


def _handed_in(root: Path, slugs: tuple[str, ...]) -> tuple[Submission, str]:
    """Return the submission, and what its student has to be told about it at once."""
    try:
        found = submission.load(root / "submission", student=STUDENT, slugs=slugs)
    except SubmissionError:
        found = Submission.of(STUDENT, (), slugs=slugs)
    if found.refused:
        return found, found.refused
    return found, "" if found.files else "Nothing that can be graded was handed in."
