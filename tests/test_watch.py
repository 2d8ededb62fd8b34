"""``grade check --watch``: every save is answered, whatever an editor does on the way, and the newest save wins."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import threading
from types import SimpleNamespace

import pytest
from commands import SQUARES, started
from courses import put, solution, student_course

from grader import course as courses
from grader import isolation, practice
from grader.verdict import Status
from grader.watch import Superseded, Watch, Yielding

RIGHT = solution("double")
ENDLESS = "def double(x):\n    while True:\n        pass\n"
LAST = "Ctrl-C ends."  # of every answer


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A student's course, and the folder in which the student works."""
    course = student_course(tmp_path, "double", "triple")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return SimpleNamespace(course=course, work=work, file=work / "double.py")


@contextlib.contextmanager
def watching(desk, *asked):
    """A real ``grade check --watch``, ended by Ctrl-C."""
    process = started("--course", desk.course, "check", *asked, "--watch", cwd=desk.work, stderr=subprocess.STDOUT)
    patience = threading.Timer(120, process.kill)
    patience.start()
    try:
        yield process
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=60)
        assert told.endswith("\nInterrupted.\n")
        assert process.returncode == 130
    finally:
        process.kill()
        process.communicate()
        patience.cancel()


def told(process, words=LAST):
    """Return what is printed up to a line with these words, as words."""
    seen = ""
    while words not in seen:
        line = process.stdout.readline()
        assert line, seen
        seen += line
    return " ".join(seen.split())


def answered(process, words):
    """Read answers until one has these words: what failed on drawn numbers is answered again with simpler ones."""
    while words not in (answer := told(process)):
        pass
    return answer


def moved_into_place(path, text):
    """Save as many editors do: a new file beside the old one, then renamed."""
    put(path.with_name(f".{path.name}.tmp"), text).replace(path)


@pytest.mark.parametrize("save", [put, moved_into_place])
def test_every_save_is_answered(desk, save):
    put(desk.file, SQUARES)
    with watching(desk) as process:
        answered(process, "0 of 2 visible points.")
        save(desk.file, RIGHT)
        answered(process, "2 of 2 visible points.")
        save(desk.file, SQUARES)
        answered(process, "got 25 wanted 10")


def test_a_half_written_file_is_said_to_be_one_and_watched_on(desk):
    put(desk.file, RIGHT)
    with watching(desk) as process:
        told(process)
        put(desk.file, "def double(x:\n")
        answered(process, "SyntaxError: '(' was never closed")
        desk.file.write_bytes(b"\xff\xfe\xff")
        answered(process, "0 of 2 visible points")
        put(desk.file, RIGHT)
        answered(process, "2 of 2 visible points.")


@pytest.mark.parametrize("asked", [(), ("double",), ("double.py",), (".",)])
def test_a_file_may_go_and_come_back(desk, asked):
    put(desk.file, RIGHT)
    with watching(desk, *asked) as process:
        told(process)
        desk.file.unlink()
        answered(process, "The file for double is gone; it is checked when it is back.")
        put(desk.file, SQUARES)
        answered(process, "0 of 2 visible points.")


def test_a_save_while_the_one_before_is_judged_takes_its_place(desk):
    visible = desk.course / "problems" / "double" / "visible.py"
    put(visible, visible.read_text(encoding="utf-8").replace("seconds=2", "seconds=1000"))
    put(desk.file, RIGHT)
    with watching(desk) as process:
        told(process)
        for number in range(3):  # none of them would ever be answered
            put(desk.file, f"{ENDLESS}# {number}\n")
            told(process, "Checking double.")
        put(desk.file, SQUARES)
        answer = answered(process, "got 25 wanted 10")
        assert "timed out" not in answer


def test_ctrl_c_ends_it_in_the_middle_of_a_judgement(desk):
    put(desk.file, RIGHT)
    with watching(desk) as process:
        told(process)
        put(desk.file, ENDLESS)
        told(process, "Checking double.")


def test_only_what_was_saved_is_judged_again_and_the_rest_takes_a_line(desk):
    put(desk.file, RIGHT)
    put(desk.work / "triple.py", solution("triple"))
    with watching(desk) as process:
        answered(process, "5 of 5 visible points.")
        put(desk.file, SQUARES)
        answer = told(process)
        assert "Checking triple." not in answer
        assert "✓ triple: 3/3, as before" in answer
        assert "3 of 5 visible points." in answer


def test_a_module_beside_the_file_is_watched_as_well_even_a_new_one(desk):
    put(desk.file, "from twice import double\n")
    with watching(desk) as process:
        answered(process, "No module named 'twice'")
        put(desk.work / "twice.py", SQUARES)
        answered(process, "got 25 wanted 10")
        put(desk.work / "twice.py", RIGHT)
        answered(process, "2 of 2 visible points.")


def test_what_is_saved_between_two_looks_is_seen(desk):
    put(desk.file, RIGHT)
    watch = Watch(courses.find(desk.course), ("double.py",), desk.work)
    (before,) = watch.look().values()
    assert not watch.changed()
    watch.give_way()
    moved_into_place(desk.file, SQUARES)
    assert watch.changed()
    watch.wait()
    (after,) = watch.look().values()
    assert after != before
    assert not watch.changed()


def test_what_failed_on_drawn_numbers_is_answered_at_once_and_again_with_simpler_ones(desk):
    put(desk.file, "def double(x):\n    return 0 * x\n")
    with watching(desk) as process:
        assert "with this input:" in told(process)
        assert "smallest failing input that was found:" in told(process)


def test_a_judgement_that_gives_way_leaves_the_next_one_a_sound_launcher(desk):
    put(desk.file, ENDLESS)
    course, survey = courses.find(desk.course), isolation.survey()
    (work,) = practice.find(course, ("double",), desk.work)
    conditions, waits = practice.Conditions(survey), []

    def give_way():
        waits.append(1)
        if len(waits) > 20:
            raise Superseded

    with contextlib.closing(isolation.launcher(survey.layers)) as launcher:
        with pytest.raises(Superseded):
            practice.judged(course, work, conditions, Yielding(launcher, give_way))
        put(desk.file, RIGHT)
        assert practice.judged(course, work, conditions, launcher).verdict.status is Status.PASSED
