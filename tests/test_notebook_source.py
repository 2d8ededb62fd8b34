"""``grade nbgrader source``: notebooks that nbgrader takes, with nothing hidden in what students and gradebook get."""

from __future__ import annotations

import importlib.util
import json
import re
import secrets
import shutil
import subprocess
import sys
from textwrap import dedent
from types import SimpleNamespace

import nbformat
import pytest
from commands import ROOT, grade, grade_json
from courses import put, tiny_course
from hypothesis import given
from hypothesis import strategies as st

from grader import course as courses
from grader import problem as problems
from grader import variants
from grader.errors import AuthoringError, UsageError
from grader.isolation.inside import cells as child
from grader.notebook import cells, config, installed, live, paper
from grader.notebook.cells import CellName, Kind

HIDDEN = "double--check--after_hand_in_"
CALLED = cells.called("double", "doubles_any_array", visible=False)
PICTURE = "<svg xmlns='http://www.w3.org/2000/svg'/>"
needs_nbgrader = pytest.mark.skipif(importlib.util.find_spec("nbgrader") is None, reason="nbgrader is not installed")


@pytest.fixture
def root(tmp_path):
    return tiny_course(tmp_path, "double", "triple")


@pytest.fixture
def taught(tmp_path):
    """The folder of a nbgrader course."""
    folder = tmp_path / "taught"
    folder.mkdir()
    return folder


def written(root, taught, *arguments, code=0):
    return grade("nbgrader", "source", "week1", *arguments, "--folder", taught, course=root, code=code)


def notebook(taught, slug="double", step="source"):
    return nbformat.read(taught / step / "week1" / f"{slug}.ipynb", as_version=4)


def save(taught, content, slug="double"):
    nbformat.write(content, taught / "source" / "week1" / f"{slug}.ipynb")


def grading(content):
    return {cell.metadata.nbgrader.grade_id: cell for cell in content.cells if "nbgrader" in cell.metadata}


def told(cell):
    about = cell.metadata.nbgrader
    flags = [flag for flag in ("grade", "solution", "locked", "task") if about[flag]]
    return cell.cell_type, flags, about.get("points")


def problem(root, slug="double"):
    return problems.load(courses.find(root).problem(slug))


# The names of cells


@given(st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True), st.sampled_from(list(Kind)), st.text(min_size=1))
def test_a_cells_name_is_read_back_and_is_one_that_nbgrader_takes(slug, kind, name):
    made = CellName(slug, kind, name if kind in cells.NAMED else "")
    assert re.fullmatch(r"[a-zA-Z0-9_\-]+", made.grade_id)
    assert cells.parse(made.grade_id) == made


@pytest.mark.parametrize(
    "name", ["", None, 3, "cell-1", "xor", "xor--wrong--f", "xor--check", "Xor--try", "xor--try--f"]
)
def test_other_names_are_none_of_ours(name):
    assert cells.parse(name) is None


# What is written


def test_the_notebook_has_every_cell_that_nbgrader_and_a_person_need(root, taught):
    written(root, taught, "double", "triple")
    double, triple = notebook(taught), notebook(taught, "triple")
    assert {name: told(cell) for name, cell in grading(double).items()} == {
        "double--statement": ("markdown", ["locked"], None),
        "double--answer--double": ("code", ["solution"], None),
        "double--try": ("code", ["locked"], None),
        "double--check--doubles_three_numbers": ("code", ["grade", "locked"], 1),
        "double--check--adds_to_itself": ("code", ["grade", "locked"], 1),
        f"double--check--{CALLED}": ("code", ["grade", "locked"], 2),
    }
    assert {name: told(cell) for name, cell in list(grading(triple).items())[-2:]} == {
        "triple--scheme--1": ("markdown", ["locked", "task"], 0),
        "triple--marking--1": ("markdown", ["grade", "solution"], 2),
    }
    scheme = grading(triple)["triple--scheme--1"].source
    assert "In words (2 points)" in scheme
    assert scheme.partition("### BEGIN MARK SCHEME")[2].split() == [
        "Is",
        "it",
        "explained?",
        "###",
        "END",
        "MARK",
        "SCHEME",
    ]
    for content in (double, triple):
        nbformat.validate(content)
        assert content.metadata.kernelspec.name == "python3"
        assert (content.nbformat, content.nbformat_minor) == (4, 5)


def test_headings_of_a_mark_scheme_are_below_that_of_its_cell(root):
    marking = "points: 2\n\n# What is marked\n\n## More\n\n```\n# code\n```\n"
    made = json.loads(paper.notebook(problem(root, "triple"), "# Triple\n", marking))
    text = made["cells"][-2]["source"]
    lines = ("".join(text) if isinstance(text, list) else text).split("\n")
    assert [line for line in lines if line.startswith("#")] == [
        "## In words (2 points)",
        "### BEGIN MARK SCHEME",
        "#### What is marked",
        "##### More",
        "# code",
        "### END MARK SCHEME",
    ]


def test_the_same_problem_gives_the_same_bytes(root, taught, tmp_path):
    again = tmp_path / "again"
    for folder in (taught, again):
        written(root, folder, "double")
    place = "source/week1/double.ipynb"
    assert (taught / place).read_bytes() == (again / place).read_bytes()


def test_points_are_those_of_grade_run(root, taught):
    said = written(root, taught, "double", "triple").words
    assert "week1: 7 points by checks, and 2 points by hand" in said
    for slug in ("double", "triple"):
        graded = [cell.metadata.nbgrader for cell in notebook(taught, slug).cells if "nbgrader" in cell.metadata]
        asked = sum(about.points for about in graded if about.grade and not about.solution)
        assert asked == problem(root, slug).points


def test_the_source_notebook_solves_its_problem_without_nbgrader(root, taught, tmp_path):
    written(root, taught, "double", "triple")
    put(tmp_path / "class" / "ada" / "keep.txt", "")
    for slug in ("double", "triple"):
        shutil.copy(taught / "source" / "week1" / f"{slug}.ipynb", tmp_path / "class" / "ada")
    run = grade_json("run", tmp_path / "class", "-o", tmp_path / "run", "--min-tier", 1, course=root)
    (ada,) = run["students"]
    assert (ada["score"], ada["points"]) == (7, 7)
    assert [verdict["notes"] for verdict in ada["verdicts"]] == [[], []]  # %grade is nothing to remark on


@pytest.mark.parametrize("line", ["%grade xor", "%grade xor::name", "%load_ext grader", "%grade"])
def test_our_own_lines_are_left_out_of_an_answer_without_a_note(line):
    assert child.prepare(f"x = 1\n{line}", "a cell").notes == ()


@pytest.mark.parametrize("line", ["%load_ext autoreload", "%grader xor", "%matplotlib inline"])
def test_other_magics_are_noted(line):
    assert child.prepare(f"x = 1\n{line}", "a cell").notes == (f"left out: {line}",)


def test_a_students_machine_gets_what_the_visible_checks_need(root, taught):
    put(root / "problems" / "double" / "shown.svg", PICTURE)
    statement = root / "problems" / "double" / "statement.md"
    statement.write_text(statement.read_text(encoding="utf-8") + "\n![Twice](shown.svg)\n", encoding="utf-8")
    written(root, taught, "double")
    home = taught / "source" / "week1"
    beside = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    names = ("mistakes.json", "released.json", "shown.svg", "statement.md", "visible.py")
    assert beside == {"double.ipynb", *(f"problems/double/{name}" for name in names)}
    assert "![Twice](problems/double/shown.svg)" in grading(notebook(taught))["double--statement"].source


def test_helpers_of_the_reference_leave_a_cell_that_runs():
    text = dedent('''\
        """Docs."""

        import math


        # BEGIN SOLUTION
        TABLE = """
        as it is
        """


        def helper(x):
            return math.sqrt(x)


        # END SOLUTION


        @staticmethod
        def f(x):
            """Root."""
            # BEGIN SOLUTION
            return helper(x), TABLE
            # END SOLUTION


        def given():
            return f
        ''')
    named = [(name, part) for name, part in paper.parts(text) if part.strip()]
    assert [name for name, _ in named] == ["", "", "f", "given"]
    found: dict[str, object] = {}
    for _, part in named:
        exec(part, found)
    assert found["given"]()(4) == (2, "\nas it is\n")
    released: dict[str, object] = {}
    for _, part in named:
        exec(variants.stub(part) if "BEGIN" in part else part, released)
    assert "helper" not in released
    with pytest.raises(NotImplementedError):
        released["given"]()(4)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("problems/double/statement.md", "Between BEGIN SOLUTION and the end"),
        ("problems/double/statement.md", "### BEGIN HIDDEN TESTS"),
        ("problems/triple/marking.md", "END MARK SCHEME"),
        ("reference/double.py", "# it is BEGIN SOLUTION that opens"),
    ],
)
def test_words_that_nbgrader_takes_for_its_own_are_refused(root, taught, path, line):
    place = root / path
    place.write_text(place.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")
    said = written(root, taught, "double", "triple", code=3).err
    assert path in said
    assert "nbgrader takes" in said
    assert not (taught / "source").exists()


# What somebody has edited


def test_what_was_edited_is_kept_and_named_until_it_is_moved_away(root, taught):
    written(root, taught, "double")
    edited = notebook(taught)
    edited.cells.append(nbformat.v4.new_markdown_cell("A word of my own."))
    save(taught, edited)
    said = written(root, taught, "double", code=1).out
    assert "kept source/week1/double.ipynb: it was edited, and differs; move it away" in " ".join(said.split())
    assert notebook(taught).cells[-1].source == "A word of my own."
    (taught / "source" / "week1" / "double.ipynb").unlink()
    assert "wrote source/week1/double.ipynb" in written(root, taught, "double").out


def test_a_notebook_that_was_run_and_saved_is_brought_up_to_date(root, taught):
    written(root, taught, "double")
    saved = notebook(taught)
    for cell in saved.cells:
        if cell.cell_type == "code":
            cell.execution_count = 3
            cell.outputs = [nbformat.v4.new_output("stream", text="hello")]
    saved.metadata.language_info.version = "3.11"
    save(taught, saved)
    statement = root / "problems" / "double" / "statement.md"
    statement.write_text("# Twice, again\n", encoding="utf-8")
    assert "wrote source/week1/double.ipynb" in written(root, taught, "double").out
    assert notebook(taught).cells[0].source == "# Twice, again"


def test_what_is_as_it_would_be_written_is_said_to_be_so(root, taught):
    written(root, taught, "double")
    assert "source/week1/double.ipynb is up to date" in written(root, taught, "double").out


def test_a_file_that_we_did_not_write_is_kept(root, taught):
    place = put(taught / "source" / "week1" / "double.ipynb", "{}")
    assert "kept source/week1/double.ipynb" in written(root, taught, "double", code=1).out
    assert place.read_text(encoding="utf-8") == "{}"


def test_a_problem_that_is_no_longer_in_it_is_named_and_its_files_go(root, taught):
    written(root, taught, "double", "triple")
    said = written(root, taught, "triple").words
    assert "source/week1/double.ipynb is of no problem named here and still part of the assignment" in said
    assert not (taught / "source" / "week1" / "problems" / "double" / "visible.py").exists()


# The configuration


def configured(text):
    """Run a configuration as nbgrader does; return what it set, by section."""
    sections: dict[str, SimpleNamespace] = {}

    class Config:
        def __getattr__(self, name):
            return sections.setdefault(name, SimpleNamespace())

    exec(text, {"get_config": Config})
    return sections


def test_a_new_course_gets_a_configuration_that_names_the_problems(root, taught):
    written(root, taught, "double")
    sections = configured((taught / "nbgrader_config.py").read_text(encoding="utf-8"))
    assert sections["SandboxJudge"].course == str(root)
    judges = sections["Autograde"].autograde_preprocessors
    assert config.ADAPTER in judges
    assert "nbgrader.preprocessors.Execute" not in judges
    assert config.SANITIZER in sections["Autograde"].sanitize_preprocessors


def test_a_configuration_of_somebodys_own_is_kept_and_the_lines_are_printed(root, taught):
    own = "c = get_config()\nc.CourseDirectory.course_id = 'deep'\n"
    put(taught / "nbgrader_config.py", own)
    said = written(root, taught, "double").out
    assert (taught / "nbgrader_config.py").read_text(encoding="utf-8") == own
    assert "is yours and was left as it is" in " ".join(said.split())
    assert "c.Autograde.autograde_preprocessors = [" in said


def test_our_block_alone_is_brought_up_to_date(root, taught, tmp_path):
    written(root, taught, "double")
    place = taught / "nbgrader_config.py"
    before = place.read_text(encoding="utf-8")
    place.write_text(f"# mine, above\n{before}# mine, below\n", encoding="utf-8")
    moved = root.rename(tmp_path / "moved")
    written(moved, taught, "double")
    after = place.read_text(encoding="utf-8")
    assert after.startswith("# mine, above\n")
    assert after.endswith("# mine, below\n")
    assert configured(after)["SandboxJudge"].course == str(moved)
    assert str(root) not in after


# What is asked for


@pytest.mark.parametrize("name", ["", "a/b", "..", "a+b", "-x", "x.", "x\ny"])
def test_a_name_that_nbgrader_does_not_take_is_refused(root, taught, name):
    said = grade("nbgrader", "source", "--folder", taught, "--", name, "double", course=root, code=2).err
    assert "nbgrader takes no assignment" in said
    assert list(taught.iterdir()) == []


def test_an_assignment_of_the_course_brings_its_problems(root, taught):
    put(root / "course.toml", '[assignments.week1]\nproblems = ["triple"]\n')
    written(root, taught)
    assert [path.name for path in (taught / "source" / "week1").glob("*.ipynb")] == ["triple.ipynb"]


def test_no_problem_and_no_such_assignment_is_a_sentence(root, taught):
    said = written(root, taught, code=2).err
    assert "no assignment 'week1'" in said
    assert "or name its problems" in said


def test_a_course_without_the_reference_is_refused(tmp_path, taught):
    root = tiny_course(tmp_path, reference=False)
    assert "reference" in written(root, taught, "double", code=2).err
    assert list(taught.iterdir()) == []


@pytest.mark.parametrize("version", ["0.8.5", "0.10.0", "1.0", "0.90.1"])
def test_other_versions_of_nbgrader_are_refused(monkeypatch, root, taught, version):
    monkeypatch.setattr(installed.metadata, "version", lambda _name: version)
    assert f"nbgrader {version} is installed, but only 0.9.x is known" in written(root, taught, "double", code=2).err


def test_without_nbgrader_the_notebooks_are_written_and_that_is_said(monkeypatch, root, taught):
    monkeypatch.setattr(installed, "version", lambda: "")
    assert "nbgrader is not installed here" in written(root, taught, "double").words
    with pytest.raises(UsageError, match="nbgrader is not installed beside"):
        installed.require()


def test_nbgraders_commands_find_what_lies_beside_this_python(monkeypatch):
    monkeypatch.setenv("PATH", "/somewhere/else")
    programs = str(installed.Path(sys.executable).parent)
    assert installed.environment()["PATH"].split(":")[0] == programs


def test_a_function_written_twice_is_refused(root):
    place = root / "reference" / "double.py"
    text = place.read_text(encoding="utf-8")
    place.write_text(text + "\n\n" + text[text.index("def ") :], encoding="utf-8")
    with pytest.raises(AuthoringError, match="double is defined twice"):
        paper.notebook(problem(root), "# A", "")


# Through nbgrader itself


def nbgrader(taught, *arguments):
    """Run nbgrader's own command; return what it printed."""
    done = subprocess.run(
        installed.command(*arguments), cwd=taught, env={**installed.environment(), "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """A nbgrader course whose assignment is released, and the canaries that are in it nowhere."""
    folder = tmp_path_factory.mktemp("generated")
    root = tiny_course(folder, "double", "triple")
    canaries = {}

    def plant(path, line, before=""):
        canaries[f"{path}, {line}"] = token = f"canary{secrets.token_hex(8)}"
        place = root / path
        text = place.read_text(encoding="utf-8")
        planted = line.format(token)
        place.write_text(
            text.replace(before, planted + before, 1) if before else f"{text}\n{planted}\n", encoding="utf-8"
        )

    plant("problems/double/hidden.py", "# {}")
    plant("problems/double/hidden.py", "{} = 3")
    plant("problems/double/hidden.py", "@check()\ndef {}(student):\n    '''It doubles.'''\n    student.double(1.0)")
    plant("problems/double/hidden.py", "@check()\ndef another(student):\n    '''It {}.'''\n    student.double(1.0)")
    plant("problems/double/variants.py", "# {}")
    plant("reference/double.py", "    # {}\n", "    return 2 * x")
    plant("reference/triple.py", "    # {}\n", "    return 3 * x")
    plant("problems/triple/marking.md", "{}")
    assert len(set(canaries.values())) == 8
    taught = folder / "taught"
    taught.mkdir()
    written(root, taught, "double", "triple")
    nbgrader(taught, "generate_assignment", "week1")
    return SimpleNamespace(root=root, taught=taught, canaries=canaries)


@needs_nbgrader
def test_nbgrader_releases_nothing_hidden_and_keeps_nothing_hidden(generated):
    released = [path for path in (generated.taught / "release").rglob("*") if path.is_file()]
    assert {path.name for path in released} >= {"double.ipynb", "triple.ipynb", "visible.py"}
    everything = b"".join(path.read_bytes() for path in released)
    gradebook = (generated.taught / "gradebook.db").read_bytes()
    sources = b"".join(path.read_bytes() for path in (generated.taught / "source").rglob("*.ipynb"))
    for place, canary in generated.canaries.items():
        assert canary.encode() not in everything, place
        if "marking.md" not in place:  # whoever marks reads the scheme from the gradebook
            assert canary.encode() not in gradebook, place
    for words in (b"return 2 * x", b"doubles_any_array", b"Any array is doubled"):
        assert words not in everything + gradebook
    assert b"return 2 * x" in sources


@needs_nbgrader
def test_the_gradebook_has_the_points_of_grade_run(generated):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{generated.taught / 'gradebook.db'}") as book:
        points = {notebook.name: notebook.max_score for notebook in book.find_assignment("week1").notebooks}
    assert points == {slug: p.points + p.manual_points for slug in points for p in [problem(generated.root, slug)]}
    assert set(points) == {"double", "triple"}


def work(generated, tmp_path, **answers):
    """Fill in released notebooks; return their folder, which holds what a student has and nothing else."""
    home = tmp_path / "week1"
    shutil.copytree(generated.taught / "release" / "week1", home)
    for slug, text in answers.items():
        filled = nbformat.read(home / f"{slug}.ipynb", as_version=4)
        grading(filled)[f"{slug}--answer--{slug}"].source = text
        nbformat.write(filled, home / f"{slug}.ipynb")
    return home


@needs_nbgrader
def test_validate_runs_a_right_notebook_to_its_end_and_says_what_is_wrong_in_another(generated, tmp_path):
    wrong = "def triple(x):\n    print('so far')\n    return x**3"
    home = work(generated, tmp_path, double="def double(x):\n    return 2 * x", triple=wrong)
    said = nbgrader(home, "validate", "double.ipynb", "triple.ipynb")
    right, wrong = said.split("VALIDATION FAILED")
    assert "Success! Your notebook passes all the tests." in right
    words = " ".join(wrong.split())
    assert "ON 2 CELL(S)" in words  # the check, and the words that nobody has written
    assert "%grade triple::triples_two" in words
    assert "got 8" in words
    assert "wanted 6" in words
    assert "Hint: Is three a factor here, or a power?" in words  # from the recorded mistakes
    assert "so far" in words


@needs_nbgrader
def test_nbgrader_alone_gives_no_points(generated, tmp_path):
    """Whoever autogrades without our lines gives none for a check, hidden or not, and sees why."""
    home = work(generated, tmp_path, double="def double(x):\n    return 2 * x")
    taught = tmp_path / "taught"
    shutil.copytree(generated.taught, taught)
    (taught / "nbgrader_config.py").unlink()
    shutil.copytree(home, taught / "submitted" / "ada" / "week1")
    nbgrader(taught, "autograde", "week1", "--create", "--notebook", "double")
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{taught / 'gradebook.db'}") as book:
        scores = {grade.name: grade.score for grade in book.find_submission_notebook("double", "week1", "ada").grades}
    assert set(scores.values()) == {0}
    assert any(name.startswith(HIDDEN) for name in scores)
    graded = (taught / "autograded" / "ada" / "week1" / "double.ipynb").read_text(encoding="utf-8")
    assert "no points are given here" in graded


@needs_nbgrader
def test_feedback_has_no_mark_scheme(generated):
    from grader.notebook.feedback import OmitMarkScheme

    content = notebook(generated.taught, "triple")
    students = nbformat.v4.new_markdown_cell("I write BEGIN MARK SCHEME and go on.")
    content.cells.append(students)
    shown, _ = OmitMarkScheme().preprocess(content, {})
    scheme = grading(shown)["triple--scheme--1"].source
    assert "In words (2 points)" in scheme
    assert "explained" not in scheme
    assert "canary" not in scheme
    assert shown.cells[-1].source == "I write BEGIN MARK SCHEME and go on."


@needs_nbgrader
def test_a_released_notebook_filled_in_is_graded_without_nbgrader(generated, tmp_path):
    answers = {"ada": "def double(x):\n    return 2 * x", "bob": "def double(x):\n    return x + abs(x)"}
    for student, text in answers.items():
        shutil.copytree(work(generated, tmp_path / student, double=text), tmp_path / "submitted" / student / "week1")
    arguments = ("-o", tmp_path / "run", "--problem", "double", "--min-tier", 1)
    run = grade_json("run", tmp_path / "submitted", *arguments, course=generated.root)
    totals = {student["student"]: (student["score"], student["points"]) for student in run["students"]}
    worth = problem(generated.root).points
    assert totals == {"ada": (worth, worth), "bob": (worth - 2, worth)}


def test_the_ledger_is_not_released(root, taught):
    written(root, taught, "double")
    assert json.loads((taught / "grader-runs" / "week1" / "source.json").read_text(encoding="utf-8"))["files"]
    assert not list((taught / "source").rglob("source.json"))


# The page


def test_the_page_names_the_cells_and_lines_that_there_are(taught):
    page = (ROOT / "docs" / "nbgrader.md").read_text(encoding="utf-8")
    typed = re.search(r"^grade --course ~/problems-course (nbgrader source week1 .*)$", page, re.MULTILINE)
    assert typed is not None
    grade(*typed[1].split(), "--folder", taught, course=ROOT)
    content = notebook(taught, "xor")
    named = re.findall(r"^\| .* \| `(xor--[a-z0-9_-]+)` \|", page, re.MULTILINE)
    assert {cells.parse(name).kind for name in named} == set(Kind)
    there = {re.sub("after_hand_in_.{8}", "after_hand_in_1a2b3c4d", name) for name in grading(content)}
    assert {name for name in named if cells.parse(name).kind is not Kind.HELPERS} <= there
    lines = re.findall(r"^\| `%grade (.*?)` \|", page, re.MULTILINE)
    assert [live.read(line).targets[0][0] for line in lines] == ["xor"] * 3
