"""A folder of ours: brought up to date, never over somebody's work, whole after any interruption."""

from __future__ import annotations

import json

import pytest
from courses import put

from grader import bundle
from grader.errors import UsageError


def snapshot(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def files_of(folder):
    return {path: content for path, content in snapshot(folder).items() if path != bundle.LIST}


def test_an_earlier_release_is_brought_up_to_date(tmp_path):
    bundle.write({"a.txt": b"1", "b/c.txt": b"2", "d/e.txt": b"3"}, tmp_path)
    put(tmp_path / "mine.txt", "mine")
    bundle.write({"a.txt": b"changed", "b/c.txt": b"2", "f.txt": b"new"}, tmp_path)
    found = snapshot(tmp_path)
    listed = json.loads(found.pop(bundle.LIST))["files"]
    assert found == {"a.txt": b"changed", "b/c.txt": b"2", "f.txt": b"new", "mine.txt": b"mine"}
    assert [entry["path"] for entry in listed] == ["a.txt", "b/c.txt", "f.txt"]
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize("how", ["edited", "linked", "a folder"])
def test_what_a_student_changed_is_never_written_over(tmp_path, how):
    bundle.write({"a.txt": b"1", "work/b.txt": b"2"}, tmp_path)
    path = tmp_path / "work" / "b.txt"
    path.unlink()
    if how == "edited":
        path.write_bytes(b"mine")
    elif how == "linked":
        put(tmp_path / "elsewhere.txt", "2")
        path.symlink_to(tmp_path / "elsewhere.txt")
    else:
        put(path / "c.txt", "mine")
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match=r"b\.txt is not as it was released, so nothing was written"):
        bundle.write({"a.txt": b"newer", "work/b.txt": b"newer"}, tmp_path)
    assert snapshot(tmp_path) == before


def test_what_a_student_changed_stays_when_the_release_drops_it(tmp_path):
    bundle.write({"a.txt": b"1", "b.txt": b"2"}, tmp_path)
    put(tmp_path / "b.txt", "mine")
    bundle.write({"a.txt": b"1"}, tmp_path)
    assert (tmp_path / "b.txt").read_text() == "mine"


@pytest.mark.parametrize("path", ["notes.txt", "sub/notes.txt", "a.txt"])
def test_a_folder_of_somebody_else_is_left_alone(tmp_path, path):
    put(tmp_path / path, "theirs")
    with pytest.raises(UsageError, match=r"a\.txt is not as it was|is not empty and no earlier release"):
        bundle.write({"a.txt": b"1"}, tmp_path)
    assert snapshot(tmp_path) == {path: b"theirs"}


def test_hidden_files_of_tools_are_no_hindrance(tmp_path):
    put(tmp_path / ".git" / "config", "theirs")
    bundle.write({"a.txt": b"1"}, tmp_path)
    assert (tmp_path / ".git" / "config").read_text() == "theirs"


def test_what_was_cut_off_is_finished(tmp_path, monkeypatch):
    """A release that ends in the middle, new or over an earlier one, leaves whole files; the next one goes on."""
    put_ = bundle._put
    old, new = {"a": b"1", "b": b"2", "c": b"3"}, {"a": b"10", "b": b"20", "d": b"40"}
    for content in (old, new):
        left = iter(range(2))

        def cut_off(path, text, left=left):
            if next(left, None) is None:
                raise KeyboardInterrupt
            put_(path, text)

        monkeypatch.setattr(bundle, "_put", cut_off)
        with pytest.raises(KeyboardInterrupt):
            bundle.write(content, tmp_path)
        assert all(text in {old.get(path), new.get(path)} for path, text in files_of(tmp_path).items())
        monkeypatch.setattr(bundle, "_put", put_)
        bundle.write(content, tmp_path)
        assert files_of(tmp_path) == content


@pytest.mark.parametrize(
    "listed",
    [
        "{",
        "[]",
        '{"format": 1, "files": [{"path": "../outside.txt", "sha256": "%s"}]}',
        '{"format": 1, "files": [{"path": "/outside.txt", "sha256": "%s"}]}',
        '{"format": 1, "files": [{"path": 3, "sha256": ""}]}',
        '{"format": 2, "files": []}',
    ],
)
def test_a_forged_list_moves_nothing(tmp_path, listed):
    put(tmp_path / "outside.txt", "theirs")
    digest = bundle.entries({"": b"theirs"})[0].sha256
    put(tmp_path / "bundle" / bundle.LIST, listed.replace("%s", digest))
    with pytest.raises(UsageError, match="is no list that grade release wrote"):
        bundle.write({"a.txt": b"1"}, tmp_path / "bundle")
    assert (tmp_path / "outside.txt").read_text() == "theirs"


def test_a_folder_that_leads_elsewhere_is_not_written_through(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "problems").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="problems"):
        bundle.write({"problems/a.txt": b"1"}, tmp_path / "bundle")
    assert list((tmp_path / "elsewhere").iterdir()) == []
