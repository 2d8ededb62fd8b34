"""What a student reads about the files that were handed in: refused with the sentence that is needed, or graded.

Archives and texts on their own are judged in ``test_submission*.py``; here they go all the way to a verdict.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import json
import lzma
import struct
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path

import pytest
from courses import put
from packing import CODE, TEXT, loaded, paths, refused, tarred, zipped

from grader import course as courses
from grader import isolation
from grader import submission as submissions
from grader.errors import SubmissionError
from grader.judge import RunSettings, judge, settled
from grader.problem import load
from grader.submission import names
from grader.submission.notebook import code_cells
from grader.verdict import Status

VISIBLE = '''
    from grader import check, equal, settings

    limits = settings(seconds=0.4, import_seconds=0.8, problem_seconds=20, memory_mib=256, by_hand=True)

    @check(points=1)
    def adds_up_to_four(student):
        """1 + 2 + 3 + 4 = 10."""
        equal(student.triangle(4), 10)
'''
HIDDEN = '''
    from grader import check, equal
    from hypothesis import strategies as st

    @check(points=2, given={"n": st.integers(5, 400)}, examples=2)
    def adds_up_to_any_number(student, reference, n):
        """The numbers from 1 to n are added up."""
        equal(student.triangle(n), reference.triangle(n))
'''
REFERENCE = '''
    def triangle(n: int) -> int:
        """Return 1 + 2 + ... + n."""
        # BEGIN SOLUTION
        return n * (n + 1) // 2
        # END SOLUTION
'''
RIGHT = "def triangle(n):\n    return n * (n + 1) // 2\n"


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    put(root / "problems" / "triangle" / "statement.md", "# Triangles\n")
    put(root / "problems" / "triangle" / "visible.py", VISIBLE)
    put(root / "problems" / "triangle" / "hidden.py", HIDDEN)
    put(root / "reference" / "triangle.py", REFERENCE)
    return courses.find(root).problem("triangle")


@pytest.fixture(scope="module")
def launcher():
    started = isolation.launcher(isolation.survey().layers)
    yield started
    started.close()


@pytest.fixture
def verdict_of(problem, launcher, tmp_path):
    """Judge a folder of files, given as bytes or text by name."""

    def judged(files):
        for name, content in files.items():
            path = tmp_path / "ada" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        run = RunSettings(seed=3, examples=settled(load(problem), 3), layers=launcher.layers)
        return judge(problem, submissions.load(tmp_path / "ada", slugs=("triangle",)), run, launcher)

    return judged


def code(source, **metadata):
    return {"cell_type": "code", "metadata": metadata, "outputs": [], "execution_count": 1, "source": source}


def prose(source, **metadata):
    return {"cell_type": "markdown", "metadata": metadata, "source": source}


def marked(name, **more):
    """The metadata of a cell that nbgrader made."""
    return {"nbgrader": {"grade_id": name, "schema_version": 3, "locked": False, **more}}


def notebook(*cells, **metadata):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)})


REFUSED = {
    "Latin-1": (
        {"triangle.py": "name = 'é'\n".encode("latin-1") + RIGHT.encode()},
        (
            "The answer cannot be read: triangle.py is not UTF-8: byte 8 (0xe9, line 1) belongs to no character; "
            "save it as UTF-8 and hand in again."
        ),
    ),
    "UTF-16": (
        {"triangle.py": RIGHT.encode("utf-16")},
        "The answer cannot be read: triangle.py is saved as UTF-16 or UTF-32; save it as UTF-8 and hand in again.",
    ),
    "NUL": (
        {"triangle.py": RIGHT + "\0"},
        (
            "The answer cannot be read: triangle.py holds a NUL byte at line 3, column 1; save it as UTF-8 and hand in "
            "again."
        ),
    ),
    "cookie": (
        {"triangle.py": "# -*- coding: utf-7 -*-\n" + RIGHT},
        (
            'The answer cannot be read: triangle.py declares the encoding "utf-7"; delete that line, save it as UTF-8 '
            "and hand in again."
        ),
    ),
    "bidirectional": (
        {"triangle.py": f"# \u202e\n{RIGHT}"},
        (
            "The answer cannot be read: triangle.py holds the invisible character \\u202e, which makes code look other "
            "than it is, at line 1, column 3; delete it."
        ),
    ),
    "notebook cut off": (
        {"triangle.ipynb": notebook(code(RIGHT))[:-30]},
        (
            "The answer cannot be read: triangle.ipynb is cut off before its end, so the upload or download was not "
            "complete; hand in again."
        ),
    ),
    "notebook in Latin-1": (
        {"triangle.ipynb": notebook(code("# ~")).replace("~", "é").encode("latin-1")},
        (
            "The answer cannot be read: triangle.ipynb is not UTF-8: byte 151 (0xe9, line 1) belongs to no character; "
            "save it as UTF-8 and hand in again."
        ),
    ),
    "notebook in R": (
        {"triangle.ipynb": notebook(code("x <- 1"), kernelspec={"language": "R", "name": "ir"})},
        (
            "The answer cannot be read: triangle.ipynb is a notebook in R, not in Python; choose a Python kernel in "
            "Jupyter, save it and hand in again."
        ),
    ),
    "log-in page": (
        {"triangle.ipynb": "<!DOCTYPE html><title>Log in</title>"},
        (
            "The answer cannot be read: triangle.ipynb is a web page, perhaps the log-in page that a download met in "
            "its place; export the notebook and hand in again."
        ),
    ),
    "two answers": (
        {"triangle.py": RIGHT, "triangle.ipynb": notebook(code(RIGHT))},
        'The hand-in holds both "triangle.ipynb" and "triangle.py"; hand in one of them, with the name triangle.ipynb.',
    ),
    "one name twice": (
        {"Triangle.py": RIGHT, "triangle.py": RIGHT},
        (
            'ada cannot be graded: "Triangle.py" and "triangle.py" are one name on some computers; rename one of them '
            "and hand in again."
        ),
    ),
    "helpers of one name": (
        {"triangle.py": RIGHT, "Util.py": "", "util.py": ""},
        (
            'ada cannot be graded: "Util.py" and "util.py" are one name on some computers; rename one of them and hand '
            "in again."
        ),
    ),
    "archive that climbs": (
        {"hand-in.zip": zipped([("../triangle.py", RIGHT)])},
        'ada cannot be graded: the name "../triangle.py" leads out of its folder; rename that file and hand in again.',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_told_in_one_sentence(case, verdict_of, tmp_path):
    """Every check says the same sentence: the file, what is wrong with it, and what to do."""
    files, sentence = REFUSED[case]
    if not _keeps_apart(tmp_path, files):
        pytest.skip("this file system takes two of the names for one")
    verdict = verdict_of(files)
    assert [(check.status, check.finding) for check in verdict.checks] == [(Status.UNUSABLE, sentence)] * 2
    assert verdict.score == 0


def _keeps_apart(folder, files):
    for name in files:
        (folder / f"try-{name}").touch()
    return len(list(folder.glob("try-*"))) == len(files)


GRADED = {
    "byte order mark, cookie, Windows line ends": (
        codecs.BOM_UTF8 + f"# coding: utf-8\n\f# 👩\u200d💻 שלום\n{RIGHT}".replace("\n", "\r\n").encode()
    ),
    "letters of another width": RIGHT.replace("triangle", "\uff54riangle").replace("(n)", "(\uff4e)"),
    "ends without a line end": RIGHT.rstrip(),
    "a warning and a message on stderr": (
        f"import sys, warnings\nwarnings.warn('old')\nprint('library', file=sys.stderr)\n{RIGHT}"
    ),
    "a rational of many digits": (
        "from fractions import Fraction\n"
        "def triangle(n):\n    return Fraction(n * (n + 1) * 10**140 + 0, 2 * 10**140)\n"
    ),
}


@pytest.mark.parametrize("case", GRADED)
def test_what_only_looks_odd_is_graded(case, verdict_of):
    verdict = verdict_of({"triangle.py": GRADED[case]})
    assert (verdict.status, verdict.score, verdict.notes) == (Status.PASSED, 3, ())


def helped(module):
    return f"import {module}\n{RIGHT}"


class TestModulesBesideTheAnswer:
    @pytest.mark.parametrize(
        ("module", "whose"),
        [("random", "Python's own module"), ("json", "Python's own module"), ("numpy", "the library")],
    )
    def test_a_module_called_like_a_library_is_not_imported_and_that_is_told(self, verdict_of, module, whose):
        verdict = verdict_of({"triangle.py": helped(module), f"{module}.py": "raise RuntimeError('mine')\n"})
        assert verdict.status is Status.PASSED
        assert verdict.notes == (f'"import {module}" gets {whose}, not "{module}.py"; rename that file',)

    def test_one_that_nobody_imports_is_not_worth_a_word(self, verdict_of):
        files = {"triangle.py": helped("math"), "random.py": "", "numpy.py": "", "conftest.py": "raise SystemExit\n"}
        verdict = verdict_of(files)
        assert (verdict.status, verdict.notes) == (Status.PASSED, ())

    def test_a_library_that_the_problem_is_solved_without_stays_missing(self, verdict_of):
        verdict = verdict_of({"triangle.py": helped("torch"), "torch.py": "x = 1\n"})
        assert verdict.status is Status.CRASHED
        assert verdict.checks[1].finding == (
            "importing triangle.py asks for torch at triangle.py:1, and this problem is solved without it"
        )
        assert verdict.notes == ('"import torch" gets the library, not "torch.py"; rename that file',)

    @pytest.mark.parametrize("module", ["values", "wire", "serve", "lockdown", "cells"])
    def test_a_name_of_our_own_is_free(self, verdict_of, module):
        files = {"triangle.py": f"import {module}\ntriangle = {module}.triangle\n", f"{module}.py": RIGHT}
        assert verdict_of(files).status is Status.PASSED

    def test_a_module_may_ask_for_the_answer(self, verdict_of):
        files = {
            "triangle.py": "def half(n):\n    return n / 2\n\nimport util\ntriangle = util.triangle\n",
            "util.py": "import triangle as answer\n\ndef triangle(n):\n    return answer.half(n * (n + 1))\n",
        }
        assert verdict_of(files).status is Status.PASSED

    def test_one_that_cannot_be_read_is_named_where_it_is_missed(self, verdict_of):
        verdict = verdict_of({"triangle.py": helped("util"), "util.py": "# é\n".encode("latin-1")})
        assert verdict.checks[1].finding == "importing triangle.py raised ModuleNotFoundError at triangle.py:1"
        assert verdict.notes == (
            (
                "util.py is not UTF-8: byte 2 (0xe9, line 1) belongs to no character; save it as UTF-8 and hand in "
                "again; it was left out"
            ),
        )


NOTEBOOKS = {
    "test cell copied with its id": (
        notebook(code(RIGHT), code("assert triangle(4) == 10", **marked("t", grade=True, points=3)),
                 code("assert False", **marked("t", grade=True, points=3))),
        Status.PASSED, ("triangle.ipynb, cell 3 raised AssertionError at triangle.ipynb cell 3:1; the cells after it "
        "were run"),
    ),
    "test cells deleted": (notebook(code(RIGHT, **marked("s", solution=True))), Status.PASSED, ""),
    "test cell turned into text": (
        notebook(code(RIGHT), prose("assert False", **marked("t", grade=True, points=3))), Status.PASSED, "",
    ),
    "answer turned into text": (
        notebook(prose(RIGHT, **marked("s", solution=True)), code("x = 1")), Status.NOT_ATTEMPTED, "",
    ),
    "without metadata": (notebook(code(RIGHT)), Status.PASSED, ""),
    "points of its own": (
        notebook(code("def triangle(n):\n    return 0\n", **marked("s", solution=True, points=-5)),
                 code("assert True", **marked("mine", grade=True, points=100, locked=True, checksum="0"))),
        Status.FAILED, "",
    ),
    "a kernel that nobody has": (
        notebook(code(RIGHT), kernelspec={"name": "conda-root-py", "display_name": "Python [root]"}), Status.PASSED, "",
    ),
    "commands and displays": (
        notebook(code("%matplotlib notebook\n!pip install torch"), code(f"%%time\n{RIGHT}"), code("%%bash\nrm -rf /")),
        Status.PASSED, "triangle.ipynb, cell 3: left out, since it is a cell for %%bash",
    ),
    "a question in a cell": (
        notebook(code("name = input('Who are you? ')"), code(RIGHT)),
        Status.PASSED, "triangle.ipynb, cell 1 raised EOFError at triangle.ipynb cell 1:1; the cells after it were run",
    ),
    "a cell that ends the kernel": (
        notebook(code("import os; os._exit(0)"), code(RIGHT)),
        Status.PASSED,
        ("triangle.ipynb, cell 1 was left out: the process exited with code 0 while triangle.ipynb, cell 1 was being "
        "imported"),
    ),
}  # fmt: skip


class TestNotebooks:
    """Hand-ins on which a grader that lives in the notebook breaks off, gives nothing, or gives too much."""

    @pytest.mark.parametrize("case", NOTEBOOKS)
    def test_only_the_code_counts(self, case, verdict_of):
        """What a notebook says of itself, its points, its ids and its outputs, has no say."""
        content, status, note = NOTEBOOKS[case]
        verdict = verdict_of({"triangle.ipynb": content})
        assert verdict.status is status
        assert verdict.points == 3
        assert not note or note in verdict.notes

    @pytest.mark.parametrize("name", ["triangle (1).ipynb", "Copy of triangle.ipynb", "Triangle-Copy2.ipynb"])
    def test_a_renamed_one_is_found(self, verdict_of, name):
        verdict = verdict_of({name: notebook(code(RIGHT))})
        assert verdict.status is Status.PASSED
        assert verdict.notes == (f'"{name}" was read as triangle.ipynb',)

    def test_a_missing_function_names_the_notebook(self, verdict_of):
        verdict = verdict_of({"triangle.ipynb": NOTEBOOKS["answer turned into text"][0]})
        assert verdict.checks[1].finding == "`triangle` is missing from triangle.ipynb"

    def test_a_module_and_large_data_may_lie_beside_it(self, verdict_of):
        files = {
            "hw1/triangle.ipynb": notebook(code("from helper import triangle")),
            "hw1/helper.py": RIGHT,
            "hw1/data.csv": bytes(10 * 2**20),
        }
        verdict = verdict_of(files)
        assert (verdict.status, verdict.notes) == (Status.PASSED, ())

    def test_a_question_in_the_function_is_a_crash_with_a_reason(self, verdict_of):
        verdict = verdict_of({"triangle.ipynb": notebook(code("def triangle(n):\n    return int(input())"))})
        assert verdict.checks[1].finding == "`triangle` raised EOFError at triangle.ipynb cell 1:2"


SLOW = {
    "a literal of 100,000 digits": (
        f"x = {'9' * 10**5}\n{RIGHT}", Status.CRASHED, "triangle.py:1 is not valid Python (SyntaxError)",
    ),
    "a hexadecimal literal as answer": (
        f"x = 0x{'f' * 10**5}\ndef triangle(n):\n    return x\n",
        Status.UNUSABLE, "`triangle` returned an int of more than 300 digits",
    ),
    "a rational of too many digits": (
        "from fractions import Fraction\ndef triangle(n):\n    return Fraction(n, 10**300 + 1)\n",
        Status.UNUSABLE, "`triangle` returned an int of more than 300 digits",
    ),
    "an int that prints too long": (
        "def triangle(n):\n    return str(10**5000)\n", Status.CRASHED, "`triangle` raised ValueError at triangle.py:2",
    ),
    "an int of 300 digits": ("def triangle(n):\n    return 10**299\n", Status.FAILED, "A value is not right."),
    "rationals of one hash": (
        "from fractions import Fraction\ndef triangle(n):\n    return [Fraction(1, 2**61 - 1)] * 2000\n",
        Status.FAILED, "A result does not have the right shape.",
    ),
    "a power in the file": (
        f"x = 9**9**8\n{RIGHT}", Status.TIMED_OUT, "importing triangle.py ",
    ),
    "a power in the function": (
        "def triangle(n):\n    return 9**9**8\n", Status.TIMED_OUT, "`triangle` ",
    ),
    "keys of one hash": (
        "import sys\ndef triangle(n):\n    return {k * sys.hash_info.modulus: 0 for k in range(100)}\n",
        Status.UNUSABLE, "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SLOW)
def test_numbers_made_to_be_slow_cost_the_one_who_made_them(case, verdict_of):
    """Integers and rationals that keep whoever reads, prints, adds or hashes them busy."""
    text, status, sentence = SLOW[case]
    verdict = verdict_of({"triangle.py": text})
    assert [check.status for check in verdict.checks] == [status] * 2
    assert verdict.checks[1].finding.startswith(sentence)


def test_a_name_of_many_copies_is_matched_at_once():
    """Each "copy (1)" once read in two ways: 27 of them took hours."""
    script = (
        f"from grader.submission.names import fit; assert fit('xor' + {' copy (1)' * 27!r} + '!.py', 'xor') is None"
    )
    root = Path(__file__).parents[1]
    subprocess.run([sys.executable, "-c", script], cwd=root, check=True, timeout=60)


@pytest.mark.parametrize("name", ["xor copy (1).py", "xor copy 2 (1).py", "xor - Copy (3).py", "xor-copy (1) copy.py"])
def test_a_copy_of_a_copy_is_matched(name):
    assert names.fit(name, "xor") is names.Fit.DECORATED


PACK = {
    ".tar.gz": gzip.compress,
    ".tar.bz2": bz2.compress,
    ".tar.xz": lambda data: lzma.compress(data, format=lzma.FORMAT_XZ),
}


class TestPackedStreams:
    """gzip, bzip2 and xz are read stream by stream, with no more patience than an honest packer needs."""

    @pytest.mark.parametrize("ending", PACK)
    def test_several_streams_are_one_file(self, tmp_path, ending):
        """As packers write that work in parallel; zeros between them are padding."""
        pack, content = PACK[ending], tarred(CODE)
        parts = [pack(content[:700]), pack(b""), bytes(8), pack(content[700:]), bytes(512)]
        assert paths(loaded(tmp_path, b"".join(parts), f"ada{ending}")) == ["kl/kl.ipynb", "xor.py"]

    @pytest.mark.parametrize("ending", PACK)
    def test_something_else_behind_them_is_damage(self, tmp_path, ending):
        """Some readers stop there and some go on."""
        pack = PACK[ending]
        assert "it is damaged" in refused(tmp_path, pack(tarred(CODE)) + b"more", f"ada{ending}")
        assert "it is damaged" in refused(tmp_path, pack(tarred(CODE)) + pack(b"more")[:-3], f"ada{ending}")

    @pytest.mark.parametrize("ending", PACK)
    def test_streams_without_end_are_refused(self, tmp_path, ending):
        content = PACK[ending](b"")
        sentence = refused(tmp_path, content * 3000, f"ada{ending}")
        assert sentence.endswith("it is packed in too many pieces; make the archive anew and hand in again.")

    def test_a_gzip_name_of_megabytes_is_passed_over_in_one_go(self, tmp_path):
        """The standard library's file object reads it byte by byte; the text behind it counts all the same."""
        packed = gzip.compress(tarred(CODE))
        named = packed[:3] + b"\x08" + packed[4:10] + b"n" * (24 * 2**20) + b"\0" + packed[10:]
        assert paths(loaded(tmp_path, named, "ada.tar.gz")) == ["kl/kl.ipynb", "xor.py"]


class TestTwoStories:
    def test_an_entry_of_two_names_is_refused(self, tmp_path):
        """One reader goes by the directory, another by what stands in front of the bytes."""
        content = zipped([("xor.py", TEXT)]).replace(b"xor.py", b"kl.py\0", 1)
        assert refused(tmp_path, content) == (
            'ada.zip cannot be graded: "xor.py" is "kl.py\\x00" to some readers; '
            "pack only your .py and .ipynb files and hand in again."
        )

    def test_a_name_in_another_alphabet_is_one_name(self, tmp_path):
        assert paths(loaded(tmp_path, zipped([("übung.py", TEXT), ("упр.py", TEXT)]))) == ["übung.py", "упр.py"]

    def test_sizes_that_follow_the_bytes_are_understood(self, tmp_path):
        """As a packer writes that cannot go back: the entry's own header says nothing but its name."""
        machine = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = machine.compress(TEXT) + machine.flush()
        facts = struct.pack("<III", zlib.crc32(TEXT), len(packed), len(TEXT))
        start = struct.pack("<HHHHH", 20, 8, 8, 0, 33)
        local = (
            b"PK\x03\x04" + start + bytes(12) + struct.pack("<HH", 6, 0) + b"xor.py" + packed + b"PK\x07\x08" + facts
        )
        entry = b"PK\x01\x02\x14\0" + start + facts + struct.pack("<HH", 6, 0) + bytes(14) + b"xor.py"
        end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(local), 0)
        assert paths(loaded(tmp_path, local + entry + end)) == ["xor.py"]


@pytest.mark.parametrize("piece", [b"1,", b'"ab",', b"1.5,", b"true,"])
def test_values_without_brackets_fill_no_memory_either(piece):
    """A number of two characters is an object of thirty bytes."""
    outputs = b"[" + piece * (19 * 2**20 // len(piece)) + b"0]"
    content = notebook(code("x")).encode().replace(b"[]", outputs, 1)
    tracemalloc.start()
    try:
        with pytest.raises(SubmissionError) as caught:
            code_cells(content, "xor.ipynb")
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()
    assert str(caught.value) == "xor.ipynb holds too many values; clear its outputs, save it and hand in again"


def test_a_notebook_full_of_pictures_and_numbers_is_read():
    cell = code("x = 1")
    cell["outputs"] = [{"data": {"image/png": "iVBOR" * 10**6, "application/json": [0.123456789] * 200_000}}]
    assert code_cells(notebook(cell).encode(), "xor.ipynb") == ("x = 1",)
