"""Sixty real hand-ins in all usual shapes, with every status, from the bundle to the marks in every format.

Each is graded for real. A check is broken at first, so nobody has a total; then it is mended and the run given again.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
import zipfile
from collections import Counter
from textwrap import dedent
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import nbformat
import pytest
from commands import grade, grade_json
from courses import put
from test_statuses import ENDINGS, HIDDEN, REFERENCE, VISIBLE

from grader.export import FORMATS
from grader.report.page import names
from grader.verdict import Status

pytest.importorskip("jinja2", reason="Jinja2, which makes the pages, is not installed")

# Half a second of computing a check, and a second and a half in all: who sleeps through two checks has no third.
LIMITS = ("seconds=1, import_seconds=2, problem_seconds=20", "seconds=0.5, import_seconds=2, problem_seconds=1.5")
AGAIN = '''
    @check(points=1)
    def squares_nothing_but_ones(student):
        """Ones stay ones."""
        close(student.square(np.ones(6)), np.ones(6))
'''
VARIANTS = """
    from grader import wrong

    @wrong(replaces="square", caught_by="squares_three_numbers", hint="Is this the square, or the double?")
    def doubles(x):
        return 2 * x
"""
TEXT = '''
    from grader import check, equal

    @check(points=2)
    def says_so(student):
        """The word is yes."""
        equal(student.word(), "yes")
'''
BREAKS = '''
    from grader import check

    @check(points=1)
    def is_short(student, reference):
        """The word has three letters."""
        assert len(student.word()) == reference.{length}(student)
'''
WORD = '''
    def word() -> str:
        """Return the word."""
        # BEGIN SOLUTION
        return "yes"
        # END SOLUTION
'''
COURSE = """
    [assignments.week1]
    problems = ["square", "word"]
    due = 2026-11-30T23:59:00+01:00

    [assignments.week1.late]
    per_day = 0.1
"""
SAID = {"right": "yes", "wrong value": "no"}
COSTLY = ("endless loop", "endless sleep", "endless import", "memory bomb", "output flood")
NUMBERS = range(1, 61)
EVERYBODY = [f"s{number:02}" for number in NUMBERS]
LATE, ABSENT, REFUSED, NOTEBOOK, PACKED = "s02", "s60", "s59", "s03", "s04"
MARKED, PARTLY = "s01", 1.5


def mended(hidden):
    """The check that breaks asks the reference for a function that it does not have."""
    return dedent(hidden).replace("reference.{length}(student)", "3")


def course_of(folder):
    visible = VISIBLE.replace(*LIMITS)
    assert visible != VISIBLE
    put(folder / "course.toml", COURSE)
    put(folder / "problems" / "square" / "statement.md", "# Squares\n")
    put(folder / "problems" / "square" / "visible.py", dedent(visible) + dedent(AGAIN))
    put(folder / "problems" / "square" / "hidden.py", HIDDEN)
    put(folder / "problems" / "square" / "variants.py", VARIANTS)
    put(folder / "reference" / "square.py", REFERENCE)
    put(folder / "problems" / "word" / "statement.md", "# A word\n")
    put(folder / "problems" / "word" / "visible.py", TEXT)
    put(folder / "problems" / "word" / "hidden.py", BREAKS.replace("{length}", "length"))
    put(folder / "problems" / "word" / "marking.md", "points: 3\n\nIs it explained?\n")
    put(folder / "reference" / "word.py", WORD)
    return folder


def answers():
    """Return who hands in what: each costly ending once, all others by turns, right answers the most often."""
    cheap = [ending for ending in ENDINGS if ending not in COSTLY]
    turns = [*cheap, *COSTLY, *cheap]
    turns += ["right"] * (len(EVERYBODY) - len(turns))
    return dict(zip(EVERYBODY, turns, strict=True))


def hand_in(folder, student, ending):
    """Write one student's files: a folder, but for who hands in a notebook, a zip, or one that is refused."""
    square = f"# by {student}\n{ENDINGS[ending][0]}\n"
    word = f"def word():\n    return {SAID.get(ending, 'yes')!r}\n"
    if student == NOTEBOOK:
        for slug, text in (("square", square), ("word", word)):
            (folder / student).mkdir(parents=True, exist_ok=True)
            book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text)])
            nbformat.write(book, folder / student / f"{slug}.ipynb")
    elif student in {PACKED, REFUSED}:
        with zipfile.ZipFile(folder / f"{student}.zip", "w") as archive:
            before = "../" if student == REFUSED else ""
            archive.writestr(f"{before}square.py", square)
            archive.writestr(f"{before}word.py", word)
    elif student != ABSENT:
        put(folder / student / "square.py", square)
        put(folder / student / "word.py", word)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Go the whole way once; return what each command said, the run as data, and where everything lies."""
    folder = tmp_path_factory.mktemp("sixty")
    course, who = course_of(folder / "course"), answers()
    (folder / "class").mkdir()
    for student, ending in who.items():
        hand_in(folder / "class", student, ending)
    put(folder / "roster.csv", "student,name\n" + "".join(f"{one},Student {one}\n" for one in EVERYBODY))
    put(folder / "times.csv", f"student,time\n{LATE},2026-12-01T12:00:00+01:00\n")
    run = folder / "run"
    command = ("run", folder / "class", "-o", run, "--assignment", "week1", "--roster", folder / "roster.csv")
    command += ("--times", folder / "times.csv", "--min-tier", "1", "--jobs", "2")
    broken = grade_json(*command, course=course, code=3)
    put(course / "problems" / "word" / "hidden.py", mended(BREAKS))
    whole = grade_json(*command, course=course)
    grade("mark", run, MARKED, "word", PARTLY, "--reason", "half of it")
    return SimpleNamespace(folder=folder, course=course, run=run, who=who, broken=broken, whole=whole)


def by_student(document):
    return {student["student"]: student for student in document["students"]}


def square_of(document, student):
    (found,) = [one for one in by_student(document)[student]["verdicts"] if one["problem"] == "square"]
    return found


# Grading


def test_every_status_is_in_the_class(graded):
    statuses = {
        check["status"]
        for document in (graded.broken, graded.whole)
        for student in document["students"]
        for verdict in student["verdicts"]
        for check in verdict["checks"]
    }
    assert statuses == {status.value for status in Status}


def test_everybody_gets_the_status_that_was_handed_in(graded):
    assert sorted(by_student(graded.whole)) == EVERYBODY
    wrong = {}
    for student, ending in graded.who.items():
        wanted = {REFUSED: Status.UNUSABLE, ABSENT: Status.NOT_ATTEMPTED}.get(student, ENDINGS[ending][1])
        found = square_of(graded.whole, student)["status"]
        if found != wanted.value:
            wrong[student] = (ending, found)
    assert wrong == {}


def test_while_a_check_is_broken_nobody_has_a_total_and_then_only_that_problem_is_judged_again(graded):
    refused = {REFUSED, ABSENT}  # nothing of theirs was called, so nothing could break
    assert {one["student"] for one in graded.broken["students"] if one["score"] is not None} == refused
    assert all(one["score"] is not None for one in graded.whole["students"])
    for student in EVERYBODY:
        assert square_of(graded.whole, student) == square_of(graded.broken, student)


def test_who_sleeps_has_no_time_left_for_the_last_check(graded):
    (sleeper,) = [student for student, ending in graded.who.items() if ending == "endless sleep"]
    statuses = [check["status"] for check in square_of(graded.whole, sleeper)["checks"]]
    assert (statuses[0], statuses[-1]) == ("TIMED_OUT", "SKIPPED")


def test_a_mistake_is_named_by_its_numbers(graded):
    hints = {
        student: {check["hint"] for check in square_of(graded.whole, student)["checks"]}
        for student, ending in graded.who.items()
        if ending == "wrong value" and student not in {REFUSED, ABSENT}
    }
    assert hints
    assert all("Is this the square, or the double?" in found for found in hints.values())


# Checking, in what students receive


@pytest.mark.parametrize("ending", ["right", "wrong value", "exception", "stub"])
def test_a_student_reads_at_home_what_the_run_will_say(graded, tmp_path, monkeypatch, ending):
    grade("release", "week1", "-o", tmp_path / "handout", course=graded.course)
    student = next(
        one for one, theirs in graded.who.items() if theirs == ending and (graded.folder / "class" / one).is_dir()
    )
    for slug in ("square", "word"):
        shutil.copy(graded.folder / "class" / student / f"{slug}.py", tmp_path / "handout" / "student_template")
    monkeypatch.chdir(tmp_path / "handout")
    (verdict,) = grade_json("check", "square", code=int(ending != "right"))
    visible = [check for check in square_of(graded.whole, student)["checks"] if check["visible"]]
    assert [check["status"] for check in verdict["checks"]] == [check["status"] for check in visible]
    assert [check["hint"] for check in verdict["checks"]] == [check["hint"] for check in visible]


# Reports


def test_the_pages_name_everybody_and_every_status(graded):
    grade("report", graded.run, "-o", graded.folder / "pages")
    text = (graded.folder / "pages" / "index.html").read_text(encoding="utf-8")
    assert all((graded.folder / "pages" / names.path(student)).is_file() for student in EVERYBODY)
    assert all(names.path(student) in text for student in EVERYBODY)
    seen = {check["status"] for student in EVERYBODY for check in square_of(graded.whole, student)["checks"]}
    assert all(f'class="tag {status.lower().replace("_", "-")}"' in text for status in seen)
    assert "Where answers are off" in text


def test_a_table_of_the_class_fits_a_terminal(graded):
    told = grade("report", graded.run).words
    assert all(student in told for student in EVERYBODY)


# Exports


BOOK = "Student,ID,SIS User ID,SIS Login ID,Section,Week 1 (7)\n    Points Possible,,,,,10\n" + "".join(
    f'"Of sixty, {student}",{100 + place},,{student},A,\n' for place, student in enumerate(EVERYBODY)
)
WORKSHEET = (
    "Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade,Grade can be changed,Feedback comments\n"
    + "".join(
        f"Participant {place},Student {student},{student},,Submitted,,10.00,Yes,\n"
        for place, student in enumerate(EVERYBODY)
    )
)


def exported(graded, form, *options):
    """Return the bytes of an export; the roster that a format fills is made here."""
    folder = graded.folder / "exports"
    folder.mkdir(exist_ok=True)
    filled = {"canvas": (BOOK, "--column", "Week 1"), "moodle": (WORKSHEET,)}.get(form, ())
    if filled:
        put(folder / f"{form}.csv", filled[0])
        options += ("--roster", folder / f"{form}.csv", *filled[1:])
    target = folder / f"made-{form}{'.zip' if form == 'gradescope' else ''}"
    grade("export", graded.run, "--format", form, "-o", target, *options)
    return target.read_bytes()


def rows(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


@pytest.fixture(scope="module")
def marked(graded):
    """Everybody is marked by hand, so that all totals are there."""
    for student in EVERYBODY:
        if student not in {MARKED, ABSENT}:
            grade("mark", graded.run, student, "word", 2, "--reason", "read")
    document = grade_json("report", graded.run)
    graded.earned = {
        one["student"]: one["score"] + (one["late"]["taken"] if one["late"] else 0) for one in document["students"]
    }
    graded.final = {one["student"]: one["score"] for one in document["students"]}
    return graded


def test_lateness_is_taken_only_where_it_is_asked_for(marked):
    before = {row["SIS Login ID"]: row["Week 1 (7)"] for row in rows(exported(marked, "canvas"))}
    after = {row["SIS Login ID"]: row["Week 1 (7)"] for row in rows(exported(marked, "canvas", "--late"))}
    assert {student for student in EVERYBODY if before[student] != after[student]} == {LATE}
    assert float(after[LATE]) == pytest.approx(0.9 * float(before[LATE]), abs=1e-4)
    assert after[ABSENT] == before[ABSENT] == ""


@pytest.mark.parametrize(
    ("form", "who", "grade_in"), [("canvas", "SIS Login ID", "Week 1 (7)"), ("moodle", "ID number", "Grade")]
)
def test_a_file_of_the_platform_is_filled(marked, form, who, grade_in):
    found = {row[who]: row[grade_in] for row in rows(exported(marked, form)) if row[who]}
    assert sorted(found) == EVERYBODY
    for student in EVERYBODY:
        assert (
            found[student] == ""
            if student == ABSENT
            else float(found[student]) == pytest.approx(marked.earned[student])
        )


def test_the_tables_hold_everybody(marked):
    short = {row["student"]: row for row in rows(exported(marked, "csv"))}
    assert sorted(short) == EVERYBODY
    assert all(
        float(short[student]["total"]) == pytest.approx(marked.earned[student])
        for student in EVERYBODY
        if student != ABSENT
    )
    long = Counter(row["status"] for row in rows(exported(marked, "csv-long")) if row["check"])
    told = Counter(
        check["status"]
        for one in marked.whole["students"]
        for verdict in one["verdicts"]
        for check in verdict["checks"]
    )
    assert long == told


def test_json_holds_everybody_and_no_detail(marked):
    document = json.loads(exported(marked, "json"))
    assert {one["student"]: one["score"] for one in document["students"]} == pytest.approx(marked.earned)
    checks = [check for one in document["students"] for verdict in one["verdicts"] for check in verdict["checks"]]
    assert not [check for check in checks if {"detail", "picture"} & set(check)]


def test_gradescope_has_results_of_each(marked):
    with zipfile.ZipFile(io.BytesIO(exported(marked, "gradescope"))) as archive:
        found = {name: json.loads(archive.read(name)) for name in archive.namelist()}
    assert len(found) == len(EVERYBODY)
    by_name = {next(student for student in EVERYBODY if student in name): results for name, results in found.items()}
    for student in EVERYBODY:
        assert student == ABSENT or by_name[student]["score"] == pytest.approx(marked.earned[student])


def test_junit_has_a_case_a_check(marked):
    root = ET.fromstring(exported(marked, "junit"))
    assert len(root.findall("testsuite")) == 2 * len(EVERYBODY)
    failed = len(root.findall("testsuite/testcase/failure"))
    statuses = Counter(
        check["status"]
        for one in marked.whole["students"]
        for verdict in one["verdicts"]
        for check in verdict["checks"]
    )
    nothing = sum(len(verdict["checks"]) for verdict in by_student(marked.whole)[ABSENT]["verdicts"])
    assert failed == statuses.total() - statuses["PASSED"] - statuses["SKIPPED"] - nothing
    assert root.findall("testsuite/testcase/error") == []


def test_every_format_was_made(marked):
    assert {form: bool(exported(marked, form)) for form in FORMATS} == dict.fromkeys(FORMATS, True)
