"""An .ipynb file gives the texts of its code cells, or a sentence that says what a person must do."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.errors import SubmissionError
from grader.submission.notebook import code_cells


def code(source, **more):
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1, "source": source, **more}


def prose(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def notebook(*cells, **more):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}).encode()


def refusal(content):
    with pytest.raises(SubmissionError) as caught:
        code_cells(content, "xor.ipynb")
    sentence = str(caught.value)
    assert "xor.ipynb" in sentence
    assert sentence.isprintable()
    return sentence


def test_code_cells_come_in_order_and_empty_ones_count():
    content = notebook(code("import numpy as np"), prose("# Task"), code(""), code(["def f():\n", "    return 1"]))
    assert code_cells(content, "xor.ipynb") == ("import numpy as np", "", "def f():\n    return 1")


def test_a_cell_that_nbgrader_released_as_code_is_code_whatever_it_has_become():
    answer = prose("def f():\n    return 1") | {"metadata": {"nbgrader": {"grade_id": "f", "cell_type": "code"}}}
    marking = prose("In words.") | {"metadata": {"nbgrader": {"grade_id": "w", "cell_type": "markdown"}}}
    assert code_cells(notebook(code("x = 1"), answer, marking), "xor.ipynb") == ("x = 1", "def f():\n    return 1")


@pytest.mark.parametrize("odd", [None, [], {}, 3, {"cell_type": []}, {"cell_type": {}}])
def test_odd_metadata_makes_no_code(odd):
    cells = [prose("text") | {"metadata": {"nbgrader": odd}}, prose("text") | {"metadata": odd}, {"cell_type": odd}]
    assert code_cells(notebook(code("x = 1"), *cells), "xor.ipynb") == ("x = 1",)


def test_magics_are_text_here():
    """Row 101: who runs the cells drops them, with a note."""
    assert code_cells(notebook(code("%%bash\nrm -rf /"), code("!pip install x")), "xor.ipynb")[0] == "%%bash\nrm -rf /"


def test_the_old_format_with_worksheets_is_read():
    cells = [{"cell_type": "code", "input": ["x = 1\n", "y = 2"], "outputs": []}, prose("text")]
    content = json.dumps({"nbformat": 3, "metadata": {"name": ""}, "worksheets": [{"cells": cells}]}).encode()
    assert code_cells(content, "xor.ipynb") == ("x = 1\ny = 2",)


def test_lines_end_as_on_unix_and_a_byte_order_mark_is_dropped():
    assert code_cells(b"\xef\xbb\xbf" + notebook(code("x = 1\r\ny = 2\r")), "xor.ipynb") == ("x = 1\ny = 2\n",)


def test_what_is_beside_the_code_does_not_matter():
    """Row 101, and copied, renumbered or unknown metadata of a nbgrader cell."""
    cell = code(
        "x = 1", attachments={"a.png": {"image/png": "AAAA" * 1000}}, id="same", metadata={"nbgrader": {"points": -1}}
    )
    cell["outputs"] = [{"output_type": "display_data", "data": {"image/png": "A" * 10**6}, "x": [[[1, -2.5e300]]]}]
    assert code_cells(notebook(cell, cell, 7, None), "xor.ipynb") == ("x = 1", "x = 1")


@pytest.mark.parametrize(
    ("content", "say"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"<!DOCTYPE html>\n<title>Log in</title>", "is a web page"),
        (b"PK\x03\x04word", "is a zip archive or an office document"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "Git LFS"),
        (b"import numpy as np\n", "is no notebook: its JSON breaks off at line 1"),
        (notebook(code("x"))[:-40], "is cut off"),
        (notebook(code("x = 'abc'"))[:90], "is cut off"),
        (b'{"cells": [', "is cut off"),
        (b"<<<<<<< HEAD\n" + notebook(code("x")), "conflict markers (line 1)"),
        (b'{\n<<<<<<< HEAD\n "cells": [],\n=======\n "cells": [1]\n>>>>>>> b\n}', "conflict markers (line 2)"),
        ("{'é'}".encode("latin-1"), "byte 2 (0xe9"),
        (notebook(code("x")).decode().encode("utf-16"), "UTF-16"),
        (b"[]", "JSON but no notebook"),
        (b"null", "JSON but no notebook"),
        (b'"text"', "JSON but no notebook"),
        (b'{"cells": []}', "JSON but no notebook"),
        (b'{"nbformat": "4", "cells": []}', "JSON but no notebook"),
        (b'{"nbformat": 5, "cells": []}', "format 5"),
        (b'{"nbformat": true}', "no notebook"),
        (notebook(), "has no cells"),
        (b'{"nbformat": 4}', "has no cells"),
        (b'{"nbformat": 4, "cells": {"a": 1}}', "has no cells"),
        (b'{"nbformat": 3, "worksheets": 7}', "has no cells"),
        (b'{"nbformat": 3, "worksheets": [{}, 3]}', "has no cells"),
        (notebook(prose("# only words")), "no code cell"),
        (notebook(code(None)), "cell 1 of xor.ipynb holds no text"),
        (notebook(prose("a"), code(["x", 1])), "cell 2 of xor.ipynb holds no text"),
        (notebook(code("x\n\0")), "cell 1 of xor.ipynb holds a NUL byte at line 2"),
        (notebook(code("x = '\ud800'")), "cell 1 of xor.ipynb holds half a character"),
        (notebook(code("# \u202e")), "cell 1 of xor.ipynb holds the invisible character \\u202e"),
        (b"[" * 10**5, "nested too deeply"),
        (b'{"nbformat": 4, "cells": ' + b"[" * 10**5 + b"]" * 10**5 + b"}", "nested too deeply"),
        (b'{"a":' * 10**5, "nested too deeply"),
    ],
)
def test_what_is_no_readable_notebook_is_called_what_it_is(content, say):
    assert say in refusal(content)


def test_a_key_that_occurs_twice_is_refused():
    """Readers disagree on which of two lists of cells counts."""
    twice = notebook(code("good"))[:-1] + b', "cells": ' + json.dumps([code("bad")]).encode() + b"}"
    assert "the same key twice" in refusal(twice)


@pytest.mark.parametrize("number", [b"9" * 10**5, b"1e999999", b"-0", b"NaN", b"Infinity"])
def test_numbers_of_any_size_in_outputs_are_nobodys_business(number):
    content = notebook(code("x")).replace(b'"execution_count": 1', b'"execution_count": ' + number)
    assert code_cells(content, "xor.ipynb") == ("x",)


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"name": "ir", "language": "R", "display_name": "R"}},
        {"language_info": {"name": "julia"}},
        {"kernelspec": {"name": "x", "language": "R"}, "language_info": {"name": "python"}},
    ],
)
def test_a_notebook_in_another_language_is_refused(metadata):
    assert "not in Python" in refusal(notebook(code("x <- 1"), metadata=metadata))


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        None,
        [],
        {"kernelspec": {"name": "conda-env-Python [root]-py", "language": "python"}},
        {"kernelspec": {"name": "no such kernel"}, "language_info": {"name": "python"}},
        {"kernelspec": {"language": ""}},
        {"kernelspec": 3, "language_info": {"name": 4}},
        {"language_info": {"name": "ipython"}},
    ],
)
def test_a_notebook_that_says_python_or_nothing_is_read(metadata):
    """Also one of an unknown kernel, or of a service that writes no kernel."""
    assert code_cells(notebook(code("x"), metadata=metadata), "xor.ipynb") == ("x",)


def test_caps_on_what_a_notebook_may_be():
    """Row 101."""
    assert "larger than 20 MiB" in refusal(b" " * (20 * 2**20 + 1))
    assert "more than 1 MiB of code" in refusal(notebook(code("#" * 2**20), code("#")))
    assert "more than 10000 cells" in refusal(notebook(*[prose("")] * 10_001))


@pytest.mark.parametrize("piece", [b"[],", b"{},", b"[[]],", b'{"a":0},'])
def test_outputs_made_to_fill_the_memory_do_not(piece):
    """A notebook within its cap would otherwise take thirty times its size."""
    outputs = b"[" + piece * (19 * 2**20 // len(piece)) + b"0]"
    content = notebook(code("x")).replace(b"[]", outputs)
    tracemalloc.start()
    try:
        refusal(content)
        assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    finally:
        tracemalloc.stop()


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.sampled_from([3, 4, "code", "python", "R"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "nbformat",
                    "cells",
                    "worksheets",
                    "source",
                    "input",
                    "cell_type",
                    "metadata",
                    "kernelspec",
                    "language",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(content=st.one_of(st.binary(max_size=100), JSON.map(lambda value: json.dumps(value).encode())))
def test_any_bytes_and_any_json_give_cells_or_a_sentence(content):
    try:
        cells = code_cells(content, "xor.ipynb")
    except SubmissionError as refused:
        assert str(refused).isprintable()  # noqa: PT017 - either outcome is right
    else:
        assert all(isinstance(cell, str) for cell in cells)


@settings(max_examples=100, deadline=None)
@given(cells=st.lists(JSON, max_size=3), kind=st.sampled_from([3, 4]))
def test_any_cells_give_texts_or_a_sentence(cells, kind):
    cells = [{"cell_type": "code", **cell} if isinstance(cell, dict) else cell for cell in cells]
    content = notebook(*cells, nbformat=kind, worksheets=[{"cells": cells}])
    try:
        assert all(isinstance(cell, str) for cell in code_cells(content, "xor.ipynb"))
    except SubmissionError as refused:
        assert str(refused).isprintable()  # noqa: PT017 - either outcome is right
