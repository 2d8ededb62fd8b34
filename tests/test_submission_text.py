"""Bytes of a .py file become text that reads as it looks, or a sentence that says which byte or line is wrong."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import SubmissionError
from grader.submission.text import source_text

CODE = "def xor(a, b):\n    return a ^ b  # entweder… oder\n"


def refusal(content):
    with pytest.raises(SubmissionError) as caught:
        source_text(content, "xor.py")
    sentence = str(caught.value)
    assert sentence.startswith("xor.py ")
    assert sentence.isprintable()
    return sentence


def test_utf8_is_text():
    assert source_text(CODE.encode(), "xor.py") == CODE


def test_a_byte_order_mark_is_dropped():
    """Row 99; Windows editors write it."""
    assert source_text(codecs.BOM_UTF8 + CODE.encode(), "xor.py") == CODE


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_end_as_on_unix(end):
    assert source_text(CODE.replace("\n", end).encode(), "xor.py") == CODE


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_other_unicode_encodings_are_refused(encoding):
    """Row 99, with and without a mark."""
    assert "UTF-8" in refusal("x = 1\n".encode(encoding))


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"x = 1\ny = '\xe9'\n", "byte 11 (0xe9, line 2)"),
        (b"\xff", "byte 0 (0xff, line 1)"),
        (b"# \xc3", "byte 2 (0xc3, line 1)"),
        (b"'\xc0\x80'", "byte 1 (0xc0, line 1)"),
        (b"'\xed\xa0\x80'", "byte 1 (0xed, line 1)"),
    ],
    ids=["Latin-1", "no character", "cut off", "overlong", "surrogate"],
)
def test_bytes_that_are_no_utf8_are_named(content, where):
    assert where in refusal(content)


def test_a_nul_is_refused():
    """Row 99: other readers stop there."""
    assert "line 2, column 5" in refusal(b"x = 1\ny = \0 2\n")


@pytest.mark.parametrize(
    "head",
    [
        "# coding: utf-7\n",
        "# -*- coding: latin-1 -*-\n",
        "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n",
        "\n  # coding=utf-16\n",
        " \t\f# coding: rot13\n",
        "# coding: utf-7\n# coding: utf-8\n",
        "# coding: utf-7\r# coding: utf-8\r",
        "# coding: utf-80\n",
        "# encoding: one-hot\n",
    ],
)
def test_a_declared_encoding_other_than_utf8_is_refused(head):
    """Row 99: +-encoded text hides code from whoever reads the file as UTF-8."""
    assert "declares the encoding" in refusal((head + CODE).encode())


@pytest.mark.parametrize(
    "head",
    [
        "# -*- coding: utf-8 -*-\n",
        "# coding=UTF8\n",
        "#!/usr/bin/python\n# vim: set fileencoding=utf_8 :\n",
        "# -*- coding: utf-8-unix -*-\n",
        "import numpy\n# coding: latin-1\n",
        "\n\n# coding: latin-1\n",
        "x = '# coding: latin-1'\n",
    ],
)
def test_utf8_may_be_declared_and_later_lines_declare_nothing(head):
    assert source_text((head + CODE).encode(), "xor.py") == head + CODE


@pytest.mark.parametrize("turn", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
def test_characters_that_reorder_what_is_shown_are_refused(turn):
    """Row 99: with them a comment can hold code that no reader sees."""
    sentence = refusal(f"x = 1\n# {turn} y\n".encode())
    assert f"\\u{ord(turn):04x}" in sentence
    assert "line 2, column 3" in sentence


@pytest.mark.parametrize(
    "text", ["# שלום\u200f\n", "x = 'مرحبا'\n", "\uff58 = 1\n", "'👩\u200d💻'\n", "x = 1\f\n", "\x1a"]
)
def test_other_alphabets_and_marks_are_text(text):
    assert source_text(text.encode(), "xor.py") == text


@pytest.mark.parametrize("text", ["(" * 10**5, "-" * 3 * 10**5 + "1", "a" + ".a" * 10**5, "[" * 10**5 + "]" * 10**5])
def test_bombs_for_parsers_are_text_like_any_other(text):
    """Row 100: nobody parses here."""
    assert source_text(text.encode(), "xor.py") == text


def test_a_source_has_at_most_a_mebibyte():
    assert len(source_text(b"#" * 2**20, "xor.py")) == 2**20
    assert "larger than 1 MiB" in refusal(b"#" * (2**20 + 1))


@given(
    content=st.one_of(st.binary(max_size=200), st.text(max_size=100).map(lambda text: text.encode("utf-8", "ignore")))
)
def test_any_bytes_give_text_or_a_sentence(content):
    try:
        text = source_text(content, "xor.py")
    except SubmissionError as refused:
        assert str(refused).isprintable()  # noqa: PT017 - either outcome is right
    else:
        assert text == content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
