"""An autograder archive is whole, the same every time, and grades as Gradescope would run it, whatever is handed in."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import autograders
import pytest
from autograders import BOXED, can_limit, checked, executed, graded, laid_out, limited, set_up
from becoming import closed_ancestor
from commands import ROOT, SQUARES, grade, grade_json
from courses import put, solution, tiny_course

from grader import course as courses
from grader import isolation, sitting, submission
from grader import problem as problems
from grader.cli import main
from grader.errors import UsageError
from grader.gradescope import archive, container, document, memory, packages, plan
from grader.isolation.profile import Layers
from grader.verdict import Status

CANARY = "canary-7d1f"
RIGHT = {"double.py": solution("double"), "triple.py": solution("triple")}
LOOP = "def triple(x):\n    while True:\n        pass\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="Gradescope's containers are Linux: not run")
as_root = pytest.mark.skipif(not BOXED, reason="only root who may mount can lay out /autograder: not run")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of two problems, 7 points of checks and 2 by hand; secrets lie where students must not look."""
    root = tiny_course(tmp_path_factory.mktemp("whole"), "double", "triple")
    put(root / "course.toml", '[assignments.week1]\nproblems = ["triple"]\n')
    put(root / "problems" / "triple" / "marking.md", f"points: 2\n\nThe scheme: {CANARY}\n")
    for path in (root / "problems" / "double" / "hidden.py", root / "reference" / "double.py"):
        path.write_text(f"{path.read_text(encoding='utf-8')}\n# {CANARY}\n", encoding="utf-8")
    put(root / "notes.txt", CANARY)
    return root


@pytest.fixture(scope="module")
def made(course, tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "autograder.zip"
    grade("gradescope", "-o", path, "--seed", 7, "--min-tier", 1, course=course)
    return path


def demand_accepted():
    """Skip where a container like this machine would not be graded in."""
    here = isolation.survey(Layers(user=container.STUDENT_USER))
    if not BOXED and (refused := container._refusal(here, 1)):
        pytest.skip(f"{refused} Not run.")


@pytest.fixture(scope="module")
def ready(made, tmp_path_factory):
    """The layout in which every submission starts, after set-up."""
    demand_accepted()
    root = laid_out(made.read_bytes(), tmp_path_factory.mktemp("image") / "autograder")
    done = set_up(root)
    assert done.returncode == 0, done.stderr
    assert "Set up with Python 3." in done.stdout
    return root


@pytest.fixture
def place(tmp_path):
    return tmp_path / "autograder"


def opened(path):
    return zipfile.ZipFile(io.BytesIO(path.read_bytes()))


def by_name(results):
    return {test["name"]: test for test in results["tests"]}


# The archive


def test_the_same_course_and_seed_give_the_same_bytes_and_making_it_again_keeps_them(course, tmp_path):
    def make(name, *options):
        command = [sys.executable, "-m", "grader", "--course", str(course), "gradescope", "-o", str(tmp_path / name)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run([*command, *options], check=True, capture_output=True, cwd=tmp_path, env=environment)
        return (tmp_path / name).read_bytes()

    first = make("a.zip", "--seed", "7")
    assert make("b.zip", "--seed", "7") == first
    assert make("b.zip") == first, "neither seed nor examples are kept"
    assert archive.settled_seed(None, None) != archive.settled_seed(None, None), "archives share a secret"


def test_what_changed_gets_new_examples_and_the_rest_keeps_its_own(course, made):
    here = courses.find(course)
    before = archive.earlier(made)
    stale = replace(before, digests={**before.digests, "triple": "another"}, examples={"double": {"x": (b"1",)}})
    again = archive.make(here, ("double", "triple"), archive.Wishes(), seed=7, before=stale).plan
    assert again.examples["double"] == {"x": (b"1",)}
    assert set(again.examples["triple"]) == {"triples_two"}
    other = archive.make(here, ("double",), archive.Wishes(), seed=8, before=before).plan
    assert other.examples["double"] != before.examples["double"]


def test_it_holds_what_grading_needs_and_nothing_else(made):
    names = opened(made).namelist()
    own = {name for name in names if not name.startswith("grader/")}
    problem = "course/problems/{0}/statement.md course/problems/{0}/visible.py course/problems/{0}/variants.py"
    assert own == {
        *("setup.sh", "run_autograder", "judge", "requirements.txt", "seconds.txt", "plan.json"),
        *("unfinished.json", "not_set_up.json"),
        *problem.format("double").split(),
        *problem.format("triple").split(),
        *("course/problems/double/hidden.py", "course/problems/triple/marking.md"),
        *(f"course/{kind}/{slug}.py" for kind in ("reference", "student_template") for slug in ("double", "triple")),
    }
    assert "grader/isolation/inside/serve.py" in names
    assert "grader/report/page/templates/class.html" in names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc") or "/." in name]
    assert opened(made).read("course/problems/triple/marking.md") == b"points: 2\n"
    mistakes = opened(made).read("course/problems/double/variants.py").decode()
    assert "def squares" in mistakes
    assert "by_adding" not in mistakes, "right answers are handed out"
    modes = {entry.filename: entry.external_attr >> 16 for entry in opened(made).infolist()}
    assert {name for name, mode in modes.items() if mode & 0o111} == {"setup.sh", "run_autograder"}


def test_an_assignment_stands_for_its_problems_and_nothing_for_all(course, tmp_path):
    said = grade_json("gradescope", "week1", "-o", tmp_path / "a.zip", "--hidden", "hidden", course=course)
    assert (said["problems"], said["points"], said["manual_points"]) == (["triple"], 3, 2)
    assert (said["hidden"], said["min_tier"], said["minutes"], said["torch"]) == ("hidden", 2, 10, [])
    assert "seed" not in said
    text = grade("gradescope", "double", "-o", tmp_path / "b.zip", course=course)
    assert "set Autograder Points to 4 and upload it." in text.words
    assert grade_json("gradescope", "-o", tmp_path / "c.zip", course=course)["problems"] == ["double", "triple"]


def test_what_cannot_be_made_is_refused_and_nothing_is_written_over(course, tmp_path):
    other = put(tmp_path / "other.zip", "mine")
    assert "is no archive that grade gradescope made" in grade("gradescope", "-o", other, course=course, code=2).err
    assert other.read_text() == "mine"
    assert "no problem 'dubble'" in grade("gradescope", "dubble", "-o", tmp_path / "a.zip", course=course, code=2).err
    whole = shutil.copytree(course, tmp_path / "course")
    (whole / "reference" / "triple.py").unlink()
    assert "triple.py is missing" in grade("gradescope", "-o", tmp_path / "a.zip", course=whole, code=2).err
    assert not (tmp_path / "a.zip").exists()


def test_the_words_of_the_command_are_gradescopes():
    (option,) = [option for option in main.get_command(None, "gradescope").params if option.name == "hidden"]
    assert set(option.type.choices) == set(autograders.SHOWN["enum"])


def test_slow_problems_missing_proofs_and_weak_isolation_are_told(course, tmp_path):
    slow = shutil.copytree(course, tmp_path / "course")
    visible = slow / "problems" / "triple" / "visible.py"
    limits = "from grader import settings\nlimits = settings(seconds=300, problem_seconds=900)\n"
    visible.write_text(limits + visible.read_text(encoding="utf-8"), encoding="utf-8")
    told = grade("gradescope", "-o", tmp_path / "a.zip", "--min-tier", 1, course=slow).err
    assert "and Gradescope stops after 10" in told
    assert "Used without a proof: double, triple." in told
    assert "At tier 1 less is contained" in told


PAGE = (ROOT / "docs" / "gradescope.md").read_text(encoding="utf-8")


def test_the_page_names_every_option_and_its_commands_work(course, tmp_path, monkeypatch):
    options = {one.opts[0] for one in main.get_command(None, "gradescope").params if one.opts[0].startswith("-")}
    named = set(re.findall(r"^\| `(-[-\w]+)", PAGE, re.MULTILINE))
    assert named == options - {"--course"}
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^ *```\n *grade (.*)\n *```$", PAGE, re.MULTILINE)
    assert commands
    for command in commands:
        grade(*command.split(), course=course)


def test_what_the_page_says_people_see_is_what_is_said():
    table = PAGE.partition("## When it does not work")[2].partition("An image of your own")[0]
    rows = re.findall(r"^\| `([^|]*)` \|", table, re.MULTILINE)
    texts = [path.read_text(encoding="utf-8") for path in archive.FILES.parent.rglob("*") if path.is_file()]
    for row in rows:
        for part in re.split(r" ?\.\.\. ?|\d+", row):
            words = part.strip(" ()")
            assert any(words in text for text in texts), f"nobody says {words!r}"
    assert len(rows) == 5


# What is installed


def files_of(course, slug, **texts):
    return replace(courses.find(course).problem(slug), **texts)


def test_only_what_problems_import_is_installed_in_the_version_that_is_here(course):
    plain = packages.imported([files_of(course, "double")], ())
    assert plain == {"numpy", "hypothesis"}
    assert [line.partition("==")[0] for line in packages.pinned(plain)] == ["click", "hypothesis", "numpy", "rich"]
    assert packages.torch(plain, "") == ()
    assert "pytest" in packages.imported([files_of(course, "double", probes="import pytest\n")], ())
    assert any(line.startswith("pytest==") for line in packages.pinned({"pytest"}))
    with pytest.raises(UsageError, match=r"problems/double/probes\.py needs nowhere_to_be_had, which is not installed"):
        packages.imported([files_of(course, "double", probes="import nowhere_to_be_had.part\n")], ())


@pytest.mark.torch
def test_torch_is_installed_only_where_an_answer_needs_it():
    here = courses.find(ROOT)
    assert packages.torch(packages.imported([here.problem("xor")], ()), "") == ()
    needed = packages.imported([here.problem("vae_shapes")], ())
    (pinned,) = packages.torch(needed, "")
    assert pinned.startswith("torch==")
    assert "+" not in pinned
    assert packages.torch(needed, "pip3 install torch --index-url https://a.b/cpu") == (
        *("torch", "--index-url", "https://a.b/cpu"),
    )
    assert packages.torch(needed, "python3 -m pip install 'torch>=2.6'") == ("torch>=2.6",)
    with pytest.raises(UsageError, match="--torch does not install torch"):
        packages.torch(needed, "torchvision")
    with pytest.raises(UsageError, match="none of these problems needs PyTorch"):
        packages.torch(set(), "torch")


# Graded as Gradescope would


@linux
def test_a_right_submission_gets_all_points_and_hidden_checks_wait(ready, place):
    results, said = graded(ready, place, RIGHT)
    assert results["score"] == 7
    assert {test["status"] for test in results["tests"]} == {"passed"}
    shown = {name: test["visibility"] for name, test in by_name(results).items()}
    assert shown == {
        "double: The doubles of 1.5, -2 and 5 are 3, -4 and 10.": "visible",
        "double: The double of an array is the array added to itself.": "visible",
        "double: Any array is doubled.": "after_published",
        "triple: Three times two is six.": "visible",
    }
    tier = results["extra_data"]["tier"]
    assert f"Judged at isolation tier {tier} of 3." in results["output"]
    assert "triple: 2 points will be marked by hand." in results["output"]
    assert results["stdout_visibility"] == "hidden"
    assert f"Isolation: tier {tier}" in said


@linux
def test_a_wrong_submission_reads_messages_and_hints_alone(ready, place):
    results, _ = graded(ready, place, {"double.py": SQUARES})
    assert results["score"] == 0
    tests = by_name(results)
    assert (
        "Is two a factor here, or a power?" in tests["double: The doubles of 1.5, -2 and 5 are 3, -4 and 10."]["output"]
    )
    hidden = tests["double: Any array is doubled."]
    assert (hidden["score"], hidden["max_score"], hidden["status"]) == (0, 2, "failed")
    assert hidden["output"].splitlines()[0] == "A value is not right."
    assert not any(letter.isdigit() for letter in hidden["output"]), "a hidden number is shown"
    assert "No file triple.py or triple.ipynb was handed in." in tests["triple: Three times two is six."]["output"]


UNGRADABLE = {
    "nothing": {},
    "garbage": {"double.py": bytes(range(256)), "triple.ipynb": b"{not json", "photo.jpg": b"\xff\xd8"},
    "a folder too deep": {"/".join(["deep"] * 90) + "/double.py": "x = 1"},
    "an archive that is none": {"work.zip": b"PK\x03\x04 nothing of the kind"},
}


@linux
@pytest.mark.parametrize("files", UNGRADABLE.values(), ids=UNGRADABLE)
def test_what_cannot_be_graded_gets_no_points_and_a_reason(ready, place, files):
    results, _ = graded(ready, place, files)
    assert results["score"] == 0
    assert len(results["tests"]) == 4
    assert all(test["output"] for test in results["tests"])
    assert "no fault of yours" not in results["output"]


@linux
def test_hostile_archives_and_links_are_refused_or_passed_over(ready, tmp_path):
    bomb, climbing = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("double.py", bytes(2**27))
    with zipfile.ZipFile(climbing, "w") as packed:
        packed.writestr("../../results/results.json", '{"score": 999}')
    for name, content in (("bomb", bomb), ("climbing", climbing)):
        results, _ = graded(ready, tmp_path / name, {"work.zip": content.getvalue()})
        assert results["score"] == 0
        assert "work.zip" in results["output"] or "cannot be graded" in results["output"]
    shutil.copytree(ready, tmp_path / "links")
    (tmp_path / "links" / "submission" / "double.py").symlink_to("../source/course/reference/double.py")
    assert executed(tmp_path / "links", "./run_autograder").returncode == 0
    assert checked((tmp_path / "links" / "results" / "results.json").read_bytes())["score"] == 0


@linux
def test_without_a_submission_folder_there_is_a_result(ready, place):
    shutil.copytree(ready, place)
    (place / "submission").rmdir()
    assert executed(place, "./run_autograder").returncode == 0
    results = checked((place / "results" / "results.json").read_bytes())
    assert results["score"] == 0
    assert "Nothing that can be graded was handed in." in results["output"]


TOKEN = {"CLOUD_TOKEN": "TOKEN-91"}  # what a container may hold in its environment
HOSTILE = """
import glob, json, os, pathlib, sys
found = [f"uid {os.getuid()} {os.geteuid()}"]
for root in ("/autograder", os.environ.get("AUTOGRADER", "/autograder"), PLACE):
    for path in ("source/plan.json", "source/course/reference/double.py", "source/course/problems/double/hidden.py",
                 "submission_metadata.json", "results/results.json", "run_autograder", "submission/double.py"):
        try:
            found.append(open(f"{root}/{path}").read())
        except OSError:
            pass
        try:
            with open(f"{root}/{path}", "a") as file:
                file.write("echo broken into")
            found.append(f"written {path}")
        except OSError:
            pass
for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run/lock"):
    try:
        pathlib.Path(folder, "left-behind").write_text("x")
        if os.path.realpath(folder) != os.getcwd():
            found.append(f"left something in {folder}")
    except OSError:
        pass
for pid in (os.getppid(), 1):
    for name in ("environ", "mem"):
        try:
            found.append(f"{name} of {pid}: {open(f'/proc/{pid}/{name}', 'rb').read(64)!r}")
        except OSError:
            pass
found.extend(name for name in sys.modules if name.split(".")[0] == "grader")
print(json.dumps({"score": 999}))
def triple(x):
    raise RuntimeError("FOUND " + " | ".join(found))
"""


def hostile(ready, place, refused=""):
    code = HOSTILE.replace("PLACE", repr(str(place)))
    results, said = graded(ready, place, {"triple.py": code}, refused=refused, environment=TOKEN)
    (test,) = [test for test in results["tests"] if test["name"].startswith("triple")]
    assert results["score"] == 0
    assert test["status"] == "failed"
    assert "RuntimeError: FOUND uid" in test["output"], said
    everything = (place / "results" / "results.json").read_text(encoding="utf-8")
    for secret in (CANARY, "EARLIER-RESULTS", "TOKEN-91", "BEGIN SOLUTION", "broken into", "written", "999"):
        assert secret not in everything
        assert secret not in said
    return test["output"], results["extra_data"]["tier"]


@linux
@pytest.mark.skipif(isolation.survey().tier < 2, reason="this machine isolates at tier 1 or less: not run")
def test_hostile_code_reads_nothing_writes_nothing_and_changes_no_result(ready, place):
    said, _ = hostile(ready, place)
    assert "left something" not in said
    assert "of 1:" not in said


@linux
@as_root
def test_as_in_a_container_without_landlock_the_students_code_is_another_user(ready, place):
    """The kernel refuses namespaces and Landlock; what protects the tests is that the child is not root."""
    said, tier = hostile(ready, place, refused="container,landlock")
    assert tier == 1
    assert f"uid {container.STUDENT_USER} {container.STUDENT_USER}" in said
    assert "left something" not in said
    assert "environ of" not in said


@linux
@as_root
def test_right_answers_pass_there_too(ready, place):
    results, said = graded(ready, place, RIGHT, refused="container,landlock")
    assert (results["score"], results["extra_data"]["tier"]) == (7, 1)
    assert "Landlock is refused" in said
    assert "runs as another user" in said


@linux
def test_below_the_tier_that_is_demanded_nothing_is_run(ready, place):
    """The kernel refuses what the second tier needs, and another user is not enough for it."""
    shutil.copytree(ready, place / "image")
    path = place / "image" / "source" / plan.NAME
    path.write_text(json.dumps({**json.loads(path.read_text()), "min_tier": 2}))
    results, said = graded(place / "image", place / "run", RIGHT, refused="namespaces,landlock")
    assert results["score"] == 0
    assert results["output"].startswith("Your work was not judged: this machine would let one submission read")
    assert {test["output"] for test in results["tests"]} == {"Not judged."}
    assert "Not judged: tier 2 is wanted and this machine reaches 1" in said


def test_children_that_would_be_root_are_refused_at_any_tier(monkeypatch):
    survey = isolation.Survey(tier=1, layers=Layers(fork=False, namespaces=False, landlock=False, seccomp=False))
    monkeypatch.setattr(os, "getuid", lambda: 0)
    assert "would run here as root" in container._refusal(survey, 1)
    assert container._refusal(replace(survey, layers=replace(survey.layers, user=5)), 1) == ""
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    assert container._refusal(survey, 1) == ""
    assert "tier 2 is wanted and this machine reaches 1" in container._refusal(survey, 2)


SURVEY = """
from grader import isolation
from grader.isolation.profile import Layers
print(isolation.survey(Layers(namespaces=False, landlock=False, user=64555)))
"""


@linux
@as_root
def test_another_user_hides_files_that_are_roots_alone_and_no_command_lines(tmp_path):
    environment = {"PYTHONPATH": str(ROOT)}
    said = executed(tmp_path, sys.executable, "-c", SURVEY, environment=environment).stdout
    assert "'read': 'contained'" in said
    assert "'write': 'contained'" in said
    assert "'arguments': 'open'" in said
    assert "tier=1" in said
    control = SURVEY.replace(", user=64555", "")
    said = executed(tmp_path, sys.executable, "-c", control, environment=environment).stdout
    assert "'read': 'open'" in said


@linux
@as_root
@pytest.mark.skipif(closed_ancestor(Path(sys.base_prefix)) is None, reason="this Python can be read by all: not run")
def test_another_user_who_cannot_read_python_is_no_layer():
    done = subprocess.run([sys.executable, "-c", SURVEY], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "tier=1" in done.stdout
    assert "user=64555" not in done.stdout


# When something of ours goes wrong


@linux
def test_a_failed_set_up_says_so_and_every_submission_gets_a_result(made, tmp_path):
    root = laid_out(made.read_bytes(), tmp_path / "image")
    done = set_up(root, python="/nowhere/python3")
    assert done.returncode == 1
    assert "Set-up failed: /nowhere/python3, which GRADER_PYTHON names, is no Python 3.11 or newer" in done.stderr
    results, said = graded(root, tmp_path / "run", RIGHT)
    assert results["score"] == 0
    assert results["output"].startswith("Your work was not judged: the autograder is not set up. This is no fault of")
    assert "setup.sh did not come to its end" in said


@linux
def test_a_damaged_archive_fails_at_set_up(made, tmp_path):
    root = laid_out(made.read_bytes(), tmp_path / "image")
    (root / "source" / "course" / "problems" / "double" / "visible.py").write_text("def broken(", encoding="utf-8")
    done = set_up(root)
    assert done.returncode == 1
    assert "Set-up failed: what was installed does not work together" in done.stderr
    assert not (root / "source" / "python.txt").exists()


@linux
def test_what_takes_too_long_leaves_a_result(ready, place):
    shutil.copytree(ready, place / "image")
    (place / "image" / "source" / "seconds.txt").write_text("0.01")  # less than Python needs to start
    results, said = graded(place / "image", place / "run", RIGHT)
    assert results["score"] == 0
    assert results["output"].startswith("Your work was not judged to its end: the autograder was stopped")
    assert "exit code 124" in said


@linux
def test_a_fault_of_the_grader_leaves_a_result_and_tells_the_staff(ready, place):
    shutil.copytree(ready, place / "image")
    (place / "image" / "source" / plan.NAME).write_text("{}")
    results, said = graded(place / "image", place / "run", RIGHT)
    assert results["score"] == 0
    assert "no fault of yours" in results["output"]
    assert "Stopped by a fault of the grader (exit code 1)" in said
    assert "is no plan that grade gradescope wrote" in said


@linux
def test_killed_at_any_moment_what_was_judged_stands(ready, place):
    """The second problem never ends; once the first is judged, all of it is killed as a container is."""
    shutil.copytree(ready, place)
    autograders.put_in(place / "submission", {"double.py": solution("double"), "triple.py": LOOP})
    words = [sys.executable, str(ROOT / "tests" / "boxing.py"), str(place)] if BOXED else []
    environment = {"PATH": os.environ["PATH"], "AUTOGRADER": "/autograder" if BOXED else str(place)}
    results = place / "results" / "results.json"
    with subprocess.Popen(
        [*words, "./run_autograder"], cwd=place, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
    ) as running:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not (results.exists() and '"passed"' in results.read_text()):
            time.sleep(0.02)
        os.killpg(running.pid, signal.SIGKILL)
    kept = checked(results.read_bytes())
    assert kept["score"] == 4
    assert kept["output"].startswith("Your work was not judged to its end")
    assert by_name(kept)["triple: Three times two is six."]["output"] == "Not judged."


def test_the_next_problem_is_not_begun_when_time_is_up(course):
    loaded = {slug: problems.load(courses.find(course).problem(slug)) for slug in ("double", "triple")}
    written = []

    class Desk:
        seconds = 0.0

        def put(self, verdicts, *_):
            written.append([verdict.score for verdict in verdicts])

    desk = Desk()

    class Judge:
        wanted = plan.Plan(1, {}, {}, minutes=10)

        def __call__(self, slug):
            desk.seconds += 10 * 60
            return replace(document.unjudged(loaded[slug], ""), tier=3, score=4.0)

    verdicts = container._all_judged(Judge(), loaded, desk, lambda _: None)
    assert written == [[4.0, 0.0]]
    assert verdicts[1].checks[0].finding == document.OUT_OF_TIME


def test_what_is_broken_is_told_and_the_rest_counts(course):
    verdict = document.unjudged(problems.load(courses.find(course).problem("double")), "")
    first, *rest = verdict.checks
    checks = (replace(first, score=None, status=Status.BROKEN), *(replace(one, score=one.points) for one in rest))
    made = document.document([replace(verdict, checks=checks, score=None)], hidden="hidden", said=["So."], extra={})
    results = checked(made)
    assert results["score"] == 3
    assert results["output"].startswith("1 point could not be judged and are not in the score. This is no fault of")
    assert results["tests"][2]["visibility"] == "hidden"


# Memory


def test_what_a_student_may_take_is_what_is_left(monkeypatch, tmp_path):
    figures = {"memory.max": "805306368\n", "memory.stat": f"anon {300 * 2**20}\nfile 5\n"}
    for name, text in figures.items():
        put(tmp_path / "unified" / name, text)
    monkeypatch.setattr(memory, "_ROOT", tmp_path / "unified")
    real = memory._text
    monkeypatch.setattr(memory, "_text", lambda path: "0::/a/b\n" if str(path) == "/proc/self/cgroup" else real(path))
    assert memory.left_mib(2000) == 768 - 300 - memory.SPARE_MIB
    assert memory.left_mib(600) == 600 - 300 - memory.SPARE_MIB
    assert memory.left_mib(100) == memory.LEAST_MIB
    put(tmp_path / "unified" / "memory.max", "max\n")
    monkeypatch.setattr(memory, "_own", lambda: 200 * 2**20)
    assert memory.left_mib(768) == 768 - 200 - memory.SPARE_MIB


def test_a_child_gets_what_there_is_and_no_more_than_its_problem_allows(course):
    problem = problems.load(courses.find(course).problem("triple"))
    answer = submission.answer(submission.load(course / "reference" / "triple.py"), "triple")
    run = sitting.RunSettings(1, {})
    assert sitting.profile(problem, answer, run).memory_mib == 1024
    assert sitting.profile(problem, answer, replace(run, memory_mib=200)).memory_mib == 200
    assert sitting.profile(problem, answer, replace(run, memory_mib=4000)).memory_mib == 1024


def test_an_answer_that_names_torch_needs_none_where_there_is_none(course, tmp_path, monkeypatch):
    """Its import fails as any other would; that torch is not installed is no fault of the grader's."""
    problem = problems.load(courses.find(course).problem("triple"))
    answer = submission.answer(submission.load(put(tmp_path / "triple.py", "import torch\n")), "triple")
    monkeypatch.setattr(sitting, "_has_torch", lambda: False)
    assert not sitting.profile(problem, answer, sitting.RunSettings(1, {})).torch
    monkeypatch.setattr(sitting, "_has_torch", lambda: True)
    assert sitting.profile(problem, answer, sitting.RunSettings(1, {})).torch


BALLOON = """

import gc, os, sys
found = [name for name in sys.modules if name.split(".")[0] == "grader"]
found += [f"{name}={value}" for name, value in os.environ.items() if "TOKEN" in name]
kept = [one for one in gc.get_objects() if type(one) in (dict, list)]
found += [str(one)[:80] for one in kept if "lenrek_yna_rof_sezis"[::-1] in str(one)[:9999]]  # a hidden check
found += [path for path in sys.path if "source" in path]
held = []


def parameter_counts(*args, **kwargs):
    raise RuntimeError(f"FOUND {found}")


def pixel_mean(beta, pixels):
    while True:
        held.append(bytearray(2**24))
"""


@linux
@pytest.mark.torch
@pytest.mark.skipif(not can_limit(), reason="no control group can be made here: not run in 768 MB and half a core")
def test_torch_fits_into_what_gradescope_gives(tmp_path):
    """PyTorch, the reference and a student's child in 768 MB and on half a core; who takes more is stopped alone.

    The child is forked from a process that became the grader afterwards, and finds nothing of it.
    """
    demand_accepted()
    made = tmp_path / "autograder.zip"
    assert "gigabytes for GPUs" in grade("gradescope", "vae_shapes", "-o", made, course=ROOT).err
    ready = laid_out(made.read_bytes(), tmp_path / "image")
    assert set_up(ready).returncode == 0
    greedy = (ROOT / "reference" / "vae_shapes.py").read_text(encoding="utf-8") + BALLOON
    with limited(768, 0.5) as group:
        results, said = graded(ready, tmp_path / "run", {"vae_shapes.py": greedy}, group=group, environment=TOKEN)
    assert "vae_shapes: OUT_OF_MEMORY" in said
    assert "MiB" in "".join(test["output"] for test in results["tests"])
    assert 8 < results["score"] < 16
    assert "RuntimeError: FOUND []" in "".join(test["output"] for test in results["tests"])
