"""The paths that somebody names are searched for submissions; whatever is none is listed with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from packing import zipped

from grader.errors import SubmissionError
from grader.submission import Found, discover, load

SLUGS = ("xor", "kl")
ZIP = zipped([("xor.py", b"")])


def write(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ZIP if name.endswith(".zip") else b"")
    return folder


def students(discovery, folder):
    """What was found, with paths relative to a folder."""

    def plain(path):
        return tuple(map(plain, path)) if isinstance(path, tuple) else path.relative_to(folder).as_posix()

    return {found.student: plain(found.path) for found in discovery.found}


def reasons(discovery, folder):
    return {path.relative_to(folder).as_posix(): reason for path, reason in discovery.ignored}


def test_a_folder_that_holds_an_answer_is_one_students(tmp_path):
    write(tmp_path / "ada", "xor.py", "util.py", "old/notes.txt", "report.pdf")
    found = discover([tmp_path / "ada"], slugs=SLUGS)
    assert (found.found, found.ignored) == ((Found("ada", tmp_path / "ada"),), ())


@pytest.mark.parametrize("name", ["Xor.PY", "xor (1).ipynb", "kl-2.py"])
def test_a_changed_name_makes_it_one_students_too(tmp_path, name):
    assert students(discover([write(tmp_path / "ada", name)], slugs=SLUGS), tmp_path) == {"ada": "ada"}


def test_another_folder_is_a_classs_and_nothing_in_it_is_dropped_silently(tmp_path):
    write(tmp_path, "ada/xor.py", "bob/src/kl.ipynb", "carl.zip", "dora.tar.gz", "empty/report.pdf")
    write(tmp_path, "erna.py", "frank.rar", "grades.csv", ".hidden/xor.py", ".DS_Store", "__MACOSX/x.py")
    (tmp_path / "gus").symlink_to(tmp_path / "ada")
    found = discover([tmp_path], slugs=SLUGS)
    assert students(found, tmp_path) == {
        "ada": "ada",
        "bob": "bob",
        "carl": "carl.zip",
        "dora": "dora.tar.gz",
        "empty": "empty",
    }
    told = reasons(found, tmp_path)
    assert list(told) == ["erna.py", "frank.rar", "grades.csv", "gus"]
    assert "fits no problem" in told["erna.py"]
    assert "neither a folder nor" in told["frank.rar"]
    assert "symbolic link" in told["gus"]


def test_students_are_sorted_as_people_count(tmp_path):
    write(tmp_path, "s10/xor.py", "s9.zip", "S1/xor.py", "ada/xor.py")
    assert [found.student for found in discover([tmp_path], slugs=SLUGS).found] == ["ada", "S1", "s9", "s10"]


def test_a_bulk_download_is_grouped_by_student(tmp_path):
    """Files of one student are one submission, helpers included; all of it can be loaded."""
    write(tmp_path, "lovelaceada_12_345_xor.py", "lovelaceada_LATE_12_346_kl.ipynb", "lovelaceada_12_347_util.py")
    write(tmp_path, "turingalan_13_400_xor-1.py")
    found = discover([tmp_path], slugs=SLUGS)
    assert [each.student for each in found.found] == ["lovelaceada_12", "turingalan_13"]
    assert [file.path for file in load(found.found[0].path).files] == ["kl.ipynb", "util.py", "xor.py"]
    assert found.ignored == ()


def test_a_second_submission_of_a_student_is_listed_not_merged(tmp_path):
    write(tmp_path, "hw1/ada/xor.py", "hw1/ada.zip", "hw2/ada/xor.py")
    found = discover([tmp_path / "hw1", tmp_path / "hw2"], slugs=SLUGS)
    assert students(found, tmp_path) == {"ada": "hw1/ada"}
    assert set(reasons(found, tmp_path)) == {"hw1/ada.zip", "hw2/ada"}
    assert all("a second submission of ada" in reason for _, reason in found.ignored)


def test_a_path_named_twice_is_one(tmp_path):
    write(tmp_path, "ada/xor.py")
    found = discover([tmp_path / "ada", tmp_path / "ada", tmp_path], slugs=SLUGS)
    assert (students(found, tmp_path), found.ignored) == ({"ada": "ada"}, ())


def test_answers_named_one_by_one_belong_to_their_folders(tmp_path):
    """``submissions/*/*.py`` names everybody's file the same; the folder says whose it is."""
    write(tmp_path, "ada/xor.py", "ada/util.py", "bob/xor.py", "loose/carl.py")
    paths = [tmp_path / name for name in ("ada/util.py", "ada/xor.py", "bob/xor.py", "loose/carl.py")]
    assert students(discover(paths, slugs=SLUGS), tmp_path) == {
        "ada": ("ada/util.py", "ada/xor.py"),
        "bob": "bob/xor.py",
        "carl": "loose/carl.py",
    }


def test_a_stray_answer_in_a_classs_folder_hides_nobody(tmp_path):
    """The folder counts as one student's then, and the folders that look like students' are listed."""
    write(tmp_path / "class", "xor.py", "ada/xor.py", "bob/kl.py", "figures/a.png")
    found = discover([tmp_path / "class"], slugs=SLUGS)
    assert students(found, tmp_path) == {"class": "class"}
    assert set(reasons(found, tmp_path)) == {"class/ada", "class/bob"}


def test_the_record_of_a_run_is_no_student(tmp_path):
    write(tmp_path, "ada/xor.py", "RUN/run.json", "OLD/run.sqlite")
    found = discover([tmp_path], slugs=SLUGS)
    assert students(found, tmp_path) == {"ada": "ada"}
    assert set(reasons(found, tmp_path)) == {"RUN", "OLD"}


def test_one_student_of_a_class_can_be_asked_for(tmp_path):
    write(tmp_path, "class/ada/xor.py", "class/bob/xor.py")
    assert students(discover([tmp_path / "class"], slugs=SLUGS, student="bob"), tmp_path) == {"bob": "class/bob"}
    nobody = discover([tmp_path / "class"], slugs=SLUGS, student="carl")
    assert (nobody.found, reasons(nobody, tmp_path)) == ((), {"class": 'it holds no submission of "carl"'})


def test_a_path_that_is_one_submission_can_be_given_a_students_name(tmp_path):
    write(tmp_path, "x.zip", "hw/xor.py")
    for name in ("x.zip", "hw", "hw/xor.py"):
        assert students(discover([tmp_path / name], slugs=SLUGS, student="ada"), tmp_path) == {"ada": name}


def test_without_problems_any_source_makes_a_folder_a_students(tmp_path):
    assert students(discover([write(tmp_path / "ada", "anything.py")]), tmp_path) == {"ada": "ada"}


def test_an_empty_class_says_so(tmp_path):
    write(tmp_path, "class/readme.md")
    assert reasons(discover([tmp_path / "class"]), tmp_path)["class"] == "it holds no submission"


def test_a_path_that_is_not_there_is_the_callers_mistake(tmp_path):
    with pytest.raises(SubmissionError, match="nothing at"):
        discover([tmp_path / "nobody"])


def test_a_folder_that_cannot_be_read_is_listed(tmp_path, monkeypatch):
    write(tmp_path, "class/ada/xor.py")

    def deny(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", deny)
    assert reasons(discover([tmp_path / "class"]), tmp_path) == {"class": "it cannot be read (Permission denied)"}
