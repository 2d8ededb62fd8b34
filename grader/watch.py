"""A student's files watched: what was saved, and judging that gives way to a newer save.

Files are looked at every hundredth of a second or two. That costs next to nothing for the few there are, needs nothing
of the system, and sees what editors do: a file written over, a new one moved into its place, one that is away for a
moment.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from grader import practice
from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from grader.course import Course
    from grader.isolation.profile import Child, Exit, Launcher, Layers, Profile
    from grader.practice import Work

    Stamp = tuple[tuple[str, int, int, int], ...]

POLL_SECONDS = 0.015
STATEMENTS = ("visible.py", "probes.py", "mistakes.json", "released.json")  # of a problem, that change what is said


class Superseded(BaseException):
    """What is being judged has been saved anew; a signal that no check may take for an error of its own."""


class Watch:
    """The files of some work: those that there are now, and whether they still are as they were when looked at.

    Args:
        course: the course.
        wanted: what `practice.find` is asked for.
        here: the working folder.
    """

    def __init__(self, course: Course, wanted: Sequence[str], here: Path) -> None:
        self._course = course
        self._wanted = tuple(wanted)
        self._here = here
        asked = [here, here / "student_template", *map(here.joinpath, self._wanted)]
        self._folders = tuple(dict.fromkeys(str(path) for one in asked for path in (one, one.parent)))
        self._places = self._folders
        self._seen: Stamp = ()
        self._looked = 0.0

    def look(self) -> dict[Work, Stamp]:
        """Return the work that there is now, and what its files are like; from now on a change is one from this."""
        while True:
            self._seen = _stamp(self._places)  # before anything is looked for: what is saved meanwhile is a change
            works = {work: _stamp(self._files(work)) for work in self._found()}
            places = (*self._folders, *(path for work in works for path in self._files(work)))
            if places == self._places:
                return works
            self._places = places

    def changed(self) -> bool:
        """Tell whether anything has been saved since the last look."""
        self._looked = time.monotonic()
        return _stamp(self._places) != self._seen

    def give_way(self) -> None:
        """Raise Superseded if anything has been saved since the last look."""
        if time.monotonic() - self._looked >= POLL_SECONDS and self.changed():
            raise Superseded

    def wait(self) -> None:
        """Return when something has been saved and, for a moment, nothing more."""
        while not self.changed():
            time.sleep(POLL_SECONDS)
        before: Stamp | None = None
        while (now := _stamp(self._places)) != before:
            before = now
            time.sleep(POLL_SECONDS / 3)

    def _found(self) -> Iterator[Work]:
        seen = set()
        for names in (self._wanted[place : place + 1] for place in range(max(1, len(self._wanted)))):
            with contextlib.suppress(UsageError):  # a file that is gone may come back
                for work in practice.find(self._course, names, self._here):
                    if work.slug not in seen:
                        seen.add(work.slug)
                        yield work

    def _files(self, work: Work) -> list[str]:
        folder = self._course.root / "problems" / work.slug
        return [str(path) for path in (*work.files, *(folder / name for name in STATEMENTS))]


def _stamp(paths: Sequence[str]) -> Stamp:
    """Return what files are like now: enough to tell one that has been written over, or replaced by another."""
    found = []
    for path in paths:
        with contextlib.suppress(OSError):
            state = os.stat(path)  # noqa: PTH116 - done hundreds of times a second
            found.append((path, state.st_mtime_ns, state.st_size, state.st_ino))
    return tuple(found)


class Yielding:
    """A launcher whose children are left in the middle of a call when something newer is there.

    Args:
        launcher: starts the children; stays the caller's.
        give_way: raises where that is so; called while a child is waited for.
    """

    def __init__(self, launcher: Launcher, give_way: Callable[[], None]) -> None:
        self._launcher = launcher
        self._give_way = give_way

    @property
    def layers(self) -> Layers:
        """What its children are built with."""
        return self._launcher.layers

    def start(self, profile: Profile) -> Child:
        """Start a child."""
        return _Yielding(self._launcher.start(profile), self._give_way)

    def close(self) -> None:
        """Leave everything to the launcher's owner."""


class _Yielding:
    """A child that is waited for only as long as nothing newer is there."""

    def __init__(self, child: Child, give_way: Callable[[], None]) -> None:
        self._child = child
        self._give_way = give_way

    @property
    def pid(self) -> int:
        return self._child.pid

    def write(self, data: memoryview) -> int:
        return self._child.write(data)

    def wait(self, seconds: float, *, writing: bool = False) -> None:
        self._give_way()
        self._child.wait(seconds, writing=writing)

    def reply(self) -> bytes:
        return self._child.reply()

    def output(self) -> bytes:
        return self._child.output()

    def ended(self) -> Exit | None:
        return self._child.ended()

    def cpu_seconds(self) -> float | None:
        return self._child.cpu_seconds()

    def rss_bytes(self) -> int | None:
        return self._child.rss_bytes()

    def kill(self) -> Exit:
        return self._child.kill()

    def close(self) -> None:
        self._child.close()
