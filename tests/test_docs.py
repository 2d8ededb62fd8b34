"""What ``docs/authors.md`` and ``docs/students.md`` tell people to type and to write works as it stands there."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
import shutil

import pytest
from commands import ROOT, grade
from courses import put

import grader
from grader import bundle, release, verify
from grader import course as courses
from grader.cli import SUMMARIES, main
from grader.practice import PUBLIC_SEED

DOCS = ROOT / "docs"
AUTHORS = (DOCS / "authors.md").read_text(encoding="utf-8")
STUDENTS = (DOCS / "students.md").read_text(encoding="utf-8")
PAGES = pytest.mark.parametrize("page", [AUTHORS, STUDENTS], ids=["authors", "students"])
BLOCK = re.compile(r"(?:^`(?P<file>[\w./]+)`\n\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_OURS = ("python3 -m venv", ". .venv", "pip install")
WEEK = '[assignments.week1]\nproblems = ["xor"]\ndue = 2999-01-31T23:59:00+01:00\n'


def blocks(page):
    """Yield each block of a page: the file that it is said to be, its kind and its text."""
    return [(found["file"], found["kind"], found["text"]) for found in BLOCK.finditer(page)]


def lines(text):
    """Return the commands of a block as words, without what stands behind a #."""
    return [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]


def typed(page):
    return [words for file, kind, text in blocks(page) if not (file or kind) for words in lines(text)]


def unmeasured(text):
    """Return a proof's text without the numbers of its last columns, which differ in their digits between machines."""
    kept = [line.rstrip() for line in text.strip().splitlines()]
    return [re.sub(r"(?<=\s)(\d[\d.e+-]*|exact|-)(\s+)(\d[\d.e+-]*|exact|-)$", "# #", line) for line in kept]


# The author's page, from its first line to its last


@pytest.fixture
def walk(tmp_path, monkeypatch):
    """Follow the author's page in an empty folder; return what `grade verify` said, and what the page says it does."""
    monkeypatch.chdir(tmp_path)
    said, shown = "", ""
    for file, kind, text in blocks(AUTHORS):
        if file:
            path = tmp_path / "teaching" / file
            assert path.exists() or path.name == "marking.md", f"{file} is none of the files that `grade new` started"
            path.write_text(text, encoding="utf-8")
        elif kind == "text":
            shown = text
        elif not kind:
            for command, *arguments in lines(text):
                if command == "cd":
                    monkeypatch.chdir(*arguments)
                    continue
                assert command == "grade"
                told = grade(*arguments, code=int(arguments[0] == "check"))
                said = told.out if arguments[0] == "verify" else said
    return tmp_path / "teaching", said, shown


def test_the_walk_through_ends_in_a_proof_and_in_a_bundle(walk):
    """Its files, written where the page says, are proved; the page shows what the command says; students get none
    of what is hidden.
    """
    course, said, shown = walk
    assert said.startswith("temperature: proved.")
    assert unmeasured(said) == unmeasured(shown)
    here = courses.find(course)
    assert here.slugs == ("temperature",)
    files = here.problem("temperature")
    for name in ("statement", "visible", "hidden", "variants", "marking", "reference"):
        assert getattr(files, name) in AUTHORS, f"{name} is still what `grade new` wrote"
    handed_out = {path.name for path in (course / "handout" / "problems" / "temperature").iterdir()}
    assert handed_out == {"statement.md", "visible.py", "mistakes.json", "released.json"}


def test_the_author_reads_about_every_word_with_its_own_defaults():
    (table,) = re.findall(r"^## Every word\n\n((?:\|.*\n)+)", AUTHORS, re.MULTILINE)
    described = dict(re.findall(r"`(?:raise )?(\w+)\((.*?)\)`", table))
    assert set(described) == set(grader.__all__)
    for name in ("check", "settings", "close", "normal", "uniform"):
        call = ast.parse(f"f({described[name]})", mode="eval").body
        told = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
        parameters = inspect.signature(getattr(grader, name)).parameters.values()
        assert told == {one.name: one.default for one in parameters if one.default is not one.empty}
        assert [word.id for word in call.args] == [one.name for one in parameters if one.default is one.empty]


def test_the_author_reads_about_every_demand_of_a_proof():
    demanded = re.findall(r"^\(([a-z])\)", verify.__doc__, re.MULTILINE)
    assert re.findall(r"^\| ([a-z]) \|", AUTHORS, re.MULTILINE) == demanded


@pytest.mark.parametrize("text", [text for file, kind, text in blocks(AUTHORS) if kind == "python" and not file])
def test_other_pieces_of_code_run(text):
    exec(compile(text, "authors.md", "exec"), {})


def test_named_tuples_are_unpacked_as_the_author_is_told():
    (text,) = [text for _, _, text in blocks(AUTHORS) if "def members" in text]
    namespace = {}
    exec(compile(text, "authors.md", "exec"), namespace)
    assert namespace["members"]({"kind": "weights", "numbers": [1]}) == ("weights", [1])
    assert namespace["members"](["weights", [1]]) == ("weights", [1])


# The student's page, in a bundle of a real problem


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A bundle of the problem that the page speaks of."""
    course = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "problems" / "xor", course / "problems" / "xor")
    put(course / "reference" / "xor.py", (ROOT / "reference" / "xor.py").read_text(encoding="utf-8"))
    put(course / "course.toml", WEEK)
    return release.files(courses.find(course), "week1")


@pytest.fixture
def desk(released, tmp_path, monkeypatch):
    """A student's folder with an answer whose loss is off by a factor."""
    bundle.write(released, tmp_path / "xor")
    text = (ROOT / "reference" / "xor.py").read_text(encoding="utf-8")
    assert "return float(np.mean((y - t) ** 2))" in text
    answer = text.replace("return float(np.mean((y - t) ** 2))", "return np.sum((y - t) ** 2) / 2")
    put(tmp_path / "xor" / "student_template" / "xor.py", answer)
    (tmp_path / "xor" / "inbox").mkdir()
    monkeypatch.chdir(tmp_path / "xor")
    return tmp_path / "xor"


def test_every_command_of_the_students_page_works(desk):
    """What is checked is not all right, so checking exits with 1; all the rest with 0."""
    said = {}
    for command, *arguments in typed(STUDENTS):
        if " ".join([command, *arguments]).startswith(NOT_OURS) or "--watch" in arguments:
            continue  # what does not end is tested where it is built
        assert command == "grade"
        said[" ".join(arguments)] = grade(*arguments, code=int(arguments[0] == "check")).words
    assert "XOR" in said["problems"]
    assert "loss(y, t): got 0.02 wanted 0.01" in said["check xor"]
    assert "points more are checked after hand-in" in said["check xor"]
    assert "A person marks 4 points" in said["check xor"]
    assert len(said["check xor -k loss"]) < len(said["check xor"])
    assert said["check xor -x"].count("✗") == 1
    assert "Called:" in said["check xor -x -v"]
    assert "week1.zip" in said["submit"]
    (delivered,) = (desk / "inbox" / "ada").glob("*.zip")
    assert delivered.read_bytes() == (desk / "student_template" / "week1.zip").read_bytes()


def test_the_limits_that_students_read_are_those_that_hold():
    limits = grader.settings()
    assert (limits.seconds, limits.problem_seconds, limits.import_seconds) == (2, 60, 10)
    assert (limits.memory_mib, limits.threads) == (1024, 1)
    assert "2 seconds of computing for one check, 60 for all of a problem, 10 for importing" in one_line(STUDENTS)
    assert "1 GiB of memory, and one thread" in one_line(STUDENTS)
    assert PUBLIC_SEED
    assert "The same file always gets the same answer" in one_line(STUDENTS)


# Both


def one_line(page):
    return " ".join(page.split())


def named(page):
    """Return each command with options that a page names, in its blocks or in its text."""
    inline = re.findall(
        r"`(grade [^`\n]+)`", one_line(re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL))
    )
    return [words[1:] for words in (*typed(page), *map(shlex.split, inline)) if words[0] == "grade"]


@PAGES
def test_commands_and_options_that_are_named_exist(page):
    context = main.make_context("grade", [], resilient_parsing=True)
    assert len(named(page)) > 8
    for name, *arguments in named(page):
        assert name in SUMMARIES
        known = {option for one in main.get_command(context, name).params for option in one.opts}
        assert {word for word in arguments if word.startswith("-")} <= known


def test_options_in_the_students_table_are_those_of_check():
    context = main.make_context("grade", [], resilient_parsing=True)
    known = {option for one in main.get_command(context, "check").params for option in one.opts}
    told = set(re.findall(r"^\| `(-[\w-]+)", STUDENTS, re.MULTILINE))
    assert told == {"-k", "-x", "-v", "--watch"}
    assert told <= known


@PAGES
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page):
        assert (DOCS / link).is_file(), link
