"""Downloads of learning platforms become nbgrader's tree: names, times, order, and a reason for all that does not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import grade
from courses import put, tiny_course
from packing import zipped

from grader import course
from grader.errors import UsageError
from grader.notebook import collect, identity, source
from grader.notebook.collect import State
from grader.submission import SubmittedFile

pytest.importorskip("nbgrader")

CANVAS = """\
Student,ID,SIS Login ID
    Points Possible,,
"Lovelace, Ada",101,ada
"Turing, Alan",102,alan
"Noether, Emmy",103,emmy
"""
MOODLE = """\
Identifier,Full name,Username
Participant 77,Ada Lovelace,ada
Participant 78,Alan Turing,alan
"""
EARLY, LATE = "2026-11-30T23:15:00+01:00", "2026-12-01T08:00:00+01:00"


def notebook(slug="double", text="def double(x):\n    return 2 * x", *, ids=True):
    about = {"nbgrader": {"schema_version": 3, "grade_id": f"{slug}--answer--{slug}"}} if ids else {}
    cell = {"cell_type": "code", "source": text, "metadata": about, "outputs": [], "execution_count": None}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}).encode()


DOUBLE, OTHER, TRIPLE = notebook(), notebook(text="# later"), notebook("triple")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A nbgrader course with an assignment, as `grade nbgrader source` writes it."""
    folder = tmp_path_factory.mktemp("nbgrader")
    found = course.find(tiny_course(folder, "double", "triple"))
    source.write(found, "week1", ("double", "triple"), folder / "nb")
    return folder / "nb"


@pytest.fixture
def nb(written, tmp_path):
    return Path(shutil.copytree(written, tmp_path / "nb"))


def collected(nb, *entries, times=None, roster=CANVAS, name="down.zip", **more):
    """Collect one zip of (name, content) pairs."""
    (nb / name).write_bytes(zipped(entries))
    if times:
        more["times"] = put(
            nb / "times.csv", "student,time\n" + "\n".join(f"{who},{when}" for who, when in times.items())
        )
    if roster:
        more["roster"] = put(nb / "roster.csv", roster)
    return collect.collect("week1", [nb / name], nb, **more)


def tree(nb, student="ada"):
    top = nb / "submitted" / student / "week1"
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()}


def test_a_canvas_download_lies_where_nbgrader_looks_with_its_names_and_times(nb):
    found = collected(
        nb,
        ("lovelaceada_101_5001_double.ipynb", DOUBLE),
        ("lovelaceada_101_5002_triple-1.ipynb", TRIPLE),
        ("turingalan_LATE_102_5003_double.ipynb", DOUBLE),
        times={"ada": EARLY},
    )
    assert tree(nb) == {
        "double.ipynb": DOUBLE,
        "triple.ipynb": TRIPLE,
        "timestamp.txt": b"2026-11-30 22:15:00.000000 UTC",
    }
    assert tree(nb, "alan") == {"double.ipynb": DOUBLE}
    assert [(one.student, one.state, one.missing) for one in found.students] == [
        ("ada", State.NEW, ()),
        ("alan", State.NEW, ("triple",)),
    ]
    assert found.absent == ("emmy",)
    text = "\n".join(found.lines)
    assert "2 hand-ins collected of 2 delivered" in text
    assert "marked late by the download" in text
    assert "no notebook for triple" in text
    assert "Nothing was handed in by 1 student: emmy" in text


def test_of_two_downloads_without_times_the_later_upload_counts(nb):
    for number, content in ((5009, OTHER), (5001, DOUBLE)):
        (nb / f"{10_000 - number}.zip").write_bytes(zipped([(f"lovelaceada_101_{number}_double.ipynb", content)]))
    found = collect.collect("week1", [nb / "4991.zip", nb / "4999.zip"], nb)
    assert tree(nb, "lovelaceada_101") == {"double.ipynb": OTHER}
    found_again = collect.collect("week1", [nb / "4999.zip", nb / "4991.zip"], nb)
    assert found_again.students[0].state is State.SAME
    for one in (found, found_again):
        assert "the last uploaded of 2 submissions" in one.students[0].warnings[0]
        assert "another submission" in one.unmatched[0][1]


def test_nbgrader_reads_the_time_as_it_was(nb):
    from nbgrader.coursedir import CourseDirectory

    collected(nb, ("lovelaceada_101_5001_double.ipynb", DOUBLE), times={"ada": EARLY})
    read = CourseDirectory(root=str(nb)).get_existing_timestamp(str(nb / "submitted" / "ada" / "week1"))
    assert read.isoformat() == "2026-11-30T22:15:00"


def test_a_moodle_download_with_folders_is_read_too(nb):
    collected(
        nb,
        ("Ada Lovelace_77_assignsubmission_file_/double.ipynb", DOUBLE),
        ("Ada Lovelace_77_assignsubmission_file_/triple.ipynb", TRIPLE),
        ("Alan Turing_78_assignsubmission_file_/week1/double.ipynb", OTHER),
        roster=MOODLE,
    )
    assert tree(nb) == {"double.ipynb": DOUBLE, "triple.ipynb": TRIPLE}
    assert tree(nb, "alan") == {"double.ipynb": OTHER}


def test_nothing_that_was_delivered_goes_without_a_word(nb):
    inner = zipped([("week1/triple.ipynb", TRIPLE), ("week1/data.csv", b"1,2"), ("week1/double.py", b"x = 1")])
    found = collected(
        nb,
        ("lovelaceada_101_5001_week1.zip", inner),
        ("turingalan_102_5002_report.pdf", b"%PDF"),
        ("hopper_999_5003_double.ipynb", DOUBLE),
        ("noetheremmy_103_5004_cut.zip", b"PK\x03\x04"),
        ("readme.txt", b"hello"),
    )
    told = dict(found.unmatched)
    assert tree(nb) == {"triple.ipynb": TRIPLE}
    assert told["ada: week1/data.csv"] == "neither a notebook nor a module"
    assert "a Python file; nbgrader grades the notebook double.ipynb" in told["ada: double.py"]
    assert any("report.pdf" in what for what in told)
    assert any("readme.txt" in what for what in told)
    assert any("cut.zip" in what and "damaged" in reason for what, reason in told.items())
    assert "no student of roster.csv" in next(reason for what, reason in told.items() if "hopper" in what)
    assert tree(nb, "hopper_999") == {"double.ipynb": DOUBLE}
    assert found.doubtful


def test_a_renamed_notebook_is_known_by_its_cells_and_said(nb):
    found = collected(
        nb,
        ("lovelaceada_101_5001_double (1).ipynb", DOUBLE),
        ("lovelaceada_101_5002_my answer.ipynb", TRIPLE),
        ("turingalan_102_5003_Untitled.ipynb", notebook(ids=False)),
        ("noetheremmy_103_5004_double-1.ipynb", notebook(ids=False)),
    )
    assert tree(nb) == {"double.ipynb": DOUBLE, "triple.ipynb": TRIPLE}
    warnings = {one.student: " | ".join(one.warnings) for one in found.students}
    assert '"double (1).ipynb" was taken as double.ipynb, by the ids of its cells' in warnings["ada"]
    assert '"my answer.ipynb" was taken as triple.ipynb, by the ids of its cells' in warnings["ada"]
    assert "by its name" in warnings["emmy"]
    assert "its cells have lost their ids" in warnings["emmy"]
    reasons = [reason for _, reason in found.unmatched]
    assert "neither its name nor its cells say which problem it is for" in reasons
    assert not (nb / "submitted" / "alan").exists()


def test_a_notebook_that_cannot_be_read_is_collected_as_it_is_and_said(nb):
    found = collected(nb, ("lovelaceada_101_5001_double.ipynb", DOUBLE[:60]))
    assert tree(nb) == {"double.ipynb": DOUBLE[:60]}
    assert "cut off before its end" in found.students[0].warnings[0]


def test_modules_and_what_was_given_out(nb):
    inner = zipped(
        [
            ("double.ipynb", DOUBLE),
            ("factors.py", b"TWO = 2"),
            ("problems/double/visible.py", b"edited"),
            ("lib/a.py", b""),
        ]
    )
    collected(nb, ("lovelaceada_101_5001_work.zip", inner))
    assert tree(nb) == {"double.ipynb": DOUBLE, "factors.py": b"TWO = 2", "lib/a.py": b""}


class TestOrder:
    """What is there gives way to what is known to be newer, and to nothing else."""

    ENTRY = "lovelaceada_101_5001_double.ipynb"

    def state(self, nb, content, when=None, **more):
        found = collected(nb, (self.ENTRY, content), times={"ada": when} if when else None, **more)
        return found.students[0].state, tree(nb)["double.ipynb"]

    def test_a_newer_one_takes_its_place_and_an_older_one_does_not(self, nb):
        assert self.state(nb, DOUBLE, EARLY) == (State.NEW, DOUBLE)
        assert self.state(nb, OTHER, LATE) == (State.NEWER, OTHER)
        assert self.state(nb, DOUBLE, EARLY) == (State.OLDER, OTHER)
        assert self.state(nb, DOUBLE, EARLY, replace=True) == (State.OLDER, OTHER)
        assert tree(nb)["timestamp.txt"] == b"2026-12-01 07:00:00.000000 UTC"

    def test_the_same_again_changes_nothing(self, nb):
        self.state(nb, DOUBLE, EARLY)
        before = (nb / "submitted" / "ada" / "week1" / "double.ipynb").stat()
        assert self.state(nb, DOUBLE, EARLY)[0] is State.SAME
        assert self.state(nb, DOUBLE)[0] is State.SAME
        assert (nb / "submitted" / "ada" / "week1" / "double.ipynb").stat() == before

    def test_where_nobody_knows_a_person_decides(self, nb):
        assert self.state(nb, DOUBLE) == (State.NEW, DOUBLE)
        assert self.state(nb, OTHER, LATE) == (State.UNCLEAR, DOUBLE)
        assert self.state(nb, OTHER, LATE, replace=True) == (State.NEWER, OTHER)
        assert self.state(nb, DOUBLE) == (State.UNCLEAR, OTHER)

    def test_what_somebody_mended_by_hand_stays(self, nb):
        self.state(nb, DOUBLE, EARLY)
        put(nb / "submitted" / "ada" / "week1" / "double.ipynb", "mended")
        assert self.state(nb, DOUBLE, EARLY) == (State.UNCLEAR, b"mended")

    def test_a_time_that_is_learnt_later_is_added(self, nb):
        self.state(nb, DOUBLE)
        assert self.state(nb, DOUBLE, EARLY)[0] is State.NEWER
        assert "timestamp.txt" in tree(nb)


def test_a_hand_in_is_there_whole_or_as_it_was(nb, monkeypatch):
    collected(nb, ("lovelaceada_101_5001_double.ipynb", DOUBLE), times={"ada": EARLY})
    before = tree(nb)

    def full(content, path):
        path.write_bytes(content[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(collect.whole, "pour", full)
    with pytest.raises(UsageError, match="cannot be written \\(No space left on device\\)"):
        collected(nb, ("lovelaceada_101_5001_double.ipynb", OTHER), times={"ada": LATE})
    assert tree(nb) == before
    assert [path.name for path in (nb / "submitted" / "ada").iterdir()] == ["week1"]


def test_what_cannot_be_moved_into_place_leaves_what_was_there(nb, monkeypatch):
    collected(nb, ("lovelaceada_101_5001_double.ipynb", DOUBLE), times={"ada": EARLY})
    before, rename = tree(nb), Path.rename

    def stuck(path, target):
        if path.name.endswith(".part"):
            raise OSError(16, "Device or resource busy")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", stuck)
    with pytest.raises(UsageError, match="Device or resource busy"):
        collected(nb, ("lovelaceada_101_5001_double.ipynb", OTHER), times={"ada": LATE})
    assert tree(nb) == before
    assert [path.name for path in (nb / "submitted" / "ada").iterdir()] == ["week1"]


def test_what_a_kill_left_between_is_put_right(nb):
    collected(nb, ("lovelaceada_101_5001_double.ipynb", DOUBLE), times={"ada": LATE})
    home = nb / "submitted" / "ada"
    (home / "week1").rename(home / ".week1.0badcafe.before")
    put(home / ".week1.0badcafe.part" / "double.ipynb", "half")
    found = collected(nb, ("lovelaceada_101_5001_double.ipynb", OTHER), times={"ada": EARLY})
    assert found.students[0].state is State.OLDER
    assert tree(nb)["double.ipynb"] == DOUBLE
    assert [path.name for path in home.iterdir()] == ["week1"]


@pytest.mark.parametrize("login", ["../ada", "a*", "a[1]", ".ada", "a/b", "con"])
def test_a_login_that_is_no_folder_is_listed_and_nothing_is_written(nb, login):
    found = collected(
        nb,
        ("lovelaceada_101_5001_double.ipynb", DOUBLE),
        roster=f'Student,ID,SIS Login ID\n"Lovelace, Ada",101,{login}\n',
    )
    assert found.students == ()
    assert "cannot be the name of a folder" in found.unmatched[0][1]
    assert not (nb / "submitted").exists()


def test_the_command_lists_and_its_code_says_whether_a_person_should_look(nb):
    (nb / "a.zip").write_bytes(zipped([("lovelaceada_101_5001_double.ipynb", DOUBLE)]))
    (nb / "b.zip").write_bytes(zipped([("turingalan_102_5001_Untitled.ipynb", b"{}")]))
    roster = put(nb / "roster.csv", CANVAS)
    said = grade("nbgrader", "collect", "week1", nb / "a.zip", "--roster", roster, "--folder", nb)
    assert "1 hand-in collected of 1 delivered" in said.words
    said = grade("nbgrader", "collect", "week1", nb / "b.zip", "--roster", roster, "--folder", nb, code=1)
    assert "Not collected, or not as it is" in said.words


def test_a_folder_or_an_assignment_that_is_not_there_is_said(nb, tmp_path):
    with pytest.raises(UsageError, match="no course of nbgrader"):
        collect.collect("week1", [nb], tmp_path)
    with pytest.raises(UsageError, match="grade nbgrader source week9"):
        collect.collect("week9", [nb], nb)


def test_the_folders_that_the_configuration_names_are_used(nb):
    with (nb / "nbgrader_config.py").open("a", encoding="utf-8") as file:
        file.write('c.CourseDirectory.submitted_directory = "inbox"\n')
    collected(nb, ("lovelaceada_101_5001_double.ipynb", DOUBLE))
    assert (nb / "inbox" / "ada" / "week1" / "double.ipynb").read_bytes() == DOUBLE


class TestIdentity:
    def assigned(self, **files):
        return identity.assigned([SubmittedFile(*pair) for pair in files.items()], ("double", "triple"))

    def test_the_ids_outweigh_the_name(self):
        found = self.assigned(**{"double.ipynb": TRIPLE, "triple.ipynb": DOUBLE})
        assert found.files == {"double.ipynb": DOUBLE, "triple.ipynb": TRIPLE}

    def test_of_two_for_one_problem_the_exact_name_counts_and_the_other_is_listed(self):
        found = self.assigned(**{"double (1).ipynb": OTHER, "double.ipynb": DOUBLE})
        assert found.files == {"double.ipynb": DOUBLE}
        assert found.left == [("double (1).ipynb", 'for double "double.ipynb" was taken')]

    def test_of_two_that_are_as_good_none_is_taken(self):
        found = self.assigned(**{"double (1).ipynb": OTHER, "double (2).ipynb": DOUBLE})
        assert found.files == {}
        assert [path for path, _ in found.left] == ["double (1).ipynb", "double (2).ipynb"]

    def test_a_notebook_of_another_assignment_is_listed(self):
        found = self.assigned(**{"double.ipynb": notebook("xor")})
        assert found.left == [("double.ipynb", 'its cells are those of "xor", which is not in this assignment')]

    @pytest.mark.parametrize(
        "content", [b"", b"[]", b"{", b'{"cells": 3}', b'{"cells": [1, {"metadata": []}]}', b"[" * 10**6, b"\xff\xfe"]
    )
    def test_what_is_no_notebook_belongs_to_nothing(self, content):
        assert not identity.problems(content)


def test_a_configuration_that_does_not_run_is_said(nb):
    put(nb / "nbgrader_config.py", "c = get_config()\nc.CourseDirectory.root = 1 / 0\n")
    with pytest.raises(UsageError, match=r"nbgrader_config.py does not run: .*ZeroDivisionError"):
        collect.collect("week1", [nb], nb)
