"""The run file under real kills, real second graders, real full and read-only disks."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ROOT, grade, hand_in
from courses import solution, tiny_course
from test_store import KEY, a_verdict, begin

from grader import database, store
from grader.errors import UsageError

SCRIPT = """
import os, resource, signal, sys
from dataclasses import replace
from pathlib import Path
from test_store import *
folder = Path(sys.argv[1])
"""
HOLD = """
with store.writing(folder) as kept:
    begin(kept, "ada")
    kept.keep("ada", "double", KEY, a_verdict())
    print("held", flush=True)
    sys.stdin.read()
"""
KILLED = """
with store.writing(folder) as kept:
    print(kept.connection.execute("PRAGMA journal_mode").fetchone()[0])
    begin(kept, *map(str, range(50)))
    for number in range(30):
        kept.keep(str(number), "double", KEY, a_verdict(1.0, detail="x" * 5000))
    with kept.transaction() as connection:
        connection.execute("PRAGMA cache_size = 1")  # so that unfinished work reaches the file
        connection.execute("DELETE FROM verdicts WHERE student < '2'")
        connection.execute("UPDATE verdicts SET content = content || content")
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
"""
FULL = """
if len(sys.argv) > 2:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
with store.writing(folder) as kept:
    names = [f"s{number}" for number in range(400)]
    begin(kept, *names)
    for done, name in enumerate(names):
        try:
            kept.keep(name, "double", KEY, a_verdict(1.0, detail="x" * 3000))
        except UsageError as error:
            print(done, error)
            break
"""


def python(script, *arguments):
    """Run a script on the store in a process of its own; return it."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    return subprocess.Popen(
        [sys.executable, "-B", "-c", SCRIPT + script, *map(str, arguments)], env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def in_a_namespace(commands):
    """Return the command that runs a shell's commands where file systems can be mounted that nobody else sees."""
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", commands]


def mountable():
    try:
        done = subprocess.run(in_a_namespace("mount -t tmpfs none /mnt"), capture_output=True, timeout=60, check=False)
    except OSError:
        return False
    return done.returncode == 0


needs_mounts = pytest.mark.skipif(not mountable(), reason="no file system can be mounted here")


def test_a_second_grader_is_told_who_is_at_work_and_loses_nothing(tmp_path):
    course = tiny_course(tmp_path)
    students = hand_in(tmp_path / "class", ada=solution("double"))
    holder = python(HOLD, tmp_path / "run")
    assert holder.stdout.readline() == "held\n", holder.stderr.read()
    for arguments in (
        ("run", students, "-o", tmp_path / "run"),
        ("mark", tmp_path / "run", "ada", "double", 1, "--reason", "r"),
    ):
        told = grade(*arguments, course=course if arguments[0] == "run" else None, code=2).err
        assert f"another grader is at work on {tmp_path / 'run'} (process {holder.pid} on " in told
        assert "wait until it has ended, or choose another folder with -o" in told
    assert [one.student for one in store.read(tmp_path / "run").students] == ["ada"]  # who reads need not wait
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    told = grade("mark", tmp_path / "run", "ada", "double", 3, "--reason", "r").words
    assert "Total: 4/5, was 1/2." in told


def test_two_graders_of_one_process_are_two_graders(tmp_path):
    with store.writing(tmp_path / "run") as kept:
        begin(kept, "ada")
        with pytest.raises(UsageError, match="another grader is at work on"), store.writing(tmp_path / "run"):
            pytest.fail("it was opened twice")
        assert kept.run().students


def test_where_files_cannot_be_locked_nobody_writes(tmp_path, monkeypatch):
    class Unlockable(sqlite3.Connection):
        """What SQLite says on a network file system without a lock service: always busy, and nobody has signed."""

        def execute(self, sql, *rest):
            if sql == "BEGIN IMMEDIATE":
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorname = "SQLITE_BUSY"
                raise error
            return super().execute(sql, *rest)

    monkeypatch.setattr(database, "connected", lambda path, _seconds: sqlite3.connect(path, factory=Unlockable))
    with pytest.raises(UsageError, match="its file system cannot lock files"), store.writing(tmp_path / "run"):
        pytest.fail("it was opened")


def test_a_kill_inside_a_transaction_undoes_that_one_and_nothing_else(tmp_path):
    folder = tmp_path / "run"
    process = python(KILLED, folder)
    _, err = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, err
    run = store.read(folder)
    assert [result.judged.score for one in run.students for result in one.results] == [1.0] * 30
    with store.writing(folder) as kept:
        assert kept.run() == run
        assert kept.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@needs_mounts
def test_on_a_file_system_not_known_to_be_local_a_rollback_journal_keeps_the_same_promise(tmp_path):
    """A real mount of a type that is not on the list (ramfs) stands for a network's: no NFS server is at hand here."""
    folder = tmp_path / "remote"
    folder.mkdir()
    check = (
        "from test_store import *; from pathlib import Path; "
        f"run = store.read(Path({str(folder / 'run')!r})); print(sum(len(one.results) for one in run.students))"
    )
    script = tmp_path / "killed.py"
    script.write_text(SCRIPT + KILLED, encoding="utf-8")
    commands = f"""
        mount -t ramfs none {folder}
        {sys.executable} -B {script} {folder}/run || true
        ls {folder}/run
        {sys.executable} -B -c "$CHECK"
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]), "CHECK": check}
    done = subprocess.run(
        in_a_namespace(commands), env=environment, capture_output=True, text=True, timeout=240, check=True
    )
    mode, *files, count = done.stdout.split()
    assert mode == "delete", done.stderr
    assert "run.sqlite-journal" in files  # the half-done transaction lay there, to be undone
    assert count == "30"


# Disks


def demand_that_a_full_disk_is_said_and_nothing_lost(process, folder):
    out, err = process.communicate(timeout=240)
    done, _, told = out.strip().partition(" ")
    assert told.startswith(f"{folder / store.NAME} cannot be written: the disk "), err
    assert f"; it keeps {done} verdicts. Free some space and give the same command again" in told
    assert int(done) > 5
    return int(done)


def test_a_limit_of_file_size_is_said_and_nothing_is_lost(tmp_path):
    folder = tmp_path / "run"
    done = demand_that_a_full_disk_is_said_and_nothing_lost(python(FULL, folder, 400_000), folder)
    run = store.read(folder)
    assert sum(len(one.results) for one in run.students) == done
    with store.writing(folder) as kept:
        kept.keep("s399", "double", KEY, a_verdict())


@needs_mounts
def test_a_full_disk_ends_grading_with_a_sentence_and_it_goes_on_with_more_space(tmp_path):
    """A real small file system, the real command; then more space, and the same command again."""
    course, disk = tiny_course(tmp_path), tmp_path / "disk"
    hand_in(tmp_path / "class", **{f"s{number}": solution("double") for number in range(40)})
    disk.mkdir()
    run = f"{sys.executable} -m grader --course {course} run {tmp_path / 'class'} -o {disk}/run --jobs 1"
    commands = f"""
        mount -t tmpfs -o size=180k none {disk}
        set +e; {run} >/dev/null; echo "code $?"
        mount -o remount,size=8m {disk}
        {run} --json >{tmp_path / "out.json"}; echo "code $?"
    """
    done = subprocess.run(
        in_a_namespace(commands), env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        timeout=240, check=True,
    )  # fmt: skip
    assert done.stdout.split("\n")[:2] == ["code 2", "code 0"], done.stderr
    assert f"Error: {disk}/run/run.sqlite cannot be written: the disk is full; it keeps " in done.stderr
    kept = int(done.stderr.partition("it keeps ")[2].split()[0])
    assert kept > 0
    assert f"{kept} of 40 verdicts stand; {40 - kept} to judge." in done.stderr
    assert Path(tmp_path / "out.json").read_text(encoding="utf-8").count('"score": 4.0') >= 40


@needs_mounts
def test_a_read_only_folder_is_read_and_refused_to_writers(tmp_path):
    """As root too: the file system itself is read-only."""
    folder = tmp_path / "run"
    with store.writing(folder) as kept:
        begin(kept, "ada")
        kept.keep("ada", "double", KEY, a_verdict())
    course = tiny_course(tmp_path)
    students = hand_in(tmp_path / "class", ada=solution("double"))
    grader = f"{sys.executable} -m grader --course {course}"
    commands = f"""
        mount --bind {folder} {folder}
        mount -o remount,bind,ro {folder}
        set +e
        {grader} explain {folder} ada; echo "code $?"
        {grader} run {students} -o {folder}; echo "code $?"
        {grader} mark {folder} ada double 1 --reason r; echo "code $?"
        {grader} run {students} -o {folder}/below; echo "code $?"
    """
    done = subprocess.run(
        in_a_namespace(commands), env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        timeout=240, check=True,
    )  # fmt: skip
    assert [line for line in done.stdout.splitlines() if line.startswith("code")] == ["code 0", *["code 2"] * 3]
    errors = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 3
    assert all("run.lock cannot be " in error and "read-only" in error for error in errors[:2])
    assert (
        errors[2] == f"Error: {folder}/below cannot be written (Read-only file system); choose another folder with -o"
    )
