"""``grade run`` and ``grade explain``: a class graded and kept, and one student's verdicts looked at closely."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from commands import SQUARES, grade, grade_json, hand_in, started
from courses import put, solution, tiny_course

from grader import classroom, grading, isolation, machine, store
from grader.errors import UsageError


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class of five, graded once: right, wrong, crashing, untouched, and an archive that is none."""
    folder = tmp_path_factory.mktemp("graded")
    course = tiny_course(folder, "double", "triple")
    students = hand_in(folder / "class", ada=solution("double"), bob=SQUARES, cy="def double(x): return 1 / 0")
    put(students / "ada" / "triple.py", solution("triple"))
    put(students / "dee" / "double.py", (course / "student_template" / "double.py").read_text(encoding="utf-8"))
    put(students / "eve.zip", "no archive at all")
    put(students / "notes.txt", "Remember the milk.")
    told = grade("run", students, "-o", folder / "run", "--seed", 7, "--jobs", 1, course=course)
    return SimpleNamespace(course=course, students=students, run=folder / "run", told=told)


def test_a_class_is_graded_and_one_bad_submission_costs_nobody_else_anything(graded):
    rows = {line.split()[0]: line.split()[1:] for line in graded.told.out.splitlines() if line[:3].islower()}
    assert rows["ada"] == ["4/4", "3/3", "7/7"]
    assert rows["bob"] == ["0/4", "failed", "0/3", "untried", "0/7"]
    assert rows["cy"] == ["0/4", "crashed", "0/3", "untried", "0/7"]
    assert rows["dee"] == ["0/4", "untried", "0/3", "untried", "0/7"]
    assert rows["eve"] == ["0/4", "unusable", "0/3", "unusable", "0/7"]
    assert "notes.txt: neither a folder nor" in graded.told.words
    assert "Used without a proof: double, triple." in graded.told.words
    assert "2 points in triple" in graded.told.words


def test_progress_goes_to_stderr(graded):
    assert graded.told.err.startswith("Grading 5 students on 2 problems, at tier ")


def test_a_run_as_json_has_the_contracts_fields(graded, tmp_path):
    arguments = ("run", graded.students, "-o", tmp_path / "run", "--student", "bob", "--problem", "double")
    document = grade_json(*arguments, course=graded.course)
    assert {"run", "tier", "device", "dtype", "students"} <= set(document)
    (student,) = document["students"]
    assert {"student", "score", "points", "verdicts"} <= set(student)
    (verdict,) = student["verdicts"]
    assert {"problem", "status", "score", "points", "manual_points", "checks"} <= set(verdict)
    assert {"name", "status", "score", "points", "message", "detail", "hint"} <= set(verdict["checks"][0])
    assert (student["student"], verdict["status"]) == ("bob", "FAILED")


def test_a_seed_draws_the_same_examples_again(graded, tmp_path):
    arguments = ("run", graded.students, "--student", "bob", "-o", tmp_path / "run", "--seed", 7)
    grade(*arguments, course=graded.course)
    assert store.read(graded.run).examples == store.read(tmp_path / "run").examples


def test_another_seed_than_the_runs_is_refused_and_neither_is_told(graded, tmp_path):
    arguments = ("run", graded.students / "bob", "-o", tmp_path / "run", "--problem", "triple")
    grade(*arguments, "--seed", 271828182845, course=graded.course)
    told = grade(*arguments, "--seed", 2, course=graded.course, code=2).err
    assert "were drawn from another seed, and stay the same for everybody; leave --seed out" in told
    assert "271828182845" not in told + grade(*arguments, "--json", course=graded.course).out


def test_a_run_inside_the_class_is_no_student(graded, tmp_path):
    students = hand_in(tmp_path / "class", ada=solution("double"))
    (students / "run").mkdir()
    places = {students / "run": "where this run is kept", tmp_path / "other": "the record of a run, not a submission"}
    for folder, reason in places.items():
        document = grade_json("run", students, "-o", folder, "--problem", "double", course=graded.course)
        assert [student["student"] for student in document["students"]] == ["ada"]
        assert [one["reason"] for one in document["ignored"]] == [reason]


def test_an_assignment_of_the_course_is_graded(tmp_path):
    course = tiny_course(tmp_path, "double", "triple")
    put(course / "course.toml", '[assignments.week1]\nproblems = ["triple"]\n')
    students = hand_in(tmp_path / "class", ada=solution("double"))
    arguments = ("run", students, "-o", tmp_path / "run", "--assignment")
    document = grade_json(*arguments, "week1", course=course)
    assert [verdict["problem"] for verdict in document["students"][0]["verdicts"]] == ["triple"]
    assert (
        "has no assignment 'week2' (did you mean week1?); it has week1"
        in grade(*arguments, "week2", course=course, code=2).err
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], 'there is nothing at "nowhere"; check the path'),
        (["empty"], "there is nothing to grade at empty (empty: it holds no submission)"),
        (["class", "--problem", "quadruple"], "no problem 'quadruple' to grade; known: double"),
        (["class", "--student", "zoe", "--student", "ada"], "no submission of zoe was found"),
        (
            ["class", "--assignment", "week1"],
            "course.toml has no assignment 'week1'; it has none",
        ),
        (["class", "--device", "cuda:7"], "--device cuda:7: PyTorch finds no CUDA device here"),
        (["class", "-o", "class/ada/double.py"], "class/ada/double.py cannot be written"),
    ],
    ids=str,
)
def test_a_run_that_cannot_be_is_a_sentence_and_grades_nothing(tmp_path, monkeypatch, arguments, sentence):
    course = tiny_course(tmp_path)
    hand_in(tmp_path / "class", ada=solution("double"))
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(machine, "cuda", lambda: ())
    monkeypatch.setattr(grading.classroom, "judge_all", lambda *_, **__: pytest.fail("graded something"))
    told = grade("run", "-o", "run", *arguments, course=course, code=2).err
    assert told.startswith("Error: ")
    assert sentence in told


@pytest.fixture
def with_gpu(monkeypatch):
    """Stands in for a machine with a GPU: its kernels are the processor's, all else of a run is as it would be."""
    crews = []

    def judge_all(plan, works, judges, keep):
        crews.append(judges.size)
        on_cpu = replace(plan, settings=tuple(replace(one, device="cpu") for one in plan.settings))
        for one in works:
            keep(one, replace(classroom.judging(on_cpu)(one), device="cuda:0"))

    def have(uuid):
        monkeypatch.setattr(machine, "cuda", lambda: ({"device": "cuda:0", "name": "NVIDIA H200", "uuid": uuid},))
        return crews

    monkeypatch.setattr(grading.classroom, "judge_all", judge_all)
    return have


def test_a_gpu_judges_one_submission_at_a_time_and_is_recorded_by_its_uuid(tmp_path, with_gpu):
    course = tiny_course(tmp_path)
    students = hand_in(tmp_path / "class", ada=solution("double"), bob=SQUARES)
    sizes = with_gpu("GPU-1234")
    told = grade("run", students, "-o", tmp_path / "run", "--device", "auto", course=course)
    assert sizes == [1]
    assert "at tier" in told.err
    assert "on cuda:0: NVIDIA H200 GPU-1234." in told.err
    assert store.read(tmp_path / "run").conditions.gpus == ("NVIDIA H200 GPU-1234",)
    assert grade_json("run", students, "-o", tmp_path / "run", "--device", "auto", course=course)["gpus"] == [
        "NVIDIA H200 GPU-1234"
    ]


def test_a_run_that_goes_on_with_another_gpu_says_so(tmp_path, with_gpu):
    course = tiny_course(tmp_path)
    students = hand_in(tmp_path / "class", ada=solution("double"))
    arguments = ("run", students, "-o", tmp_path / "run", "--device", "cuda")
    with_gpu("GPU-1234")
    assert "another GPU" not in grade(*arguments, course=course).err
    assert "another GPU" not in grade(*arguments, course=course).err
    with_gpu("GPU-5678")
    hand_in(students, bob=SQUARES)
    said = (
        "What stands was judged on another GPU (NVIDIA H200 GPU-1234) than what is judged now (NVIDIA H200 GPU-5678)."
    )
    assert said in grade(*arguments, course=course).err


def test_how_fast_it_went_is_told(graded, tmp_path):
    told = grade("run", graded.students, "-o", tmp_path / "again", course=graded.course).err
    assert re.search(r"^10 judged in \d+ s, [\d.]+ a (second|minute)\.$", told, re.MULTILINE)


def test_too_weak_a_machine_is_refused_and_told_what_is_missing(tmp_path, monkeypatch):
    course = tiny_course(tmp_path)
    weak = replace(isolation.survey(), tier=1, missing=("no Landlock: use Linux 6.2",))
    monkeypatch.setattr(grading.isolation, "survey", lambda: weak)
    students = hand_in(tmp_path / "class", ada=solution("double"))
    told = grade("run", students, "-o", tmp_path / "run", course=course, code=2).err
    assert "at tier 1" in told
    assert (
        "tier 2 is wanted. Missing: no Landlock: use Linux 6.2. Raise the tier, or accept less with --min-tier 1"
        in told
    )
    put(course / "course.toml", "min_tier = 1\n")
    grade("run", students, "-o", tmp_path / "run", course=course)


def test_what_the_grader_could_not_judge_has_its_own_exit_code(tmp_path):
    course = tiny_course(tmp_path)
    visible = course / "problems" / "double" / "visible.py"
    visible.write_text(visible.read_text() + "    raise RuntimeError('the author slept')\n", encoding="utf-8")
    students = hand_in(tmp_path / "class", ada=solution("double"))
    told = grade("run", students, "-o", tmp_path / "run", course=course, code=3)
    assert "?/4 BROKEN ?/4" in told.words
    assert "Not judged, through no fault of the students: ada (double)." in told.words
    (student,) = store.read(tmp_path / "run").students
    assert (student.score, student.points) == (None, 4)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_interrupted_run_keeps_what_it_has_and_goes_on(tmp_path, number):
    course = tiny_course(tmp_path)
    slow = "import time\ntime.sleep(600)\n"
    students = hand_in(tmp_path / "class", a=solution("double"), b=SQUARES, **dict.fromkeys("cdefgh", slow))
    arguments = ("--course", course, "run", students, "-o", tmp_path / "run", "--jobs", 1)
    process = started(*arguments, cwd=tmp_path)
    first = process.stderr.readline()
    while len(judged(tmp_path / "run")) < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(number)
    out, told = process.communicate(timeout=120)
    assert first.startswith("Grading 8 students")
    assert (process.returncode, out) == (130, "")
    command = " ".join(map(str, ("grade", *arguments)))
    where = tmp_path / "run" / "run.sqlite"
    assert told.strip() == f"Interrupted. 2 of 8 verdicts are kept in {where}; to go on: {command}"
    for name in "cdefgh":
        put(students / name / "double.py", solution("double"))
    told = grade(*arguments[2:], course=course)
    assert "2 of 8 verdicts stand; 6 to judge." in told.err
    assert [student.score for student in store.read(tmp_path / "run").students] == [4, 0, *[4] * 6]


def judged(run):
    """Return who has been judged so far, as anybody may ask while a grader is at work."""
    try:
        return [graded.student for graded in store.read(run).students if not graded.unjudged]
    except UsageError:  # it has not begun
        return []


def test_everything_about_a_student_is_explained(graded):
    told = grade("explain", graded.run, "bob", course=graded.course).words
    assert "failed: Any array is doubled. [doubles_any_array, hidden] 0/2 A value is not right." in told
    assert "Hint: Is two a factor here, or a power?" in told
    assert "Smallest failing example: with x=[" in told
    assert "Marked by hand: 2 points, pending" in told


def test_an_explanation_as_json(graded):
    document = grade_json("explain", graded.run, "cy", "double", course=graded.course)
    assert (document["student"], document["verdicts"][0]["status"]) == ("cy", "CRASHED")
    lines = document["smallest"]["double"]["doubles_three_numbers"]
    assert lines[1:] == ["  got    CRASHED", "  wanted [ 3., -4., 10.] (shape (3,), float64)"]


def test_a_replay_runs_by_itself(graded, tmp_path):
    script = tmp_path / "replay.py"
    told = grade("explain", graded.run, "bob", "--replay", script, course=graded.course)
    assert told.err == f"{script} holds hidden values: do not hand it out.\n"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "doubles_any_array, call 1" in done.stdout
    assert "difference: 15 at [2], allowed by default 3.8e-05" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["Bob"], "the run has no student 'Bob'; did you mean bob?"),
        (["zz"], "the run has no student 'zz'; it has 5, such as ada"),
        (["bob", "quadruple"], "the run did not judge 'quadruple'; it judged double, triple"),
        (["ada", "--replay", "r.py"], "there is nothing to replay: no check failed in a call"),
    ],
    ids=str,
)
def test_what_cannot_be_explained_is_a_sentence(graded, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    assert grade("explain", graded.run, *arguments, course=graded.course, code=2).err == f"Error: {sentence}\n"


def test_no_run_is_said(tmp_path):
    told = grade("explain", tmp_path / "none", "ada", course=tiny_course(tmp_path), code=2).err
    assert "is no run (there is no such file); give the folder that grade run -o wrote" in told


def test_a_run_of_an_earlier_version_is_left_alone_and_said(tmp_path):
    put(tmp_path / "run" / "run.json", "{}")
    told = grade("explain", tmp_path / "run", "ada", course=tiny_course(tmp_path), code=2).err
    assert "run.json is a run of an earlier version of the grader and no longer read" in told
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["run.json"]


def test_files_that_have_changed_are_explained_from_the_record_and_not_replayed(tmp_path):
    course = tiny_course(tmp_path)
    students = hand_in(tmp_path / "class", bob=SQUARES)
    grade("run", students, "-o", tmp_path / "run", course=course)
    put(students / "bob" / "double.py", solution("double"))
    told = grade("explain", tmp_path / "run", "bob", course=course).words
    assert "has changed since it was graded. What follows was recorded then." in told
    assert "failed: The doubles of 1.5" in told
    refused = grade("explain", tmp_path / "run", "bob", "--replay", tmp_path / "r.py", course=course, code=2).err
    assert "A replay needs the very files that were graded" in refused
    assert not (tmp_path / "r.py").exists()


def test_a_problem_that_has_changed_is_explained_from_the_record(tmp_path):
    course = tiny_course(tmp_path)
    students = hand_in(tmp_path / "class", bob=SQUARES)
    grade("run", students, "-o", tmp_path / "run", course=course)
    hidden = course / "problems" / "double" / "hidden.py"
    hidden.write_text(hidden.read_text() + "\n# another\n", encoding="utf-8")
    told = grade("explain", tmp_path / "run", "bob", course=course).words
    assert "No closer look at double: problems/double or its reference has changed since the run." in told
    assert "failed: Any array is doubled." in told
