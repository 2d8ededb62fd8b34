"""Importing the package costs nothing, and every word of an author is found in it."""

import subprocess
import sys

import pytest

import grader

HEAVY = ("torch", "numpy", "nbgrader", "hypothesis", "rich", "click", "distributed", "matplotlib")


def loaded_by(statement):
    """Return which heavy packages a fresh interpreter has loaded after a statement."""
    script = f"{statement}\nimport sys\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    command = [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{script}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def test_importing_the_package_imports_nothing_else():
    assert loaded_by("import grader") == []


def test_marking_a_check_needs_neither_hypothesis_nor_torch():
    assert not {"hypothesis", "torch"} & set(
        loaded_by("from grader import check, settings, right, wrong, refuses, Failure")
    )


def test_comparing_needs_numpy_alone():
    assert loaded_by("from grader import close, equal") == ["numpy"]


@pytest.mark.parametrize("word", grader.__all__)
def test_every_word_of_an_author_is_there(word):
    assert callable(getattr(grader, word))
    assert word in dir(grader)


def test_the_words_are_those_of_the_docstring():
    line = next(line for line in grader.__doc__.splitlines() if line.strip().startswith("check settings"))
    assert sorted(line.split()) == sorted(grader.__all__)


def test_a_word_that_is_none_is_told():
    with pytest.raises(AttributeError, match="no attribute 'nearly'"):
        _ = grader.nearly


def test_the_command_is_where_the_package_says_it_is():
    pytest.importorskip("grader.cli", reason="the command line is not installed")
    assert callable(__import__("grader.cli", fromlist=["main"]).main)
