"""Runs an autograder archive as Gradescope does: its folders, ``setup.sh`` once, ``run_autograder`` a submission.

As root on Linux the folder is ``/autograder`` for whatever runs there, in mounts of its own; elsewhere the environment
says where it lies. There is no network in tests, so that set-up is told to use the Python of the tests.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import jsonschema

HERE = Path(__file__).parent


def _can_box():
    """Whether a folder can be /autograder here; not even root may mount anything in an ordinary container."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([sys.executable, HERE / "boxing.py", folder, "true"], check=False).returncode == 0


BOXED = _can_box()
GROUPS = Path("/sys/fs/cgroup")
# What Gradescope's documentation says of results.json: either a score of the whole, or one on each test.
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
SHOWN = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
TEST = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"}, "max_score": {"type": "number"}, "status": {"enum": ["passed", "failed"]},
        "name": {"type": "string"}, "name_format": FORMAT, "number": {"type": "string"}, "output": {"type": "string"},
        "output_format": FORMAT, "tags": {"type": "array", "items": {"type": "string"}}, "visibility": SHOWN,
        "extra_data": {"type": "object"},
    },
}  # fmt: skip
RESULTS = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"}, "execution_time": {"type": "number"}, "output": {"type": "string"},
        "output_format": FORMAT, "test_output_format": FORMAT, "test_name_format": FORMAT, "visibility": SHOWN,
        "stdout_visibility": SHOWN, "extra_data": {"type": "object"}, "tests": {"type": "array", "items": TEST},
        "leaderboard": {"type": "array"},
    },
    "anyOf": [
        {"required": ["score"]},
        {
            "required": ["tests"],
            "properties": {"tests": {"minItems": 1, "items": {"required": ["score"]}}},
        },
    ],
}  # fmt: skip


def checked(content):
    """Return a results file as data, if it is what Gradescope takes."""
    document = json.loads(content)
    jsonschema.Draft202012Validator(RESULTS).validate(document)
    return document


def laid_out(archive, root):
    """Unpack an archive as Gradescope does when it builds the image."""
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        for entry in opened.infolist():
            place = Path(opened.extract(entry, root / "source"))
            place.chmod(entry.external_attr >> 16 & 0o777)
    shutil.copy(root / "source" / "run_autograder", root / "run_autograder")
    (root / "run_autograder").chmod(0o755)
    earlier = {"previous_submissions": [{"score": 1.0, "results": {"tests": ["EARLIER-RESULTS"]}}]}
    (root / "submission_metadata.json").write_text(json.dumps(earlier), encoding="utf-8")
    return root


def executed(root, *command, refused="", group="", environment=None, kill_after=240):
    """Run a command in the autograder's folder; ``refused`` are features that the kernel is to lack (see refusing)."""
    words = list(map(str, command))
    if refused:
        words = [sys.executable, str(HERE / "refusing.py"), refused, *words]
    if BOXED:
        words = [sys.executable, str(HERE / "boxing.py"), str(root), *words]
    if group:
        words = ["bash", "-c", 'for tasks in $0; do echo $$ > "$tasks"; done; exec "$@"', group, *words]
    return subprocess.run(
        words,
        cwd=root,
        env={"PATH": os.environ["PATH"], "AUTOGRADER": "/autograder" if BOXED else str(root), **(environment or {})},
        capture_output=True,
        text=True,
        timeout=kill_after,
        check=False,
    )


def set_up(root, python=sys.executable):
    return executed(root, "bash", "source/setup.sh", environment={"GRADER_PYTHON": str(python)})


def graded(ready, root, files, **options):
    """Hand files in to a copy of an autograder that is set up; return the results and what was said to the staff."""
    shutil.copytree(ready, root, symlinks=True)
    put_in(root / "submission", files)
    done = executed(root, "./run_autograder", **options)
    assert done.returncode == 0, done.stderr
    return checked((root / "results" / "results.json").read_bytes()), done.stdout + done.stderr


def put_in(folder, files):
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())


@contextlib.contextmanager
def limited(memory_mib, cores):
    """Yield the files by which a process enters control groups with these limits; "" where none can be made."""
    made = []
    try:
        try:
            for folder, limits in _groups(memory_mib, cores):
                folder.mkdir()
                made.append(folder)
                for name, value in limits.items():
                    (folder / name).write_text(str(value), encoding="ascii")
            doors = " ".join(str(folder / "cgroup.procs") for folder in made)
        except OSError:
            doors = ""
        yield doors
    finally:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()


def _groups(memory_mib, cores):
    name = f"grader-test-{secrets.token_hex(4)}"
    if (GROUPS / "cgroup.controllers").exists():
        yield GROUPS / name, {"memory.max": memory_mib * 2**20, "cpu.max": f"{int(cores * 100_000)} 100000"}
        return
    yield GROUPS / "memory" / name, {"memory.limit_in_bytes": memory_mib * 2**20}
    yield GROUPS / "cpu" / name, {"cpu.cfs_period_us": 100_000, "cpu.cfs_quota_us": int(cores * 100_000)}


@functools.cache
def can_limit():
    with limited(64, 0.5) as group:
        return bool(group)
