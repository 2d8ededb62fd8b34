"""The sanitizer: whatever was done to a notebook, nbgrader finds each of its cells once, as the gradebook has it."""

from __future__ import annotations

import copy
import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st
from taught import cell_of, cells_of

if importlib.util.find_spec("nbgrader") is None:
    pytest.skip("nbgrader is not installed", allow_module_level=True)

import nbformat
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.utils import compute_checksum, determine_grade

from grader.notebook.master import Master, MasterCell
from grader.notebook.sanitize import MISSING, sanitized

STATEMENT, ANSWER, TEST, HAND = "f--statement", "f--answer--f", "f--check--a", "f--marking--1"
KINDS = {
    STATEMENT: ("markdown", "lock"),
    ANSWER: ("code", "solution"),
    TEST: ("code", "grade"),
    HAND: ("markdown", "both"),
}
SOURCES = {
    STATEMENT: "# What",
    ANSWER: "def f():\n    raise NotImplementedError()",
    TEST: "%grade f::a",
    HAND: "ANSWER HERE",
}
MINE = "def f():\n    return 1"


def master_cell(grade_id):
    kind, role = KINDS[grade_id]
    about = {
        "grade": role in {"grade", "both"},
        "solution": role in {"solution", "both"},
        "locked": role in {"grade", "lock"},
    }
    points = 2.0 if about["grade"] else None
    nbgrader = {"schema_version": 3, "grade_id": grade_id, **about} | ({"points": points} if points else {})
    cell = nbformat.from_dict({"cell_type": kind, "source": SOURCES[grade_id], "metadata": {"nbgrader": nbgrader}})
    return MasterCell(grade_id, kind, SOURCES[grade_id], compute_checksum(cell), task=False, points=points, **about)


COPY = Master("f", tuple(map(master_cell, KINDS)))


def released():
    """The notebook as a student gets it, with an answer in it."""
    notebook, _ = sanitized({}, COPY, absent=True)
    plain = nbformat.from_dict(notebook)
    head = {"cell_type": "markdown", "metadata": {"nbgrader": {"grade_id": STATEMENT}}, "source": SOURCES[STATEMENT]}
    plain["cells"] = [head, *copy.deepcopy(plain["cells"])]
    cell_of(plain, ANSWER)["source"] = MINE
    cell_of(plain, HAND)["source"] = "Since so."
    return plain


def whole(notebook):
    """Demand what every sanitized notebook is; return it."""
    nbformat.validate(notebook)
    MetadataValidator().validate_nb(notebook)
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    for known in COPY.cells:
        found = cells_of(notebook, known.grade_id)
        assert len(found) == 1 or (not found and known.grade_id == STATEMENT)
        for cell in found:
            about = cell.metadata.nbgrader
            assert cell.cell_type == known.cell_type
            assert (about.grade, about.solution, about.locked) == (known.grade, known.solution, known.locked)
            assert about.get("points") == known.points
            assert not known.locked or compute_checksum(cell) == known.checksum
    strange = [cell for cell in notebook.cells if cell.metadata and not cell.metadata.get("nbgrader")]
    assert not strange
    return notebook


def made_fit(notebook, **more):
    made, remarks = sanitized(notebook, COPY, **more)
    return whole(made), " | ".join(remarks)


def test_a_notebook_that_nobody_damaged_stays_as_it_is():
    made, remarks = made_fit(released())
    assert remarks == ""
    assert [cell.source for cell in made.cells] == ["# What", MINE, "%grade f::a", "Since so."]
    assert made_fit(made)[0] == made


def test_of_a_cell_that_is_there_twice_the_one_with_the_answer_counts():
    notebook = released()
    notebook["cells"].append(dict(cell_of(notebook, TEST)))
    notebook["cells"].insert(0, dict(cell_of(notebook, HAND)))
    notebook["cells"].append({**cell_of(notebook, HAND), "source": SOURCES[HAND]})
    notebook["cells"].append({**cell_of(notebook, ANSWER), "source": "print(f())"})
    made, remarks = made_fit(notebook)
    assert cell_of(made, HAND).source == "Since so."
    assert cell_of(made, ANSWER).source == MINE
    assert f"{TEST} is there 2 times" in remarks
    assert f"{HAND} is there 3 times" in remarks
    assert [cell.source for cell in made.cells].count("Since so.") == 2  # the other one is still to be read


def test_cells_are_what_the_gradebook_says_whatever_they_say_of_themselves():
    notebook = released()
    cell_of(notebook, TEST)["metadata"]["nbgrader"] |= {"grade": False, "solution": True, "points": 100}
    cell_of(notebook, TEST)["source"] = "print('mine')"
    cell_of(notebook, ANSWER)["metadata"]["nbgrader"] |= {"grade": True, "points": 50, "schema_version": 1}
    cell_of(notebook, HAND)["cell_type"] = "code"
    bonus = {"grade_id": "bonus", "grade": True, "solution": False, "locked": True, "points": 100}
    notebook["cells"].append(
        {"cell_type": "code", "source": "1", "metadata": {"nbgrader": bonus, "grader": {"stamp": {}}}}
    )
    made, remarks = made_fit(notebook)
    assert cell_of(made, TEST).source == "%grade f::a"
    assert f"{TEST} was edited" in remarks
    assert f"{HAND} had become a code cell" in remarks
    assert "a cell of the student's own says that it is 'bonus'" in remarks
    assert not cells_of(made, "bonus")


def test_a_cell_that_is_missing_is_put_back_and_an_empty_answer_to_mark_is_no_zero():
    notebook = released()
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["metadata"]["nbgrader"]["grade_id"] == ANSWER]
    made, remarks = made_fit(notebook)
    assert [cell.metadata.nbgrader.grade_id for cell in made.cells] == [ANSWER, TEST, HAND]
    assert f"{TEST} was missing" in remarks
    assert cell_of(made, HAND).source.startswith(MISSING)
    assert determine_grade(cell_of(made, HAND)) == (None, 2.0)
    unread, _ = made_fit({}, trouble="It is cut off.")
    assert determine_grade(cell_of(unread, HAND)) == (None, 2.0)
    nothing, _ = made_fit({}, trouble="No notebook was handed in.", absent=True)
    assert determine_grade(cell_of(nothing, HAND)) == (0, 2.0)  # nobody needs to look at an answer that is not there


def test_cells_whose_names_are_gone_are_known_by_their_text():
    notebook = released()
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    made, remarks = made_fit(notebook)
    assert cell_of(made, ANSWER).source == MINE
    assert len(cells_of(made, STATEMENT)) == 1
    assert remarks == f"{HAND} was missing"
    assert "Since so." in [cell.source for cell in made.cells if not cell.metadata]


def test_a_cell_that_was_split_is_there_in_both_parts():
    notebook = released()
    answer = cell_of(notebook, ANSWER)
    place = notebook["cells"].index(answer)
    notebook["cells"].insert(place, {**answer, "source": "import math"})
    made, _ = made_fit(notebook)
    assert [cell.source for cell in made.cells[place : place + 2]] == ["import math", MINE]
    assert cell_of(made, ANSWER).source == MINE


def test_what_would_end_nbgraders_feedback_is_gone():
    notebook = released()
    notebook["metadata"] = {"widgets": {"application/vnd.jupyter.widget-state+json": {}}, "language_info": 5}
    cell_of(notebook, HAND)["source"] = "![](attachment:gone.png) ![](attachment:here.png)"
    cell_of(notebook, HAND)["attachments"] = {"here.png": {"image/png": "aGk="}, "bad": 3}
    made, _ = made_fit(notebook)
    assert made.metadata == {"language_info": {"name": "python"}}
    assert cell_of(made, HAND).source == "![](missing-attachment:gone.png) ![](attachment:here.png)"
    assert cell_of(made, HAND).attachments == {"here.png": {"image/png": "aGk="}}


def test_what_is_said_of_a_notebook_is_no_markup():
    made, _ = made_fit({}, trouble="written in <script>*x*</script>.")
    assert made.cells[0].source == r"**written in \<script\>\*x\*\<\/script\>\.**"


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
CELL = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": st.sampled_from(["code", "markdown", "raw", "heading"]) | JUNK,
        "source": st.sampled_from([*SOURCES.values(), MINE, "\ud800"]) | st.lists(st.text(max_size=5)) | JUNK,
        "metadata": st.builds(
            lambda name, more: {"nbgrader": {"grade_id": name, **more}},
            st.sampled_from(list(KINDS)) | JUNK,
            st.dictionaries(st.sampled_from(["grade", "points", "schema_version", "locked"]), JUNK),
        ) | JUNK,
        "id": st.sampled_from(["a", "b", "cell-1", "ä", ""]) | JUNK,
        "attachments": JUNK,
        "outputs": JUNK,
    },
)  # fmt: skip


@given(st.lists(CELL | JUNK, max_size=8) | JUNK)
def test_no_notebook_whatever_it_holds_is_refused(cells):
    made, _ = made_fit({"cells": cells, "metadata": 3})
    nbformat.writes(made).encode()
    assert made_fit(made)[0] == made
