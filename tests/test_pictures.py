"""The pictures of the terminal show what the commands print."""

from __future__ import annotations

import importlib.util
import re
import sys
from html import unescape
from pathlib import Path

import pytest

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its script asks for a terminal of its own")


def texts(svg):
    """Return what can be read in a picture, whatever the version of the library that drew it."""
    return [unescape(text).replace("\xa0", " ") for text in re.findall(r"<text [^>]*>([^<]*)</text>", svg)]


def colours(svg):
    return set(re.findall(r"fill: (#[0-9a-f]{6})", svg))


def test_the_picture_of_a_failed_check_is_what_its_script_draws():
    pytest.importorskip("torch", reason="the problem of the picture is one in torch")
    spec = importlib.util.spec_from_file_location("make_pictures", PICTURES / "make.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    kept, drawn = (PICTURES / "check.svg").read_text(encoding="utf-8"), script.check()
    assert texts(kept) == texts(drawn)
    assert len(colours(kept)) > 3
    assert any("0.3333*" in text for text in texts(kept))
