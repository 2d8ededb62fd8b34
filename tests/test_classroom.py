"""A class over judges: every verdict kept once, whatever becomes of a judge; nothing left behind, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from class_of_works import DEADLY, DEADLY_ONCE, RIGHT, alive, descendants, plan, until, work, works

from grader import classroom, crew, seat
from grader.errors import GraderError, IsolationError
from grader.verdict import Status

TESTS = Path(__file__).parent

# A class whose students all hang, judged by two judges in a process of its own.
SCRIPT = """
import signal, sys
from pathlib import Path
from class_of_works import HANGS, plan, work
from grader import classroom

def stop(*_):
    raise KeyboardInterrupt

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    plan = plan(Path(sys.argv[1]), seconds=300)
    works = (work(f"s{number}", HANGS) for number in range(100))
    try:
        with classroom.local_judges(plan, 2) as judges:
            classroom.judge_all(plan, works, judges, print)
    except KeyboardInterrupt:
        print("stopped")
"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return plan(tmp_path_factory.mktemp("tiny"))


class Kept(list):
    """What was kept, in the order in which it came."""

    def __call__(self, work, verdict):
        self.append((work.student, verdict))

    @property
    def once(self):
        assert max(Counter(student for student, _ in self).values()) == 1
        return dict(self)


class Fakes:
    """Judges that answer at once with what a function returns or raises."""

    size = 2

    def __init__(self, answer):
        self.answer = answer
        self.abandoned = False

    def submit(self, work):
        future = Future()
        try:
            future.set_result(self.answer(work))
        except Exception as error:  # noqa: BLE001 - put into the future, as an executor does
            future.set_exception(error)
        return future

    def abandon(self):
        self.abandoned = True


def judged(plan, all_works, jobs=2):
    kept = Kept()
    with classroom.local_judges(plan, jobs) as judges:
        classroom.judge_all(plan, all_works, judges, kept)
    return kept.once


def test_judges_give_the_verdicts_that_one_gives_here_each_once(tiny):
    every = works(25)
    with classroom.one_core():
        here = {one.student: classroom.judge_one(*tiny.of("double"), one.submission) for one in every}
    assert judged(tiny, every) == here
    assert Counter(verdict.status for verdict in here.values()) == {Status.PASSED: 20, Status.FAILED: 5}


def test_a_judge_that_dies_over_one_work_costs_nobody_else_anything(tiny):
    every = works(12)
    every[3:3] = [work("deadly", DEADLY), work("deadly_once", DEADLY_ONCE)]
    kept = judged(tiny, every)
    assert set(kept) == {one.student for one in every}
    broken = kept.pop("deadly")
    assert (broken.status, broken.score) == (Status.BROKEN, None)
    assert "the process that judges was ended by SIGKILL, 2 times over these files" in broken.checks[0].detail
    assert kept.pop("deadly_once").status is Status.FAILED
    assert {verdict.status for verdict in kept.values()} == {Status.PASSED, Status.FAILED}


def test_judges_killed_from_outside_lose_and_double_nothing(tiny):
    every, kept = works(40), Kept()

    def keep_and_kill(one, verdict):
        kept(one, verdict)
        if len(kept) in {5, 15, 25}:
            os.kill(judges._seats[len(kept) % 2].process.pid, signal.SIGKILL)

    with classroom.local_judges(tiny, 2) as judges:
        classroom.judge_all(tiny, every, judges, keep_and_kill)
    assert set(kept.once) == {one.student for one in every}
    assert {verdict.status for verdict in kept.once.values()} == {Status.PASSED, Status.FAILED}


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_killed_judge_leaves_no_process_behind(tiny):
    slow = replace(tiny, settings=(tiny.settings[0],))
    with classroom.local_judges(slow, 1) as judges:
        future = judges.submit(work("ada", "import time\ndef double(x): time.sleep(600)\n"))
        pid = until(lambda: judges._seats[0].process).pid
        below = until(lambda: len(found := descendants(pid)) > 1 and found)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(crew.Died):
            future.result()
        until(lambda: not alive(below))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_when_the_class_ends_everything_ends_whatever_it_is_at(tmp_path, number):
    (tmp_path / "hang.py").write_text(SCRIPT, encoding="utf-8")
    places = os.pathsep.join([str(TESTS), str(TESTS.parent)])
    process = subprocess.Popen(
        [sys.executable, tmp_path / "hang.py", tmp_path],
        env={**os.environ, "PYTHONPATH": places}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    # This process, two judges, and below each at least what starts children and a child that hangs.
    below = until(lambda: len(found := descendants(process.pid)) >= 6 and found)
    process.send_signal(number)
    out, told = process.communicate(timeout=120)
    assert (out, told) == ("" if number == signal.SIGKILL else "stopped\n", "")
    until(lambda: not alive(below))


def test_works_are_asked_for_only_when_a_judge_will_soon_be_free(tiny):
    kept, ahead = Kept(), []

    def asked():
        for number, one in enumerate(works(30)):
            ahead.append(number - len(kept))
            yield one

    with classroom.local_judges(tiny, 1) as judges:
        classroom.judge_all(tiny, asked(), judges, kept)
    assert len(kept.once) == 30
    assert max(ahead) < classroom.READY


def test_a_suspect_is_judged_again_alone_and_at_the_end(tiny):
    out, beside = [], []

    class Watched(Fakes):
        def submit(self, one):
            beside.append((one.student, len(out) - len(kept)))
            out.append(one)
            return super().submit(one)

    def answer(one):
        if one.student == "ada":
            raise crew.Died("the process that judges is gone")
        return classroom.judge_one(*tiny.of("double"), one.submission)

    kept = Kept()
    judges = Watched(answer)
    classroom.judge_all(tiny, [work("ada", RIGHT), work("bob", RIGHT), work("cy", RIGHT)], judges, kept)
    assert [student for student, _ in beside] == ["ada", "bob", "cy", "ada"]
    assert kept.once["ada"].status is Status.BROKEN
    assert [kept.once[student].status for student in ("bob", "cy")] == [Status.PASSED] * 2


def test_what_goes_wrong_with_one_work_is_broken_and_names_it(tiny):
    def answer(_one):
        raise seat.Mishap("ValueError: it does not fit through the pipe")

    kept = Kept()
    classroom.judge_all(tiny, [work("ada", RIGHT)], Fakes(answer), kept)
    (verdict,) = kept.once.values()
    assert verdict.status is Status.BROKEN
    assert all("does not fit through the pipe" in check.detail for check in verdict.checks)


def test_a_problem_that_cannot_be_read_where_it_is_judged_is_broken(tiny):
    files, settings = tiny.of("double")
    verdict = classroom.judge_one(replace(files, hidden="import nowhere"), settings, work("ada", RIGHT).submission)
    assert (verdict.status, verdict.score, verdict.checks) == (Status.BROKEN, None, ())
    assert "nowhere" in verdict.notes[0]


def refusing():
    raise IsolationError("no room")


@pytest.mark.parametrize("error", [GraderError("the judges are gone"), KeyboardInterrupt()], ids=repr)
def test_what_ends_a_class_early_abandons_the_judges_and_keeps_no_more(tiny, error):
    kept = Kept()
    judges = Fakes(lambda one: classroom.judge_one(*tiny.of("double"), one.submission))

    def keep(one, verdict):
        if kept:
            raise error
        kept(one, verdict)

    with pytest.raises(type(error)):
        classroom.judge_all(tiny, works(9), judges, keep)
    assert judges.abandoned
    assert len(kept) == 1


def test_without_a_judge_the_class_ends_with_a_sentence_and_blames_nobody(tiny):
    kept = Kept()
    with pytest.raises(IsolationError, match="does not come up: IsolationError: no room"):
        classroom.judge_all(tiny, works(3), crew.Crew(refusing, 1), kept)
    assert kept == []


def test_modules_of_the_course_are_there_before_the_first_student(tmp_path):
    named = plan(tmp_path, preload=("colorsys",))
    if not named.settings[0].layers.fork:
        pytest.skip("children are not forked here, so nothing is imported ahead of them")
    only_then = f"import sys\n\nassert 'colorsys' in sys.modules\n{RIGHT}"
    assert judged(named, [work("ada", only_then)], jobs=1)["ada"].status is Status.PASSED
    plain = replace(named, preload=())
    assert judged(plain, [work("ada", only_then)], jobs=1)["ada"].status is Status.CRASHED
