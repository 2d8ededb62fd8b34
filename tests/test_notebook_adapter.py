"""The adapter: nbgrader's own autograde gives our verdicts, says them to students, and never makes up a score."""

from __future__ import annotations

import json
import shutil

import pytest
from taught import ANSWERS, NAME, SQUARE, Taught, cell_of, needs_nbgrader, text_of

from grader import marks, store
from grader.marks import Wish
from grader.notebook import cells
from grader.notebook.judging import RUNS, Judged
from grader.notebook.stamp import Seal, Stamp, stamped
from grader.verdict import CheckResult, Status

THREE, TWICE = "doubles_three_numbers", "adds_to_itself"
ANY = cells.called("double", "doubles_any_array", visible=False)
RIGHT = ANSWERS["double"].splitlines(keepends=True)
SECRET = "lapislazuli"  # in a hidden check, and in nothing that a student may see

pytestmark = needs_nbgrader


@pytest.fixture
def taught(tmp_path):
    return Taught.shared().copied(tmp_path)


def change(taught, before, after, *, file="hidden.py", slug="double"):
    path = taught.course / "problems" / slug / file
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


# What is written


def result(score, points=2.0, status=Status.PASSED, **more):
    return CheckResult("name", False, "It holds.", status, score, points, "It holds.", **more)


@pytest.mark.parametrize(
    ("score", "points", "worth", "wanted"),
    [(2, 2.0, 2.0, 2.0), (0.1, 0.3, 0.3, 0.1), (1.0, 2.0, 3.0, 1.5), (0.0, 2.0, 5.0, 0.0), (None, 2.0, 2.0, None)],
)
def test_a_score_is_a_plain_float_within_the_points_of_the_gradebook(score, points, worth, wanted):
    from grader.notebook.outputs import outputs, share

    check = result(score, points)
    assert share(check, worth) == wanted
    kinds = [one["output_type"] for one in outputs(check, worth)]
    assert kinds == (["display_data", "execute_result"] if wanted is not None else ["display_data", "error"])
    if wanted is not None:
        text = outputs(check, worth)[-1]["data"]["text/plain"]
        assert text == repr(float(text))
        assert float(text) == wanted


def test_nbgrader_reads_back_the_score_that_was_written():
    import nbformat
    from nbgrader.utils import determine_grade

    from grader.notebook.outputs import outputs

    for score, wanted in [(0.1, 0.1), (2.0, 2.0), (0.0, 0.0), (None, 0)]:
        cell = nbformat.v4.new_code_cell(metadata={"nbgrader": {"grade": True, "points": 2.0}})
        cell.outputs = nbformat.from_dict(outputs(result(score), 2.0))
        assert determine_grade(cell) == (wanted, 2.0)


def test_a_report_tells_the_message_and_the_hint_and_no_detail():
    from grader.notebook.outputs import outputs

    check = result(0.0, status=Status.FAILED, detail="inputs: 5", hint="Think\x1b[31m.")
    told = text_of(outputs(check, 2.0, ["cell 3 failed"])[0])
    assert told == "✗ failed: 0 of 2 points\nIt holds.\nHint: Think\\x1b[31m.\nNote: cell 3 failed"


# Stamps


STAMP = Stamp("ada", NAME, "double", "double--check--x", "PASSED", 1.5, 2.0, "k" * 64, "0.1.0")


def cell(**more):
    return {"metadata": {"nbgrader": {"grade_id": "double--check--x"}, "grader": Seal(7).pressed(STAMP)} | more}


def test_a_stamp_holds_for_the_very_cell_that_it_was_made_for():
    about = {"student": "ada", "assignment": NAME, "notebook": "double"}
    assert stamped(cell(), Seal(7), **about) == STAMP
    assert stamped(cell(), Seal(8), **about) is None
    for other in ({"student": "bob"}, {"assignment": "week2"}, {"notebook": "triple"}):
        assert stamped(cell(), Seal(7), **about | other) is None
    assert stamped(cell(nbgrader={"grade_id": "double--check--y"}), Seal(7), **about) is None


@pytest.mark.parametrize("part", ["score", "points", "status", "seal", "student"])
def test_a_stamp_that_was_changed_is_none(part):
    forged = cell()
    forged["metadata"]["grader"]["stamp"][part] = 3.0
    assert Seal(7).read(forged) is None


@pytest.mark.parametrize(
    "metadata", [{}, {"grader": 3}, {"grader": {"stamp": []}}, {"grader": {"stamp": {"score": 2, "seal": "x"}}}, []]
)
def test_what_is_no_stamp_is_none(metadata):
    assert Seal(7).read({"metadata": metadata}) is None


@pytest.mark.parametrize("score", [float("nan"), "\ud800", object()])
def test_what_no_seal_can_be_pressed_on_is_no_stamp(score):
    forged = cell()
    forged["metadata"]["grader"]["stamp"]["score"] = score
    assert Seal(7).read(forged) is None


# A class


def test_a_class_gets_its_marks_reports_and_stamps(taught):
    taught.hand_in("ada", double=taught.answered("double"), triple=taught.answered("triple", marking="Since it is."))
    taught.hand_in("bob", double=taught.answered("double", SQUARE), triple=taught.answered("triple"))
    taught.nbgrader("autograde", NAME)
    assert taught.grades("ada", "double") == {
        f"check--{name}": (points, None, False) for name, points in ((THREE, 1.0), (TWICE, 1.0), (ANY, 2.0))
    }
    # One scheme worth nothing, which nobody has to mark; one answer that a person marks.
    assert taught.grades("ada", "triple") == {
        "check--triples_two": (3.0, None, False), "marking--1": (None, None, True), "scheme--1": (0.0, None, False),
    }  # fmt: skip
    assert taught.grades("bob", "triple")["marking--1"] == (0.0, None, False)  # as it was released: no answer
    assert taught.score("bob", "double") == 0.0
    assert taught.report("bob", "double", ANY) == (
        "✗ failed: 0 of 2 points\nAny array is doubled.\nA value is not right.\nHint: Is two a factor here, or a power?"
    )
    seal = Seal.of(store.read(taught.root / RUNS / NAME))
    for student in ("ada", "bob"):
        for one in taught.graded(student, "double")["cells"]:
            if one["metadata"].get("nbgrader", {}).get("grade"):
                about = {"student": student, "assignment": NAME, "notebook": "double"}
                stamp = stamped(one, seal, **about)
                assert stamp is not None
                assert stamp.score == taught.grades(student, "double")[stamp.cell.removeprefix("double--")][0]


def test_feedback_tells_the_message_and_nothing_hidden(taught):
    change(
        taught,
        "close(student.double(x), reference.double(x))",
        f"close(student.double(x), reference.double(x))  # {SECRET}",
    )
    change(taught, "2.0, 9.0)", "4321.0, 4322.0)")
    taught.hand_in("bob", double=taught.answered("double", "def double(x):\n    return 2 * abs(x) + 1\n"))
    taught.nbgrader("autograde", NAME)
    taught.nbgrader("generate_feedback", NAME)
    page = (taught.root / "feedback" / "bob" / NAME / "double.html").read_text(encoding="utf-8")
    assert "A value is not right." in page
    assert "Any array is doubled." in page
    run = store.read(taught.root / RUNS / NAME)
    found = Judged(NAME, run).verdict("bob", "double")
    assert found is not None
    assert "432" in found[0].checks[-1].detail  # the instructor sees the input
    graded = (taught.root / "autograded" / "bob" / NAME / "double.ipynb").read_text(encoding="utf-8")
    for text in (page, graded):
        assert not [
            secret for secret in (SECRET, "4321.", "8642.", "8643.", str(run.conditions.seed)) if secret in text
        ]


def test_one_student_later_meets_the_same_examples(taught):
    taught.hand_in("ada", double=taught.answered("double"), triple=taught.answered("triple"))
    taught.nbgrader("autograde", NAME)
    before = store.read(taught.root / RUNS / NAME)
    taught.hand_in("bob", double=taught.answered("double", SQUARE), triple=taught.answered("triple"))
    done = taught.graded_in_formgrader("bob")
    assert done["success"], done
    after = store.read(taught.root / RUNS / NAME)
    assert after.examples == before.examples
    assert [(one.student, one.present) for one in after.students] == [("ada", True), ("bob", True)]
    assert (taught.score("ada", "double"), taught.score("bob", "double")) == (4.0, 0.0)


def mark(taught, student, slug, name, points):
    """Give a score by hand, as the formgrader does."""
    with taught.book() as book:
        grade = book.find_grade(f"{slug}--{name}", slug, NAME, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        book.db.commit()


def test_what_a_person_gave_stays_when_it_is_graded_again(taught):
    taught.hand_in("ada", double=taught.answered("double", SQUARE), triple=taught.answered("triple", marking="So."))
    taught.nbgrader("autograde", NAME)
    mark(taught, "ada", "triple", "marking--1", 1.5)
    mark(taught, "ada", "double", f"check--{ANY}", 2.0)
    run = taught.root / RUNS / NAME
    marks.give(run, Wish("ada", f"double::{TWICE}"), 0.5, "half of it is there")  # as `grade mark` does
    marks.give(run, Wish("ada", "triple", override=True), 1.0, "nbgrader has no place for this")
    assert "ada, triple: the mark for the whole problem is not taken over" in taught.nbgrader("autograde", NAME)
    assert taught.score("ada", "triple") == 4.5
    assert taught.grades("ada", "double") == {
        f"check--{THREE}": (0.0, None, False), f"check--{TWICE}": (0.5, None, False), f"check--{ANY}": (0.0, 2.0, True),
    }  # fmt: skip
    assert taught.score("ada", "double") == 2.5


WRITTEN = "close(student.double(x), reference.double(x))"


def test_a_problem_that_changes_is_graded_again_without_force(taught):
    """Mended, broken, and with another check in place of one: nobody keeps a score that nothing stands for."""
    taught.hand_in("ada", double=taught.answered("double"))
    change(taught, WRITTEN, "close(student.double(x), x)")
    taught.nbgrader("autograde", NAME)
    assert taught.score("ada", "double") == 2.0
    change(taught, "close(student.double(x), x)", WRITTEN)
    assert "ada, double: 2 points before, now 4" in taught.nbgrader("autograde", NAME)
    assert taught.score("ada", "double") == 4.0
    assert "Skipping existing assignment" in taught.nbgrader("autograde", NAME)

    change(taught, WRITTEN, "raise OSError(str(x))")
    assert "has no score and needs a person" in taught.nbgrader("autograde", NAME)
    assert taught.grades("ada", "double")[f"check--{ANY}"] == (None, None, True)
    assert taught.grades("ada", "double")[f"check--{THREE}"] == (1.0, None, False)
    assert "OSError" not in taught.report("ada", "double", ANY)

    change(taught, "raise OSError(str(x))", WRITTEN)
    change(taught, "def doubles_any_array", "def doubles_every_array")
    change(taught, 'caught_by="doubles_any_array"', 'caught_by="doubles_every_array"', file="variants.py")
    taught.nbgrader("autograde", NAME)
    assert taught.grades("ada", "double")[f"check--{ANY}"] == (None, None, True)
    assert taught.score("ada", "double") == 2.0
    assert zeroed(taught, f"double--check--{ANY}").startswith("The problem has no such check any more")


def zeroed(taught, grade_id):
    """Return what a cell without a score shows; nbgrader's own reading must give it 0, and not all points."""
    report, error = cell_of(taught.graded("ada", "double"), grade_id)["outputs"]
    assert error["output_type"] == "error"
    return text_of(report)


def test_a_grading_that_fails_keeps_no_earlier_score(taught):
    folder = taught.hand_in("ada", double=taught.answered("double"), triple=taught.answered("triple", marking="So."))
    taught.hand_in("bob", double=taught.answered("double"), triple=taught.answered("triple"))
    taught.nbgrader("autograde", NAME)
    mark(taught, "ada", "triple", "marking--1", 2.0)
    (folder / "timestamp.txt").write_text("the day before", encoding="utf-8")  # nbgrader gives up on it
    taught.hand_in("ada", double=taught.answered("double", SQUARE))
    taught.nbgrader("autograde", NAME, code=1)
    assert taught.grades("ada", "double")[f"check--{ANY}"] == (None, None, True)
    assert taught.score("ada", "triple") == 2.0  # what a person gave
    assert taught.score("bob", "double") == 4.0
    with taught.book() as book:
        comment = book.find_comment("double--answer--double", "double", NAME, "ada")
        assert comment.auto_comment.startswith("This was graded before, and not again")
    (folder / "timestamp.txt").unlink()
    taught.nbgrader("autograde", NAME)
    assert taught.grades("ada", "double")[f"check--{ANY}"] == (0.0, None, False)
    now = store.read(taught.root / RUNS / NAME).student("ada").result("double")
    assert (now.score, now.waiting) == (0.0, None)  # the lower score stands, since it is what is handed in


def test_a_stamp_and_points_of_a_students_own_count_for_nothing(taught):
    forged = taught.answered("double", SQUARE)
    cell = cell_of(forged, f"double--check--{ANY}")
    cell["metadata"]["nbgrader"]["points"] = 100
    cell["metadata"]["grader"] = Seal(0).pressed(STAMP)
    cell["outputs"] = [
        {"output_type": "execute_result", "data": {"text/plain": "2.0"}, "metadata": {}, "execution_count": 1}
    ]
    taught.hand_in("eve", double=forged)
    taught.nbgrader("autograde", NAME, "--no-execute")
    assert taught.score("eve", "double") == 0.0
    stamp = cell_of(taught.graded("eve", "double"), f"double--check--{ANY}")["metadata"]["grader"]["stamp"]
    assert (stamp["student"], stamp["score"], stamp["points"]) == ("eve", 0.0, 2.0)


def test_a_notebook_that_is_none_of_ours_is_nbgraders_own_business(taught):
    """One that the instructor wrote stands beside ours, with nbgrader's own tests in it."""
    import nbformat

    def cell(source, **about):
        metadata = {"nbgrader": {"schema_version": 3, "task": False, **about}}
        return nbformat.v4.new_code_cell(source, metadata=metadata)

    answer = {"grade_id": "a", "grade": False, "solution": True, "locked": False}
    test = {"grade_id": "t", "grade": True, "solution": False, "locked": True, "points": 3}
    own = nbformat.v4.new_notebook(cells=[cell("x = 1", **answer), cell("assert x == 2", **test)])
    own.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(own, taught.root / "source" / NAME / "own.ipynb")
    taught.nbgrader("generate_assignment", NAME, "--force")
    handed = taught.released("own")
    cell_of(handed, "a")["source"] = "x = 2"
    handed["cells"].append(handed["cells"][-1] | {"id": "copied"})  # ends nbgrader's own batch
    taught.hand_in("ada", double=taught.answered("double"), own=handed)
    taught.nbgrader("autograde", NAME)
    assert (taught.score("ada", "double"), taught.score("ada", "own")) == (4.0, 3.0)


def test_what_the_instructor_changed_in_the_source_notebook_counts(taught):
    """Their points are what a check is worth; code of a test cell of their own is not run, so a person scores it."""
    source = taught.root / "source" / NAME / "double.ipynb"
    notebook = json.loads(source.read_text(encoding="utf-8"))
    cell_of(notebook, f"double--check--{ANY}")["metadata"]["nbgrader"]["points"] = 5.0
    about = {"schema_version": 3, "grade": True, "solution": False, "locked": True, "task": False, "points": 9}
    added = cell_of(notebook, f"double--check--{ANY}") | {"id": "more", "source": "assert True"}
    notebook["cells"].append(added | {"metadata": {"nbgrader": {**about, "grade_id": "more"}}})
    source.write_text(json.dumps(notebook), encoding="utf-8")
    taught.nbgrader("generate_assignment", NAME, "--force")
    taught.hand_in("ada", double=taught.answered("double"))
    taught.nbgrader("autograde", NAME)
    with taught.book() as book:
        grade = book.find_grade("more", "double", NAME, "ada")
        assert (grade.auto_score, grade.needs_manual_grade) == (None, True)
    assert zeroed(taught, "more").startswith("This cell is none of the problem's checks.")
    assert taught.score("ada", "double") == 7.0
    assert taught.report("ada", "double", ANY).startswith("✓ passed: 5 of 5 points")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("c.Autograde.exporter_class", "c.Autograde.exporter_klass", "c.Autograde.exporter_class is not"),
        ("c.SandboxJudge.course = ", "c.SandboxJudge.course = '' and ", "c.SandboxJudge.course is not set"),
        (
            "c.SandboxJudge.course = ",
            "c.SandboxJudge.min_tier = 3; c.SandboxJudge.course = '/nowhere' or ",
            "no course at",
        ),
    ],
)
def test_a_configuration_that_is_not_whole_grades_nobody(taught, before, after, said):
    taught.hand_in("ada", double=taught.answered("double"))
    config = taught.root / "nbgrader_config.py"
    config.write_text(config.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    assert said in taught.nbgrader("autograde", NAME, code=1)
    assert not (taught.root / "autograded" / "ada" / NAME).exists()
    with taught.book() as book:
        assert not any(one.score for one in book.assignment_submissions(NAME))


def test_one_bad_hand_in_stops_nobody(taught):
    """What ends nbgrader's own batch, or the one student, is graded like anything else."""
    right = taught.answered("double")
    old = taught.answered("double")
    cell_of(old, f"double--check--{THREE}")["metadata"]["nbgrader"]["schema_version"] = 1
    taught.hand_in("a_old", double=old)
    taught.hand_in(
        "b_new",
        double=right
        | {"cells": [{**cell, "metadata": {"nbgrader": {"schema_version": 9}}} for cell in right["cells"]]},
    )
    taught.hand_in("c_cut", double=b'{"cells": [')
    taught.hand_in("d_surrogate", double=taught.answered("double", f"{SQUARE}# \ud800\n"))
    (taught.hand_in("f_none") / "essay.txt").write_text("words", encoding="utf-8")
    other = taught.hand_in("g_other", double=right) / "double.ipynb"
    shutil.copy(other, taught.hand_in("h_named") / "My work.ipynb")
    taught.hand_in("e_link").joinpath("double.ipynb").symlink_to(other)
    beside = taught.hand_in(
        "i_both", double=taught.answered("double", "import mine\ndef double(x):\n    return mine.TWO * x")
    )
    (beside / "double.py").write_text(SQUARE, encoding="utf-8")
    (beside / "mine.py").write_text("TWO = 2\n", encoding="utf-8")
    taught.nbgrader("autograde", NAME)
    names = sorted(path.name for path in (taught.root / "submitted").iterdir())
    assert {name: taught.score(name, "double") for name in names} == {
        "a_old": 4.0, "b_new": 4.0, "c_cut": 0.0, "d_surrogate": 0.0, "e_link": 0.0, "f_none": 0.0, "g_other": 4.0,
        "h_named": 4.0, "i_both": 4.0,
    }  # fmt: skip
    assert cell_of(taught.graded("h_named", "double"), "double--answer--double")["source"] == [*RIGHT]
    noted = {one.student: one.note for one in store.read(taught.root / RUNS / NAME).students}
    assert noted["h_named"] == "My work.ipynb was read as double.ipynb, by the names of its cells"
    assert noted["i_both"] == "double.py was not read: nbgrader grades notebooks"
    assert "return 2 * x" not in json.dumps(taught.graded("e_link", "double"))  # what the link leads to
    assert "cut off before its end" in taught.report("c_cut", "double", ANY)
    assert "No file double.py or double.ipynb was handed in." in taught.report("f_none", "double", ANY)
    taught.nbgrader("generate_feedback", NAME)
    assert all((taught.root / "feedback" / name / NAME / "double.html").exists() for name in names)
