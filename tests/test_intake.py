"""Deliveries of every shape, a roster, times and a due date become one entry a student; nothing is dropped."""

from __future__ import annotations

import csv
import io
import pickle
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from packing import zipped
from test_submission_discover import SLUGS, XOR, ZIP, deliver, write

from grader import intake
from grader.assignments import Assignment, Lateness, LatePolicy
from grader.errors import SubmissionError, UsageError
from grader.intake import Row, roster, times
from grader.submission import answer

DUE = datetime(2026, 11, 30, 22, 59, tzinfo=UTC)
DAY = timedelta(days=1)
WEEK1 = Assignment("week1", SLUGS, DUE, {}, LatePolicy(per_day=0.1))

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,week1 (99)
    Points Possible,,,,,10.0
"Lovelace, Ada",12,s1,ada,Mon,
"Turing, Alan",13,s2,alan,Mon and Tue,
"Student, Test",999,,,Mon,
"""
MOODLE = """\
Identifier,"Full name","ID number","Email address",Status,Grade
"Participant 77","Zoë Lovelace",,zoe@uni.example,"Submitted for grading",
"Participant 78","Alan van der Turing",,alan@uni.example,"No submission",
"""


def gather(*paths, **more):
    return intake.gather(paths, more.pop("slugs", SLUGS), **more)


def put(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def entry(found, student):
    (one,) = (each for each in found.entries if each.student == student)
    return one


def files(one):
    return {file.path: file.content for file in one.submission(SLUGS).files}


def told(found, name):
    """The reasons that are given for a path or a line with this in its name."""
    return " | ".join(reason for what, reason in found.unmatched if name in what)


class TestTables:
    @pytest.mark.parametrize(
        ("text", "encoding"),
        [
            ("id,name\nada,Ada Lovelace\n", "utf-8"),
            ("id;name\r\nada;Ada Lovelace\r\n", "utf-8-sig"),
            ("id\tname\nada\tAda Lovelace", "utf-16"),
            ('\n"id","name"\n\n"ada","Ada Lovelace"\n', "utf-8"),
            ('"id";"name, first; last"\nada;"Ada Lovelace"', "utf-8"),
            ("ID , Full Name,grade\n ada , Ada Lovelace ,7\n,,\n", "utf-8"),
        ],
    )
    def test_a_table_of_any_usual_make_is_read(self, tmp_path, text, encoding):
        (row,) = roster.read(put(tmp_path / "class.csv", text, encoding)).rows
        assert (row.student, row.name) == ("ada", "Ada Lovelace" if "first" not in text else "")

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"", "is empty"),
            (b"\n\n", "is empty"),
            (b"id,name\nada,Zo\xeb", "save it as CSV UTF-8"),
            (b'id,name\n"ada,Ada', "cannot be read as a table"),
            (b"points,grade\n1,2\n", "no column that is known"),
            (b"id,name\n", "no student below"),
            (b"id,name\nada,Ada Lovelace\nada,Ada King\n", None),
            (b"id\nada\nADA\n", "cannot be told apart"),
        ],
    )
    def test_what_is_no_roster_is_refused_with_its_name(self, tmp_path, content, reason):
        path = tmp_path / "class.csv"
        path.write_bytes(content)
        if reason is None:
            assert [row.student for row in roster.read(path).rows] == ["Ada Lovelace", "Ada King"]
            return
        with pytest.raises(UsageError, match=reason) as caught:
            roster.read(path)
        assert str(path) in str(caught.value)

    def test_a_table_that_is_not_there_is_refused(self, tmp_path):
        with pytest.raises(UsageError, match=r"nobody\.csv"):
            gather(write(tmp_path, "ada/xor.py"), roster=tmp_path / "nobody.csv")


class TestRoster:
    def test_canvas_gradebook_is_read_as_it_comes(self, tmp_path):
        book = roster.read(put(tmp_path / "grades.csv", CANVAS))
        assert [(row.student, row.name, row.numbers) for row in book.rows] == [
            ("ada", "Lovelace, Ada", ("Canvas 12",)),
            ("alan", "Turing, Alan", ("Canvas 13",)),
        ]
        assert [line for line, _ in book.passed_over] == [2, 5]

    def test_moodles_worksheet_is_read_as_it_comes(self, tmp_path):
        book = roster.read(put(tmp_path / "grades.csv", MOODLE, "utf-8-sig"))
        assert [(row.student, row.numbers) for row in book.rows] == [
            ("zoe@uni.example", ("Moodle 77",)),
            ("alan@uni.example", ("Moodle 78",)),
        ]

    def test_first_and_last_names_may_stand_apart(self, tmp_path):
        book = roster.read(put(tmp_path / "class.csv", "First name,Surname,Username\nAda,Lovelace,al\n"))
        assert book.rows == (Row("al", "Ada Lovelace", "", ("al",), ()),)

    def test_a_list_without_titles_is_one_student_a_line(self, tmp_path):
        assert [row.student for row in roster.read(put(tmp_path / "class.txt", "ada\nbob\n")).rows] == ["ada", "bob"]

    @pytest.mark.parametrize(
        ("name", "number", "student"),
        [
            ("lovelaceada_12", "Canvas 12", "ada"),
            ("whoever_12", "Canvas 12", "ada"),
            ("lovelaceada_14", "Canvas 14", None),
            ("ADA", "", "ada"),
            ("s2", "", "alan"),
            ("Ada Lovelace", "", "ada"),
            ("lovelace-ada", "", "ada"),
            ("Lovelace", "", None),
            ("Ada Lovelace_77", "Moodle 77", "ada"),
        ],
    )
    def test_a_delivery_is_matched_by_the_surest_thing_it_tells(self, tmp_path, name, number, student):
        found = roster.read(put(tmp_path / "grades.csv", CANVAS)).match(name, number)
        assert [row.student for row in found] == ([student] if student else [])

    @pytest.mark.parametrize("name", ["Zoe\u0308 Lovelace", "zoe lovelace", "LovelaceZoë", "zoe", "Zoe@uni.example"])
    def test_accents_and_case_and_addresses_make_no_other_name(self, tmp_path, name):
        found = roster.read(put(tmp_path / "grades.csv", MOODLE)).match(name)
        assert [row.student for row in found] == ["zoe@uni.example"]

    def test_two_rows_that_fit_are_both_returned(self, tmp_path):
        text = "id,name\ns1,Ada Lovelace\ns2,Lovelace Ada\n"
        assert len(roster.read(put(tmp_path / "class.csv", text)).match("Ada Lovelace")) == 2


class TestMatching:
    def test_deliveries_get_the_names_of_the_roster(self, tmp_path):
        write(tmp_path, "class/lovelaceada_12_345_xor.py", "class/Alan Turing/kl.py")
        found = gather(tmp_path / "class", roster=put(tmp_path / "grades.csv", CANVAS))
        assert [(one.student, one.on_roster, one.note) for one in found.entries] == [
            ("ada", True, ""),
            ("alan", True, ""),
        ]
        assert [row.student for row in found.roster] == ["ada", "alan"]

    def test_who_handed_in_nothing_is_absent_and_gets_an_empty_submission(self, tmp_path):
        write(tmp_path, "class/ada/xor.py")
        found = gather(tmp_path / "class", roster=put(tmp_path / "grades.csv", CANVAS))
        alan = entry(found, "alan")
        assert (found.absent, alan.absent, alan.path, alan.late) == (("alan",), True, (), Lateness())
        assert answer(alan.submission(SLUGS), "xor") is None
        assert "nothing was handed in" in alan.note

    def test_a_stranger_is_listed_and_graded_under_the_name_found(self, tmp_path):
        write(tmp_path, "class/ada/xor.py", "class/eve/xor.py")
        found = gather(tmp_path / "class", roster=put(tmp_path / "grades.csv", CANVAS))
        eve = entry(found, "eve")
        assert (eve.on_roster, eve.note, files(eve)) == (False, "not on the roster", {"xor.py": XOR})
        assert "no student of grades.csv" in told(found, "class/eve")

    def test_two_rows_that_fit_are_not_guessed_between(self, tmp_path):
        write(tmp_path, "class/Ada Lovelace/xor.py")
        book = put(tmp_path / "class.csv", "id,name\ns1,Ada Lovelace\ns2,Ada Lovelace\n")
        found = gather(tmp_path / "class", roster=book)
        assert [one.student for one in found.entries] == ["Ada Lovelace", "s1", "s2"]
        assert 'may be "s1" or "s2"' in told(found, "class/Ada Lovelace")
        assert found.absent == ("s1", "s2")

    def test_two_people_of_one_name_are_not_one_student(self, tmp_path):
        """The roster knows one Ada Lovelace; two numbers of the download say that there are two."""
        write(tmp_path, "class/lovelaceada_12_345_xor.py", "class/lovelaceada_13_346_xor.py")
        found = gather(tmp_path / "class", roster=put(tmp_path / "class.csv", "id,name\ns1,Ada Lovelace\n"))
        assert [one.student for one in found.entries] == ["lovelaceada_12", "lovelaceada_13", "s1"]
        assert "one of several" in told(found, "lovelaceada_12")
        assert found.absent == ("s1",)

    def test_an_unclear_delivery_is_never_graded_as_the_student_it_names(self, tmp_path):
        write(tmp_path, "class/s1/xor.py")
        book = put(tmp_path / "class.csv", "login,id\ns1,7\nbob,s1\n")
        found = gather(tmp_path / "class", roster=book)
        assert [one.student for one in found.entries if not one.absent] == ["s1 (unclear)"]
        assert found.absent == ("bob", "s1")

    def test_lines_of_the_roster_that_are_nobody_are_listed(self, tmp_path):
        book = put(tmp_path / "grades.csv", CANVAS)
        assert "nobody" in told(gather(write(tmp_path, "class/ada/xor.py") / "class", roster=book), "line 5")

    def test_names_that_differ_in_case_alone_are_two_students_and_said_to_be(self, tmp_path):
        write(tmp_path, "class/ada/xor.py", "class/Ada/xor.py")
        found = gather(tmp_path / "class")
        if len(found.entries) == 1:
            pytest.skip("this file system takes both for one")
        assert "but for its spelling" in told(found, "ada")

    def test_one_students_work_can_be_asked_for_by_any_of_its_names(self, tmp_path):
        write(tmp_path, "class/ada/xor.py", "class/alan/xor.py")
        book = put(tmp_path / "grades.csv", CANVAS)
        assert [one.student for one in gather(tmp_path / "class", roster=book, students=["s1"]).entries] == ["ada"]
        assert [one.student for one in gather(tmp_path / "class", students=["alan"]).entries] == ["alan"]
        with pytest.raises(SubmissionError, match="no submission of eve"):
            gather(tmp_path / "class", students=["ada", "eve"])


class TestVersions:
    def versions(self, folder, *hours):
        """Hand-ins of Ada's so many hours after the due date; each answers with its number."""
        for number, hour in enumerate(hours):
            stamp = f"{DUE + timedelta(hours=hour):%Y%m%dT%H%M%SZ}"
            deliver(folder / "inbox", "ada", stamp, zipped([("xor.py", b"%d" % number)]))
        return folder / "inbox"

    @pytest.mark.parametrize(
        ("hours", "counts", "note"),
        [
            ((-3,), 0, ""),
            ((-3, -1, -2), 1, "the latest on time of 3 submissions"),
            ((-3, 0, 5), 1, "the latest on time of 3 submissions"),
            ((1, 30, 5), 1, "none of 3 submissions is on time; the latest counts"),
        ],
    )
    def test_the_latest_on_time_counts_else_the_latest(self, tmp_path, hours, counts, note):
        found = gather(self.versions(tmp_path, *hours), assignment=WEEK1)
        (ada,) = found.entries
        assert files(ada) == {"xor.py": b"%d" % counts}
        assert (ada.handed_in, ada.note) == (DUE + timedelta(hours=hours[counts]), note)
        assert ada.late.days == (2 if hours[counts] == 30 else 0)
        assert len(found.unmatched) == len(hours) - 1
        assert all("another submission of ada (2026-1" in reason for _, reason in found.unmatched)

    def test_an_extension_makes_a_later_one_be_on_time(self, tmp_path):
        extended = Assignment("week1", SLUGS, DUE, {"s1": DUE + DAY})
        book = put(tmp_path / "grades.csv", CANVAS)
        (ada, _) = gather(self.versions(tmp_path, -3, 20, 30), assignment=extended, roster=book).entries
        assert files(ada) == {"xor.py": b"1"}
        assert not ada.late.late

    def test_an_extension_of_nobody_is_listed(self, tmp_path):
        extended = Assignment("week1", SLUGS, DUE, {"adda": DUE + DAY})
        assert "no student" in told(gather(self.versions(tmp_path, -3), assignment=extended), "extension of adda")

    def test_without_a_due_date_the_latest_counts(self, tmp_path):
        assert files(gather(self.versions(tmp_path, -3, 90, 5)).entries[0]) == {"xor.py": b"1"}

    def test_without_times_the_first_counts_and_the_rest_is_listed(self, tmp_path):
        write(tmp_path, "class/ada/xor.py", "class/ada.zip")
        found = gather(tmp_path / "class", assignment=WEEK1)
        (ada,) = found.entries
        assert (ada.path, ada.handed_in, ada.late.seconds) == (tmp_path / "class" / "ada", None, None)
        assert ada.note == "the first found of 2 submissions; when it was handed in is not known"
        assert "another submission of ada (nobody knows when)" in told(found, "ada.zip")

    def test_a_known_time_is_worth_more_than_none(self, tmp_path):
        write(tmp_path, "first/ada/xor.py")
        found = gather(tmp_path / "first", self.versions(tmp_path, -3))
        assert files(found.entries[0]) == {"xor.py": b"0"}

    def test_a_mark_of_lateness_decides_where_there_is_no_time(self, tmp_path):
        write(tmp_path, "a/lovelaceada_LATE_12_345_xor.py", "b/lovelaceada_12_340_xor.py")
        (ada,) = gather(tmp_path / "a", tmp_path / "b", assignment=WEEK1).entries
        assert ada.path == tmp_path / "b" / "lovelaceada_12_340_xor.py"
        (ada,) = gather(tmp_path / "a", assignment=WEEK1).entries
        assert (ada.note, ada.late.days) == ("marked late by the download; when it was handed in is not known", 0)


class TestTimes:
    def test_times_decide_what_is_late(self, tmp_path):
        write(tmp_path, "class/ada/xor.py", "class/bob/xor.py", "class/carl/xor.py")
        clock = put(
            tmp_path / "times.csv", "student,time\nADA,2026-12-01T23:59:01+01:00\nbob,2026-11-30 23:59:00 +0100\n"
        )
        found = gather(tmp_path / "class", times=clock, assignment=WEEK1)
        assert [one.late for one in found.entries] == [Lateness(86_401, 2, 0.2), Lateness(), Lateness(None)]
        assert entry(found, "ada").late.line(40.0) == "2 days late: 20 % off (8.0 of 40 points)"
        assert found.unmatched == ()

    def test_they_override_what_an_inbox_says(self, tmp_path):
        deliver(tmp_path / "inbox", "ada", "20261130T000000Z")
        clock = put(tmp_path / "times.csv", "ada,2026-12-03T00:00:00Z")
        (ada,) = gather(tmp_path / "inbox", times=clock, assignment=WEEK1).entries
        assert (ada.handed_in, ada.late.days) == (datetime(2026, 12, 3, tzinfo=UTC), 3)

    def test_of_several_hand_ins_they_are_the_latests(self, tmp_path):
        for stamp in ("20261129T000000Z", "20261130T000000Z"):
            deliver(tmp_path / "inbox", "ada", stamp)
        clock = put(tmp_path / "times.csv", "ada,2026-12-03T00:00:00Z")
        (ada,) = gather(tmp_path / "inbox", times=clock, assignment=WEEK1).entries
        assert ada.handed_in == datetime(2026, 11, 29, tzinfo=UTC)

    def test_students_go_by_all_their_names(self, tmp_path):
        write(tmp_path, "class/lovelaceada_12_345_xor.py")
        clock = put(tmp_path / "times.csv", "Submitted at;Full name\n2026-11-30T22:00:00Z;Ada Lovelace\n")
        found = gather(tmp_path / "class", times=clock, roster=put(tmp_path / "grades.csv", CANVAS))
        assert entry(found, "ada").handed_in == datetime(2026, 11, 30, 22, tzinfo=UTC)

    def test_a_line_of_nobody_is_listed(self, tmp_path):
        write(tmp_path, "class/ada/xor.py")
        clock = put(tmp_path / "times.csv", "student,time\neve,2026-11-30T22:00:00Z\nada,2026-11-30T22:00:00Z\n")
        assert "nothing was handed in under that name" in told(gather(tmp_path / "class", times=clock), "line 2")

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("student,time\nada,2026-11-30T22:00:00\n", "line 2.*no time with an offset"),
            ("student,time\nada,yesterday\n", "line 2.*no time with an offset"),
            ("student,time\n,2026-11-30T22:00:00Z\n", "line 2"),
            ("student,time\nada,2026-11-30T22:00:00Z\nAda,2026-11-30T23:00:00Z\n", "lines 2 and 3 are both of"),
            ("student,grade\nada,7\n", "student,time"),
            ("ada\n", "student,time"),
        ],
    )
    def test_what_is_no_time_is_refused_before_anything_is_graded(self, tmp_path, text, reason):
        with pytest.raises(UsageError, match=reason):
            times.read(put(tmp_path / "times.csv", text))

    def test_a_line_without_a_time_says_nothing(self, tmp_path):
        clock = put(tmp_path / "times.csv", "student,time\nada,\nbob\n")
        assert times.read(clock) == ()


def mixed(folder):
    """A folder with a delivery of every shape in it, and some that are none."""
    write(folder, "ada/xor.py", "ada/src/util.py", "ada/data/report.pdf", "ada/.ipynb_checkpoints/xor.ipynb")
    write(folder, "bob_xor.py", "kl-bob.ipynb", "xor_carl.py", "xor_carl (1).py", "dora.zip", "stray.py", "xor_kl.py")
    write(folder, "lovelacegrace_12_345_xor.py", "lovelacegrace_12_346_xor-1.py", "lovelacegrace_LATE_12_347_util.py")
    write(folder, "hopper_13_400_hw.zip", "hopper_13_text.html", "Zoe\u0308/xor.py", "Zoë_old.zip")
    write(folder, "Erna Noether_77_assignsubmission_file_/kl/kl.py", "Erna Noether_77_assignsubmission_file_/a.txt")
    write(folder, "Erna Noether_77_assignsubmission_onlinetext_/onlinetext.html", "F G_78_assignsubmission_file_xor.py")
    write(folder, "submitted/gus/week1/xor.ipynb", "submitted/gus/week1/timestamp.txt", "submitted/gus/week2/kl.ipynb")
    write(folder, "submitted/hal/late.txt", "submitted/notes.md", "source/week1/xor.ipynb", "gradebook.db")
    write(folder, "ida/.git/HEAD", "ida/.git/hooks/post-checkout", "ida/xor.py", "ida/README.md")
    for stamp in ("20261130T000000Z", "20261129T000000Z", "20261209T000000Z"):
        deliver(folder, "jan", stamp)
    write(folder, "jan/orphan.json", "nested/a_12_345_xor.py", "nested/b_13_345_xor.py", "RUN/run.sqlite")
    write(folder, ".DS_Store", "__MACOSX/._x.py", "grades.csv", "slides.pdf", ".hidden/xor.py")
    (folder / "kim").symlink_to(folder / "ada")
    return folder


def members(path):
    return [path / name for name in zipfile.ZipFile(path).namelist()]


def unaccounted(found, paths):
    """The paths neither below a place of an entry nor below one that is listed; a receipt goes with its zip."""
    shown = [place.shown for one in found.entries for place in one.places]
    known = {*shown, *(Path(what) for what, _ in found.unmatched)}
    return [path for path in paths if not known & {path, *path.parents, path.with_suffix(".zip")}]


class TestEverything:
    def test_every_file_of_a_mixed_folder_is_in_an_entry_or_listed(self, tmp_path):
        folder = mixed(tmp_path / "class")
        real = [path for path in folder.rglob("*") if path.is_file()]
        found = gather(folder, assignment=WEEK1)
        assert len(real) > 45
        assert unaccounted(found, real) == []

    def test_nothing_is_in_two_entries_and_all_of_them_can_be_read(self, tmp_path):
        found = gather(mixed(tmp_path / "class"), assignment=WEEK1)
        places = [place.shown for one in found.entries for place in one.places]
        assert len(places) == len(set(places))
        got = {one.student: set(files(one)) for one in found.entries}
        assert got == {
            "ada": {"xor.py", "src/util.py"},
            "bob": {"xor.py", "kl.ipynb"},
            "carl": {"xor.py"},
            "dora": {"xor.py"},
            "Erna Noether_77": {"kl.py"},
            "F G_78": {"xor.py"},
            "gus": {"xor.ipynb"},
            "hopper_13": {"xor.py"},
            "ida": {"xor.py"},
            "jan": {"xor.py"},
            "lovelacegrace_12": {"xor-1.py", "util.py"},
            "Zoë": {"xor.py"},
            "Zoë_old": {"xor.py"},
        }
        assert [one.submission(SLUGS).refused for one in found.entries] == [""] * len(got)

    def test_every_member_of_a_zip_of_a_class_is_in_an_entry_or_listed(self, tmp_path):
        folder = mixed(tmp_path / "class")
        path = tmp_path / "class.zip"
        names = [each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file()]
        path.write_bytes(zipped([(name, (folder / name).read_bytes()) for name in sorted(names) if "kim" not in name]))
        found = gather(path, assignment=WEEK1)
        assert len(members(path)) > 40
        assert unaccounted(found, members(path)) == []
        assert len(found.entries) == 13

    def test_an_intake_travels_between_processes(self, tmp_path):
        path = tmp_path / "submissions.zip"
        path.write_bytes(zipped([("lovelaceada_12_345_xor.py", XOR), ("hopper_13_400_hw.zip", ZIP)]))
        found = pickle.loads(pickle.dumps(gather(path, assignment=WEEK1)))
        assert [files(one) for one in found.entries] == [{"xor.py": XOR}, {"xor.py": XOR}]

    def test_gathering_twice_gives_the_same(self, tmp_path):
        folder = mixed(tmp_path / "class")
        assert gather(folder, assignment=WEEK1) == gather(folder, assignment=WEEK1)

    def test_a_class_of_many_in_one_zip_is_found_whole(self, tmp_path):
        """More entries than one student's archive may hold."""
        path = tmp_path / "submissions.zip"
        entries = [(f"s{n}_1{n:03}_{n:03}{k}_p{k}.py", b"") for n in range(500) for k in range(5)]
        path.write_bytes(zipped(entries))
        found = gather(path, slugs=[f"p{k}" for k in range(5)])
        assert [len(one.places) for one in found.entries] == [5] * 500
        assert found.unmatched == ()


def test_a_roster_of_hard_names_is_matched_as_written(tmp_path):
    """Quotes, separators, leading minus signs and other scripts survive the table and the file system."""
    hard = ['O"Neil; Pat', "a,b", "-rf", "名前", "Zoë"]
    out = io.StringIO()
    csv.writer(out).writerows([["id"], *([name] for name in hard)])
    write(tmp_path, *(f"class/{name}/xor.py" for name in hard))
    found = gather(tmp_path / "class", roster=put(tmp_path / "class.csv", out.getvalue()))
    assert sorted(one.student for one in found.entries) == sorted(hard)
    assert (found.absent, found.unmatched) == ((), ())
