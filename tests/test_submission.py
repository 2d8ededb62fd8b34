"""A path becomes a frozen submission, a submission the answer to one problem; nothing of it runs on the way."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from packing import FORMS, packed, zipped

from grader.errors import SubmissionError
from grader.isolation.profile import SourceFile
from grader.submission import Submission, SubmittedFile, answer, load

TEXT = b"def xor(a, b):\n    return a ^ b\n"
NOTEBOOK = json.dumps(
    {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code", "source": "x = 1"}]}
).encode()


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def handed_in(files, slugs=("xor", "kl")):
    """A submission of these files, or of files with these names."""
    files = files if isinstance(files, dict) else dict.fromkeys(files, TEXT)
    return Submission.of("ada", [SubmittedFile(name, content) for name, content in files.items()], slugs=slugs)


def paths(submission):
    return [file.path for file in submission.files]


class TestLoad:
    def test_a_folder_is_its_sources(self, tmp_path):
        folder = write(tmp_path / "ada", {"xor.py": TEXT, "kl/kl.ipynb": b"{}", "data.csv": b"1", "notes.txt": b""})
        submission = load(folder)
        assert (submission.student, submission.refused, submission.notes) == ("ada", "", ())
        assert submission.files == (SubmittedFile("kl/kl.ipynb", b"{}"), SubmittedFile("xor.py", TEXT))

    def test_a_single_file_is_a_submission(self, tmp_path):
        path = write(tmp_path, {"xor.py": TEXT}) / "xor.py"
        assert load(path) == load(str(path))
        assert (load(path).student, load(path).files) == ("xor", (SubmittedFile("xor.py", TEXT),))
        assert load(path, student="ada").student == "ada"

    def test_a_bulk_download_leaves_its_mark_on_names_only(self, tmp_path):
        write(tmp_path, {"lovelaceada_12_345_xor.py": TEXT, "lovelaceada_LATE_12_346_kl.ipynb": NOTEBOOK})
        both = load(tuple(sorted(tmp_path.iterdir())))
        assert (both.student, paths(both)) == ("lovelaceada_12", ["kl.ipynb", "xor.py"])
        assert both.digest == load(write(tmp_path / "ada", {"xor.py": TEXT, "kl.ipynb": NOTEBOOK})).digest

    def test_the_digest_is_that_of_the_sources_alone(self, tmp_path):
        """A folder, its zip and its tars are one submission, whatever the order, the times and the top folder."""
        files = {"xor.py": TEXT, "src/kl.py": b"x", "src/übung.py": b""}
        digests = {load(write(tmp_path / "ada", files)).digest}
        for ending in FORMS:
            for top in ("", "ada/", "./Hausübung 3/ada/"):
                entries = [(top + name, content) for name, content in reversed(files.items())]
                archive = write(tmp_path, {f"a{len(top)}{ending}": packed([*entries, (f"{top}x.txt", b"1")], ending)})
                digests.add(load(archive / f"a{len(top)}{ending}").digest)
        mac = {unicodedata.normalize("NFD", name): content for name, content in files.items()}
        os.utime(write(tmp_path / "mac", mac) / "xor.py", (0, 0))
        digests.add(load(tmp_path / "mac").digest)
        assert len(digests) == 1

    @pytest.mark.parametrize(
        "files", [{"xor.py": TEXT + b" "}, {"kl.py": TEXT}, {"xor.py": TEXT, "a.py": b""}, {"xor.p": b"y" + TEXT}, {}]
    )
    def test_other_sources_have_another_digest(self, files):
        assert handed_in(files).digest != handed_in({"xor.py": TEXT}).digest

    def test_names_and_contents_cannot_trade_places_in_the_digest(self):
        assert handed_in({"a.py": b"b.py", "c.py": b""}).digest != handed_in({"a.py": b"", "b.pyc.py": b""}).digest

    def test_a_submission_travels_between_our_processes(self):
        submission = handed_in({"xor.py": TEXT})
        assert pickle.loads(pickle.dumps(submission)) == submission

    @pytest.mark.parametrize("name", ["nothing", "nothing.zip", "a\0b", "x" * 300])
    def test_a_path_that_is_not_there_is_the_callers_mistake(self, tmp_path, name):
        with pytest.raises(SubmissionError, match="nothing at"):
            load(tmp_path / name)

    def test_a_file_of_no_kind_that_we_know_is_the_callers_mistake(self, tmp_path):
        with pytest.raises(SubmissionError, match=r"no folder and no \.py"):
            load(write(tmp_path, {"ada.rar": b"Rar!"}) / "ada.rar")

    def test_a_folder_with_one_archive_stands_for_it(self, tmp_path):
        """As learning platforms hand out: one folder a student, the upload in it."""
        folder = write(tmp_path / "ada", {"hw 1.zip": zipped([("xor.py", TEXT)]), "comment.html": b""})
        assert (load(folder).student, paths(load(folder))) == ("ada", ["xor.py"])
        write(folder, {"hw 2.zip": b""})
        assert "leave one archive" in load(folder).refused

    def test_an_archive_beside_sources_is_noted(self, tmp_path):
        submission = load(write(tmp_path / "ada", {"xor.py": TEXT, "old.zip": zipped([("kl.py", TEXT)])}))
        assert paths(submission) == ["xor.py"]
        assert submission.notes == ('"old.zip": not opened, because it lies inside the hand-in',)

    def test_a_folder_without_sources_says_what_it_holds(self, tmp_path):
        submission = load(write(tmp_path / "ada", {f"{n}.txt": b"" for n in range(7)}))
        assert submission.notes[0].endswith('only "0.txt", "1.txt", "2.txt", "3.txt", "4.txt" and 2 more')
        assert submission.refused == ""

    def test_sources_that_are_named_after_no_problem_are_noted(self, tmp_path):
        folder = write(tmp_path / "ada", {"xor_final.py": TEXT, "b.py": b""})
        assert load(folder, slugs=("xor", "kl")).notes == (
            'none of the files is named after a problem: "b.py", "xor_final.py"',
        )
        assert load(folder).notes == ()
        assert load(write(folder, {"Kl.ipynb": NOTEBOOK}), slugs=("xor", "kl")).notes == ()

    @pytest.mark.parametrize("name", ["xor.py", "data", "src/kl.py"])
    def test_a_link_in_a_folder_is_refused_not_followed(self, tmp_path, name):
        secret = write(tmp_path, {"secret.py": b"42"}) / "secret.py"
        folder = write(tmp_path / "ada", {"a.py": b"", "src/b.py": b""})
        (folder / name).symlink_to(secret)
        submission = load(folder)
        assert (submission.files, '"' + name + '" is a symbolic link' in submission.refused) == ((), True)

    @pytest.mark.parametrize("target", ["ada", "secret.py", "a.zip", "nowhere"])
    def test_a_path_that_is_a_link_is_refused_too(self, tmp_path, target):
        write(tmp_path, {"secret.py": b"42", "ada/xor.py": b"", "a.zip": zipped([("xor.py", TEXT)])})
        link = tmp_path / f"link{Path(target).suffix}"
        link.symlink_to(tmp_path / target)
        assert "a symbolic link" in load(link).refused

    def test_a_pipe_is_refused_without_waiting_for_it(self, tmp_path):
        os.mkfifo(write(tmp_path / "ada", {"a.py": b""}) / "xor.py")
        assert '"xor.py" is a pipe' in load(tmp_path / "ada").refused
        assert "no ordinary file" in load(tmp_path / "ada" / "xor.py").refused

    def test_litter_and_virtual_environments_are_passed_over(self, tmp_path):
        litter = [".venv/a.py", "venv/a.py", "env/pyvenv.cfg", "env/b.py", "__pycache__/xor.py", ".xor.py"]
        litter += [".ipynb_checkpoints/xor-checkpoint.ipynb", "node_modules/x/y.py", "__MACOSX/xor.py"]
        folder = write(tmp_path / "ada", {"xor.py": TEXT, **dict.fromkeys(litter, b"")})
        (folder / ".venv" / "python").symlink_to(sys.executable)
        (folder / "env" / "python").symlink_to(sys.executable)
        assert paths(load(folder)) == ["xor.py"]
        write(folder, {"pyvenv.cfg": b""})  # who makes the environment where the answers lie still has answers
        assert paths(load(folder)) == ["xor.py"]

    def test_what_cannot_be_read_is_refused(self, tmp_path, monkeypatch):
        folder = write(tmp_path / "ada", {"xor.py": TEXT})

        def deny(*_args, **_more):
            raise PermissionError(13, "Permission denied")

        with monkeypatch.context() as patch:
            patch.setattr(os, "open", deny)
            assert '"xor.py" cannot be read (Permission denied)' in load(folder).refused
        with monkeypatch.context() as patch:
            patch.setattr(os, "scandir", deny)
            assert '"ada" cannot be read (Permission denied)' in load(folder).refused

    def test_sources_of_more_than_the_cap_are_refused(self, tmp_path):
        folder = write(tmp_path / "ada", {"a.ipynb": b"", "b.ipynb": b"", "c.py": b""})
        for name in ("a.ipynb", "b.ipynb"):
            os.truncate(folder / name, 33 * 2**20)  # a hole on the disk
        assert "64 MiB" in load(folder).refused
        os.truncate(folder / "a.ipynb", 2**40)
        assert "larger than 64 MiB" in load(folder).refused
        assert "larger than 64 MiB" in load(folder / "a.ipynb").refused

    def test_too_many_sources_are_refused_and_a_data_set_is_not(self, tmp_path):
        folder = write(tmp_path / "ada", {"xor.py": b"", **{f"data/{n}.png": b"" for n in range(2001)}})
        assert load(folder).refused == ""
        write(folder, {f"code/{n}.py": b"" for n in range(2001)})
        assert "2,000 files" in load(folder).refused

    def test_folders_without_end_are_refused(self, tmp_path):
        write(tmp_path / "ada", {"d/" * 40 + "xor.py": b""})
        assert "deep" in load(tmp_path / "ada").refused

    @pytest.mark.parametrize(
        "name", ["a\\b.py", "x\n.py", "x\u202e.py", "aux.py", b"\xff.py".decode(errors="surrogateescape")]
    )
    def test_a_bad_name_of_a_source_on_disk_is_refused_and_escaped(self, tmp_path, name):
        submission = load(write(tmp_path / "ada", {name: b""}))
        assert "the name " in submission.refused
        assert submission.refused.isprintable()

    def test_a_bad_name_of_another_file_on_disk_is_nobodys_business(self, tmp_path):
        assert load(write(tmp_path / "ada", {"xor.py": TEXT, "aux.txt": b"", "a\\b": b""})).refused == ""

    def test_the_students_name_is_fit_to_print(self, tmp_path):
        assert load(write(tmp_path / "ada\x1b[2J\u202e", {"xor.py": TEXT})).student == "ada\\x1b[2J\\u202e"

    def test_a_folder_may_be_named_by_dots(self, tmp_path, monkeypatch):
        monkeypatch.chdir(write(tmp_path / "ada", {"xor.py": TEXT, "src/kl.py": TEXT}) / "src")
        assert (load(Path()).student, load("..").student) == ("src", "ada")


class TestAnswer:
    def test_a_python_file_is_one_text(self):
        assert answer(handed_in({"xor.py": TEXT}), "xor").main == SourceFile("xor.py", (TEXT.decode(),))

    def test_a_notebook_is_its_cells(self):
        got = answer(handed_in({"xor.ipynb": NOTEBOOK}), "xor")
        assert got.main == SourceFile("xor.ipynb", ("x = 1",), notebook=True)

    @pytest.mark.parametrize("files", [[], ["kl.py"], ["xor_old.py"], ["myxor.py"], ["xor.py.txt.py"], ["xors.ipynb"]])
    def test_no_file_for_a_problem_is_no_answer(self, files):
        assert answer(handed_in(files), "xor") is None

    @pytest.mark.parametrize(
        "name",
        [
            "xor (1).py",
            "xor(12).py",
            "xor-2.py",
            "Xor.PY",
            "XOR.Ipynb",
            "xor-Copy1.ipynb",
            "xor - Copy (2).py",
            "xor copy.py",
            "xor copy 2.py",
            "Copy of xor.ipynb",
            "lovelaceada_123_456_xor.py",
            "lovelaceada_LATE_123_456_xor-1.ipynb",
            "hw/xor (1).py",
        ],
    )
    def test_a_name_that_a_download_changed_is_matched_with_a_note(self, name):
        got = answer(handed_in({name: NOTEBOOK if name.lower().endswith("nb") else TEXT}), "xor")
        assert got.main.name == f"xor{Path(name).suffix.lower()}"
        assert got.notes == (f'"{name}" was read as {got.main.name}',)

    def test_an_exact_name_wins_and_the_others_are_noted(self):
        got = answer(handed_in({"xor (1).py": b"old", "hw/xor.py": TEXT, "Copy of xor.py": b""}), "xor")
        assert got.main.cells == (TEXT.decode(),)
        assert got.notes == tuple(
            f'"{name}" was not read, because "hw/xor.py" was' for name in ("Copy of xor.py", "xor (1).py")
        )

    def test_the_one_nearest_to_the_top_wins(self):
        got = answer(handed_in({"old/b/xor.py": b"1", "hw/xor.py": TEXT, "kl.py": b""}), "xor")
        assert (got.main.cells, got.main.name) == ((TEXT.decode(),), "xor.py")
        assert got.notes == ('"old/b/xor.py" was not read, because "hw/xor.py" was',)

    @pytest.mark.parametrize(
        "files",
        [["xor.py", "xor.ipynb"], ["a/xor.py", "b/xor.py"], ["a/xor.py", "b/xor.ipynb"], ["xor (1).py", "xor-2.py"]],
    )
    def test_two_files_with_an_equal_claim_cost_that_problem_alone(self, files):
        submission = handed_in(["kl.py", *files])
        with pytest.raises(SubmissionError) as caught:
            answer(submission, "xor")
        assert all(f'"{name}"' in str(caught.value) for name in files)
        assert "hand in one of them" in str(caught.value)
        assert answer(submission, "kl") is not None

    def test_a_file_named_after_one_problem_is_not_another_ones_copy(self):
        assert answer(handed_in(["xor-2.py"], slugs=("xor", "xor-2")), "xor") is None

    def test_the_modules_beside_the_answer_come_with_it(self):
        files = ["util.py", "layers.py", "xor.py", "kl.py", "Kl.py", "kl (1).py", "xor-1.py", "src/deep.py"]
        files += ["no module.py", "1st.py", "class.py", "__main__.py", "Tools.PY", "more.ipynb"]
        assert answer(handed_in(files), "xor").helpers == (("layers", TEXT.decode()), ("util", TEXT.decode()))

    def test_modules_beside_a_notebook_in_a_folder_come_with_it(self):
        got = answer(handed_in({"hw/xor.ipynb": NOTEBOOK, "hw/util.py": TEXT, "other.py": TEXT}), "xor")
        assert got.helpers == (("util", TEXT.decode()),)

    def test_a_module_that_is_no_text_is_left_out_with_a_note(self):
        got = answer(handed_in({"xor.py": TEXT, "util.py": b"\xff\xfe", "good.py": b""}), "xor")
        assert got.helpers == (("good", ""),)
        assert "util.py is saved as UTF-16" in got.notes[0]

    @pytest.mark.parametrize(
        ("name", "content"), [("xor.py", b"\xff"), ("xor.ipynb", b"{"), ("xor.ipynb", b"#" * 21 * 2**20)]
    )
    def test_a_file_that_we_refuse_to_read_costs_that_problem_alone(self, name, content):
        submission = handed_in({name: content, "kl.py": TEXT})
        with pytest.raises(SubmissionError, match=rf"The answer cannot be read: {name} .*\.$"):
            answer(submission, "xor")
        assert answer(submission, "kl").helpers == ()

    def test_a_refused_submission_answers_nothing(self, tmp_path):
        submission = load(write(tmp_path, {"ada.zip": b""}) / "ada.zip")
        with pytest.raises(SubmissionError) as caught:
            answer(submission, "xor")
        assert str(caught.value) == submission.refused


HOSTILE = "import os\nos.mkdir('here')\n@print('decorated')\nclass A(metaclass=print): 0\nx: print('noted')\n"

AUDITED = """
import pathlib, sys
from grader.submission import Wanted, answer, find, load_places

def judge(folder):
    found = find([folder], Wanted(slugs=("xor", "kl"))).found
    for each in found:
        submission = load_places(each.places, student=each.student, slugs=("xor", "kl"))
        assert answer(submission, "xor").main.cells, submission
        assert answer(submission, "kl").helpers

def watch(event, args):
    writing = event == "open" and (args[2] or 0) & 0o3 or str(args[1] if event == "open" else "r")[0] not in "rN"
    if event.split(".")[0] in {"compile", "exec", "import", "subprocess", "socket", "ctypes", "marshal", "pickle"}:
        print(event, args)
    elif writing or event in {"os.mkdir", "os.rename", "os.remove", "os.link", "os.symlink", "os.chmod", "os.utime"}:
        print(event, args)

judge(pathlib.Path(sys.argv[1]))  # imports what is imported late
sys.addaudithook(watch)
judge(pathlib.Path(sys.argv[1]))
"""


class TestNothingRuns:
    @pytest.fixture
    def classroom(self, tmp_path):
        cell = [{"cell_type": "code", "source": f"!touch here\n{HOSTILE}"}]
        notebook = json.dumps({"nbformat": 4, "cells": cell}).encode()
        files = {"xor.py": HOSTILE.encode(), "kl.ipynb": notebook, "helper.py": HOSTILE.encode(), "(.py": b"(" * 10**5}
        write(tmp_path / "class" / "ada", files)
        for number, ending in enumerate(FORMS):
            archive = packed([(f"top/{name}", content) for name, content in files.items()], ending)
            write(tmp_path / "class", {f"bob{number}{ending}": archive})
        return tmp_path / "class"

    def test_nothing_is_compiled_run_imported_or_written(self, classroom, tmp_path):
        """Asked of the interpreter itself, by its audit events."""
        cwd = tmp_path / "cwd"
        cwd.mkdir()
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
        done = subprocess.run(
            [sys.executable, "-c", AUDITED, str(classroom)],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert list(cwd.iterdir()) == []

    def test_nothing_is_parsed_or_tokenised(self, classroom, monkeypatch):
        submissions = [load(path) for path in sorted(classroom.iterdir())]  # imports what is imported late

        def forbidden(*_args, **_more):
            raise AssertionError("student text was parsed")

        with monkeypatch.context() as patch:  # undone before pytest shows a failure, which needs these itself
            for name in ("compile", "exec", "eval"):
                patch.setattr(f"builtins.{name}", forbidden)
            for name in ("ast.parse", "ast.literal_eval", "tokenize.tokenize", "tokenize.generate_tokens"):
                patch.setattr(name, forbidden)
            patch.setattr("tokenize.detect_encoding", forbidden)
            again = [load(path) for path in sorted(classroom.iterdir())]
            texts = [answer(submission, slug).main.cells for submission in again for slug in ("xor", "kl")]
        assert again == submissions
        assert set(texts) == {(HOSTILE,), (f"!touch here\n{HOSTILE}",)}
