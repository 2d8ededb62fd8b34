"""The paths that somebody names are searched for hand-ins; whatever is none is listed with a reason."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from packing import zipped

from grader.errors import SubmissionError
from grader.submission import Place, Wanted, find, load_places, moment
from grader.submission.names import authored, delivery

SLUGS = ("xor", "kl")
XOR = b"def xor(a, b):\n    return a ^ b\n"
ZIP = zipped([("xor.py", XOR)])


def write(folder, *names, content=XOR):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(ZIP if name.endswith(".zip") else content)
    return folder


def discover(paths, **wanted):
    return find(paths, Wanted(**({"slugs": SLUGS} | wanted)))


def students(discovery, folder):
    """What was found, with paths relative to a folder; a list where a student has several hand-ins."""
    found = {}
    for each in discovery.found:
        places = tuple(place.shown.relative_to(folder).as_posix() for place in each.places)
        found.setdefault(each.student, []).append(places[0] if len(places) == 1 else places)
    return {student: places[0] if len(places) == 1 else places for student, places in found.items()}


def reasons(discovery, folder):
    return {path.relative_to(folder).as_posix(): reason for path, reason in discovery.ignored}


def read(discovery, student):
    """The files of a student's only hand-in, by the names that they are read under."""
    (found,) = (each for each in discovery.found if each.student == student)
    return {file.path: file.content for file in load_places(found.places, student=student, slugs=SLUGS).files}


class TestOneStudent:
    def test_a_folder_that_holds_an_answer_is_one_students(self, tmp_path):
        write(tmp_path / "ada", "xor.py", "util.py", "old/notes.txt", "report.pdf")
        found = discover([tmp_path / "ada"])
        assert [(each.student, each.places) for each in found.found] == [("ada", (Place(tmp_path / "ada"),))]
        assert found.ignored == ()

    @pytest.mark.parametrize("name", ["Xor.PY", "xor (1).ipynb", "kl-2.py"])
    def test_a_changed_name_makes_it_one_students_too(self, tmp_path, name):
        assert students(discover([write(tmp_path / "ada", name)]), tmp_path) == {"ada": "ada"}

    def test_a_path_that_is_one_submission_can_be_given_a_students_name(self, tmp_path):
        write(tmp_path, "x.zip", "hw/xor.py")
        for name in ("x.zip", "hw", "hw/xor.py"):
            assert students(discover([tmp_path / name], name="ada"), tmp_path) == {"ada": name}

    def test_a_classs_students_keep_their_names(self, tmp_path):
        write(tmp_path, "ada/xor.py", "bob.zip")
        assert students(discover([tmp_path], name="carl"), tmp_path) == {"ada": "ada", "bob": "bob.zip"}

    def test_without_problems_any_source_makes_a_folder_a_students(self, tmp_path):
        found = discover([write(tmp_path / "ada", "anything.py")], slugs=())
        assert students(found, tmp_path) == {"ada": "ada"}

    def test_a_stray_answer_in_a_classs_folder_hides_nobody(self, tmp_path):
        """The folder counts as one student's then, and the folders that look like students' are listed."""
        write(tmp_path / "class", "xor.py", "ada/xor.py", "bob/kl.py", "figures/a.png")
        found = discover([tmp_path / "class"])
        assert students(found, tmp_path) == {"class": "class"}
        assert set(reasons(found, tmp_path)) == {"class/ada", "class/bob"}

    def test_answers_named_one_by_one_belong_to_their_folders(self, tmp_path):
        """``submissions/*/*.py`` names everybody's file the same; the folder says whose it is."""
        write(tmp_path, "ada/xor.py", "ada/util.py", "bob/xor.py", "loose/carl.py")
        paths = [tmp_path / name for name in ("ada/util.py", "ada/xor.py", "bob/xor.py", "loose/carl.py")]
        assert students(discover(paths), tmp_path) == {
            "ada": ("ada/util.py", "ada/xor.py"),
            "bob": "bob/xor.py",
            "carl": "loose/carl.py",
        }


class TestAClass:
    def test_nothing_in_it_is_dropped_silently(self, tmp_path):
        write(tmp_path, "ada/xor.py", "bob/src/kl.ipynb", "carl.zip", "dora.tar.gz", "empty/report.pdf")
        write(tmp_path, "erna.py", "frank.rar", "grades.csv", ".hidden/xor.py", ".DS_Store", "__MACOSX/x.py")
        (tmp_path / "gus").symlink_to(tmp_path / "ada")
        found = discover([tmp_path])
        assert students(found, tmp_path) == {
            "ada": "ada",
            "bob": "bob",
            "carl": "carl.zip",
            "dora": "dora.tar.gz",
            "empty": "empty",
        }
        told = reasons(found, tmp_path)
        assert set(told) == {".DS_Store", ".hidden", "__MACOSX", "erna.py", "frank.rar", "grades.csv", "gus"}
        assert "fits no problem" in told["erna.py"]
        assert "neither a folder nor" in told["frank.rar"]
        assert "symbolic link" in told["gus"]
        assert "hidden" in told[".hidden"]

    def test_students_are_sorted_as_people_count(self, tmp_path):
        write(tmp_path, "s10/xor.py", "s9.zip", "S1/xor.py", "ada/xor.py")
        assert [found.student for found in discover([tmp_path]).found] == ["ada", "S1", "s9", "s10"]

    def test_a_path_named_twice_is_one(self, tmp_path):
        write(tmp_path, "ada/xor.py")
        found = discover([tmp_path / "ada", tmp_path / "ada", tmp_path])
        assert (students(found, tmp_path), found.ignored) == ({"ada": "ada"}, ())

    def test_several_hand_ins_of_a_student_are_all_found(self, tmp_path):
        write(tmp_path, "hw1/ada/xor.py", "hw1/ada.zip", "hw2/ada/xor.py")
        found = discover([tmp_path / "hw1", tmp_path / "hw2"])
        assert students(found, tmp_path) == {"ada": ["hw1/ada", "hw1/ada.zip", "hw2/ada"]}

    def test_the_record_of_a_run_is_no_student(self, tmp_path):
        write(tmp_path, "ada/xor.py", "RUN/run.json", "OLD/run.sqlite", "NEW/lock")
        found = discover([tmp_path], run=tmp_path / "NEW")
        assert students(found, tmp_path) == {"ada": "ada"}
        assert set(reasons(found, tmp_path)) == {"RUN", "OLD", "NEW"}

    def test_an_empty_class_says_so(self, tmp_path):
        write(tmp_path, "class/readme.md")
        assert reasons(discover([tmp_path / "class"]), tmp_path)["class"] == "it holds no submission"

    def test_a_path_that_is_not_there_is_the_callers_mistake(self, tmp_path):
        with pytest.raises(SubmissionError, match="nothing at"):
            discover([tmp_path / "nobody"])

    def test_a_folder_that_cannot_be_read_is_listed(self, tmp_path, monkeypatch):
        write(tmp_path, "class/ada/xor.py")

        def deny(_path):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "iterdir", deny)
        assert reasons(discover([tmp_path / "class"]), tmp_path) == {"class": "it cannot be read (Permission denied)"}

    def test_a_git_clone_is_its_working_tree(self, tmp_path):
        write(tmp_path, "class/ada/src/xor.py", "class/ada/.git/hooks/xor.py", "class/ada/.git/config")
        found = discover([tmp_path / "class"])
        assert "git clone" in found.found[0].note
        assert read(found, "ada") == {"xor.py": XOR}

    @pytest.mark.parametrize("name", ["Zoe\u0308", "a b", "ada@uni.example", "O'Neil; rm -rf", "-rf", "名前"])
    def test_odd_names_are_names(self, tmp_path, name):
        (found,) = discover([write(tmp_path, f"{name}/xor.py")]).found
        assert found.student == name.replace("e\u0308", "ë")

    def test_no_name_can_hide_or_forge_a_line(self, tmp_path):
        (found,) = discover([write(tmp_path, "ada\x1b[2K\nbob/xor.py")]).found
        assert found.student == "ada\\x1b[2K\\nbob"


class TestNamesOfFiles:
    def test_a_students_name_beside_a_problems_tells_both(self, tmp_path):
        write(tmp_path, "ada_xor.py", "kl-ada.ipynb", "XOR bob (1).py", content=b"1")
        found = discover([tmp_path])
        assert (set(read(found, "ada")), set(read(found, "bob"))) == ({"xor.py", "kl.ipynb"}, {"xor.py"})
        assert found.ignored == ()

    def test_a_file_named_after_its_student_is_the_one_problems(self, tmp_path):
        write(tmp_path, "ada.ipynb", "bob.py")
        found = discover([tmp_path], judged=("kl",))
        assert (set(read(found, "ada")), set(read(found, "bob"))) == ({"kl.ipynb"}, {"kl.py"})

    def test_archives_of_one_student_for_several_problems_are_one_hand_in(self, tmp_path):
        (tmp_path / "ada_xor.zip").write_bytes(ZIP)
        (tmp_path / "ada_kl.zip").write_bytes(zipped([("kl.py", b"1"), ("util.py", b"2")]))
        (tmp_path / "bob_week1.zip").write_bytes(ZIP)
        found = discover([tmp_path], assignment="week1")
        assert set(read(found, "ada")) == {"ada_kl/kl.py", "ada_kl/util.py", "ada_xor/xor.py"}
        assert set(read(found, "bob")) == {"xor.py"}

    def test_two_files_for_the_same_are_not_guessed_between(self, tmp_path):
        write(tmp_path, "ada_xor.py", "xor_ada.py")
        found = discover([tmp_path])
        assert students(found, tmp_path) == {"ada": "ada_xor.py"}
        assert "a second file of ada" in reasons(found, tmp_path)["xor_ada.py"]

    def test_a_name_that_may_mean_two_students_is_listed_unless_one_is_known(self, tmp_path):
        write(tmp_path, "xor_kl.py")
        assert "may mean" in reasons(discover([tmp_path]), tmp_path)["xor_kl.py"]
        assert students(discover([tmp_path], known={"kl"}.__contains__), tmp_path) == {"kl": "xor_kl.py"}

    def test_a_known_name_is_not_taken_apart(self, tmp_path):
        write(tmp_path, "week1-ada/xor.py", "week1-bob/xor.py")
        found = discover([tmp_path], assignment="week1", known={"week1-ada"}.__contains__)
        assert students(found, tmp_path) == {"week1-ada": "week1-ada", "bob": "week1-bob"}

    @pytest.mark.parametrize(
        ("name", "ways"),
        [
            ("xor.py", []),
            ("_xor.py", []),
            ("adaxor.py", []),
            ("ada_old_xor.py", [("ada_old", "xor")]),
            ("s-12_xor.py", [("s-12", "xor")]),
            ("xor_s-12.py", [("s-12", "xor")]),
            ("ada_xor-1.py", [("ada", "xor")]),
            ("Copy of ada_xor.py", [("ada", "xor")]),
        ],
    )
    def test_names_are_parted_where_something_parts_them(self, name, ways):
        assert list(authored(name, SLUGS)) == ways


class TestCanvas:
    def test_a_download_is_grouped_by_student(self, tmp_path):
        """Files of one student are one submission, helpers included; all of it can be loaded."""
        write(tmp_path, "lovelaceada_12_345_xor.py", "lovelaceada_LATE_12_346_kl.ipynb", "lovelaceada_12_347_util.py")
        write(tmp_path, "turingalan_13_400_xor-1.py")
        found = discover([tmp_path])
        assert [(each.student, each.number, each.late) for each in found.found] == [
            ("lovelaceada_12", "Canvas 12", True),
            ("turingalan_13", "Canvas 13", False),
        ]
        assert set(read(found, "lovelaceada_12")) == {"kl.ipynb", "util.py", "xor.py"}
        assert found.ignored == ()

    def test_of_a_file_handed_in_again_the_later_counts(self, tmp_path):
        """Canvas adds -1 to the name; what tells the order is the number of the upload."""
        write(tmp_path, "lovelaceada_12_900_xor-1.py", content=b"later")
        write(tmp_path, "lovelaceada_12_345_xor.py", "lovelaceada_12_346_kl.py", content=b"earlier")
        found = discover([tmp_path])
        assert read(found, "lovelaceada_12") == {"xor-1.py": b"later", "kl.py": b"earlier"}
        assert "an earlier file" in reasons(found, tmp_path)["lovelaceada_12_345_xor.py"]

    def test_an_archive_beside_files_is_read_as_a_folder(self, tmp_path):
        write(tmp_path, "lovelaceada_12_345_kl.py", "lovelaceada_12_346_hw.zip")
        assert read(discover([tmp_path]), "lovelaceada_12") == {"kl.py": XOR, "hw/xor.py": XOR}

    def test_what_was_typed_in_is_listed(self, tmp_path):
        write(tmp_path, "lovelaceada_12_text.html", "turingalan_LATE_13_link.html", "hopper_14_400_essay.pdf")
        told = reasons(discover([tmp_path]), tmp_path)
        assert "typed" in told["lovelaceada_12_text.html"]
        assert "typed" in told["turingalan_LATE_13_link.html"]
        assert "neither" in told["hopper_14_400_essay.pdf"]

    def test_nameless_students_are_told_apart(self, tmp_path):
        write(tmp_path, "anon_aB3dE_456_xor.py", "anon_Zz9yX_457_xor.py")
        assert [each.student for each in discover([tmp_path]).found] == ["anon_aB3dE", "anon_Zz9yX"]

    def test_the_zip_itself_is_read_in_memory(self, tmp_path):
        path = tmp_path / "submissions.zip"
        entries = [
            ("lovelaceada_12_345_xor.py", b"a"),
            ("lovelaceada_12_346_kl.ipynb", b"{}"),
            ("turingalan_LATE_13_400_hw.zip", ZIP),
            ("hopper_14_500_essay.pdf", b"%PDF"),
            ("__MACOSX/._x.py", b""),
            ("../evil_15_600_xor.py", b"evil"),
        ]
        path.write_bytes(zipped(entries))
        found = discover([path])
        assert read(found, "lovelaceada_12") == {"kl.ipynb": b"{}", "xor.py": b"a"}
        assert read(found, "turingalan_13") == {"xor.py": XOR}
        assert set(reasons(found, path)) == {"hopper_14_500_essay.pdf", "__MACOSX/._x.py", "../evil_15_600_xor.py"}
        assert sorted(tmp_path.iterdir()) == [path]

    def test_a_damaged_file_in_the_zip_refuses_its_student_alone(self, tmp_path):
        path = tmp_path / "submissions.zip"
        entries = [("lovelaceada_12_345_xor.py", b"a" * 100), ("turingalan_13_400_xor.py", b"b" * 100)]

        def falsify(infos):
            infos[0].CRC ^= 1

        path.write_bytes(zipped(entries, change=falsify))
        ada, alan = (load_places(each.places, student=each.student) for each in discover([path]).found)
        assert "wrong checksum" in ada.refused
        assert alan.refused == ""

    def test_a_hand_in_cannot_pose_as_a_download(self, tmp_path):
        """Only what somebody names is searched for students, so no name inside a hand-in is somebody else's."""
        inner = zipped([("turingalan_13_400_xor.py", b"forged"), ("hopper_14_500_xor.py", b"forged")])
        write(tmp_path, "class/ada/xor.py", "class/ada/turingalan_13_100_xor.py", "class/ada/hopper_14_200_xor.py")
        (tmp_path / "class" / "bob.zip").write_bytes(inner)
        write(tmp_path, "class/carl/turingalan_13_100_xor.py", "class/carl/hopper_14_200_xor.py")
        found = discover([tmp_path / "class"])
        assert students(found, tmp_path) == {"ada": "class/ada", "bob": "class/bob.zip"}
        assert "a download of several students" in reasons(found, tmp_path)["class/carl"]


class TestMoodle:
    def test_folders_are_students(self, tmp_path):
        write(tmp_path, "Ada Lovelace_77_assignsubmission_file_/src/xor.py")
        write(tmp_path, "Alan Turing_78_assignsubmission_file/kl.py", "Grace_79_assignsubmission_onlinetext_/o.html")
        found = discover([tmp_path])
        assert [(each.student, each.number) for each in found.found] == [
            ("Ada Lovelace_77", "Moodle 77"),
            ("Alan Turing_78", "Moodle 78"),
        ]
        assert "typed" in reasons(found, tmp_path)["Grace_79_assignsubmission_onlinetext_"]
        assert students(discover(list(tmp_path.iterdir())), tmp_path) == students(found, tmp_path)

    def test_names_before_files_are_students_too(self, tmp_path):
        write(tmp_path, "Ada Lovelace_77_assignsubmission_file_xor.py", "Ada Lovelace_77_assignsubmission_file_kl.py")
        assert set(read(discover([tmp_path]), "Ada Lovelace_77")) == {"xor.py", "kl.py"}

    def test_the_zip_itself_is_read_in_memory(self, tmp_path):
        path = tmp_path / "week1-3.zip"
        top = "Zoë Lovelace_77_assignsubmission_file_"
        path.write_bytes(
            zipped(
                [(f"{top}/src/xor.py", b"a"), (f"{top}/data/big.csv", b""), ("A_78_assignsubmission_file_/hw.zip", ZIP)]
            )
        )
        found = discover([path])
        assert read(found, "Zoë Lovelace_77") == {"xor.py": b"a"}
        assert read(found, "A_78") == {"xor.py": XOR}


class TestNbgrader:
    def test_the_tree_gives_students_and_times(self, tmp_path):
        write(tmp_path, "submitted/ada/week1/p1.ipynb", "submitted/ada/week2/p1.ipynb", "submitted/README.md")
        stamp = b"2026-11-30 22:15:00.000000 UTC"
        write(tmp_path, "submitted/ada/week1/timestamp.txt", content=stamp)
        write(tmp_path, "source/week1/p1.ipynb", "release/week1/p1.ipynb", "gradebook.db", "submitted/bob/x.py")
        for path in (tmp_path, tmp_path / "submitted"):
            found = discover([path], assignment="week1")
            assert students(found, tmp_path) == {"ada": "submitted/ada/week1"}
            assert found.found[0].handed_in == datetime(2026, 11, 30, 22, 15, tzinfo=UTC)
            told = reasons(found, tmp_path)
            assert "another assignment" in told["submitted/ada/week2"]
            assert {"submitted/README.md", "submitted/bob", "submitted/bob/x.py"} < set(told)

    def test_one_of_several_assignments_is_not_guessed(self, tmp_path):
        write(tmp_path, "submitted/ada/week1/xor.py", "submitted/ada/week2/xor.py", "submitted/bob/week1/xor.py")
        found = discover([tmp_path / "submitted"])
        assert students(found, tmp_path) == {"bob": "submitted/bob/week1"}
        assert "--assignment" in reasons(found, tmp_path)["submitted/ada/week2"]

    def test_a_time_stamp_without_a_zone_is_none(self, tmp_path):
        write(tmp_path, "submitted/ada/week1/xor.py")
        write(tmp_path, "submitted/ada/week1/timestamp.txt", content=b"2026-11-30 22:15:00")
        assert discover([tmp_path / "submitted"]).found[0].handed_in is None

    def test_a_students_own_time_stamp_is_no_time(self, tmp_path):
        write(tmp_path, "class/ada/xor.py")
        write(tmp_path, "class/ada/timestamp.txt", content=b"2020-01-01 00:00:00 UTC")
        assert discover([tmp_path / "class"]).found[0].handed_in is None


def deliver(inbox, who, stamp="20261130T221500Z", content=ZIP, **changed):
    """What `grade submit --to` leaves in an inbox."""
    digest = hashlib.sha256(content).hexdigest()
    path = inbox / who / f"{stamp}-{digest[:8]}.zip"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    receipt = {"student": who, "time": moment(stamp).isoformat(), "digest": digest, "files": []} | changed
    path.with_suffix(".json").write_text(json.dumps(receipt))
    return path


class TestInbox:
    def test_each_delivery_is_a_hand_in_with_its_time(self, tmp_path):
        for stamp in ("20261130T221500Z", "20261129T120000Z"):
            deliver(tmp_path, "ada", stamp)
        found = discover([tmp_path])
        assert [each.handed_in for each in found.found] == [
            datetime(2026, 11, 29, 12, tzinfo=UTC),
            datetime(2026, 11, 30, 22, 15, tzinfo=UTC),
        ]
        assert (found.found[0].student, found.ignored) == ("ada", ())
        assert students(discover([tmp_path / "ada"]), tmp_path) == students(found, tmp_path)

    def test_a_zip_changed_after_delivery_has_no_time(self, tmp_path):
        deliver(tmp_path, "ada").write_bytes(zipped([("xor.py", b"better")]))
        (found,) = discover([tmp_path]).found
        assert found.handed_in is None
        assert "changed after it was delivered" in found.note

    @pytest.mark.parametrize(
        "changed", [{"digest": "0" * 64}, {"time": "2026-11-29T00:00:00Z"}, {"student": "bob"}, {"time": None}]
    )
    def test_a_receipt_that_does_not_fit_is_not_believed(self, tmp_path, changed):
        deliver(tmp_path, "ada", **changed)
        (found,) = discover([tmp_path]).found
        assert found.handed_in is None
        assert "receipt" in found.note

    @pytest.mark.parametrize("receipt", [b"", b"[]", b"\xff", b"{" * 10**5, b" " * 10**6])
    def test_a_receipt_that_is_none_is_not_believed(self, tmp_path, receipt):
        deliver(tmp_path, "ada").with_suffix(".json").write_bytes(receipt)
        assert discover([tmp_path]).found[0].handed_in is None

    def test_what_else_lies_there_is_listed(self, tmp_path):
        deliver(tmp_path, "ada").with_suffix(".json").unlink()
        write(tmp_path, "ada/other.json", "ada/notes.txt", "ada/.part")
        found = discover([tmp_path])
        assert "no receipt" in found.found[0].note
        assert set(reasons(found, tmp_path)) == {"ada/other.json", "ada/notes.txt", "ada/.part"}


class TestZipsOfAClass:
    @pytest.mark.parametrize(
        "names",
        [
            ("class/ada/xor.py", "class/bob/xor.py"),
            ("ada_xor.py", "bob_xor.py"),
            ("ada.zip", "bob.zip"),
            ("submitted/ada/week1/xor.py", "submitted/bob/week1/xor.py"),
        ],
    )
    def test_a_zip_that_can_be_no_students_is_a_classs(self, tmp_path, names):
        path = tmp_path / "all.zip"
        path.write_bytes(zipped([(name, ZIP if name.endswith(".zip") else XOR) for name in names]))
        found = discover([path])
        assert {each.student: read(found, each.student) for each in found.found} == {
            "ada": {"xor.py": XOR},
            "bob": {"xor.py": XOR},
        }

    @pytest.mark.parametrize(
        "names", [("xor.py", "kl.py"), ("hw/xor.py", "hw/old/xor.py"), ("a/xor.py", "b/kl.py"), ("ada_xor.py",), ()]
    )
    def test_a_zip_that_may_be_one_students_is(self, tmp_path, names):
        path = tmp_path / "ada.zip"
        path.write_bytes(zipped([(name, XOR) for name in names]))
        assert students(discover([path]), tmp_path) == {"ada": "ada.zip"}

    @pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06" + bytes(18), ZIP[:-10]])
    def test_a_zip_that_is_damaged_is_one_refused_submission(self, tmp_path, content):
        path = tmp_path / "ada.zip"
        path.write_bytes(content)
        (found,) = discover([path]).found
        submission = load_places(found.places, student="ada")
        assert submission.files == ()

    def test_a_zip_changed_since_is_read_anew(self, tmp_path):
        path = tmp_path / "submissions.zip"
        for content in (b"first", b"second!"):
            path.write_bytes(zipped([("lovelaceada_12_345_xor.py", content), ("turingalan_13_400_xor.py", b"")]))
            assert read(discover([path]), "lovelaceada_12") == {"xor.py": content}

    def test_two_members_of_one_name_do_not_hide_each_other(self, tmp_path):
        path = tmp_path / "submissions.zip"
        with pytest.warns(UserWarning, match="Duplicate"):
            path.write_bytes(zipped([("a_12_345_xor.py", b"1"), ("a_12_345_xor.py", b"2"), ("b_13_346_xor.py", b"")]))
        found = discover([path])
        assert read(found, "a_12") == {"xor.py": b"1"}
        assert "twice" in reasons(found, path)["a_12_345_xor.py"]


class TestPlaces:
    def test_nothing_at_all_says_so(self):
        submission = load_places((), student="ada")
        assert (submission.files, submission.notes, submission.refused) == ((), ("nothing was handed in",), "")

    def test_what_has_gone_since_is_a_refused_submission(self, tmp_path):
        for place in (
            Place(tmp_path / "ada"),
            Place(tmp_path / "a.zip", "ada/xor.py"),
            Place(tmp_path / "x.py", name="xor.py"),
        ):
            assert "nothing at" in load_places((place,), student="ada").refused

    def test_two_files_of_one_name_refuse_the_hand_in(self, tmp_path):
        write(tmp_path, "a.py", "b.py")
        places = [Place(tmp_path / "a.py", name="xor.py"), Place(tmp_path / "b.py", name="XOR.py")]
        assert "one name on some computers" in load_places(places, student="ada").refused

    def test_names_of_downloads_are_told_from_others(self):
        for name in ("xor.py", "ada_1_2_xor.py", "a_b_12_345_xor.py", "x_77_assignsubmission.py", "ada_12_345_"):
            assert delivery(name) is None
