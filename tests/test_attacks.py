"""Every attack of ``tests/attacks`` is contained where its header says so, and its control shows that it works."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys

import attacking
import pytest
from attackers import kernel_offers
from attacking import CORPUS, MACHINES, ROOT, Keeper, shown

sys.path.insert(0, str(CORPUS))

import table
import targets
from scene import Scene

ROWS = table.ROWS
OWN = 900  # from here on rows are our own
SECURITY = table.DOCS / "security.md"
BETWEEN_OURSELVES = frozenset({"crew", "seat", "cluster"})
IN_A_CHILD = frozenset({"isolation/inside/packed", "isolation/inside/serve"})
JUDGING = ("judge", "classroom", "grading", "script", "sitting", "student", "submission", "store", "replay", "practice")


@pytest.fixture(scope="session")
def keepers():
    """Return a function that gives the keeper on a machine; all of them end with the session."""
    with contextlib.ExitStack() as stack:
        started: dict[str, Keeper] = {}

        def keeper(name):
            if name not in started:
                started[name] = stack.enter_context(contextlib.closing(Keeper(MACHINES[name])))
            return started[name]

        yield keeper


@pytest.fixture
def counted(record_property):
    """Return a function that keeps what came of an attack for the summary."""

    def count(attack, machine, result, why=""):
        record_property("attack", {"name": attack.name, "machine": machine, "result": result, "why": why})

    return count


def tried(attack, machine, keepers, counted):
    """Return the keeper on which an attack can be tried; skip, and count it as not run, where it cannot."""
    why = attacking.unbuildable(MACHINES[machine]) or attacking.lacking(attack)
    if not why:
        keeper = keepers(machine)
        reached = keeper.greeting["tier"]
        if reached >= MACHINES[machine].tier:
            return keeper
        why = f"this machine reaches tier {reached} only"
    counted(attack, machine, "not run", why)
    pytest.skip(f"{attack.name} on {machine}: not run: {why}")


# Each attack, as a parameter; those of the GPU are marked as tests that need one.
ATTACKS = [pytest.param(name, marks=[pytest.mark.gpu] * name.startswith("b11_")) for name in attacking.NAMES]
# Of attacks on files, processes and the network, other machines are worth their time in the short form too.
BY_LAYERS = ("b2_", "b7_", "b8_")
OFFERED = kernel_offers()
OWN_TIER = "tier3" if "namespaces" in OFFERED else "tier2" if "landlock" in OFFERED else "tier1"
PLACES = [
    pytest.param(*attack.values, machine, marks=attack.marks)
    for attack in ATTACKS
    for machine in MACHINES
    if machine in ("tier3", OWN_TIER)
    or (machine != "bare" and attacking.ALL)
    or (machine == "tier2" and attack.values[0].startswith(BY_LAYERS))
]


def harmed(keeper, attack):
    """Return what an attack achieved where nobody promised to hold it."""
    try:
        told = keeper.ask(attack)
    except attacking.KeeperError as error:
        return [str(error)]
    return [*told["evidence"], *told["left"], *([told["next"]] if told["next"] else [])]


@pytest.mark.parametrize(("name", "machine"), PLACES)
def test_attack(name, machine, keepers, counted):
    """An attack gets the status that it deserves, achieves nothing, and leaves nothing behind for the next student.

    At a tier that its header does not name, what came of it is written down and not judged.
    """
    attack = attacking.named(name)
    keeper = tried(attack, machine, keepers, counted)
    if keeper.greeting["tier"] not in attack.tiers:
        counted(attack, machine, "open" if harmed(keeper, attack) else "contained")
        return
    counted(attack, machine, "escaped")  # stands if any of what follows fails
    told = keeper.ask(attack)
    assert told["evidence"] == [], told
    assert told["status"] in attack.expect, told
    assert told["left"] == []
    assert told["next"] == ""
    assert attack.says in told["message"]
    counted(attack, machine, "contained")


@pytest.mark.parametrize("name", ATTACKS)
def test_control(name, keepers):
    """The same attack without protection does what it says: it has not become a no-op."""
    attack = attacking.named(name)
    keeper = tried(attack, "bare", keepers, lambda *_: None)
    try:
        told = keeper.ask(attack, control=True)
    except attacking.KeeperError as error:
        told = {"evidence": ["grader"], "output": str(error)}
    for evidence in attack.control.evidence:
        assert shown(told, evidence), f"{evidence} is not in {told['evidence']}: {told}"


@pytest.mark.parametrize("name", attacking.NAMES)
def test_header(name):
    """An attack is well formed and belongs to a row of its group in the catalogue, or is one of our own."""
    attack = attacking.named(name)
    rows = {int(row) for row in ROWS[attack.group] if row.isdigit()}
    assert all(row in rows or row >= OWN for row in attack.rows)


def test_every_row_of_the_catalogue_is_tried_or_the_docs_say_why_not():
    """No row is without a file and without a reason, and none has both."""
    tried = {row for attack in attacking.corpus() for row in attack.rows if row < OWN}
    rows = {int(row) for group in ROWS.values() for row in group if row.isdigit()}
    section = SECURITY.read_text(encoding="utf-8").partition("Rows of the catalogue without an attack")[2]
    excused = {int(row) for row in re.findall(r"^\| (\d+) \| \w", section, re.MULTILINE)}
    assert tried | excused == rows
    assert not tried & excused


def test_the_tables_of_the_docs_are_those_of_the_corpus():
    """The pages are what the script writes: a line for each attack, with its words, and sums that are sums."""
    for path, text in table.written([]).items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is not in step: python tests/attacks/table.py"


def test_no_line_of_the_docs_says_that_an_attack_escaped():
    """What the docs show as held at a tier is what headers promise there; nothing that must be held was open."""
    seen = table.before((SECURITY.parent / "attacks.md").read_text(encoding="utf-8"))
    for attack in attacking.corpus():
        for machine in table.MACHINES:
            cell = seen[attack.name][machine.name]
            assert cell in ("held", table.NOT_YET) or (cell == "open" and machine.tier not in attack.tiers), attack.name


def test_only_our_own_processes_are_believed_with_pickles():
    """What could load a pickle is imported by nothing that judges, reads a submission or speaks to a child."""
    loaders = re.compile(r"^\s*(?:import|from) (?:pickle|shelve|marshal|dill|joblib|cloudpickle)|(?:np|torch)\.load\(")
    package = ROOT / "grader"
    found = {
        str(path.relative_to(package).with_suffix(""))
        for path in package.rglob("*.py")
        if any(loaders.search(line) for line in path.read_text(encoding="utf-8").splitlines())
    }
    assert {name for name in found if name.split("/")[0] not in BETWEEN_OURSELVES} == {
        "isolation/packing",  # writes only
        *IN_A_CHILD,
    }
    packing = (package / "isolation" / "packing.py").read_text(encoding="utf-8")
    assert "load" not in packing
    assert "Unpickler" not in packing


def test_what_believes_packed_bytes_is_in_no_process_of_ours():
    """Whatever judges never brings in what a child reads its scripts with."""
    code = f"""
import importlib, sys
for name in {JUDGING!r}:
    importlib.import_module(f"grader.{{name}}")
files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
print(*[name for name in {sorted(IN_A_CHILD)!r} if any(file.endswith(f"grader/{{name}}.py") for file in files)])
"""
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.split() == []


# One of each way to end: names of attacks, run by the real command in one class with a right answer.
CLASS = (
    "b1_007a_exit_at_import",
    "b1_008a_leave_at_once",
    "b2_016_open_hidden_tests",
    "b2_026_inputs_in_an_exception",
    "b3_030_verdict_before_the_question",
    "b3_038_escapes_in_messages",
)


@pytest.mark.skipif(sys.platform != "linux", reason="the attacks of this class need Linux: not run")
def test_a_class_of_attackers_is_graded_by_the_command(tmp_path):
    """The exit code is that of a graded class, the right answer gets its marks, and no secret is in what is kept."""
    scene = Scene(tmp_path / "scene", f"CNR{'0' * 32}")
    try:
        course, students, run = tmp_path / "course", tmp_path / "class", tmp_path / "run"
        targets.write(course, "arrays", {}, scene.canaries)
        for name in CLASS:
            scene.hand_in(attacking.named(name), students / name, course)
        (students / "ada").mkdir()
        (students / "ada" / "target.py").write_text(targets.right("arrays"), encoding="utf-8")
        scene.restore()
        command = ("-m", "grader", "--course", course, "run", students, "-o", run, "--json", "--min-tier", "1")
        done = subprocess.run(
            [sys.executable, *map(str, command)],
            capture_output=True,
            timeout=240,
            check=False,
            cwd=ROOT,
            env={**os.environ, "GRADER_CANARY": scene.canaries["environ"]},
        )
        assert done.returncode == 0, done.stderr.decode()
        document = json.loads(done.stdout)
        statuses = {
            student["student"]: {check["name"]: check["status"] for check in student["verdicts"][0]["checks"]}
            for student in document["students"]
        }
        assert statuses["ada"] == {targets.VISIBLE: "PASSED", targets.HIDDEN: "PASSED"}
        if document["tier"] >= 2:
            for name in CLASS:
                assert statuses[name][targets.HIDDEN] in attacking.named(name).expect, name
            kept = [path.read_bytes() for path in run.rglob("*") if path.is_file()]
            for data in (done.stdout, done.stderr, *kept):
                assert scene.found(data) == []
            assert scene.traces() == []
    finally:
        scene.close()
