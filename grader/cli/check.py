"""``grade check``: a student's own work against the visible checks, once or again at every save."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from grader.cli import BROKEN, SUMMARIES
from grader.cli.common import console, course, course_option, device_option, document, dtype_option, json_option, say
from grader.errors import AuthoringError, SubmissionError, UsageError
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType

    from grader.course import Course
    from grader.isolation.profile import Launcher
    from grader.practice import Conditions, Practised, Work
    from grader.watch import Watch


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
        sitting = _Sitting(here, conditions, launcher, only=only, first_only=first_only, verbose=verbose)
        if watch:
            _keep_watching(sitting, wanted, {work.slug for work in works} if only else None)
        ctx.exit(_once(sitting, works, as_json=as_json))


@dataclass(frozen=True, slots=True)
class _Sitting:
    """What is checked, and how."""

    course: Course
    conditions: Conditions
    launcher: Launcher
    only: str
    first_only: bool
    verbose: bool
    unreadable: set[str] = field(default_factory=set)  # problems whose own files are at fault

    def judged(self, work: Work, launcher: Launcher | None = None) -> Practised | None:
        """Return one problem, judged; None, with a word on stderr, where its own files are at fault."""
        from grader import practice

        self.unreadable.discard(work.slug)
        try:
            found = practice.judged(self.course, work, self.conditions, launcher or self.launcher, only=self.only)
        except AuthoringError as error:
            say(f"Error: {error}")
            self.unreadable.add(work.slug)
            return None
        return replace(found, verdict=practice.first_failure(found.verdict)) if self.first_only else found

    def shown(self, practised: Practised) -> RenderableType:
        """Return one problem as it is printed."""
        from grader.report import own

        return own.work(practised.verdict, practised.title, practised.closer, verbose=self.verbose)

    def total(self, works: Sequence[Work], seen: Sequence[Practised]) -> RenderableType:
        """Return the last line."""
        from grader import practice
        from grader.report import own

        worth = practice.worth(self.course, (work for work in works if work.slug not in self.unreadable))
        return own.total([practised.verdict for practised in seen], worth)


def _once(sitting: _Sitting, works: Sequence[Work], *, as_json: bool) -> int:
    """Check everything, print it, and return the exit code."""
    from grader import documents, practice

    seen = []
    for work in works:
        practised = sitting.judged(work)
        if practised is None:
            continue
        seen.append(practised)
        if not as_json:
            console().print(sitting.shown(practice.simplified(practised)))
        if sitting.first_only and practised.verdict.status is not Status.PASSED:
            break
    if as_json:
        document([documents.verdict_document(practised.verdict) for practised in seen])
    else:
        console().print(sitting.total(works, seen))
    statuses = {practised.verdict.status for practised in seen}
    if sitting.unreadable or Status.BROKEN in statuses:
        return BROKEN
    return 0 if statuses == {Status.PASSED} else 1


def _keep_watching(sitting: _Sitting, wanted: Sequence[str], slugs: set[str] | None) -> NoReturn:
    """Check what has been saved, again and again; the newest save wins."""
    from grader.watch import Superseded, Watch

    watch = Watch(sitting.course, wanted, Path.cwd())
    screen = _Screen(sitting, watch)
    while True:
        works = {work: stamp for work, stamp in watch.look().items() if slugs is None or work.slug in slugs}
        with contextlib.suppress(Superseded):
            screen.update(works)
            watch.wait()


class _Screen:
    """What is on the terminal while files are watched: what was saved in full, everything else in a line."""

    def __init__(self, sitting: _Sitting, watch: Watch) -> None:
        from grader.watch import Yielding

        self._sitting = sitting
        self._launcher = Yielding(sitting.launcher, watch.give_way)
        self._taken: dict[str, object] = {}  # what the files of each problem were like when it was judged
        self._latest: dict[str, Practised] = {}
        self._unshown: list[str] = []

    def update(self, works: Mapping[Work, object]) -> None:
        """Judge what has changed and print it; raises Superseded when it changes again meanwhile."""
        here = {work.slug for work in works}
        gone = sorted(set(self._taken) - here)
        due = [work for work, stamp in works.items() if self._taken.get(work.slug) != stamp]
        if not due and not gone:
            return
        began = time.monotonic()
        for work in due:
            say(f"Checking {work.slug}.")  # cleared by the answer; of use where that takes long
            self._latest.pop(work.slug, None)
            try:
                found = self._sitting.judged(work, self._launcher)
            except SubmissionError as error:
                say(f"Error: {error}")
                found = None
            self._taken[work.slug] = works[work]
            if found is not None:
                self._latest[work.slug] = found
            self._unshown += [work.slug]
        for slug in gone:
            del self._taken[slug]
            self._latest.pop(slug, None)
        saved = [slug for slug in dict.fromkeys(self._unshown) if slug in self._latest]
        self._print(list(works), saved, gone, time.monotonic() - began)
        self._unshown.clear()
        if self._simplified(saved):
            self._print(list(works), saved, gone, time.monotonic() - began)

    def _simplified(self, saved: Sequence[str]) -> bool:
        """Look for simpler input of what failed; tell whether there is any."""
        from grader import practice

        before = dict(self._latest)
        for slug in saved:
            self._latest[slug] = practice.simplified(self._latest[slug])
        return any(self._latest[slug] is not before[slug] for slug in saved)

    def _print(self, works: Sequence[Work], saved: Sequence[str], gone: Sequence[str], seconds: float) -> None:
        from rich.console import Group

        from grader.report import own

        others = [one.verdict for slug, one in self._latest.items() if slug not in saved]
        parts = [own.in_short(verdict) for verdict in others]
        parts += [self._sitting.shown(self._latest[slug]) for slug in saved]
        if self._latest:
            parts.append(self._sitting.total(works, list(self._latest.values())))
        screen, shown = console(), Group(*parts)
        long = screen.is_terminal and len(screen.render_lines(shown)) >= screen.height
        click.clear()
        screen.print(shown)
        if long and not self._sitting.first_only:
            say("More than fits here; with -x, only the first check not passed is shown.")
        for slug in gone:
            say(f"The file for {slug} is gone; it is checked when it is back.")
        say(f"Checked in {seconds:.2f} s, {time.strftime('%H:%M:%S')}. Waiting for a save; Ctrl-C ends.")
