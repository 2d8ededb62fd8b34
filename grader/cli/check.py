"""``grade check``: a student's own work against the visible checks."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import BROKEN, SUMMARIES
from grader.cli.common import console, course, course_option, device_option, document, dtype_option, json_option, say
from grader.errors import AuthoringError, UsageError
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.course import Course
    from grader.isolation.profile import Launcher
    from grader.practice import Conditions, Practised, Work

POLL_SECONDS = 0.5


@click.command("check", short_help=SUMMARIES["check"])
@course_option
@click.argument("wanted", metavar="[PATH or SLUG]...", nargs=-1)
@click.option("-k", "only", default="", metavar="NAME", help="Only checks with this in their name.")
@click.option("-x", "first_only", is_flag=True, help="Stop at the first check that is not passed.")
@click.option("-v", "verbose", is_flag=True, help="Name the checks, and list what they called.")
@click.option("--watch", is_flag=True, help="Check again whenever a file is saved, until Ctrl-C.")
@device_option
@dtype_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    wanted: tuple[str, ...],
    *,
    only: str,
    first_only: bool,
    verbose: bool,
    watch: bool,
    device: str,
    dtype: str,
    as_json: bool,
) -> None:
    """Check your own work against the visible checks.

    Without a path or a problem's name: every problem that a file lies here for.
    """
    from grader import classroom, isolation, machine, practice

    if watch and as_json:
        raise UsageError("--watch prints again and again, and --json one document; choose one of them")
    here = course()
    works = practice.find(here, wanted, Path.cwd())
    if only:
        works = practice.matching(here, works, only)
    conditions = practice.Conditions(isolation.survey(), machine.settle_device(device), dtype)
    starting = isolation.launcher(conditions.survey.layers, preload=here.preload)
    with contextlib.closing(starting) as launcher, classroom.one_core():
        sitting = _Sitting(here, works, conditions, launcher, only=only, first_only=first_only, verbose=verbose)
        seen = _stamps(works, here)  # before judging: what is saved meanwhile is judged again
        code = sitting.once(as_json=as_json)
        while watch:
            seen = _changed(seen, works, here)
            click.clear()
            code = sitting.once(as_json=False)
    ctx.exit(code)


class _Sitting:
    """What is checked and how, once or again and again."""

    def __init__(
        self,
        here: Course,
        works: Sequence[Work],
        conditions: Conditions,
        launcher: Launcher,
        *,
        only: str,
        first_only: bool,
        verbose: bool,
    ) -> None:
        self.course = here
        self.works = works
        self.conditions = conditions
        self.launcher = launcher
        self.only = only
        self.first_only = first_only
        self.verbose = verbose
        self.unreadable: set[str] = set()  # problems whose own files are at fault

    def once(self, *, as_json: bool) -> int:
        """Check everything, print it, and return the exit code."""
        from grader import documents

        self.unreadable.clear()
        seen = []
        for practised in self.practised():
            seen.append(practised)
            if not as_json:
                self.show(practised)
        if as_json:
            document([documents.verdict_document(practised.verdict) for practised in seen])
        else:
            self.show_total(seen)
        statuses = {practised.verdict.status for practised in seen}
        if self.unreadable or Status.BROKEN in statuses:
            return BROKEN
        return 0 if statuses == {Status.PASSED} else 1

    def practised(self) -> Iterator[Practised]:
        from dataclasses import replace

        from grader import practice

        for work in self.works:
            try:
                found = practice.judged(self.course, work, self.conditions, self.launcher, only=self.only)
            except AuthoringError as error:
                say(f"Error: {error}")
                self.unreadable.add(work.slug)
                continue
            if not self.first_only or found.verdict.status is Status.PASSED:
                yield found
                continue
            yield replace(found, verdict=practice.first_failure(found.verdict))
            return

    def show(self, practised: Practised) -> None:
        from grader.report import verdicts

        console().print(verdicts.own_work(practised.verdict, practised.title, practised.extras, verbose=self.verbose))

    def show_total(self, seen: Sequence[Practised]) -> None:
        from grader import practice
        from grader.report import verdicts

        total = practice.worth(self.course, (work for work in self.works if work.slug not in self.unreadable))
        console().print(verdicts.own_total([practised.verdict for practised in seen], total))


def _changed(seen: list[tuple[Path, int]], works: Sequence[Work], here: Course) -> list[tuple[Path, int]]:
    """Wait until a file differs from what was seen; return what is seen then."""
    while (now := _stamps(works, here)) == seen:
        time.sleep(POLL_SECONDS)
    return now


def _stamps(works: Sequence[Work], here: Course) -> list[tuple[Path, int]]:
    paths = [path for work in works for path in (*work.files, here.root / "problems" / work.slug / "visible.py")]
    stamps = []
    for path in paths:
        with contextlib.suppress(OSError):  # an editor may move a file away for a moment
            stamps.append((path, path.stat().st_mtime_ns))
    return stamps
