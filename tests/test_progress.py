"""How far a long command is: plain lines where nobody sees a bar, a bar on a terminal, and how it has gone so far."""

from __future__ import annotations

import io
import sys
import time

import pytest

from grader.cli import progress


def test_plain_lines_tell_the_count_by_status_and_who_was_last(capsys, monkeypatch):
    monkeypatch.setattr(progress, "EVERY", 0.01)
    told = ""
    with progress.progress(4, "judged") as advance:
        advance(1, "ada")
        advance(2, "bob\x1b[2J", "1 passed, 1 failed")
        while "bob" not in told:
            time.sleep(0.01)
            told += capsys.readouterr().err
    assert told.splitlines()[-1].startswith("2 of 4 judged, about ")
    assert told.splitlines()[-1].endswith(" left (1 passed, 1 failed) (last: bob\\x1b[2J)")


@pytest.mark.parametrize("so_far", ["", "30 passed, 12 failed, 5 untried, 4 crashed, 3 timed out, 1 memory, 1 BROKEN"])
def test_a_bar_stays_on_one_line_of_a_terminal(monkeypatch, so_far):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with progress.progress(60, "judged") as advance:
        advance(56, "ada", so_far)
    assert "56/60" in stream.getvalue()
    assert so_far[:20] in stream.getvalue()
    assert "\n56/60" not in stream.getvalue()
