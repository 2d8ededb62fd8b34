"""The whole way with real nbgrader: source, generate, release, collect, autograde, marks by hand, feedback, export.

A class of ten, half of it collected from nbgrader's exchange and half from a download of Canvas; every mark is checked.
"""

from __future__ import annotations

import copy
import csv
import io
import json

import pytest
from commands import ROOT, grade
from courses import put, tiny_course
from packing import zipped
from taught import ANSWERS, NAME, Taught, cell_of, needs_nbgrader

from grader.notebook import cells

pytestmark = needs_nbgrader

SECRETS = ("lapislazuli", "obsidian")  # in a hidden check and in the reference: nothing that leaves holds them
TIME = "2026-11-11 10:00:00.000000 UTC"
EXCHANGE = """
c.CourseDirectory.course_id = "dl101"
c.Exchange.root = {exchange!r}
c.ExchangeCollect.check_owner = False
"""
PROOF = "Three times two is two and two and two."
POINTS = {
    "doubles_three_numbers": 1.0,
    "adds_to_itself": 1.0,
    cells.called("double", "doubles_any_array", visible=False): 2.0,
}

# Answers to `double`, and what its three checks give for them
ANSWERED = {
    "ada": (ANSWERS["double"], (1, 1, 2)),
    "bob": ("def double(x):\n    return x + x\n", (1, 1, 2)),
    "cyd": ("def double(x):\n    return x**2\n", (0, 0, 0)),
    "dan": ("def double(x):\n    return 2 * abs(x)\n", (0, 0, 2)),
    "eve": ("import os\n\n\ndef double(x):\n    os._exit(0)\n", (0, 0, 0)),
    "fay": (
        """\
import numpy as np


class Same(np.ndarray):
    def __eq__(self, other):
        return True


def double(x):
    np.allclose = lambda *a, **k: True
    print("2.0")
    return np.zeros(len(x)).view(Same)
""",
        (0, 0, 0),
    ),
    "gus": (ANSWERS["double"], (1, 1, 2)),  # in a damaged notebook
    "hal": ("def double(x):\n    while True:\n        pass\n", (0, 0, 0)),
    "ivy": (ANSWERS["double"], (0, 0, 0)),  # in a file that is cut off
    "jon": (None, (0, 0, 0)),  # not handed in
}
SAID = {
    "cyd": "Hint: Is two a factor here, or a power?",
    "dan": "Hint: Negative numbers have doubles too.",
    "eve": "crashed: 0 of 1 point",
    "hal": "timed out: 0 of 1 point",
    "ivy": "cut off before its end",
    "jon": "No file double.py or double.ipynb was handed in.",
}


def test_a_class_of_ten_goes_all_the_way(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    taught = written(tmp_path)
    taught.nbgrader("generate_assignment", NAME)
    taught.nbgrader("release_assignment", NAME)
    deliver(taught, tmp_path)
    told = grade("nbgrader", "autograde", NAME, "--folder", taught.root)
    assert "nbgrader records 10 of 10 students." in told.err
    for student, (_, wanted) in ANSWERED.items():
        found = taught.grades(student, "double")
        assert found == {f"check--{name}": (score, None, False) for name, score in zip(POINTS, wanted, strict=True)}
        given = (None, None, True) if student in {"ada", "dan"} else (0.0, None, False)
        assert taught.grades(student, "triple") == {
            "check--triples_two": (3.0, None, False), "marking--1": given, "scheme--1": (0.0, None, False),
        }  # fmt: skip
    for student, text in SAID.items():
        assert text in taught.report(student, "double", "doubles_three_numbers")
    by_hand(taught, ada=2.0, dan=0.5)
    feedback(taught, tmp_path)
    exported(taught, tmp_path)


def written(folder):
    """Write the source notebooks into a course with an exchange."""
    course = tiny_course(folder, "double", "triple")
    visible, hidden = (course / "problems" / "double" / name for name in ("visible.py", "hidden.py"))
    visible.write_text(visible.read_text(encoding="utf-8").replace("seconds=2", "seconds=0.3"), encoding="utf-8")
    hidden.write_text(f"# {SECRETS[0]}\n{hidden.read_text(encoding='utf-8')}", encoding="utf-8")
    reference = course / "reference" / "double.py"
    reference.write_text(
        reference.read_text(encoding="utf-8").replace("return 2 * x", f"return 2 * x  # {SECRETS[1]}"), encoding="utf-8"
    )
    taught = Taught(folder / "taught", course)
    grade("nbgrader", "source", NAME, "double", "triple", "--folder", taught.root, course=course)
    (folder / "exchange").mkdir()
    (folder / "exchange").chmod(0o777)
    with (taught.root / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write(EXCHANGE.format(exchange=str(folder / "exchange")))
    return taught


def files(taught, student):
    """Return what a student hands in, by file name."""
    marking = PROOF if student in {"ada", "dan"} else ""
    found = {"triple.ipynb": json.dumps(taught.answered("triple", marking=marking)).encode()}
    text, _ = ANSWERED[student]
    if text is not None:
        notebook = taught.answered("double", text)
        if student == "gus":
            damage(notebook)
        if student == "fay":
            forge(notebook)
        found["double.ipynb"] = json.dumps(notebook).encode()
    if student == "ivy":
        found["double.ipynb"] = found["double.ipynb"][:700]
    return found


def damage(notebook):
    """Copy, move, retype and strip cells."""
    test = cell_of(notebook, "double--check--adds_to_itself")
    notebook["cells"] = [copy.deepcopy(test), *notebook["cells"], copy.deepcopy(test)]
    cell_of(notebook, "double--check--doubles_three_numbers")["metadata"] = {}
    statement = cell_of(notebook, "double--statement")
    statement |= {"cell_type": "code", "outputs": [], "execution_count": None}
    statement["source"] = "# my notes"


def forge(notebook):
    """Add points in every way that a notebook has."""
    for name in POINTS:
        cell = cell_of(notebook, f"double--check--{name}")
        cell["metadata"]["nbgrader"] |= {"points": 100, "grade": False}
        cell["metadata"]["grader"] = {"stamp": {"score": 100.0, "points": 100.0}}
        cell["outputs"] = [
            {"output_type": "execute_result", "data": {"text/plain": "2.0"}, "metadata": {}, "execution_count": 1}
        ]
    own = copy.deepcopy(cell)
    own["metadata"]["nbgrader"] |= {"grade_id": "mine", "grade": True}
    notebook["cells"].append(own)


def deliver(taught, folder):
    """Hand in: half through the exchange, half through Canvas; collect both."""
    students = list(ANSWERED)
    for student in students[:5]:
        inbound = folder / "exchange" / "dl101" / "inbound" / f"{student}+{NAME}+{TIME}+x"
        for name, content in files(taught, student).items():
            put(inbound / name, "").write_bytes(content)
        put(inbound / "timestamp.txt", TIME)
        put(inbound / "submission_secret.txt", f"the secret of {student}")  # names the feedback in the exchange
    taught.nbgrader("collect", NAME)
    entries = [
        (f"{student}_{number}_{number}{place}_{name}", content)
        for number, student in enumerate(students[5:], start=100)
        for place, (name, content) in enumerate(files(taught, student).items())
    ]
    (folder / "canvas.zip").write_bytes(zipped(entries))
    lines = [f"{student},{number},{student}" for number, student in enumerate(students[5:], start=100)]
    roster = put(folder / "roster.csv", "\n".join(["Student,ID,SIS Login ID", *lines]))
    # Exit code 1: one file is cut off, and of one student a notebook is missing.
    grade("nbgrader", "collect", NAME, folder / "canvas.zip", "--roster", roster, "--folder", taught.root, code=1)
    assert sorted(path.name for path in (taught.root / "submitted").iterdir()) == students


def by_hand(taught, **points):
    """Mark what a person marks, as the formgrader does."""
    with taught.book() as book:
        for student, given in points.items():
            grade_ = book.find_grade("triple--marking--1", "triple", NAME, student)
            grade_.manual_score, grade_.needs_manual_grade = given, False
        book.db.commit()


def feedback(taught, folder):
    """Feedback has our words; neither it nor anything else that leaves holds what is hidden."""
    taught.nbgrader("generate_feedback", NAME)
    taught.nbgrader("release_feedback", NAME, "--student", "dan")
    page = (taught.root / "feedback" / "dan" / NAME / "double.html").read_text(encoding="utf-8")
    assert SAID["dan"] in page
    assert len(list((taught.root / "feedback").rglob("double.html"))) == len(ANSWERED)
    assert len(list((folder / "exchange" / "dl101" / "feedback").iterdir())) == 2  # a page a notebook
    places = [*(taught.root / name for name in ("release", "feedback", "autograded")), folder / "exchange"]
    leaving = [path for place in places for path in place.rglob("*") if path.is_file()]
    for path in [*leaving, taught.root / "gradebook.db"]:
        content = path.read_bytes()
        assert not [secret for secret in SECRETS if secret.encode() in content], path


def exported(taught, folder):
    """Both exports have the same marks: nbgrader's own, and ours, which wants our stamps."""
    taught.nbgrader("export", "--to", folder / "marks.csv")
    grade("nbgrader", "export", NAME, "-o", folder / "ours.csv", "--folder", taught.root)
    wanted = {student: sum(scores) + 3.0 for student, (_, scores) in ANSWERED.items()}
    wanted |= {"ada": wanted["ada"] + 2.0, "dan": wanted["dan"] + 0.5}
    for name in ("marks.csv", "ours.csv"):
        rows = list(csv.DictReader(io.StringIO((folder / name).read_text(encoding="utf-8-sig"))))
        assert {row["student_id"]: float(row["score"]) for row in rows} == wanted
        assert {float(row["max_score"]) for row in rows} == {9.0}


def test_without_our_lines_nbgrader_gives_nothing_for_hidden_checks(tmp_path):
    """And our export refuses what nbgrader gave for the visible ones."""
    pytest.importorskip("ipykernel")
    taught = Taught.made(tmp_path, "double")
    config = taught.root / "nbgrader_config.py"
    kept = config.read_text(encoding="utf-8")
    taught.hand_in("ada", double=taught.answered("double"))
    taught.nbgrader("autograde", NAME)
    config.write_text("c = get_config()\n", encoding="utf-8")
    taught.nbgrader("autograde", NAME, "--force")
    name = cells.called("double", "doubles_any_array", visible=False)
    assert taught.grades("ada", "double")[f"check--{name}"] == (0.0, None, False)
    config.write_text(kept, encoding="utf-8")
    said = grade("nbgrader", "export", NAME, "-o", tmp_path / "marks.csv", "--folder", taught.root, code=1)
    assert f"double--check--{name} was not graded by us" in said.err
    assert not (tmp_path / "marks.csv").exists()
