"""nbgrader as people have it: JupyterLab and formgrader in a real browser, an instructor's side and a student's.

GRADER_PICTURES names a folder for pictures of what was seen.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import browsing
import lab
import pytest

if lab.missing():
    pytest.skip(f"{lab.missing()} is not installed", allow_module_level=True)
if browsing.chromium() is None:
    pytest.skip("Chromium is not installed", allow_module_level=True)

NAME, SLUG = "week1", "xor"
RIGHT, WRONG = "    return float(np.mean((y - t) ** 2))", "    return float(np.sum((y - t) ** 2))"
PROOF = (
    "The positive examples add up to $w_1 + w_2 + 2b > 0$, the others to $w_1 + w_2 + 2b \\le 0$: no weights do both."
)
HINT = "Hint: Would your loss change if every example were listed twice?"
POINTS, BY_HAND = 12, f"{SLUG}--marking--1"
READY = "document.readyState === 'complete' && typeof jQuery !== 'undefined' && !jQuery.active"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An instructor's folder with a class of two, one graded and one not yet, and a student's with work to do."""
    root = tmp_path_factory.mktemp("lab")
    made = SimpleNamespace(root=root, course=root / "course", student=root / "student", home=root / "home")
    for folder in (made.course, made.home):
        folder.mkdir()
    run(made, "grader", "--course", lab.ROOT, "nbgrader", "source", NAME, SLUG)
    run(made, "nbgrader", "generate_assignment", NAME)
    hand_in(made, "ada", notebook(made))
    run(made, "grader", "--course", lab.ROOT, "nbgrader", "autograde", NAME)
    hand_in(made, "ben", notebook(made, loss=WRONG))
    shutil.copytree(made.course / "release" / NAME, made.student)
    (made.student / f"{SLUG}.ipynb").write_text(notebook(made, loss=WRONG), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def address(place):
    with lab.server(place.root, cwd=place.course, home=place.home) as addressed:
        yield addressed


@pytest.fixture
def page():
    with browsing.page() as opened:
        opened.look(width=1100, height=760)
        yield opened


def run(place, *command):
    """Run a module of Python in the instructor's folder, as from an activated virtual environment."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-m", *map(str, command)], check=False, capture_output=True, text=True,
        cwd=place.course, env=lab.environment(place.home) | {"PATH": path}, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def notebook(place, *, loss=RIGHT):
    """Return the released notebook with every answer in it, the loss as given."""
    released, source = (
        json.loads((place.course / folder / NAME / f"{SLUG}.ipynb").read_text(encoding="utf-8"))
        for folder in ("release", "source")
    )
    solved = {told["grade_id"]: "".join(cell["source"]) for cell in source["cells"] if (told := asked(cell))}
    for cell in released["cells"]:
        if asked(cell).get("solution"):
            text = solved[cell["metadata"]["nbgrader"]["grade_id"]]
            lines = [line for line in text.split("\n") if "SOLUTION" not in line]
            cell["source"] = PROOF if cell["cell_type"] == "markdown" else "\n".join(lines).replace(RIGHT, loss)
    return json.dumps(released)


def asked(cell):
    return cell["metadata"].get("nbgrader", {})


def hand_in(place, student, text):
    folder = place.course / "submitted" / student / NAME
    shutil.copytree(place.course / "release" / NAME, folder)
    (folder / f"{SLUG}.ipynb").write_text(text, encoding="utf-8")


def picture(page, name):
    """Keep what is seen, where somebody wants to look at it."""
    if folder := os.environ.get("GRADER_PICTURES"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.picture(Path(folder) / f"{name}.png")


def text_of(page, element):
    return page.ask(f"{element}.innerText")


def menu(page, *words):
    """Choose from JupyterLab's menus."""
    page.wait(f"!document.querySelector('#jupyterlab-splash') && {item(words[0])}")
    for word in words:
        page.click(item(word))


def item(words):
    bars = "document.querySelectorAll('.lm-MenuBar-itemLabel, .lm-Menu-itemLabel')"
    return f"[...{bars}].find(one => one.checkVisibility() && one.innerText.trim() === {json.dumps(words)})"


# The instructor's side


def follow(page, text, *, to):
    """Click on a link with this text, as soon as there is one, and wait for its page."""
    page.wait(f"{READY} && {link(text)}")
    page.click(link(text))
    page.wait(f"location.pathname.endsWith({json.dumps(to)}) && {READY}" if to else READY)


def link(text):
    seen = f"one.checkVisibility() && one.innerText.trim() === {json.dumps(text)}"
    return f"[...document.querySelectorAll('a, button')].find(one => {seen})"


def row(student):
    """Return where the row of a student is, whose name is shown or hidden."""
    return f"[...document.querySelectorAll('#main-table tr')].find(one => one.textContent.includes({student!r}))"


def cells_of(page, student):
    return text_of(page, row(student)).split("\t")


def scores(page):
    """Return the points in the boxes of a submission by the cell's name: a person's, or else the grader's."""
    boxes = "[...document.querySelectorAll('input.score')].map(box => [box.id, Number(box.value || box.placeholder)])"
    return page.ask(f"Object.fromEntries({boxes})")


def test_an_instructor_grades_and_marks_in_formgrader(page, address, place):
    page.visit(address("lab?reset"))
    menu(page, "Nbgrader", "Formgrader")
    page.wait(f"document.querySelector('iframe').contentDocument.body.innerText.includes({NAME!r})")
    picture(page, "formgrader_in_lab")

    page.visit(address(f"formgrader/manage_submissions/{NAME}"))
    page.wait(f"{READY} && {row('ben')}")
    assert "needs autograding" in text_of(page, row("ben"))
    page.click(f"{row('ben')}.querySelector('.autograde a')")
    page.wait("getComputedStyle(document.querySelector('.modal.in')).opacity === '1'")
    picture(page, "formgrader_autograded")
    assert "Successfully autograded" in text_of(page, "document.querySelector('.modal')")
    page.visit(address(f"formgrader/manage_submissions/{NAME}"))
    page.wait(f"{READY} && {row('ben')}")
    assert "needs manual grading" in text_of(page, row("ben"))
    assert "9.5 / 16" in text_of(page, row("ben"))

    follow(page, "Manual Grading", to="/gradebook")
    follow(page, NAME, to=f"/gradebook/{NAME}")
    follow(page, SLUG, to=f"/gradebook/{NAME}/{SLUG}")
    page.wait(row("ben"))
    page.click(link("Show All Names"))
    follow(page, "ben", to="/")
    page.wait("document.querySelector('input.score')?.placeholder > ''")
    given = scores(page)
    missed = [name for name, score in given.items() if name.startswith(f"{SLUG}--check--") and not score]
    assert sum(given.values()) == POINTS - 2.5
    assert len(missed) == 5
    assert HINT in text_of(page, f"document.getElementById({missed[0]!r}).closest('.cell')")
    page.ask(f"document.getElementById({missed[0]!r}).closest('.cell').scrollIntoView({{block: 'center'}})")
    picture(page, "formgrader_report")

    page.click(f"document.getElementById('{BY_HAND}')")
    page.type("3")
    page.press("Tab", 9)
    page.click(f"document.getElementById('{BY_HAND}-comment')")
    page.type("Why may the two be added?")
    picture(page, "formgrader_mark")
    page.press("Tab", 9)
    page.wait(READY)
    follow(page, SLUG, to=f"/gradebook/{NAME}/{SLUG}")
    page.wait(row("ben"))
    page.click(link("Show All Names"))
    picture(page, "formgrader_class")
    assert cells_of(page, "ben")[2:5] == ["12.5 / 16", "9.5 / 12", "3 / 4"]
    assert cells_of(page, "ada")[2:5] == ["12 / 16", "12 / 12", "0 / 4"]
    run(place, "grader", "--course", lab.ROOT, "nbgrader", "export", NAME, "-o", "marks.csv")
    with (place.course / "marks.csv").open(encoding="utf-8", newline="") as file:
        marks = {line["student_id"]: line["score"] for line in csv.DictReader(file)}
    assert marks == {"ada": "", "ben": "12.5"}  # nobody has marked Ada's proof yet


# The student's side

CELLS = "[...document.querySelectorAll('.jp-CodeCell')]"
KERNEL = "!document.querySelector('.jp-Toolbar-kernelName').innerText.includes('No Kernel')"
IDLE = f"{KERNEL} && document.querySelector('.jp-Notebook-ExecutionIndicator').dataset.status === 'idle'"
TRY = "%load_ext grader"
DIALOG = "document.querySelector('.jp-Dialog')"


def cell(words):
    """Return where the last cell with these words in its code is."""
    return f"{CELLS}.findLast(one => one.querySelector('.cm-content').innerText.includes({json.dumps(words)}))"


def output(words):
    return f"[...{cell(words)}.querySelectorAll('.jp-OutputArea-output')].map(one => one.innerText).join('\\n')"


def run_all(page, words, told):
    """Run all cells, and wait until the last one with these words in its code tells what is wanted."""
    menu(page, "Run", "Run All Cells")
    page.wait(f"{IDLE} && {output(words)}.includes({json.dumps(told)})")


def validate(page):
    """Press Validate; return what the dialog says."""
    page.click("document.querySelector('.validate-button')")
    page.wait(f"{DIALOG}?.innerText.includes('Validation Results')")
    return text_of(page, DIALOG)


def test_a_student_checks_and_validates_in_jupyterlab(page, address):
    page.visit(address(f"lab/tree/student/{SLUG}.ipynb?reset"))
    page.wait(f"{IDLE} && {CELLS}.length > 30")
    run_all(page, TRY, "3 of 4.5 visible points")
    assert HINT in page.ask(output(TRY))
    page.click(f"{cell(TRY)}.querySelector('.jp-OutputArea-output')")
    picture(page, "lab_failed")
    failed = validate(page)
    picture(page, "validate_failed")
    assert failed.count("The following cell failed") == 3
    assert "got      0.04" in failed
    assert HINT in failed
    page.click(f"{DIALOG}.querySelector('.jp-mod-accept')")

    page.click(f"[...{cell('np.sum')}.querySelectorAll('.cm-line')].find(one => one.innerText.includes('np.sum'))")
    page.press("Home", 36)
    page.press("End", 35, shift=True)
    page.type(RIGHT.strip())
    run_all(page, "--after-hand-in", "made after hand-in")
    picture(page, "lab_passed")
    assert "4.5 of 4.5" in page.ask(output(TRY)), page.ask(output(TRY))
    passed = validate(page)
    picture(page, "validate_passed")
    assert "Success" in passed, passed
