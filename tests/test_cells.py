"""What a notebook's cell becomes: Python as written, without what only IPython understands."""

from __future__ import annotations

import pytest

from grader.isolation.inside import cells
from grader.isolation.inside.cells import prepare

NAME = "xor.ipynb, cell 3"


def run(text):
    """Return the names that a cell defines."""
    cell = prepare(text, NAME)
    assert cell.error is None
    namespace = {}
    exec(cell.code, namespace)
    del namespace["__builtins__"]
    return namespace


@pytest.mark.parametrize(
    "text",
    ["x = 1", "", "# only a comment", 's = """\n%time is not a magic here\n!nor this\n"""', "x = 5 % 3\ny = x != 2"],
)
def test_python_is_taken_as_it_is(text):
    cell = prepare(text, NAME)
    assert (cell.text, cell.notes, cell.error) == (text, (), None)
    assert cell.code is not None


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("%matplotlib inline", "%matplotlib inline"),
        ("  %load_ext autoreload", "%load_ext autoreload"),
        ("!pip install numpy", "!pip install numpy"),
        ("!echo 'it''s", "!echo 'it''s"),
        ('!echo """', '!echo """'),
        ("!ls (", "!ls ("),
        ("!ls )", "!ls )"),
        ("%cd {", "%cd {"),
        ("?print", "?print"),
        ("print?", "print?"),
        ("np.zeros??", "np.zeros??"),
        ("files = !ls", "files = !ls"),
        ("t = %timeit -o f()", "t = %timeit -o f()"),
        ("%%time", "%%time"),
    ],
)
def test_magic_lines_are_left_out_with_a_note(line, note):
    text = f"before = 1\nif before:\n    x = 1\n{line}\nafter = 2\n" if line[0] != " " else f"if 1:\n{line}\nafter = 2"
    assert run(text)["after"] == 2
    assert prepare(text, NAME).notes == (f"left out: {note}",)


def test_several_magics_are_left_out_one_by_one():
    assert run("%a\nx = 1\n!b\ny = 2\nz?\n") == {"x": 1, "y": 2}
    assert len(prepare("%a\nx = 1\n!b\ny = 2\nz?\n", NAME).notes) == 3


def test_a_magic_over_several_lines_goes_as_a_whole():
    assert run("!pip install \\\n    numpy \\\n    torch\nx = 1") == {"x": 1}


def test_text_that_looks_like_a_magic_stays():
    text = 'def f():\n    """Print\n    %d items?\n    """\n    return 1\n%time f()\n'
    assert run(text)["f"].__doc__ == "Print\n    %d items?\n    "


def test_a_body_of_one_magic_alone_still_is_a_body():
    assert run("for i in range(2):\n    %time f(i)\nx = i")["x"] == 1


@pytest.mark.parametrize("magic", sorted(cells.BODY_KEPT))
def test_magics_that_wrap_a_cell_keep_its_body(magic):
    assert run(f"\n%%{magic} -n 10\nx = 1\n%matplotlib inline\n") == {"x": 1}


@pytest.mark.parametrize("text", ["%%bash\nrm -rf /", "\n\n%%html\n<b>x = 1</b>", "%%writefile x.py\nx = 1"])
def test_cells_of_another_language_are_left_out(text):
    cell = prepare(text, NAME)
    assert (cell.code, cell.error) == (None, None)
    assert cell.notes == (f"left out, since it is a cell for {text.split()[0]}",)


def test_lines_keep_their_numbers():
    cell = prepare("%%time\n!a \\\n  b\n1 / 0", NAME)
    with pytest.raises(ZeroDivisionError) as caught:
        exec(cell.code, {})
    assert caught.traceback[-1].lineno == 3
    assert str(caught.traceback[-1].path) == NAME


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("def f(:\n", SyntaxError),
        ("x = (1\n%foo\n", SyntaxError),
        ("%time\nx = = 1", SyntaxError),
        ("await x", SyntaxError),
        ("if 1:\nx = 1", IndentationError),
        ("(" * 10_000, (SyntaxError, MemoryError, RecursionError)),
        ("-" * 300_000 + "1", (SyntaxError, MemoryError, RecursionError)),
        ("\ud800", UnicodeEncodeError),
        ("x = '\0'", (SyntaxError, ValueError)),
    ],
    ids=["def", "parenthesis", "after a magic", "await", "indent", "brackets", "minus signs", "surrogate", "NUL"],
)
def test_what_is_no_python_is_an_error_and_nothing_worse(text, error):
    cell = prepare(text, NAME)
    assert cell.code is None
    assert isinstance(cell.error, error)


def test_no_future_of_ours_reaches_the_cell():
    assert run("def f(x: int): ...\nkind = f.__annotations__['x']")["kind"] is int


def test_long_lines_are_shown_in_part():
    (note,) = prepare("!" + "x" * 1000, NAME).notes
    assert len(note) < 100
