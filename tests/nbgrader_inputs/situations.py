"""What students hand in, and what happens in a class: each situation is made from the notebook that was released.

A situation is a function from `Paper`, the released notebook of the problem ``double``, to the files that one student
hands in. It works on every notebook whose cells have the ids below, so the same student meets nbgrader's own tests and
our adapter. Its docstring is its line in the table of ``docs/nbgrader.md``; its number is that of the group.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.notebook import cells

if TYPE_CHECKING:
    from collections.abc import Callable

ANSWER = "double--answer--double"
THREE, TWICE, ANY = (
    cells.check("double", name, visible=visible)
    for name, visible in (("doubles_three_numbers", True), ("adds_to_itself", True), ("doubles_any_array", False))
)

RIGHT = "import numpy as np\n\n\ndef double(x):\n    return 2 * x\n"
SQUARE = "import numpy as np\n\n\ndef double(x):\n    return x**2\n"


class Paper:
    """A released notebook that a student edits; every change leaves the released one as it was."""

    def __init__(self, released: str) -> None:
        self.notebook: dict[str, Any] = json.loads(released)

    @property
    def cells(self) -> list[dict[str, Any]]:
        return self.notebook["cells"]

    def cell(self, grade_id: str) -> dict[str, Any]:
        """Return the first cell with this id."""
        return next(cell for cell in self.cells if _about(cell).get("grade_id") == grade_id)

    def answered(self, text: str = RIGHT) -> Paper:
        """Return the notebook with an answer written into its answer cell."""
        other = copy.deepcopy(self)
        other.cell(ANSWER)["source"] = text
        return other

    def put(self, cell: dict[str, Any], *, after: str) -> None:
        """Add a cell behind the one with an id."""
        self.cells.insert(self.cells.index(self.cell(after)) + 1, cell)

    def files(self, name: str = "double.ipynb") -> dict[str, bytes]:
        """Return the notebook as the only file of a hand-in."""
        return {name: self.text().encode()}

    def text(self) -> str:
        return json.dumps(self.notebook, indent=1, ensure_ascii=False)


def code(source: str, **nbgrader: Any) -> dict[str, Any]:
    """Return a code cell of the student's own."""
    about = {"nbgrader": {"schema_version": 3, **nbgrader}} if nbgrader else {}
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"own-{len(source)}",
        "metadata": about,
        "outputs": [],
        "source": source,
    }


@dataclass(frozen=True)
class Situation:
    """One line of the table.

    ``points`` are what the student should have of the 4 of the problem. ``stock`` names the source notebook that the
    instructor without our adapter has written, where it is not the usual one. ``second`` is what the same student
    hands in later. ``change`` is what the instructor does after the first grading: ``"mended"`` (the hidden test had
    been wrong) or ``"added"`` (one test more).
    """

    number: str
    points: float
    name: str
    told: str
    make: Callable[[Paper], dict[str, bytes]]
    stock: str = "usual"
    second: Callable[[Paper], dict[str, bytes]] | None = None
    change: str = ""

    @property
    def student(self) -> str:
        """The student's name, which sorts as the table does."""
        digits = self.number.rstrip("abcd")
        return f"s{int(digits):02}{self.number.removeprefix(digits)}-{self.name}"


SITUATIONS: list[Situation] = []


def situation(number: str, points: float, **more: Any) -> Callable[[Callable[[Paper], dict[str, bytes]]], Any]:
    """Keep a function as a situation."""

    def keep(make: Callable[[Paper], dict[str, bytes]]) -> Callable[[Paper], dict[str, bytes]]:
        told = " ".join((make.__doc__ or "").split()).removesuffix(".")
        SITUATIONS.append(Situation(number, points, make.__name__.replace("_", "-"), told, make, **more))
        return make

    return keep


def _about(cell: dict[str, Any]) -> dict[str, Any]:
    return cell["metadata"].get("nbgrader", {})


# 1 to 3: cells copied, deleted, retyped, split, moved


@situation("1", 4)
def test_cell_copied(paper: Paper) -> dict[str, bytes]:
    """A test cell is there twice, with one id."""
    mine = paper.answered()
    mine.put(copy.deepcopy(mine.cell(TWICE)) | {"id": "a-copy"}, after=TWICE)
    return mine.files()


@situation("2", 4)
def test_cell_deleted(paper: Paper) -> dict[str, bytes]:
    """A test cell is deleted."""
    mine = paper.answered()
    mine.cells.remove(mine.cell(TWICE))
    return mine.files()


@situation("3a", 4)
def test_cell_to_markdown(paper: Paper) -> dict[str, bytes]:
    """A test cell has become Markdown."""
    mine = paper.answered()
    _retyped(mine.cell(TWICE))
    return mine.files()


@situation("3b", 4)
def answer_to_markdown(paper: Paper) -> dict[str, bytes]:
    """The answer cell has become Markdown, the answer in it."""
    mine = paper.answered()
    _retyped(mine.cell(ANSWER))
    return mine.files()


@situation("3c", 4)
def answer_split(paper: Paper) -> dict[str, bytes]:
    """The answer cell is split in two, both with its id."""
    mine = paper.answered()
    head, tail = RIGHT.split("\n\n\n")
    mine.put(copy.deepcopy(mine.cell(ANSWER)) | {"id": "second-half", "source": tail}, after=ANSWER)
    mine.cell(ANSWER)["source"] = head
    return mine.files()


@situation("3d", 4)
def tests_moved_up(paper: Paper) -> dict[str, bytes]:
    """The test cells were moved above the answer."""
    mine = paper.answered()
    tests = [mine.cell(grade_id) for grade_id in (THREE, TWICE, ANY)]
    for test in tests:
        mine.cells.remove(test)
    mine.cells[0:0] = tests
    return mine.files()


def _retyped(cell: dict[str, Any]) -> None:
    cell["cell_type"] = "markdown"
    del cell["outputs"], cell["execution_count"]


# 4 to 7: what editors, hands, downloads and uploads do to the file


@situation("4", 4)
def no_metadata(paper: Paper) -> dict[str, bytes]:
    """All metadata of cells is gone, as after some other editors."""
    mine = paper.answered()
    for cell in mine.cells:
        cell["metadata"] = {}
    return mine.files()


@situation("5a", 0)
def not_a_test_any_more(paper: Paper) -> dict[str, bytes]:
    """A wrong answer; the mark `grade` of a test cell is taken off."""
    mine = paper.answered(SQUARE)
    _about(mine.cell(TWICE))["grade"] = False
    return mine.files()


@situation("5b", 1)
def points_edited(paper: Paper) -> dict[str, bytes]:
    """A wrong answer; a test cell that passes says it is worth 100 points."""
    mine = paper.answered("import numpy as np\n\n\ndef double(x):\n    return np.array([3.0, -4.0, 10.0])\n")
    _about(mine.cell(THREE))["points"] = 100
    return mine.files()


@situation("5c", 0)
def own_test_cell(paper: Paper) -> dict[str, bytes]:
    """A wrong answer and a test cell of the student's own, worth 100 points."""
    mine = paper.answered(SQUARE)
    about = {"grade": True, "solution": False, "locked": True, "grade_id": "bonus", "points": 100}
    mine.put(code("pass", **about), after=ANY)
    return mine.files()


@situation("6", 4)
def renamed(paper: Paper) -> dict[str, bytes]:
    """The notebook is called `double (1).ipynb`."""
    return paper.answered().files("double (1).ipynb")


@situation("7a", 0)
def latin_1(paper: Paper) -> dict[str, bytes]:
    """The file is Latin-1, not UTF-8."""
    text = paper.answered(RIGHT + "# déjà vu\n").text()
    return {"double.ipynb": text.encode("latin-1", "replace")}


@situation("7b", 0)
def cut_off(paper: Paper) -> dict[str, bytes]:
    """The file is cut off before its end."""
    text = paper.answered().text()
    return {"double.ipynb": text[: len(text) // 2].encode()}


# 8 and 9: what is printed, and what becomes of scores that are no numbers


@situation("8", 4)
def warns(paper: Paper) -> dict[str, bytes]:
    """A right answer that warns on stderr."""
    text = "import warnings\n\nimport numpy as np\n\n\ndef double(x):\n    warnings.warn('slow')\n    return 2 * x\n"
    return paper.answered(text).files()


@situation("9a", 0, stock="expression")
def score_nan(paper: Paper) -> dict[str, bytes]:
    """Only NaN is returned, where a test ends in an expression for its points."""
    return paper.answered("import numpy as np\n\n\ndef double(x):\n    return np.full(len(x), np.nan)\n").files()


@situation("9b", 0, stock="expression")
def score_negative(paper: Paper) -> dict[str, bytes]:
    """Far off, so that such an expression is negative."""
    return paper.answered("import numpy as np\n\n\ndef double(x):\n    return 0 * x + 1000.0\n").files()


@situation("9c", 0, stock="scalar")
def score_scalar(paper: Paper) -> dict[str, bytes]:
    """One number of many is right; the expression gives a numpy scalar."""
    return paper.answered(
        "import numpy as np\n\n\ndef double(x):\n    return np.where(np.arange(len(x)) == 0, 2, 3) * x\n"
    ).files()


@situation("9d", 4, stock="count")
def score_too_large(paper: Paper) -> dict[str, bytes]:
    """A right answer; the expression exceeds the points of its cell."""
    return paper.answered().files()


# 10 to 12: processes that die, never end, or wait for somebody


@situation("10a", 0)
def exits(paper: Paper) -> dict[str, bytes]:
    """The function calls `os._exit(0)`."""
    return paper.answered("import os\n\n\ndef double(x):\n    os._exit(0)\n").files()


@situation("10b", 0)
def segfaults(paper: Paper) -> dict[str, bytes]:
    """The function reads address 0."""
    return paper.answered("import ctypes\n\n\ndef double(x):\n    return ctypes.string_at(0)\n").files()


@situation("10c", 0)
def takes_memory(paper: Paper) -> dict[str, bytes]:
    """A right answer that takes 400 MiB, more than the problem allows."""
    text = "import numpy as np\n\n\ndef double(x):\n    waste = np.ones(50 * 2**20)\n    return 2 * x * waste[0]\n"
    return paper.answered(text).files()


@situation("11a", 0)
def prints_forever(paper: Paper) -> dict[str, bytes]:
    """An endless loop that prints."""
    return paper.answered("def double(x):\n    while True:\n        print('x' * 1000)\n").files()


@situation("11b", 0)
def grows_forever(paper: Paper) -> dict[str, bytes]:
    """An endless loop that fills a list and ignores interruptions."""
    text = (
        "def double(x):\n    kept = []\n    while True:\n        try:\n            while True:\n"
        "                kept.append(bytearray(b'x') * 2**20)\n        except BaseException:\n            pass\n"
    )
    return paper.answered(text).files()


@situation("12a", 0)
def waits_for_input(paper: Paper) -> dict[str, bytes]:
    """The function asks for `input()`."""
    return paper.answered("def double(x):\n    return float(input('factor? ')) * x\n").files()


@situation("12b", 4)
def a_magic(paper: Paper) -> dict[str, bytes]:
    """A right answer below `%load_ext nb_black`, which the grading machine lacks, in one cell."""
    return paper.answered("%load_ext nb_black\n" + RIGHT).files()


# 13 and 14: cheats


@situation("13a", 0)
def replaces_allclose(paper: Paper) -> dict[str, bytes]:
    """A wrong answer that replaces `numpy.allclose`."""
    return paper.answered(SQUARE + "\n\nnp.allclose = lambda *args, **more: True\n").files()


@situation("13b", 0)
def equals_everything(paper: Paper) -> dict[str, bytes]:
    """The function returns an array that says it is equal to everything."""
    text = (
        "import numpy as np\n\n\nclass Same(np.ndarray):\n"
        "    def __array_function__(self, function, types, args, kwargs):\n        return True\n\n\n"
        "def double(x):\n    return x.view(Same)\n"
    )
    return paper.answered(text).files()


@situation("13c", 0)
def hides_errors(paper: Paper) -> dict[str, bytes]:
    """A wrong answer in a notebook that switches off how errors are shown."""
    mine = paper.answered(SQUARE)
    quiet = "get_ipython().showtraceback = get_ipython()._showtraceback = lambda *args, **more: None"
    mine.put(code(quiet), after=ANSWER)
    return mine.files()


@situation("14a", 0)
def reads_tests(paper: Paper) -> dict[str, bytes]:
    """The function looks its answer up in the notebook that is graded."""
    text = (
        "import json\nimport re\n\nimport numpy as np\n\n\ndef double(x):\n"
        "    told = ''.join(''.join(cell['source']) for cell in json.load(open('double.ipynb'))['cells'])\n"
        "    lists = [json.loads(text) for text in re.findall(r'\\[-?\\d+\\.[-\\d., ]*\\]', told)]\n"
        "    return next(np.array(after) for one, after in zip(lists, lists[1:]) if one == x.tolist())\n"
    )
    return paper.answered(text).files()


@situation("14b", 0)
def writes_marks(paper: Paper) -> dict[str, bytes]:
    """A wrong answer that writes points into `gradebook.db`."""
    mine = paper.answered(SQUARE)
    text = (
        "import sqlite3\n\nwith sqlite3.connect('../../../gradebook.db') as marks:\n"
        "    marks.execute('UPDATE grade SET manual_score = 1')\n"
    )
    mine.put(code(text), after=ANSWER)
    return mine.files()


# 15 and 16: grading again


@situation("15", 0, second=exits)
def graded_again(paper: Paper) -> dict[str, bytes]:
    """A right answer is graded; a later one kills its process."""
    return paper.answered().files()


@situation("16a", 4, stock="mistaken", change="mended")
def test_mended(paper: Paper) -> dict[str, bytes]:
    """A right answer failed a hidden test that was wrong; the test is mended and `autograde` run again."""
    return paper.answered().files()


@situation("16b", 4, change="added")
def test_added(paper: Paper) -> dict[str, bytes]:
    """After grading one more test, of 1 point, is added and `autograde` run again."""
    return paper.answered().files()


# 17 and 18: surroundings


@situation("17a", 4)
def no_kernelspec(paper: Paper) -> dict[str, bytes]:
    """The notebook names no kernel."""
    mine = paper.answered()
    mine.notebook["metadata"].pop("kernelspec", None)
    return mine.files()


@situation("17b", 4)
def unknown_kernel(paper: Paper) -> dict[str, bytes]:
    """The notebook names the kernel `Python [root]`."""
    mine = paper.answered()
    mine.notebook["metadata"]["kernelspec"] = {"display_name": "Python [root]", "name": "Python [root]"}
    return mine.files()


@situation("17c", 4)
def helper_module(paper: Paper) -> dict[str, bytes]:
    """The answer imports a module handed in beside the notebook."""
    text = "import numpy as np\nfrom factors import FACTOR\n\n\ndef double(x):\n    return FACTOR * x\n"
    return paper.answered(text).files() | {"factors.py": b"FACTOR = 2\n"}


@situation("18", 2, stock="printed")
def wrong_in_the_middle(paper: Paper) -> dict[str, bytes]:
    """Wrong only where the print of a long array leaves numbers out; the tests are AUTOTEST lines."""
    text = "import numpy as np\n\n\ndef double(x):\n    y = 2 * x\n    y[1:-1][9:-9] = 0\n    return y\n"
    return paper.answered(text).files()
