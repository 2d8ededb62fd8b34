"""What our adapter makes of the situations: the same students as one class, from a Canvas download to the gradebook.

The class is collected as ``grade nbgrader collect`` does and graded by nbgrader's own ``autograde``.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from typing import TYPE_CHECKING

from commands import ROOT
from courses import put, tiny_course
from packing import zipped

from grader import course
from grader.notebook import collect, installed, source
from nbgrader_inputs.outcomes import LAST, NAME, Outcome, reported, seen
from nbgrader_inputs.situations import RIGHT, SITUATIONS, Paper

if TYPE_CHECKING:
    from pathlib import Path

FIRST, SECOND = "2026-11-11T10:00:00Z", "2026-11-12T10:00:00Z"
LIMITS = "limits = settings(seconds=1, memory_mib=256, by_hand=True"
LONG = "uniform((st.integers(30, 60),), 2.0, 9.0)"  # long enough that a print of it leaves numbers out
MORE = '''

@check(points=1)
def one_more(student):
    """The double of 9 is 18."""
    close(student.double(np.array([9.0])), np.array([18.0]))
'''


class Ours:
    """One nbgrader course below a folder, with our problems in it; a hidden check is wrong until it is mended."""

    def __init__(self, folder: Path) -> None:
        self.course = tiny_course(folder, "double", "triple")
        (self.course / "problems" / "triple" / "marking.md").unlink()
        visible, hidden = (self.course / "problems" / "double" / name for name in ("visible.py", "hidden.py"))
        _change(visible, "limits = settings(seconds=2, by_hand=True", LIMITS)
        _change(hidden, "uniform((st.integers(2, 5),), 2.0, 9.0)", LONG)
        _change(hidden, "reference.double(x)", "reference.double(x) + x")
        self.root = folder / "nbgrader"
        source.write(course.find(self.course), NAME, ("double", "triple"), self.root)
        self.nbgrader("generate_assignment", NAME)

    def collect(self, hand_ins: dict[str, dict[str, bytes]], time: str = FIRST) -> dict[str, str]:
        """Bring hand-ins in as a Canvas download; return what is remarked about each student's."""
        numbers = {student: number for number, student in enumerate(sorted(hand_ins), start=101)}
        entries = [
            (f"{student.replace('-', '')}_{numbers[student]}_{numbers[student]}00{place}_{name}", content)
            for student, files in hand_ins.items()
            for place, (name, content) in enumerate(files.items())
        ]
        box = self.root / f"submissions-{time[:10]}.zip"
        box.write_bytes(zipped(entries))
        lines = [f'"{student}",{number},{student}' for student, number in numbers.items()]
        roster = put(self.root / "gradebook.csv", "\n".join(["Student,ID,SIS Login ID", *lines]))
        times = put(self.root / "times.csv", "\n".join(["student,time", *(f"{one},{time}" for one in hand_ins)]))
        found = collect.collect(NAME, [box], self.root, roster=roster, times=times)
        assert not found.unmatched
        return {one.student: "; ".join(one.warnings) for one in found.students}

    def handed_in(self, make) -> dict[str, bytes]:
        """Return the files of one student: a situation's, and a right answer to the other problem."""
        released = self.root / "release" / NAME
        paper = Paper((released / "double.ipynb").read_text(encoding="utf-8"))
        other = Paper((released / "triple.ipynb").read_text(encoding="utf-8"))
        other.cell("triple--answer--triple")["source"] = RIGHT.replace("double", "triple").replace("2", "3")
        return make(paper) | other.files("triple.ipynb")

    def nbgrader(self, *arguments: str) -> str:
        """Run nbgrader as one would type it; return what it logs."""
        done = subprocess.run(
            installed.command(*arguments),
            cwd=self.root, env=installed.environment() | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
            errors="replace", check=False, timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout + done.stderr

    def mend(self) -> None:
        """Make the hidden check right."""
        _change(self.course / "problems" / "double" / "hidden.py", "reference.double(x) + x", "reference.double(x)")

    def add(self) -> None:
        """Add a visible check."""
        visible = self.course / "problems" / "double" / "visible.py"
        visible.write_text(visible.read_text(encoding="utf-8") + MORE, encoding="utf-8")


def graded(folder: Path) -> dict[str, Outcome]:
    """Grade all situations in one nbgrader course; return outcomes by number.

    Those who are graded more than once come first; the class comes when the check is mended. Then one is added.
    """
    ours = Ours(folder)
    early = [one for one in SITUATIONS if one.change or one.second]
    ours.collect({one.student: ours.handed_in(one.make) for one in early})
    ours.nbgrader("autograde", NAME)
    ours.mend()
    remarks = ours.collect({one.student: ours.handed_in(one.second) for one in early if one.second}, SECOND)
    class_ = {one.student: ours.handed_in(one.make) for one in SITUATIONS if one not in early}
    remarks |= ours.collect(class_ | {LAST: ours.handed_in(lambda paper: paper.answered().files())})
    log = ours.nbgrader("autograde", NAME)
    found = {one.number: _outcome(ours.root, one.student, log, remarks) for one in SITUATIONS if one.change != "added"}
    added = next(one for one in SITUATIONS if one.change == "added")
    ours.add()
    log = ours.nbgrader("autograde", NAME, f"--student={added.student}")
    return found | {added.number: _outcome(ours.root, added.student, log, remarks)}


def _outcome(root: Path, student: str, log: str, remarks: dict[str, str]) -> Outcome:
    """Return what a student has, with the first of: our report, nbgrader's log, what was remarked when collecting."""
    warned = re.findall(rf"WARNING\] (?:{student}, )?double: (.+)$", log, re.MULTILINE)
    told = next(filter(None, [reported(root, student), *warned, remarks.get(student, "")]), "")
    return replace(seen(root, student), told=told)


def _change(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
