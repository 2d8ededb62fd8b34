"""What ``docs/instructors.md`` and ``docs/similarity.md`` tell people to type works as it stands there, in order."""

from __future__ import annotations

import csv
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from commands import ROOT, grade
from courses import put
from test_docs import blocks, lines, named, typed

from grader.cli import SUMMARIES, main

DOCS = ROOT / "docs"
INSTRUCTORS, SIMILARITY = ((DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("instructors", "similarity"))
NOT_OURS = ("python3 -m venv", ". .venv", "pip install")
PARTED = "\n## With nbgrader"
RIGHT = (ROOT / "reference" / "xor.py").read_text(encoding="utf-8")
STUB = (ROOT / "student_template" / "xor.py").read_text(encoding="utf-8")
OFF = RIGHT.replace("return float(np.mean((y - t) ** 2))", "return np.sum((y - t) ** 2) / 2")
CLASS = {  # as Canvas names them: who, by which login, and what
    101: ("lovelaceada", "ada", RIGHT),
    102: ("hoppergrace", "grace", OFF),
    103: ("noetheremmy", "emmy", STUB),
    104: ("curiemarie", "marie", RIGHT.replace("t) ** 2", "t) * (y - t)")),
    105: ("turingalan", "alan", "def forward(:\n"),
}
MANUAL = 4.0
GRADEBOOK = (
    '\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,"Week 1 (4711)",Week 0 (4700)\r\n'
    ",,,,,Manual Posting,\r\n"
    "    Points Possible,,,,,16.00,5\r\n"
    '"Lovelace, Ada",101,S-1,ada,A,,4.50\r\n'
    '"Hopper, Grace",102,S-2,grace,A,,3\r\n'
    '"Noether, Emmy",103,S-3,emmy,A,,\r\n'
    '"Curie, Marie",104,S-4,marie,A,,5\r\n'
    '"Turing, Alan",105,S-5,alan,A,,2\r\n'
    '"Franklin, Rosalind",106,S-6,rosalind,A,,1\r\n'
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """An instructor's folder: the repository beside the course that is to be, and what Canvas lets one download."""
    folder = tmp_path_factory.mktemp("desk")
    for part in ("problems/xor", "reference"):
        shutil.copytree(ROOT / part, folder / "tensor-grader" / part, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def downloads(course):
    """Put into the course what is downloaded between the evenings, and the table of marks that a person has made."""
    with zipfile.ZipFile(course / "submissions.zip", "w") as archive:
        for number, (name, _, text) in CLASS.items():
            archive.writestr(f"{name}_{number}_{9000 + number}_xor.py", text)
    (course / "gradebook.csv").write_bytes(GRADEBOOK.encode())
    put(
        course / "marks.csv",
        "ada,4,all there\ngrace,3,strictness\nemmy,0,nothing written\nmarie,4,by hulls\nalan,2,half\n",
    )


def shell(text, folder):
    """Run a block of shell, in which ``grade`` is this one."""
    put(folder / "bin" / "grade", f'#!/bin/sh\nexec "{sys.executable}" -m grader "$@"\n').chmod(0o755)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-euc", text], cwd=folder, env=environment, check=True, capture_output=True)


@pytest.fixture(scope="module")
def evenings(desk):
    """Follow the page from its first line to nbgrader's part; return the course, and what each command said."""
    before, said, here = os.getcwd(), {}, desk  # noqa: PTH109 - to come back to
    try:
        os.chdir(desk)
        for file, kind, text in blocks(INSTRUCTORS.partition(PARTED)[0]):
            if file:
                (here / file).write_text(text, encoding="utf-8")
                downloads(here)
            elif kind == "sh":
                shell(text, here)
            for words in lines(text) if not (file or kind) else ():
                if words[0] == "cd":
                    here /= words[1]
                    os.chdir(here)
                elif words[0] == "cp":
                    subprocess.run(words, check=True)
                elif not " ".join(words).startswith(NOT_OURS):
                    assert words[0] == "grade", words
                    said[" ".join(words[1:])] = grade(*words[1:]).words
    finally:
        os.chdir(before)
    return here, said


def begins(said, words):
    (found,) = [text for command, text in said.items() if command.startswith(words)]
    return found


def test_the_first_evening_ends_in_a_bundle_with_nothing_hidden(evenings):
    course, said = evenings
    assert begins(said, "verify xor").startswith("xor: proved.")
    handed_out = {path.name for path in (course / "handout" / "problems" / "xor").iterdir()}
    assert handed_out == {"statement.md", "visible.py", "mistakes.json", "released.json"}


def test_the_second_evening_ends_in_a_filled_gradebook(evenings):
    """Whoever handed in has points by checks and by hand, late ones less; whoever did not has an empty cell."""
    course, said = evenings
    assert "6 students" in begins(said, "run submissions.zip")
    with (course / "upload.csv").open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    marks = {row[3]: row[head.index("Week 1 (4711)")] for row in rows[2:]}
    assert marks["ada"] == marks["marie"] == "16"
    assert marks["rosalind"] == ""
    assert marks["emmy"] == "0"
    assert marks["alan"] == "2"
    assert 5 < float(marks["grace"]) < 15
    assert [row[6] for row in rows[2:]] == ["4.50", "3", "", "5", "2", "1"]


def test_pages_are_there_to_be_handed_out(evenings):
    course, _ = evenings
    assert (course / "report" / "index.html").is_file()
    names = {path.stem for path in (course / "report" / "students").iterdir()}
    assert names == {"ada", "grace", "emmy", "marie", "alan", "rosalind"}


def test_what_is_replayed_runs_by_itself(evenings):
    course, _ = evenings
    done = subprocess.run(
        [sys.executable, "replay.py"], cwd=course, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert "loss" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(importlib.util.find_spec("nbgrader") is None, reason="nbgrader is not installed")
def test_the_way_through_nbgrader_ends_in_marks_and_feedback(evenings, monkeypatch):
    """A right notebook and an empty one from a download: judged, recorded, and what a person marks is open."""
    import nbformat

    here, _ = evenings
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(here)
    for words in typed(INSTRUCTORS.partition(PARTED)[2]):
        if words[:3] == ["grade", "nbgrader", "collect"]:
            with zipfile.ZipFile(here / "notebooks.zip", "w") as archive:
                for name, folder in (("lovelaceada_101", "source"), ("hoppergrace_102", "release")):
                    book = nbformat.read(here / "nb" / folder / "week1" / "xor.ipynb", 4)
                    archive.writestr(f"{name}_9{name[-3:]}_xor.ipynb", nbformat.writes(book))
        if words[0] == "cd":
            monkeypatch.chdir(here / words[1])
        elif words[0] == "grade":
            grade(*words[1:])
        else:
            subprocess.run(words, check=True, capture_output=True)
    with (here / "nb" / "marks.csv").open(encoding="utf-8", newline="") as file:
        marks = {row["student_id"]: row for row in csv.DictReader(file)}
    assert (marks["grace"]["score"], marks["ada"]["score"]) == ("0", "")
    assert marks["ada"]["max_score"] == "16"
    feedback = (here / "nb" / "feedback" / "ada" / "week1" / "xor.html").read_text(encoding="utf-8")
    assert "12" in feedback


@pytest.mark.skipif(importlib.util.find_spec("copydetect") is None, reason="copydetect is not installed")
def test_answers_are_compared_with_each_other_and_with_the_known_ones(evenings):
    """Who took the worked solution is found, and so are two who share an answer; stubs and broken files are not."""
    course, _ = evenings
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(course)
        for words in typed(SIMILARITY):
            if words[0] == "copydetect":
                command = [sys.executable, "-m", *words]
                subprocess.run(command, check=True, capture_output=True, env={**os.environ, "MPLBACKEND": "agg"})
            elif words[0] == "grade":
                grade(*words[1:])
    text = re.sub(r"<[^>]*>", " ", (course / "similarity.html").read_text(encoding="utf-8"))
    pairs = re.findall(r"Test file:\s+(\S+)\s+\(\s*[\d.]+%\s*\)\s+Reference file:\s+(\S+)", text)
    found = {tuple("/".join(path.split("/")[-3:-1]) for path in pair) for pair in pairs}
    assert ("students/ada", "known/reference") in found
    assert {("students/ada", "students/marie"), ("students/marie", "students/ada")} & found
    assert not [pair for pair in found if {"students/emmy", "students/alan"} & set(pair)]


@pytest.mark.parametrize("page", [INSTRUCTORS, SIMILARITY], ids=["instructors", "similarity"])
def test_commands_and_options_that_are_named_exist(page):
    context = main.make_context("grade", [], resilient_parsing=True)
    assert named(page)
    for name, *arguments in named(page):
        assert name in SUMMARIES
        command = main.get_command(context, name)
        if name == "nbgrader" and arguments:
            command = command.get_command(context, arguments[0])
        known = {option for one in command.params for option in one.opts}
        assert {word for word in arguments if word.startswith("-")} <= known, (name, arguments)


@pytest.mark.parametrize("page", [INSTRUCTORS, SIMILARITY], ids=["instructors", "similarity"])
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page):
        assert (DOCS / link).is_file(), link
    for anchor in re.findall(r"\]\(#([^)]+)\)", page):
        titles = [
            re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.*)", page, re.MULTILINE)
        ]
        assert anchor in titles
