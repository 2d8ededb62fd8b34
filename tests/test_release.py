"""``grade release``: what students receive is all that they need and nothing of what they must not see."""

from __future__ import annotations

import base64
import os
import re
import secrets
import shutil
import struct
import subprocess
import sys
import tomllib
import zlib

import nbformat
import pytest
from commands import ROOT, SQUARES, grade, grade_json
from courses import put, solution, tiny_course

from grader import assignments, bundle, problem, release, sheet
from grader import course as courses
from grader.errors import AuthoringError, CourseError

WEEK = """
    min_tier = 2

    [assignments.week1]
    problems = ["double", "triple"]
    due = 2026-11-30T23:59:00+01:00

    [assignments.week1.extensions]
    %s = 2026-12-02T23:59:00+01:00

    [assignments.week1.late]
    per_day = 0.1

    [assignments."week 2"]
    problems = ["triple"]
    """
PICTURE = "<svg xmlns='http://www.w3.org/2000/svg'/>"
IN_A_BUNDLE = {
    "README.md",
    "course.toml",
    "problems/double/mistakes.json",
    "problems/double/probes.py",
    "problems/double/released.json",
    "problems/double/shown.svg",
    "problems/double/statement.md",
    "problems/double/visible.py",
    "student_template/double.py",
}


@pytest.fixture
def root(tmp_path):
    """An instructor's course with a picture, a probe and assignments."""
    root = tiny_course(tmp_path, "double", "triple")
    put(root / "problems" / "double" / "shown.svg", PICTURE)
    put(root / "problems" / "double" / "probes.py", "def size(x):\n    return len(x)\n")
    with (root / "problems" / "double" / "statement.md").open("a", encoding="utf-8") as statement:
        statement.write("\n![Twice [as] much](shown.svg) and ![far](https://example.org/far.png)\n")
    put(root / "course.toml", WEEK % "ada")
    return root


def files(root, *arguments, **options):
    return release.files(courses.find(root), *arguments, **options)


def released(root, to, *arguments):
    grade("release", "-o", to, *arguments, course=root)
    return to


# Nothing hidden is in it


def plant(root):
    """Put a canary into everything that students must not have; return the canaries as bytes by place."""
    canary = {}

    def token(place):
        canary[place] = f"canary{secrets.token_hex(8)}"
        return canary[place]

    def add(path, line):
        path = root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(f"{before}\n{line}\n", encoding="utf-8")

    number = 4096 + secrets.randbelow(2**40) / 2**20
    add("problems/double/hidden.py", f"# {token('hidden.py, a comment')}")
    add("problems/double/hidden.py", f"{token('hidden.py, a name')} = '{token('hidden.py, a text')}'")
    add(
        "problems/double/hidden.py",
        f"import numpy as np\n\n\n@check()\ndef {token('hidden.py, a check')}(student):\n"
        f"    '''{token('hidden.py, a promise')}'''\n"
        f"    close(student.double(np.array([{number!r}])), np.array([{2 * number!r}]))",
    )
    add("problems/double/variants.py", f"# {token('variants.py, a comment')}")
    add(
        "problems/double/variants.py",
        "@wrong(replaces='double', caught_by='doubles_three_numbers', hint='Twice, not four times.')\n"
        f"def {token('variants.py, a name')}(x):\n    '''{token('variants.py, a docstring')}'''\n    return 4 * x",
    )
    reference = root / "reference" / "double.py"
    text = reference.read_text(encoding="utf-8")
    marked = text.replace("    return 2 * x", f"    # {token('reference, a comment')}\n    return 2 * x")
    assert marked != text
    reference.write_text(marked, encoding="utf-8")
    add("reference/notes.md", token("reference, beside it"))
    add("problems/triple/marking.md", token("marking.md"))
    add("problems/double/unnamed.svg", token("a picture that no statement shows"))
    add("problems/double/solution.md", token("a file beside the statement"))
    add("problems/double/mistakes.json", token("a left-over mistakes.json"))
    add("problems/double/__pycache__/hidden.pyc", token("a compiled file"))
    add("problems/.drafts/statement.md", token("a draft"))
    add("student_template/double.py", f"# {token('the template, worked in')}")
    add("student_template/notes.md", token("the template, beside it"))
    add(".grade/proofs/double.json", token("a proof"))
    add(".git/config", token("Git's folder"))
    add("runs/week1/run.sqlite", token("a run"))
    add("runs/week1/run.json", token("a run's list"))
    add("submissions/ada/double.py", token("another student's work"))
    put(root / "course.toml", WEEK % token("course.toml, an extension"))
    add("course.toml", f"# {token('course.toml, a comment')}")
    add(".env", token("a file of passwords"))
    kinds = {"<d": "as a double", ">d": "as a double, reversed", "<f": "as a float"}
    sought = {place: text.encode() for place, text in canary.items()}
    for what, value in (("asked", number), ("wanted", 2 * number)):
        sought |= {f"hidden number {what} {how}": struct.pack(kind, value) for kind, how in kinds.items()}
        sought[f"hidden number {what} as text"] = repr(value).encode()
    return sought


def layers(content):
    """Yield bytes, and what is packed in them: base64, hexadecimal and zlib, to any depth."""
    yield content
    for found in re.findall(rb"[A-Za-z0-9+/_-]{16,}={0,2}", content):
        plain = found.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
        if len(plain) % 4 != 1:
            yield from layers(base64.b64decode(plain + b"=" * (-len(plain) % 4)))
        if re.fullmatch(rb"(?:[0-9a-fA-F]{2})+", plain):
            yield bytes.fromhex(plain.decode())
    for start in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", content):
        try:
            yield from layers(zlib.decompress(content[start.start() :]))
        except zlib.error:
            continue


def leaked(folder, sought):
    """Return the places whose canary is anywhere in a folder: in names, texts, numbers, packed or not."""
    found = set()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix().encode()
        for content in layers(path.read_bytes() + b"\n" + name if path.is_file() else name):
            found |= {place for place, canary in sought.items() if canary in content}
    return found


@pytest.mark.parametrize("arguments", [(), ("week1",), ("--notebooks",)], ids=["course", "assignment", "notebooks"])
def test_nothing_of_the_instructors_is_in_any_byte(root, tmp_path, arguments):
    sought = plant(root)
    assert leaked(released(root, tmp_path / "bundle", *arguments), sought) == set()


def test_a_copy_of_the_folder_would_leak_and_be_found_out(root, tmp_path):
    """The control: the same search finds every canary where all is copied."""
    sought = plant(root)
    whole = shutil.copytree(root, tmp_path / "copy")
    as_text = {place for place in sought if " as a " not in place}
    assert leaked(whole, sought) == as_text
    (whole / "packed").write_bytes(base64.b64encode(zlib.compress(b"".join(sought.values()))))
    assert leaked(whole, sought) == set(sought)


def test_only_what_is_listed_is_there(root, tmp_path):
    plant(root)
    put(root / "course.toml", '[assignments.one]\nproblems = ["double"]\n')
    folder = released(root, tmp_path / "bundle", "one")
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert there == IN_A_BUNDLE | {bundle.LIST}


def test_the_list_is_of_what_is_there(root, tmp_path):
    listed = grade_json("release", "-o", tmp_path / "bundle", course=root)
    assert {"README.md", "student_template/triple.py"} < {entry["path"] for entry in listed}
    for entry in listed:
        content = (tmp_path / "bundle" / entry["path"]).read_bytes()
        assert entry["bytes"] == len(content)
        assert entry["sha256"] == bundle.entries({"": content})[0].sha256


def test_stubs_are_made_anew(root):
    put(root / "student_template" / "double.py", solution("double"))  # an instructor worked in it
    assert "2 * x" not in files(root)["student_template/double.py"].decode()


def test_the_same_course_gives_the_same_bytes(root, tmp_path):
    moved = shutil.copytree(root, tmp_path / "elsewhere" / "again")
    code = (
        "import sys, pathlib; from grader import course, release;"
        "found = release.files(course.find(pathlib.Path(sys.argv[1])));"
        "import hashlib; print(hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code, str(place)],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed, "TZ": zone},
            cwd=tmp_path, capture_output=True, text=True, check=True,
        ).stdout
        for place, seed, zone in ((root, "1", "UTC"), (moved, "2", "Asia/Tokyo"))
    }  # fmt: skip
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        ("![](../../reference/double.svg)", "shows ../../reference/double.svg; only SVG files that lie beside it"),
        ("![](missing.svg)", "shows missing.svg; only SVG files that lie beside it"),
        ("![a plot](plot.png)", "shows plot.png; only SVG files that lie beside it"),
        ('<img src="/etc/x.svg">', "shows /etc/x.svg; only SVG files that lie beside it"),
        ("![](linked.svg)", "linked.svg is a symbolic link, and links are not released"),
    ],
)
def test_a_picture_from_elsewhere_is_refused(root, shown, reason):
    put(root / "reference" / "double.svg", PICTURE)
    put(root / "problems" / "double" / "plot.png", "")
    (root / "problems" / "double" / "linked.svg").symlink_to(root / "reference" / "double.svg")
    with (root / "problems" / "double" / "statement.md").open("a", encoding="utf-8") as statement:
        statement.write(f"\n{shown}\n")
    with pytest.raises(AuthoringError, match=re.escape(reason)):
        files(root)


def test_a_linked_file_is_refused(root):
    statement = root / "problems" / "triple" / "probes.py"
    statement.symlink_to(root / "problems" / "triple" / "marking.md")
    with pytest.raises(AuthoringError, match=r"probes\.py is a symbolic link"):
        files(root)


def test_without_references_there_is_no_release(root):
    (root / "reference" / "triple.py").unlink()
    with pytest.raises(CourseError, match=r"triple\.py is missing; a bundle is made where the references are"):
        files(root)


def test_an_unknown_assignment_is_refused(root, tmp_path):
    told = grade("release", "week9", "-o", tmp_path / "bundle", course=root, code=2).err
    assert "week9" in told
    assert not (tmp_path / "bundle").exists()


# What students need is in it


def test_students_are_told_what_is_due_and_nothing_about_others(root):
    content = files(root)["course.toml"].decode()
    told = tomllib.loads(content)["assignments"]
    whole = tomllib.loads((root / "course.toml").read_text())["assignments"]
    assert told == {
        "week1": {"problems": ["double", "triple"], "due": whole["week1"]["due"]},
        "week 2": {"problems": ["triple"]},
    }
    assert list(tomllib.loads(files(root, "week 2")["course.toml"].decode())["assignments"]) == ["week 2"]
    assert "+01:00" in files(root, "week1")["README.md"].decode()


def test_a_bundle_is_a_course_whose_assignment_is_the_instructors(root, tmp_path):
    here = courses.find(released(root, tmp_path / "bundle", "week1"))
    assert here.slugs == ("double", "triple")
    whole = assignments.read(courses.find(root), "week1")
    told = assignments.read(here, "week1")
    assert (told.problems, told.due) == (whole.problems, whole.due)


def test_a_student_sees_what_is_worth_how_much(root, tmp_path, monkeypatch):
    folder = released(root, tmp_path / "bundle")
    put(folder / "student_template" / "double.py", solution("double"))
    monkeypatch.chdir(folder)
    told = grade("check", code=1)
    assert told.words.endswith(
        "2 of 5 visible points. 2 points more are checked after hand-in. A person marks 2 points."
    )
    readme = (folder / "README.md").read_text()
    assert "| `double` | Twice as much | 2 | 2 | 0 |" in readme
    assert "| `triple` | Three times as much | 3 | 0 | 2 |" in readme


def test_a_known_mistake_is_named(root, tmp_path, monkeypatch):
    folder = released(root, tmp_path / "bundle")
    put(folder / "student_template" / "double.py", SQUARES)
    monkeypatch.chdir(folder)
    (verdict,) = grade_json("check", "double", code=1)
    assert {check["hint"] for check in verdict["checks"]} == {"Is two a factor here, or a power?"}


@pytest.mark.torch
def test_which_functions_take_tensors_does_not_hang_on_what_students_edit(tmp_path):
    root = tiny_course(tmp_path)
    reference = root / "reference" / "double.py"
    text = reference.read_text().replace("np.ndarray", "torch.Tensor").replace("import numpy as np", "import torch")
    reference.write_text(text)
    folder = released(root, tmp_path / "bundle")
    put(folder / "student_template" / "double.py", "def double(x):\n    return 2 * x\n")
    read = problem.load(courses.find(folder).problem("double"))
    assert read.takes_tensors == {"double": True}
    assert "torch.Tensor" in read.stub


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"format": 2}', "null", "3"])
def test_a_damaged_record_of_the_release_is_a_sentence(root, tmp_path, monkeypatch, text):
    folder = released(root, tmp_path / "bundle")
    put(folder / "problems" / "double" / "released.json", text)
    monkeypatch.chdir(folder)
    told = grade("check", "double", code=2).err
    assert told == (
        "Error: problems/double/released.json is damaged or of a later release; take it from the course's bundle "
        "again\n"
    )


def test_notebooks_are_handed_out_on_wish(root, tmp_path, monkeypatch):
    folder = released(root, tmp_path / "bundle", "--notebooks")
    assert not list((folder / "student_template").glob("*.py"))
    path = folder / "student_template" / "double.ipynb"
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    (picture,) = re.findall(r"\]\((?!https)(.*?)\)", book.cells[0].source)
    assert (path.parent / picture).read_text() == PICTURE
    monkeypatch.chdir(folder)
    assert "not attempted yet" in grade("check", "double", code=1).words
    (answer,) = [cell for cell in book.cells if "def double" in cell.source]
    answer.source = answer.source.replace("raise NotImplementedError", "return 2 * x")
    nbformat.write(book, path)
    grade("check", "double")


def test_a_notebook_has_a_cell_for_each_function():
    before = '"""A."""\n\nimport os\n\nN = 1\n\n\n'
    stub = f'{before}@mark\ndef f():\n    pass\n\n\n# of g\nclass g:\n    x = "\x0c"\n\n\nM = 2\n'
    book = nbformat.reads(sheet.notebook("slug", "# A title", stub), as_version=4)
    assert [cell.source for cell in book.cells] == [
        "# A title",
        '"""A."""\n\nimport os\n\nN = 1',
        "@mark\ndef f():\n    pass",
        '# of g\nclass g:\n    x = "\x0c"',
        "M = 2",
        "Save this notebook; then run `grade check slug` in a terminal.",
    ]
    assert len({cell.id for cell in book.cells}) == len(book.cells)


# Where it goes


def snapshot(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_released_file_that_was_edited_stops_a_release(root, tmp_path):
    folder = released(root, tmp_path / "bundle")
    put(folder / "student_template" / "double.py", SQUARES)
    told = grade("release", "-o", folder, course=root, code=2).err
    assert "double.py is not as it was released, so nothing was written; name another folder with -o" in told
    assert (folder / "student_template" / "double.py").read_text() == SQUARES


def test_the_course_itself_is_no_place_for_a_release(root):
    before = snapshot(root)
    assert "is not empty and no earlier release" in grade("release", "-o", root, course=root, code=2).err
    assert snapshot(root) == before


def test_a_place_that_cannot_be_is_a_sentence(root, tmp_path):
    put(tmp_path / "file", "")
    assert (
        "is a file; name another folder with -o" in grade("release", "-o", tmp_path / "file", course=root, code=2).err
    )
    told = grade("release", "-o", tmp_path / "file" / "below", course=root, code=2).err
    assert "cannot be written" in told
