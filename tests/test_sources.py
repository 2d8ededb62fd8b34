"""What was handed in becomes plain files, each student's apart, with what is known beside it; nothing is lost."""

from __future__ import annotations

import zipfile
from dataclasses import replace

import nbformat
import pytest
from commands import grade
from courses import put, solution, tiny_course

from grader import course as courses
from grader import sources
from grader.errors import UsageError
from grader.results import Conditions, Graded, Run

RIGHT, MINE = solution("double"), "def double(x):\n    return x + x  # by Ada\n"
UNDER = Conditions(2, "", (), "cpu", "float64", 1, {}, "{}")


@pytest.fixture
def here(tmp_path):
    return courses.find(tiny_course(tmp_path, "double", "triple"))


def handed_in(path, student, digest=""):
    """Return a student of a run whose files lie at a path."""
    from grader import submission
    from grader.submission import Place

    places = (Place(path),)
    known = submission.load_places(places, student=student, slugs=("double", "triple")).digest
    return replace(Graded(student, str(path), digest or known, ()), places=places)


def run_of(*students):
    return Run("run", UNDER, dict.fromkeys(("double", "triple"), "digest"), (), {}, students)


def texts(made):
    return {path: content.decode() for path, content in made.files.items()}


def test_each_student_and_problem_is_a_file_beside_what_is_known(here, tmp_path):
    put(tmp_path / "ada" / "double.py", MINE)
    put(tmp_path / "ada" / "triple.py", solution("triple"))
    put(tmp_path / "bob" / "double.py", RIGHT)
    made = sources.files(run_of(*(handed_in(tmp_path / name, name) for name in ("ada", "bob"))), here)
    found = texts(made)
    assert {path for path in found if path.startswith("students/")} == {
        "students/ada/double.py", "students/ada/triple.py", "students/bob/double.py"
    }  # fmt: skip
    assert {path for path in found if not path.startswith("students/")} == {
        "known/reference/double.py", "known/reference/triple.py", "known/by_adding/double.py",
        "handed_out/double.py", "handed_out/triple.py",
    }  # fmt: skip
    assert found["students/ada/double.py"] == MINE
    assert found["known/reference/double.py"] == RIGHT
    assert "return x + x" in found["known/by_adding/double.py"]
    assert "raise NotImplementedError" in found["handed_out/double.py"]
    assert (made.students, made.remarks) == (2, ())


def test_modules_beside_an_answer_and_cells_of_a_notebook_are_in_it(here, tmp_path):
    put(tmp_path / "ada" / "double.py", "from mine import twice\n\ndef double(x):\n    return twice(x)\n")
    put(tmp_path / "ada" / "mine.py", "def twice(x):\n    return x + x\n")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in ("import numpy", MINE)])
    (tmp_path / "bob").mkdir()
    nbformat.write(book, tmp_path / "bob" / "double.ipynb")
    found = texts(sources.files(run_of(*(handed_in(tmp_path / name, name) for name in ("ada", "bob"))), here))
    assert "return twice(x)" in found["students/ada/double.py"]
    assert "def twice(x):\n    return x + x" in found["students/ada/double.py"]
    assert "import numpy\n\ndef double(x):" in found["students/bob/double.py"]


def test_names_of_students_cannot_leave_the_folder_or_meet(here, tmp_path):
    hostile = ("../up", "/etc/passwd", "Ada", "ada", "con", "a/b", "..")
    put(tmp_path / "one" / "double.py", MINE)
    found = texts(sources.files(run_of(*(handed_in(tmp_path / "one", name) for name in hostile)), here, ["double"]))
    folders = {path.split("/")[1] for path in found if path.startswith("students/")}
    assert len(folders) == len(hostile)
    assert all(len(path.split("/")) == 3 for path in found if path.startswith("students/"))
    assert not [path for path in found if {"", ".", ".."} & set(path.split("/"))]


def test_what_is_not_as_it_was_graded_is_told(here, tmp_path):
    put(tmp_path / "ada" / "double.py", MINE)
    with zipfile.ZipFile(tmp_path / "bob.zip", "w") as archive:
        archive.writestr("../double.py", MINE)
    changed, refused = handed_in(tmp_path / "ada", "ada", "another digest"), handed_in(tmp_path / "bob.zip", "bob")
    gone = replace(changed, student="cy", places=handed_in(tmp_path / "ada", "cy").places[:0])
    made = sources.files(run_of(changed, refused, gone), here)
    assert "students/ada/double.py" in made.files
    assert made.students == 1
    assert made.remarks[0].startswith("ada: the files have changed since they were graded")
    assert made.remarks[1].startswith("bob: ")
    put(tmp_path / "dan" / "double.py", MINE)
    put(tmp_path / "dan" / "more" / "double.py", MINE)
    put(tmp_path / "eve" / "a" / "double.py", MINE)
    put(tmp_path / "eve" / "b" / "double.py", MINE)
    made = sources.files(run_of(handed_in(tmp_path / "dan", "dan"), handed_in(tmp_path / "eve", "eve")), here)
    assert "students/dan/double.py" in made.files
    (said,) = made.remarks
    assert said.startswith("eve, double: The hand-in holds both")


def test_what_cannot_be_is_one_sentence(here, tmp_path):
    put(tmp_path / "ada" / "double.py", MINE)
    with pytest.raises(UsageError, match="no problem 'xor'; its problems: double, triple"):
        sources.files(run_of(handed_in(tmp_path / "ada", "ada")), here, ["xor"])
    with pytest.raises(UsageError, match="nothing was handed in for triple"):
        sources.files(run_of(handed_in(tmp_path / "ada", "ada")), here, ["triple"])


def test_the_command_writes_them_and_leaves_what_is_not_its_own(tmp_path):
    root = tiny_course(tmp_path)
    put(tmp_path / "class" / "ada" / "double.py", MINE)
    grade("run", tmp_path / "class", "-o", tmp_path / "run", "--min-tier", "1", course=root)
    said = grade("sources", tmp_path / "run", "double", "-o", tmp_path / "compare", course=root)
    assert "the answers of 1 student" in said.words
    assert (tmp_path / "compare" / "students" / "ada" / "double.py").read_text(encoding="utf-8") == MINE
    put(tmp_path / "thesis" / "chapter.tex", "years of work")
    grade("sources", tmp_path / "run", "-o", tmp_path / "thesis", course=root, code=2)
    assert [path.name for path in (tmp_path / "thesis").iterdir()] == ["chapter.tex"]
