"""``grade submit``: work is looked over, never run, and leaves whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from types import SimpleNamespace

import nbformat
import pytest
from commands import ROOT, SQUARES, grade, grade_json
from courses import put, solution, student_course, tiny_course
from packing import zipped

from grader import bundle, handin, intake, release, submission
from grader import course as courses
from grader.errors import SubmissionError, UsageError

WEEK = '[assignments.week1]\nproblems = ["double", "triple"]\ndue = 2999-01-01T00:00:00Z\n'
NOW = datetime(2026, 11, 30, 22, 15, tzinfo=UTC)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A student's course with one assignment, and a folder with one answer and a module of the student's own."""
    course = student_course(tmp_path, "double", "triple")
    put(course / "course.toml", WEEK)
    work = tmp_path / "work"
    put(work / "double.py", "from helper import double\n")
    put(work / "helper.py", solution("double"))
    (tmp_path / "inbox").mkdir()
    monkeypatch.chdir(work)
    return SimpleNamespace(course=course, work=work, inbox=tmp_path / "inbox")


def pack(desk, *wanted, assignment=None):
    return handin.pack(courses.find(desk.course), tuple(map(str, wanted)), desk.work, assignment)


def notes(desk, *wanted):
    return list(pack(desk, *wanted).warnings)


def there(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# What is packed


def test_the_zip_lies_beside_the_work_and_holds_what_is_graded(desk):
    told = grade_json("submit", course=desk.course)
    assert told["path"] == str(desk.work / "week1.zip")
    read = submission.load(desk.work / "week1.zip", slugs=("double", "triple"))
    assert {file.path: file.content for file in read.files} == {
        name: (desk.work / name).read_bytes() for name in ("double.py", "helper.py")
    }
    answer = submission.answer(read, "double")
    assert [name for name, _ in answer.helpers] == ["helper"]


def test_the_receipt_says_what_when_and_by_whom(desk):
    told = grade_json("submit", "--student", "ada", course=desk.course)
    content = (desk.work / "week1.zip").read_bytes()
    assert told["student"] == "ada"
    assert told["digest"] == hashlib.sha256(content).hexdigest()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", told["time"])
    assert abs(datetime.fromisoformat(told["time"]).timestamp() - datetime.now(UTC).timestamp()) < 3600
    for file in told["files"]:
        source = (desk.work / file["name"]).read_bytes()
        assert (file["sha256"], file["bytes"]) == (hashlib.sha256(source).hexdigest(), len(source))
    printed = grade("submit", "--student", "ada", course=desk.course)
    assert told["digest"] in printed.words
    assert "2 files of ada" in printed.words


def test_the_same_files_make_the_same_zip(desk, tmp_path):
    first = pack(desk)
    for name in ("helper.py", "double.py"):
        put(tmp_path / "copy" / name, (desk.work / name).read_text())
        os.utime(tmp_path / "copy" / name, (10**9, 10**9))
        (tmp_path / "copy" / name).chmod(0o600)
    assert pack(desk, tmp_path / "copy").content == first.content
    put(desk.work / "helper.py", SQUARES)
    assert pack(desk).digest != first.digest


def test_nothing_is_run(desk):
    put(desk.work / "double.py", "import helper\nopen('ran', 'w')\nraise SystemExit(7)\n")
    put(desk.work / "helper.py", "open('ran', 'w')\n")
    grade("submit", course=desk.course)
    assert not (desk.work / "ran").exists()


@pytest.mark.parametrize("form", ["slug", "file", "folder", "archive", "notebook", "copy"])
def test_work_may_come_in_several_forms(desk, form):
    put(desk.work / "double.py", solution("double"))
    path = desk.work / "double.py"
    if form == "archive":
        path = desk.work / "mine.zip"
        path.write_bytes(zipped([("mine/double.py", solution("double").encode())]))
    elif form == "notebook":
        path.unlink()
        cells = [nbformat.v4.new_code_cell(text) for text in ("%matplotlib inline", solution("double"))]
        path = desk.work / "double.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    elif form == "copy":
        path = path.rename(desk.work / "double (1).py")
    packed = pack(desk, {"slug": "double", "folder": desk.work}.get(form, path))
    assert packed.problems == ("double",)
    assert [warning for warning in packed.warnings if "written" in warning or "handed out" in warning] == []
    assert ('"double (1).py" was read as double.py' in packed.warnings) == (form == "copy")


def test_an_older_zip_is_never_written_over(desk):
    before = pack(desk)
    assert handin.keep(before, desk.work).name == "week1.zip"
    put(desk.work / "helper.py", SQUARES)
    after = pack(desk)
    assert handin.keep(after, desk.work).name == "week1-2.zip"
    assert handin.keep(after, desk.work).name == "week1-2.zip"
    assert (desk.work / "week1.zip").read_bytes() == before.content
    assert "not handed in" not in " ".join(after.warnings)


# What a student is told before


def test_complete_work_has_no_notes(desk):
    put(desk.work / "triple.py", solution("triple"))
    assert notes(desk) == []
    assert grade("submit", course=desk.course).err == ""


def test_missing_problems_are_named(desk):
    assert notes(desk) == ["no file for triple: not attempted, no points"]


def test_untouched_and_half_written_files_are_named(desk):
    put(desk.work / "triple.py", (desk.course / "student_template" / "triple.py").read_text())
    assert notes(desk) == ["as handed out: triple.py"]
    stub = desk.course / "student_template" / "double.py"
    put(stub, stub.read_text() + "\n\ndef halve(x):\n    '''Half of it.'''\n    raise NotImplementedError\n")
    put(desk.work / "double.py", stub.read_text().replace("raise NotImplementedError", "return 2 * x", 1))
    assert notes(desk)[:1] == ["double.py: not written yet: halve"]


def test_what_was_handed_out_is_known_from_the_bundle_not_from_the_template(tmp_path, monkeypatch):
    folder = tmp_path / "bundle"
    bundle.write(release.files(courses.find(tiny_course(tmp_path, "double", "triple"))), folder)
    put(folder / "student_template" / "double.py", solution("double"))
    monkeypatch.chdir(folder)
    told = grade("submit")
    assert told.err == "Note: as handed out: triple.py.\n"
    assert (folder / "student_template" / "hand-in.zip").is_file()


def test_a_slip_in_the_grammar_is_told_with_its_line(desk):
    put(desk.work / "double.py", "x = 1\ndef double(x)\n    return 2 * x\n")
    assert notes(desk)[0] == "double.py, line 2: SyntaxError: expected ':'"


def test_files_that_stay_behind_are_named(desk):
    for name in ("data.csv", "double_old.txt", "my-notes.py", ".hidden", "__pycache__/x.pyc", "old/double.py"):
        put(desk.work / name, "")
    (desk.work / "linked.py").symlink_to(desk.work / "helper.py")
    assert notes(desk)[-1] == "not handed in: data.csv, double_old.txt, linked.py, my-notes.py, old/"
    assert set(there(desk.work)) >= {entry.path for entry in pack(desk).files} == {"double.py", "helper.py"}


def test_a_due_date_that_has_passed_is_said(desk):
    put(desk.course / "course.toml", WEEK.replace("2999", "1999"))
    assert re.fullmatch(r"week1 was due (1998-12-31|1999-01-01) \d\d:\d\d, your computer's time", notes(desk)[-1])


def test_notes_do_not_stand_in_the_document(desk):
    told = grade_json("submit", course=desk.course)
    assert told["warnings"] == ["no file for triple: not attempted, no points"]


# What is refused


@pytest.mark.parametrize("untouched", [True, False])
def test_nothing_to_hand_in(desk, untouched):
    (desk.work / "helper.py").unlink()
    (desk.work / "double.py").unlink()
    if untouched:
        put(desk.work / "triple.py", (desk.course / "student_template" / "triple.py").read_text())
    told = grade("submit", course=desk.course, code=2).err
    assert told.startswith("Error: ")
    assert ("nothing to hand in: no function is written yet in triple" if untouched else "no file here is") in told
    assert not (desk.work / "week1.zip").exists()


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00", b"caf\xe9", b"x = 1\x00", b"# coding: latin-1\n", b"# \xe2\x80\xae\n", b"#" * (2**20 + 1)],
    ids=["UTF-16", "Latin-1", "NUL", "another coding", "turned", "large"],
)
def test_a_file_that_would_be_refused_is_refused_in_the_same_words(desk, content):
    (desk.work / "double.py").write_bytes(content)
    graded = submission.load(desk.work, slugs=("double",))
    with pytest.raises(SubmissionError) as later:
        submission.answer(graded, "double")
    assert grade("submit", course=desk.course, code=2).err == f"Error: {later.value}\n"


@pytest.mark.parametrize("name", ["../double.py", "a\\double.py", "double.py/", "CON.py"])
def test_an_archive_that_would_be_refused_is_refused_in_the_same_words(desk, name):
    (desk.work / "mine.zip").write_bytes(zipped([("double.py", b"x = 1\n"), (name, b"x = 1\n")]))
    graded = submission.load(desk.work / "mine.zip")
    assert graded.refused
    assert grade("submit", "mine.zip", course=desk.course, code=2).err == f"Error: {graded.refused}\n"


def test_all_of_it_together_must_not_be_too_large():
    with pytest.raises(SubmissionError, match="are more than 2,000 files or 64 MiB"):
        handin._read_back(handin._zipped({f"m{n}.py": bytes(2**20) for n in range(65)}), "week1.zip", ("double",))


def test_two_answers_to_one_problem_are_refused(desk):
    put(desk.work / "double.ipynb", "{}")
    assert 'holds both "double.ipynb" and "double.py"' in grade("submit", course=desk.course, code=2).err


def test_two_files_of_one_name_are_refused(desk, tmp_path):
    put(tmp_path / "other" / "triple.py", "import helper\n")
    put(tmp_path / "other" / "helper.py", "x = 1\n")
    with pytest.raises(UsageError, match=r'two different files are named "helper\.py"'):
        pack(desk, desk.work, tmp_path / "other")


# What it is for


@pytest.mark.parametrize(
    ("listed", "wanted", "name", "missing"),
    [
        ({"one": ["double"], "two": ["triple"]}, None, "one", []),
        ({"one": ["double"], "two": ["double", "triple"]}, None, "hand-in", []),
        ({"one": ["double"], "two": ["double", "triple"]}, "two", "two", ["triple"]),
        ({"one": ["triple"]}, None, "hand-in", []),
        ({"../one": ["double"]}, None, "hand-in", []),
        ({}, None, "hand-in", []),
    ],
)
def test_the_assignment_follows_from_the_problems(desk, listed, wanted, name, missing):
    tables = [f"[assignments.{json.dumps(key)}]\nproblems = {json.dumps(value)}\n" for key, value in listed.items()]
    put(desk.course / "course.toml", "\n".join(tables))
    packed = pack(desk, assignment=wanted)
    assert packed.name == name
    assert list(packed.warnings) == [f"no file for {slug}: not attempted, no points" for slug in missing]


def test_a_problem_of_another_assignment_is_refused(desk):
    put(desk.course / "course.toml", '[assignments.two]\nproblems = ["triple"]\n')
    told = grade("submit", "--assignment", "two", course=desk.course, code=2).err
    assert told == "Error: double is no problem of two; its problems: triple\n"


# Delivery


def test_delivery_has_the_shape_that_is_collected(desk):
    told = grade_json("submit", "--to", desk.inbox, "--student", "ada", course=desk.course)
    (zip_name,) = [name for name in there(desk.inbox) if name.endswith(".zip")]
    assert re.fullmatch(r"ada/\d{8}T\d{6}Z-[0-9a-f]{8}\.zip", zip_name)
    content = (desk.inbox / zip_name).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    assert zip_name.endswith(f"-{digest[:8]}.zip")
    assert set(there(desk.inbox)) == {zip_name, zip_name.replace(".zip", ".json")}
    kept = json.loads((desk.inbox / zip_name).with_suffix(".json").read_text())
    assert kept == {key: told[key] for key in ("student", "time", "digest", "files")}
    assert kept["digest"] == digest
    assert datetime.fromisoformat(kept["time"]).strftime("%Y%m%dT%H%M%SZ") == zip_name[4:20]
    assert not (desk.work / "week1.zip").exists()


def collected(desk):
    return intake.gather([desk.inbox], ("double", "triple"))


def test_a_delivery_is_collected_with_its_time_and_without_a_doubt(desk):
    handin.deliver(pack(desk), desk.inbox, "ada", NOW)
    found = collected(desk)
    (entry,) = found.entries
    assert (entry.student, entry.handed_in, entry.note, found.unmatched) == ("ada", NOW, "", ())
    assert submission.answer(entry.submission(("double",)), "double") is not None


def test_the_student_is_by_default_who_is_logged_in(desk, monkeypatch):
    monkeypatch.setattr(handin, "login", lambda: "grace")
    grade("submit", "--to", desk.inbox, course=desk.course)
    assert [path.name for path in desk.inbox.iterdir()] == ["grace"]
    monkeypatch.setattr(handin, "login", lambda: "")
    assert "give another name with --student" in grade("submit", "--to", desk.inbox, course=desk.course, code=2).err


def test_every_delivery_is_kept(desk):
    first, _ = handin.deliver(pack(desk), desk.inbox, "ada", NOW)
    before = there(desk.inbox)
    again, _ = handin.deliver(pack(desk), desk.inbox, "ada", NOW)  # twice in a second: the same hand-in
    assert (again, there(desk.inbox)) == (first, before)
    put(desk.work / "helper.py", SQUARES)
    handin.deliver(pack(desk), desk.inbox, "ada", NOW)
    assert len(there(desk.inbox)) == 4
    assert before.items() <= there(desk.inbox).items()


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
@pytest.mark.parametrize("suffix", [".zip", ".json"])
def test_nothing_is_written_over(desk, monkeypatch, links, suffix):
    if not links:
        monkeypatch.setattr(handin.os, "link", refuse_links)
    packed = pack(desk)
    name = f"ada/20261130T221500Z-{packed.digest[:8]}"
    put(desk.inbox / f"{name}{suffix}", "theirs")
    with pytest.raises(UsageError, match="is there already and differs; wait a second"):
        handin.deliver(packed, desk.inbox, "ada", NOW)
    assert (desk.inbox / f"{name}{suffix}").read_text() == "theirs"
    assert [path for path in there(desk.inbox) if path.endswith(".part")] == []


def test_delivery_works_without_hard_links(desk, monkeypatch):
    monkeypatch.setattr(handin.os, "link", refuse_links)
    path, _ = handin.deliver(pack(desk), desk.inbox, "ada", NOW)
    assert path.read_bytes() == pack(desk).content
    assert len(there(desk.inbox)) == 2


def refuse_links(*_arguments, **_options):
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize("name", ["../eve", "", "a/b", ".hidden", "CON", "new\nline", "x" * 300, "..", "ada "])
def test_a_name_that_no_folder_can_have_is_refused(desk, name):
    with pytest.raises(UsageError, match="no folder can be named"):
        handin.deliver(pack(desk), desk.inbox, name, NOW)
    assert list(desk.inbox.iterdir()) == []
    assert {path.name for path in desk.inbox.parent.iterdir()} == {"course", "work", "inbox"}


def test_a_missing_inbox_is_not_made(desk):
    told = grade("submit", "--to", desk.inbox / "elsewhere", course=desk.course, code=2).err
    assert "there is no inbox" in told
    assert list(desk.inbox.iterdir()) == []


def test_a_student_folder_that_leads_elsewhere_is_refused(desk):
    (desk.inbox / "ada").symlink_to(desk.work)
    before = there(desk.work)
    with pytest.raises(UsageError, match="is a symbolic link"):
        handin.deliver(pack(desk), desk.inbox, "ada", NOW)
    assert there(desk.work) == before


KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path

from grader import course, handin

course_root, work, inbox, step, times = sys.argv[1:]
home, name = {"write": (handin.Path, "open"), "fsync": (os, "fsync"), "link": (os, "link")}[step]
true, left = getattr(home, name), int(times)
packed = handin.pack(course.find(Path(course_root)), (), Path(work))


def die(*arguments, **options):
    global left
    left -= 1
    if left == 0:
        if step == "write":  # half of something is on the disk
            file = true(*arguments, **options)
            file.write(packed.content[: len(packed.content) // 2])
            file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    return true(*arguments, **options)


setattr(home, name, die)
handin.deliver(packed, Path(inbox), "ada", datetime(2026, 11, 30, 22, 15, tzinfo=UTC))
"""


@pytest.mark.parametrize("step", ["write", "fsync", "link"])
@pytest.mark.parametrize("times", [1, 2], ids=["in the receipt", "in the zip"])
def test_a_kill_in_the_middle_leaves_no_half_file(desk, step, times):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, desk.course, desk.work, desk.inbox, step, str(times)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    named = {
        name: content for name, content in there(desk.inbox).items() if not name.rpartition("/")[2].startswith(".")
    }
    whole = pack(desk)
    assert [name[-5:] for name in named] == [".json"] * (times - 1)
    assert all(json.loads(content)["digest"] == whole.digest for content in named.values())
    assert not any(entry.submission(("double",)).files for entry in collected(desk).entries)
    path, _ = handin.deliver(whole, desk.inbox, "ada", NOW)
    assert path.read_bytes() == whole.content
    assert [(entry.student, entry.handed_in, entry.note) for entry in collected(desk).entries] == [("ada", NOW, "")]


def test_a_full_disk_is_a_sentence_and_leaves_nothing(desk):
    packed = pack(desk)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(packed.content) // 2, before[1]))
        with pytest.raises(UsageError, match="cannot be written"):
            handin.deliver(packed, desk.inbox, "ada", NOW)
        with pytest.raises(UsageError, match="cannot be written"):
            handin.keep(packed, desk.work)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert there(desk.inbox) == {}
    assert set(there(desk.work)) == {"double.py", "helper.py"}


def test_the_zip_is_an_ordinary_one(desk):
    with zipfile.ZipFile(handin.keep(pack(desk), desk.work)) as box:
        assert box.testzip() is None
        assert [info.external_attr >> 16 for info in box.infolist()] == [0o100644] * 2
