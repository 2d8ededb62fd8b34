"""``grade new`` and ``grade init``: what they start is sound as it stands, and nothing is ever written over."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib

import pytest
from commands import grade, grade_json
from courses import put, tiny_course

from grader import assignments, problem, release, scaffold, template
from grader import course as courses
from grader.errors import UsageError


@pytest.fixture
def root(tmp_path):
    return tiny_course(tmp_path)


def there(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def uncommented(text):
    """Return a course.toml with its examples in force: lines that begin with "#" and no space."""
    return re.sub(r"^#(?! )", "", text, flags=re.MULTILINE)


# A problem


def test_a_new_problem_is_proved_as_it_stands(root):
    grade("new", "soft_max", course=root)
    (proof,) = grade_json("verify", "soft_max", "--seed", "3", course=root)
    assert proof["ok"]
    assert (proof["checks"], proof["right"], proof["wrong"], proof["caught"], proof["diagnosed"]) == (2, 1, 3, 3, 3)


def test_a_new_problem_says_what_it_wrote_and_what_comes_next(root):
    before = there(root)
    told = grade("new", "soft_max", course=root)
    written = sorted(set(there(root)) - set(before))
    assert sorted(line for line in told.out.splitlines() if " " not in line) == written
    assert written == sorted(
        [
            *(f"problems/soft_max/{name}" for name in ("statement.md", "visible.py", "hidden.py", "variants.py")),
            "reference/soft_max.py",
            "student_template/soft_max.py",
        ]
    )
    assert "grade verify soft_max" in told.words


def test_the_stub_is_in_step_with_the_reference(root):
    grade("new", "soft_max", course=root)
    stubs = template.stubs(courses.find(root))
    assert (root / "student_template" / "soft_max.py").read_text() == stubs[root / "student_template" / "soft_max.py"]
    grade("check", "soft_max", course=root, code=2)  # looked for in the working folder
    told = grade("check", root / "student_template" / "soft_max.py", course=root, code=1)
    assert "not attempted yet" in told.words


def test_a_new_problem_says_what_to_replace_in_every_file(root):
    grade("new", "soft_max", course=root)
    for name in ("statement.md", "visible.py", "hidden.py", "variants.py"):
        assert "Replace" in (root / "problems" / "soft_max" / name).read_text()
    assert problem.load(courses.find(root).problem("soft_max")).title == "Soft max"


@pytest.mark.parametrize(
    ("place", "named"),
    [
        ("problems/soft_max/notes.txt", "problems/soft_max"),
        ("reference/soft_max.py", "reference/soft_max.py"),
        ("student_template/soft_max.py", "student_template/soft_max.py"),
    ],
)
def test_what_is_there_is_never_written_over(root, place, named):
    put(root / place, "mine")
    before = there(root)
    assert f"{named} exists already, and nothing is written over" in grade("new", "soft_max", course=root, code=2).err
    assert there(root) == before


@pytest.mark.parametrize(
    ("slug", "reason", "better"),
    [
        ("SoftMax", "lower-case letters, digits and underscores", "soft_max"),
        ("../away", "lower-case letters, digits and underscores", "away"),
        ("2layer", "a letter first", "problem_2layer"),
        ("über", "lower-case letters", "uber"),
        ("a" * 61, "longer than 60 characters", "a" * 60),
        ("lambda", "a word of Python's own", "lambda_problem"),
        ("random", "Python has a module random, and a student's random.py would stand in its place", "random_problem"),
        ("numpy", "problems import a module numpy", "numpy_problem"),
        ("sklearn", "problems import a module sklearn", "sklearn_problem"),
        ("einops", "problems import a module einops", "einops_problem"),
        ("aux", "Windows keeps it for a device", "aux_problem"),
    ],
)
def test_a_bad_name_is_refused_with_the_reason_and_a_better_one(root, slug, reason, better):
    put(root / "course.toml", 'preload = ["sklearn"]\n')
    put(root / "reference" / "other.py", "def f():\n    from einops.layers import Reduce\n")
    before = there(root)
    told = grade("new", slug, course=root, code=2).err
    assert reason in told
    assert f"(what about {better}?)" in told
    assert there(root) == before
    scaffold.start_problem(courses.find(root), better)


def test_a_name_of_nothing_has_no_better_one(root):
    told = grade("new", "???", course=root, code=2).err
    assert "lower-case letters" in told
    assert "what about" not in told


def test_a_problem_is_not_started_on_a_students_machine(root, tmp_path):
    bundle = tmp_path / "bundle"
    grade("release", "-o", bundle, course=root)
    before = there(bundle)
    assert "was released to students" in grade("new", "soft_max", course=bundle, code=2).err
    assert there(bundle) == before


def test_outside_of_a_course_there_is_no_new_problem(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "no course at" in grade("new", "soft_max", code=2).err


def test_what_cannot_be_written_whole_is_not_written_at_all(root):
    shutil.rmtree(root / "reference")
    put(root / "reference", "a file where a folder belongs")
    before = there(root)
    told = grade("new", "soft_max", course=root, code=2).err
    assert "cannot be written" in told
    assert "so nothing was" in told
    assert there(root) == before
    assert not (root / "problems" / "soft_max").exists()


# A course


def test_a_new_course_takes_a_problem_and_proves_it(tmp_path):
    folder = tmp_path / "deep" / "learning"
    assert "grade new SLUG" in grade("init", folder).out
    assert courses.find(folder).slugs == ()
    grade("new", "soft_max", course=folder)
    assert courses.find(folder).slugs == ("soft_max",)
    assert {row["slug"]: row["points"] for row in grade_json("problems", course=folder)} == {"soft_max": 3}


def test_a_new_course_may_begin_with_a_problem(tmp_path):
    told = grade("init", tmp_path / "course", "--problem", "soft_max").out
    assert "grade verify soft_max" in told
    assert "problems/soft_max/visible.py" in told
    files = release.files(courses.find(tmp_path / "course"))
    assert "student_template/soft_max.py" in files


def test_the_examples_of_course_toml_are_valid(tmp_path):
    grade("init", tmp_path / "course", "--problem", "soft_max")
    path = tmp_path / "course" / "course.toml"
    assert tomllib.loads(path.read_text()) == {}
    path.write_text(uncommented(path.read_text()))
    here = courses.find(tmp_path / "course")
    assert set(here.config) == set(courses.KEYS), "every key that there is has its example"
    assert here.min_tier == 2
    week = assignments.read(here, "week1")
    assert week.problems == ("soft_max",)
    assert week.due_of("ada") > week.due
    assert week.late.share(1) == 0.1


def test_the_examples_name_a_problem_that_can_be_started(tmp_path):
    grade("init", tmp_path / "course")
    path = tmp_path / "course" / "course.toml"
    path.write_text(uncommented(path.read_text()))
    (slug,) = courses.find(tmp_path / "course").config["assignments"]["week1"]["problems"]
    grade("new", slug, course=tmp_path / "course")
    assert assignments.read(courses.find(tmp_path / "course"), "week1").problems == (slug,)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_runs_and_students_work_stay_out_of_its_history(tmp_path):
    folder = tmp_path / "course"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", folder], check=True)
    grade("init", folder)  # a new clone of an empty repository is empty
    private = [
        "runs/week1/run.sqlite",
        "week1/run.sqlite-wal",
        "submissions/ada/xor.py",
        "handout/README.md",
        ".grade/x",
    ]
    kept = ["problems/xor/hidden.py", "reference/xor.py", "course.toml", "problems/.gitkeep"]
    done = subprocess.run(
        ["git", "-C", folder, "check-ignore", *private, *kept], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == private


@pytest.mark.parametrize("name", ["notes.txt", ".env", "course.toml"])
def test_a_folder_that_holds_something_is_no_place_for_a_course(tmp_path, name):
    put(tmp_path / "course" / name, "mine")
    told = grade("init", tmp_path / "course", code=2).err
    assert f"is not empty, it holds {name}" in told
    assert there(tmp_path / "course") == {name: b"mine"}


def test_a_file_is_no_place_for_a_course(tmp_path):
    put(tmp_path / "file", "mine")
    assert "is a file; name a folder" in grade("init", tmp_path / "file", code=2).err
    assert "cannot be written" in grade("init", tmp_path / "file" / "below", code=2).err


def test_a_course_whose_first_problem_cannot_be_is_not_started(tmp_path):
    assert "what about soft_max?" in grade("init", tmp_path / "course", "--problem", "Soft Max", code=2).err
    assert not (tmp_path / "course").exists()


def test_the_texts_are_the_same_on_every_system():
    for text in (*scaffold.course_files("A", "b").values(), *scaffold.problem_files("b").values()):
        assert "\r" not in text
        assert text == "" or text.endswith("\n")


def test_a_name_is_demanded_of_callers_too(root):
    with pytest.raises(UsageError, match="cannot name a problem"):
        scaffold.start_problem(courses.find(root), "Bad")
