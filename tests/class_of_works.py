"""Works for tests of judges: a tiny course whose author's checks can be made to end the very process that judges."""

from __future__ import annotations

import time
from pathlib import Path
from textwrap import dedent

from commands import SQUARES
from courses import put, solution, tiny_course

from grader import classroom, course, isolation
from grader.judge import RunSettings
from grader.submission import Submission, SubmittedFile

RIGHT = solution("double")
HANGS = "def double(x):\n    while True: pass\n"
# What the check below looks for: answers that are the end of a judge, once or every time.
DEADLY, DEADLY_ONCE = (f"def double(x): return float('{number}')\n" for number in (666, 667))

_HAZARDS = '''

    import os
    import pathlib
    import signal


    @check(points=0.5)
    def judges_survive_it(student):
        """Nobody is harmed."""
        got = student.double(1.0)
        if got == 667.0:
            try:
                pathlib.Path({mark!r}).touch(exist_ok=False)
            except FileExistsError:
                return
        if got in (666.0, 667.0):
            os.kill(os.getpid(), signal.SIGKILL)
    '''


def work(student, text, slug="double"):
    return classroom.Work(student, slug, Submission.of(student, [SubmittedFile(f"{slug}.py", text.encode())]))


def works(count, *, wrong=5):
    """Return works that are all distinct, every fifth of them wrong."""
    return [work(f"s{n:03}", f"{RIGHT if n % wrong else SQUARES}\n# {n}\n") for n in range(count)]


def plan(folder, *slugs, seconds=None, preload=()):
    """Settle a plan of a tiny course below ``folder``; ``seconds`` is the limit of a check of ``double``."""
    root = tiny_course(folder, *slugs)
    hazards = dedent(_HAZARDS).format(mark=str(folder / "once"))
    hidden = root / "problems" / "double" / "hidden.py"
    put(hidden, hidden.read_text(encoding="utf-8") + hazards)
    if seconds is not None:
        visible = root / "problems" / "double" / "visible.py"
        put(
            visible, visible.read_text(encoding="utf-8").replace("seconds=2", f"seconds={seconds}, problem_seconds=600")
        )
    found, survey = course.find(root), isolation.survey()
    base = RunSettings(seed=4, examples={}, tier=survey.tier, layers=survey.layers)
    return classroom.Plan.settle([found.problem(slug) for slug in found.slugs], base, preload=preload)


def descendants(pid):
    """Return every process below one, as (id, time of its start): an id alone may be given again."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.parent.name), int(fields[19])] = int(fields[1])
    found, news = set(), {pid}
    while news:
        below = {process for process, parent in parents.items() if parent in news} - found
        found |= below
        news = {process for process, _ in below}
    return found


def alive(processes):
    """Return those that have not ended; one that nobody has waited for yet has ended."""
    left = set()
    for pid, start in processes:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[19]) == start and fields[0] not in "ZX":
            left.add((pid, start))
    return left


def until(condition, seconds=120):
    """Wait for something that must come; the time is only there so that a failing test ends."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)
    return value
