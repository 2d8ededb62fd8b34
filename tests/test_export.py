"""Each export opens in a reader that is not ours, or keeps the target's documented rules; nothing in it does harm."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import zipfile
from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from click.testing import CliRunner
from commands import SQUARES, grade, hand_in
from courses import put, solution, tiny_course
from exporting import (
    DETAIL,
    a_check,
    a_run,
    a_student,
    a_verdict,
    absent,
    broken,
    by_hand,
    exported,
    pending,
    scored,
)
from hypothesis import given
from hypothesis import strategies as st

from grader import documents, store
from grader.assignments import Lateness
from grader.cli import main
from grader.errors import UsageError
from grader.export import FORMATS, cells, gradescope, standing
from grader.results import Result
from grader.submission import Submission
from grader.verdict import Status

EVIL = "=cmd|' /C calc'!A0\r\n\"x\x1b[2J\x00\u202e\ud800\ufffe]]>&<b>é"
FORMULA = re.compile(r"[\s\"'`\u2018\u2019\u201c\u201d]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")
SAFE = re.compile(r"'.*", re.DOTALL)
STATUSES = [a_check(f"c{number}", status) for number, status in enumerate(Status)]
# Gradescope's documented rules for results.json
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
SHOWN = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
RESULTS = {
    "type": "object",
    "required": ["tests"],
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"}, "execution_time": {"type": "number"}, "output": {"type": "string"},
        "output_format": FORMAT, "test_output_format": FORMAT, "test_name_format": FORMAT,
        "visibility": SHOWN, "stdout_visibility": SHOWN, "extra_data": {"type": "object"},
        "leaderboard": {"type": "array"},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": {
                    "score": {"type": "number"}, "max_score": {"type": "number"},
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string"}, "name_format": FORMAT, "number": {"type": "string"},
                    "output": {"type": "string"}, "output_format": FORMAT, "visibility": SHOWN,
                    "tags": {"type": "array", "items": {"type": "string"}}, "extra_data": {"type": "object"},
                },
            },
        },
    },
}  # fmt: skip


def parsed(content):
    return list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))


def records(made):
    head, *rows = parsed(made.content)
    return [dict(zip(head, row, strict=True)) for row in rows]


def late(graded, days=1, share=0.1):
    return replace(graded, late=Lateness(86_400 * days, days, share))


def everybody():
    """Return a class with every status and every way not to have a score."""
    return a_run(
        a_student("all", *STATUSES),
        a_student(EVIL, a_check(status=Status.CRASHED, message=EVIL, hint=EVIL, promise=EVIL)),
        absent("absent"),
        pending("pending"),
        replace(scored("stopped", 3.0), unjudged=("coin_flips",)),
        a_student("marked", manual_points=3.0, marks=[by_hand(2.5), by_hand(0.5, check="sums", manual=False)]),
        a_student("overridden", marks=[by_hand(9.0, manual=False)]),
        late(scored("late", 8.0), days=2, share=0.25),
    )


# Cells


@pytest.mark.parametrize(
    "sign", ["=1", "+1", "-1", "@A", "\t=1", "\r=1", '"=1', "'=1", "  =1", "\" '@x", "\n+1", "\uff1d1", "\tx"]
)
def test_no_text_is_a_formula(sign):
    cell = cells.quoted(sign)
    ((found,),) = csv.reader(io.StringIO(cell, newline=""), strict=True)
    assert found.startswith("'")


@given(st.text(max_size=30))
def test_any_text_is_one_cell_and_no_formula(text):
    assert len(list(csv.reader(io.StringIO(cells.quoted(text), newline=""), strict=True))) == 1
    ((found,),) = csv.reader(io.StringIO(cells.quoted(text), newline=""), strict=True)
    assert not FORMULA.match(found) or SAFE.match(found)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", found)


@given(st.floats(-1e9, 1e9))
def test_numbers_are_bare_and_near(value):
    written = cells.number(value)
    assert re.fullmatch(r"-?[0-9]+(\.[0-9]{1,5})?", written)
    assert abs(float(written) - value) <= 1e-5
    assert written != "-0"


# Who has a score


def test_an_empty_hand_in_is_nothing_and_points_of_a_person_are_something():
    empty = replace(scored("eve", 0.0), digest=Submission.of("eve", ()).digest)
    assert standing.reason(empty) == standing.NOTHING
    given_all = replace(empty, results=(Result(empty.results[0].judged, marks=(by_hand(4.0, manual=False),)),))
    assert standing.total(given_all, late=False) == 4.0
    assert standing.reason(replace(broken("b"), unjudged=("xor",))) == standing.BROKEN


def test_scores_are_those_before_lateness_unless_it_is_asked_for():
    run = a_run(late(scored("ada", 8.0), share=0.25))
    for form in ("csv", "moodle"):
        column = "total" if form == "csv" else "Grade"
        assert records(exported(run, form))[0][column] == "8"
        assert records(exported(run, form, late=True))[0][column] == "6"
    for form in ("gradescope", "json"):
        scores = [json.loads(exported(run, form, late=taken).content) for taken in (False, True)]
        assert [one.get("score", one.get("students", [{}])[0].get("score")) for one in scores] == [8.0, 6.0]
    assert (
        "1 day late: 25 % off (2.0 of 8 points)." in records(exported(run, "moodle", late=True))[0]["Feedback comments"]
    )


def test_lateness_that_nobody_knows_is_told():
    unknown = replace(scored("ada", 8.0), late=Lateness(seconds=None))
    (note,) = exported(a_run(unknown), "csv", late=True).notes
    assert note == "When it was handed in is not known, so nothing was taken for lateness: ada."
    (note,) = exported(a_run(scored("ada", 8.0)), "csv", late=True).notes
    assert note.startswith("The run knows no due date")


def test_what_is_stale_absent_or_unfinished_is_told():
    stale = replace(scored("ada", 8.0).results[0], stale=("the problem",))
    run = a_run(
        replace(scored("ada", 8.0), results=(stale,)), replace(scored("bob", 1.0), present=False), finished=False
    )
    assert [note.partition(",")[0] for note in exported(run, "csv").notes] == [
        "The last grading was stopped before its end; the same grade run again goes on with it.",
        "Not found by the latest grading",
        "Stale",
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_no_detail_and_no_reason_of_a_mark_is_in_what_students_may_see(form, tmp_path):
    wishes = {"roster": put(tmp_path / "b.csv", "Student,ID,SIS Login ID,Section,Grade\n,,late,,\n"), "column": "grade"}
    made = exported(everybody(), form, archive=True, **(wishes if form == "canvas" else {}))
    content = made.content
    if form == "gradescope":
        archive = zipfile.ZipFile(io.BytesIO(content))
        content = b"".join(archive.read(name) for name in archive.namelist())
    assert DETAIL.encode() not in content
    assert b"a reason for the staff" not in content or form == "json"


# Plain tables


def test_the_table_has_a_row_a_student_and_a_column_a_problem():
    second = Result(a_verdict(a_check(points=4.0), problem="flips"))
    ada = scored("ada", 8.0)
    ada = replace(ada, results=(*ada.results, second))
    made = exported(a_run(ada, broken("bob"), absent("cy"), problems={"xor": "d", "flips": "d"}), "csv")
    assert parsed(made.content) == [
        ["student", "xor", "flips", "total", "points", "open"],
        ["ada", "8", "4", "12", "14", ""],
        ["bob", "", "", "", "4", standing.BROKEN],
        ["cy", "", "", "", "2", standing.NOTHING],
    ]


def test_lateness_has_a_column_of_its_own():
    made = exported(a_run(late(scored("ada", 8.0)), pending("bob")), "csv", late=True)
    assert [(row["xor"], row["late"], row["total"]) for row in records(made)] == [("8", "-0.8", "7.2"), ("", "", "")]


def test_the_long_table_has_a_row_a_check():
    rows = records(exported(everybody(), "csv-long"))
    of_all = [row for row in rows if row["student"] == "all"]
    assert [row["status"] for row in of_all] == [status.value for status in Status]
    assert [row["score"] for row in of_all if row["status"] in {"PASSED", "FAILED", "BROKEN"}] == ["2", "0", ""]
    given_by_people = [(row["status"], row["score"], row["points"]) for row in rows if row["check"] == ""]
    assert given_by_people == [
        ("PENDING", "", "3"),
        ("not judged yet", "", ""),
        ("MARKED BY HAND", "2.5", "3"),
        ("OVERRIDDEN", "9", "2"),
    ]
    assert [row["score"] for row in rows if row["student"] == "absent"] == [""]


@pytest.mark.parametrize("form", ["csv", "csv-long", "moodle"])
def test_a_students_words_stay_in_their_cells(form):
    rows = parsed(exported(everybody(), form).content)
    assert len({len(row) for row in rows}) == 1
    texts = [cell for row in rows for cell in row]
    assert not [cell for cell in texts if FORMULA.match(cell) and not SAFE.match(cell) and not cell[1:].isdecimal()]
    assert "\x1b" not in "".join(texts)


# JSON


def test_json_is_the_document_without_details():
    run = everybody()
    document = json.loads(exported(run, "json", late=True).content)
    wanted = documents.run_document(run)
    for student in wanted["students"]:
        for verdict in student["verdicts"]:
            for check in verdict["checks"]:
                del check["detail"], check["picture"]
    assert document == json.loads(json.dumps(wanted))
    before = json.loads(exported(run, "json").content)
    assert (before["students"][-1]["score"], document["students"][-1]["score"]) == (8.0, 6.0)


# Gradescope


def results(graded, **options):
    document = json.loads(exported(a_run(graded), "gradescope", **options).content)
    jsonschema.Draft202012Validator(RESULTS).validate(document)
    return document


def test_every_student_keeps_gradescopes_rules():
    for graded in everybody().students:
        document = results(graded)
        scored_tests = [test for test in document["tests"] if "score" in test]
        if "score" in document:
            assert len(scored_tests) == len(document["tests"])
            assert document["tests"], "a score of nothing"
        else:
            assert scored_tests == []


def test_checks_become_tests_with_scores_status_and_visibility():
    checks = [a_check("one"), a_check("two", Status.FAILED, visible=False, score=0.5, hint="Two?")]
    document = results(a_student("ada", *checks))
    assert document["score"] == 2.5
    assert document["tests"] == [
        {
            "name": "xor: The promise of one.", "number": "1.1", "score": 2.0, "max_score": 2.0, "status": "passed",
            "output": "", "visibility": "visible",
        },
        {
            "name": "xor: The promise of two.", "number": "1.2", "score": 0.5, "max_score": 2.0, "status": "failed",
            "output": "A value is not right.\nHint: Two?", "visibility": "after_published",
        },
    ]  # fmt: skip
    assert results(a_student("ada", *checks), hidden="hidden")["tests"][1]["visibility"] == "hidden"


def test_what_is_broken_has_no_score_anywhere_in_gradescope():
    document = results(broken("ada"))
    assert "score" not in document
    assert not any("score" in test for test in document["tests"])
    assert "through no fault of yours" in document["output"]


def test_marks_by_hand_are_tests_and_pending_ones_are_told():
    marked = results(a_student("ada", manual_points=3.0, marks=[by_hand(2.5)]))
    assert marked["score"] == 4.5
    assert marked["tests"][-1]["name"] == "xor: marked by hand"
    assert (marked["tests"][-1]["score"], marked["tests"][-1]["max_score"]) == (2.5, 3.0)
    waiting = results(pending("ada"))
    assert (waiting["score"], waiting["output"]) == (2.0, "xor: 3 points will be marked by hand.")
    overridden = results(a_student("ada", marks=[by_hand(9.0, manual=False)]))
    assert (overridden["score"], overridden["output"]) == (9.0, "xor: What was judged was changed by hand to 9 points.")


def test_gradescope_takes_a_students_words_as_text():
    document = results(everybody().students[1])
    formats = {document[key] for key in ("output_format", "test_output_format", "test_name_format")}
    assert formats == {"text"}
    assert "\x1b" not in json.dumps(document, ensure_ascii=False)


def test_several_students_go_into_a_zip_and_into_no_file():
    run = a_run(scored("ada", 1.0), scored("../../bob", 2.0))
    with pytest.raises(UsageError, match=r"holds one student, and the run has 2; name one with --student, or write to"):
        exported(run, "gradescope")
    made = exported(run, "gradescope", archive=True)
    archive = zipfile.ZipFile(io.BytesIO(made.content))
    assert archive.testzip() is None
    assert archive.namelist() == ["0001-ada/results.json", "0002-______bob/results.json"]
    assert [json.loads(archive.read(name))["score"] for name in archive.namelist()] == [1.0, 2.0]
    assert made == exported(run, "gradescope", archive=True)


def test_the_words_of_the_command_are_those_of_the_format():
    (option,) = [option for option in main.get_command(None, "export").params if option.name == "hidden"]
    assert set(option.type.choices) == set(gradescope.HIDDEN) == set(SHOWN["enum"])


# JUnit

SUITE = {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package"}


def assert_junit(content):
    """Check what the schemas of Jenkins (junit-10) and of Ant both demand, so that either takes it."""
    root = ET.fromstring(content)
    assert (root.tag, root.attrib) == ("testsuites", {})
    for number, suite in enumerate(root):
        assert (suite.tag, set(suite.attrib)) == ("testsuite", SUITE)
        assert suite.get("name")
        assert suite.get("hostname")
        assert int(suite.get("id")) == number
        assert re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}", suite.get("timestamp"))
        assert re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", suite.get("time"))
        first, *cases, out, err = suite
        assert [first.tag, out.tag, err.tag] == ["properties", "system-out", "system-err"]
        assert [(one.tag, set(one.attrib)) for one in first] == [("property", {"name", "value"})] * len(first)
        for case in cases:
            assert (case.tag, set(case.attrib)) == ("testcase", {"name", "classname", "time"})
            assert len(case) <= 1
            for told in case:
                assert told.tag in {"failure", "error", "skipped"}
                assert set(told.attrib) == {"type", "message"}
                assert len(told) == 0
        for count, tag in {"failures": "failure", "errors": "error", "skipped": "skipped"}.items():
            assert int(suite.get(count)) == len(suite.findall(f"testcase/{tag}"))
        assert int(suite.get("tests")) == len(cases)
    return root


def test_a_suite_for_each_student_and_problem_keeps_both_schemas():
    root = assert_junit(exported(everybody(), "junit", late=True).content)
    assert [suite.get("name") for suite in root if "cmd" not in suite.get("name")] == [
        "all/xor", "absent/xor", "pending/xor", "stopped/xor", "stopped/coin_flips", "marked/xor", "overridden/xor",
        "late/xor",
    ]  # fmt: skip


def test_a_failure_is_the_students_and_an_error_ours():
    root = assert_junit(exported(everybody(), "junit").content)
    found = {case.get("name"): [told.tag for told in case] for case in root[0].findall("testcase")}
    kinds = {status: found[check.name] for status, check in zip(Status, STATUSES, strict=True)}
    assert kinds.pop(Status.PASSED) == []
    assert kinds.pop(Status.BROKEN) == ["error"]
    assert kinds.pop(Status.SKIPPED) == ["skipped"]
    assert set(map(tuple, kinds.values())) == {("failure",)}
    assert [told.tag for told in root[2].findall("testcase/*")] == ["skipped"]  # who handed in nothing
    assert root[5].findall("testcase/error")[0].get("message") == "not judged yet"


@given(st.text(st.characters(), max_size=30))
def test_any_text_is_legal_xml(text):
    check = a_check(status=Status.FAILED, message=text, hint=text, promise=text)
    root = assert_junit(exported(a_run(a_student(text, check)), "junit").content)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "".join(root.itertext()))


# The command


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    course = tiny_course(folder)
    hand_in(folder / "class", ada=solution("double"), bob=SQUARES)
    roster = put(folder / "book.csv", "Student,ID,SIS Login ID,Section,HW (1)\nA,1,ada,x,\nB,2,bob,x,7\nC,3,cy,x,\n")
    grade("run", folder / "class", "-o", folder / "run", "--roster", roster, "--jobs", 1, course=course)
    return SimpleNamespace(run=folder / "run", roster=roster, course=course, folder=folder)


def fill(once, output, *more, code=0):
    arguments = ("export", once.run, "--format", "canvas", "--roster", once.roster, "--column", "HW", "-o", output)
    return grade(*arguments, *more, code=code)


def test_a_gradebook_is_filled_from_a_run(once, tmp_path):
    told = fill(once, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == once.roster.read_text(encoding="utf-8").replace(
        "ada,x,", "ada,x,4"
    ).replace("bob,x,7", "bob,x,0")
    assert told.out == ""
    assert "No score (nothing was handed in): cy." in told.err.splitlines()
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in {"canvas", "gradescope"}])
def test_every_format_goes_to_standard_output_alone(once, form, tmp_path):
    done = CliRunner().invoke(main, ["export", str(once.run), "--format", form, "-o", "-"])
    assert done.exit_code == 0
    grade("export", once.run, "--format", form, "-o", tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == done.stdout_bytes


def test_nothing_that_was_read_is_written_over(once, tmp_path):
    before = once.roster.read_bytes()
    (tmp_path / "link.csv").symlink_to(once.roster)
    os.link(once.roster, tmp_path / "hard.csv")
    for output in (once.roster, tmp_path / "link.csv", tmp_path / "hard.csv", once.run / store.NAME, once.run):
        assert "is a file that this is made from, and is left as it is" in fill(once, output, code=2).err
    assert once.roster.read_bytes() == before
    assert "is no ordinary file" in fill(once, tmp_path, code=2).err
    assert "cannot be written" in fill(once, tmp_path / "no" / "out.csv", code=2).err
    assert store.read(once.run).students


def test_a_file_of_that_name_gives_way_whole_and_keeps_its_mode(once, tmp_path):
    output = put(tmp_path / "out.csv", "old")
    output.chmod(0o600)
    fill(once, output)
    assert output.read_bytes().startswith(b"Student,ID")
    assert output.stat().st_mode & 0o777 == 0o600
    fill(once, output, "--column", "nothing", code=2)
    assert output.read_bytes().startswith(b"Student,ID")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--format", "canvas"], "canvas fills the gradebook that you downloaded from Canvas; give it with --roster"),
        (["--format", "csv", "--column", "HW"], "--column names a column of a file; give that file with --roster"),
        (["--format", "csv", "--roster", "x.csv"], "csv fills no file of yours; leave out --roster"),
        (["--format", "csv", "--student", "adda"], "the run has no student 'adda'; did you mean ada?"),
        (["--format", "canvas", "--roster", "x.csv", "--column", "H"], "x.csv"),
        (["--format", "excel"], "'excel' is not one of"),
    ],
)
def test_a_wrong_wish_is_one_sentence_and_no_file(once, tmp_path, arguments, sentence):
    told = grade("export", once.run, *arguments, "-o", tmp_path / "out", code=2).err
    assert sentence in told
    assert "Traceback" not in told
    assert list(tmp_path.iterdir()) == []


def test_one_student_may_be_wanted(once, tmp_path):
    grade("export", once.run, "--format", "gradescope", "--student", "bob", "-o", tmp_path / "results.json")
    document = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(RESULTS).validate(document)
    assert document["score"] == 0.0
    assert "In book.csv and not filled" not in fill(once, tmp_path / "out.csv", "--student", "ada").err


def test_what_is_broken_leaves_its_cell_empty_and_the_code_is_3(once, tmp_path):
    course = tiny_course(tmp_path)
    visible = course / "problems" / "double" / "visible.py"
    visible.write_text(visible.read_text() + "    raise RuntimeError('the author slept')\n", encoding="utf-8")
    grade("run", once.folder / "class" / "ada", "-o", tmp_path / "run", "--jobs", 1, course=course, code=3)
    arguments = ("export", tmp_path / "run", "--format", "csv", "-o", tmp_path / "out.csv")
    told = grade(*arguments, code=3).err
    assert "No score (BROKEN: it could not be judged, through no fault of the student): ada." in told
    assert records(SimpleNamespace(content=(tmp_path / "out.csv").read_bytes()))[0]["total"] == ""
    grade("mark", tmp_path / "run", "ada", "double", 3, "--reason", "read it")
    grade(*arguments)
    assert records(SimpleNamespace(content=(tmp_path / "out.csv").read_bytes()))[0]["total"] == "3"
