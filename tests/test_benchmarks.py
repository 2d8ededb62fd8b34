"""The benchmarks' class and page: reproducible, distinct, and what the key says. Nothing here looks at a clock."""

from __future__ import annotations

import ast
import csv
import io
import json
import sys
from collections import Counter

import numpy as np
import pytest
from commands import ROOT
from courses import tiny_course

from grader import course, problem

BENCHMARKS = ROOT / "benchmarks"
# Of the functions of these three, one has only whole numbers for answers and one is compared to the last bit.
SLUGS = ("batch_reduction", "coin_flips", "deep_linear_autoencoder")


@pytest.fixture(autouse=True)
def on_path(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    yield
    for name in {"bench", "classes", "measuring", "notebooks", "page"} & (set(sys.modules) - before):
        del sys.modules[name]


@pytest.fixture
def classes():
    import classes

    return classes


def ran(text, name="answer"):
    namespace = {"__name__": name}
    exec(compile(text, f"{name}.py", "exec"), namespace)
    return namespace


def test_a_class_is_the_same_from_the_same_seed_and_another_from_another(classes):
    def texts(**how):
        return [one.text for one in classes.hand_ins(ROOT, 4, slugs=["xor"], **how)]

    assert texts(seed=3) == texts(seed=3)
    assert texts(seed=3) != texts(seed=4)


def test_a_larger_class_begins_with_the_smaller_one(classes):
    small, large = (list(classes.hand_ins(ROOT, number, slugs=["xor"])) for number in (3, 5))
    assert large[:3] == small


def test_no_two_files_of_a_class_are_equal(classes):
    answers = list(classes.hand_ins(ROOT, 12))
    assert len({one.text for one in answers}) == len(answers) == 12 * len(course.find(ROOT).slugs)


def test_the_mix_is_what_is_asked_for(classes):
    kinds = Counter(one.kind for one in classes.hand_ins(ROOT, 400, slugs=["xor"]))
    total = sum(kinds.values())
    for kind, share in classes.MIX.items():
        assert abs(kinds[kind] / total - share) < 0.06, kinds
    assert set(kinds) == set(classes.MIX)


def test_every_answer_but_the_crashes_is_python(classes):
    for one in classes.hand_ins(ROOT, 10, mix={"right": 1, "wrong": 1, "partial": 1, "stub": 1, "hang": 1}, bits=True):
        ast.parse(one.text)


@pytest.mark.parametrize("bits", [False, True])
def test_a_right_answer_in_another_hand_answers_as_the_reference_does(classes, bits):
    pytest.importorskip("torch")
    from grader.trusted import Trusted

    files = course.find(ROOT).problem("batch_reduction")
    reference = Trusted(files.reference, "reference.py")
    for one in classes.hand_ins(ROOT, 12, mix={"right": 1}, bits=bits, slugs=[files.slug]):
        student = Trusted(one.text, f"{one.student}.py")
        for function, arguments in (
            ("gradient_variance", (2.25, 9, "mean")),
            ("step_deviation", (0.3, 2.25, 9, "sum")),
            ("batch_change", (50, 18, "mean")),
            ("micro_weights", ([5, 3, 2],)),
        ):
            got, want = (who.call((function,), arguments, {}, tensors=False) for who in (student, reference))
            if isinstance(want, dict):
                got, want = [got[key] for key in want], list(want.values())
            assert np.asarray(got, dtype=float) == pytest.approx(np.asarray(want), rel=1e-6), (one.made_of, function)


def test_with_bits_no_two_students_give_the_same_float_and_whole_numbers_stay(classes):
    answers = list(classes.hand_ins(ROOT, 6, mix={"right": 1}, bits=True, slugs=["coin_flips"]))
    x, y = np.array([0.0, 1.0, 3.0, 4.0]), np.array([0.0, 1.0, 1.0, 0.0])
    functions = [ran(one.text) for one in answers]
    assert len({float(own["least_squares"](x, y + 0.1)[0]) for own in functions}) == len(answers)
    assert {own["counts"](x, y)["kinks"] for own in functions} == {2}
    assert {float(own["mse"](y, y + 2.0)) for own in functions} == {4.0}


def test_a_function_keeps_the_names_of_its_arguments_and_of_what_is_not_its_own(classes):
    body = "def f(x, n=N):\n    x = [math.e, *x]\n    y{0} = x\n    return [y{0} for y{0} in x] + [N]"
    before = classes.units("import math\n\nN = 3\n\n\n" + body.format("") + "\n")
    assert [unit.kind for unit in before] == ["import", "other", "function"]
    assert not before[2].loose  # a default of another name wants that name to be there
    assert before[2].renamed("7") == body.format("7")


def test_the_files_and_the_key_say_the_same(classes, tmp_path):
    answers = list(classes.hand_ins(ROOT, 3, slugs=SLUGS))
    where = classes.write(tmp_path, answers)
    key = list(csv.DictReader(io.StringIO((tmp_path / "key.csv").read_text(encoding="utf-8"))))
    assert [(row["student"], row["problem"], row["kind"]) for row in key] == [
        (one.student, one.slug, one.kind) for one in answers
    ]
    assert {path.relative_to(where).as_posix(): path.read_text(encoding="utf-8") for path in where.rglob("*.py")} == {
        f"{one.student}/{one.slug}.py": one.text for one in answers
    }


def test_the_kinds_do_what_they_say(classes, tmp_path):
    loaded = problem.load(course.find(tiny_course(tmp_path)).problem("double"))
    import random

    def made(kind):
        return classes.answer(loaded, 1, random.Random(kind), mix={kind: 1})

    assert ran(made("right").text)["double"](4) == 8
    assert ran(made("wrong").text)["double"](np.array([-3.0, 4.0])).tolist() != [-6.0, 8.0]
    for kind in ("stub", "partial"):
        with pytest.raises(NotImplementedError):
            ran(made(kind).text)["double"](4)
    with pytest.raises((SyntaxError, ImportError, SystemExit, NameError)):
        ran(made("crash").text)
    assert "while True" in made("hang").text


def test_the_tests_of_other_graders_hold_for_the_reference_and_not_for_a_mistake():
    pytest.importorskip("torch")
    import notebooks

    files = course.find(ROOT).problem("batch_reduction")
    loaded = problem.load(files)
    cells = json.loads(notebooks.Tests.of(files, loaded).source())["cells"]
    named = {cell["metadata"]["nbgrader"]["grade_id"]: cell for cell in cells if "nbgrader" in cell["metadata"]}
    tests = [cell["source"] for cell in named.values() if cell["metadata"]["nbgrader"]["grade"]]
    assert len(tests) == sum(check.visible for check in loaded.checks)

    def failing(text):
        kernel, failed = ran(text), 0
        exec(named["batch_reduction--try"]["source"], kernel)
        for test in tests:
            try:
                exec(test, kernel)
            except AssertionError:
                failed += 1
        return failed

    assert failing(files.reference) == 0
    assert failing(next(one.text for one in loaded.wrong if one.name == "ascending")) == 1


def test_the_page_of_figures_takes_a_run_and_keeps_its_words():
    import page
    from measuring import Row, compared, table

    rows = [compared("a", "one : other", 3.0, 0.02, aim="at least 100"), Row("b", "x : y", note="not measured: no x")]
    text = page.with_figures(
        f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n",
        {"machine": "2 cores", "rows": [vars(row) for row in rows]},
    )
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "| (a) | one : other | 150 | at least 100 |  |" in text
    assert "not measured: no x" in text
    assert [line.split()[0] for line in table(rows).splitlines()[1:]] == ["a", "b"]
    with pytest.raises(SystemExit, match="no place for figures"):
        page.with_figures("nothing here", {"machine": "", "rows": []})
    assert page.BEGIN in page.PAGE.read_text(encoding="utf-8")


def test_a_command_that_fails_is_not_a_measurement():
    from measuring import PYTHON, NotMeasuredError, finished

    with pytest.raises(NotMeasuredError, match="code 3: no such thing"):
        finished([*PYTHON, "-c", "import sys; print('no such thing'); sys.exit(3)"])


def test_contenders_take_turns_and_nobody_is_always_first():
    from measuring import Used, alternated

    order = []

    def contender(name, seconds):
        return lambda: order.append(name) or Used(seconds[order.count(name) - 1], 0.0)

    taken = alternated({"a": contender("a", [1, 5, 2]), "b": contender("b", [7, 7, 9])}, 3)
    assert order == ["a", "b", "b", "a", "a", "b"]
    assert (taken["a"].wall, taken["b"].wall) == (2, 7)


def test_what_a_part_cannot_measure_is_a_row_with_the_reason_beside_what_it_has_measured():
    import bench
    from measuring import NotMeasuredError, compared

    def measured():
        yield compared("a", "one : other", 2.0, 1.0)
        raise NotMeasuredError("there is no third")

    assert [(row.ratio, row.note) for row in bench._part("ab", measured)] == [
        (2.0, ""),
        (None, "not measured: there is no third"),
    ]
    assert all((BENCHMARKS / f"{name}.py").is_file() for name in bench.PARTS.values())
