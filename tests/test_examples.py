"""Examples are drawn once, kept as bytes and replayed as they were; a failing one is made simple within its time."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from making import a_check

from grader import examples
from grader.errors import AuthoringError
from grader.isolation.inside import wire

INTEGERS = "{'n': st.integers(0, 10**9)}"


def drawing(given, takes=("n",), **options):
    return a_check("pass", given=given, takes=takes, **options)


def refusal(check):
    with pytest.raises(AuthoringError) as caught:
        examples.draw(check, 0)
    return str(caught.value)


class TestDrawing:
    def test_a_check_that_draws_nothing_has_one_empty_example(self):
        assert [examples.decode(stored) for stored in examples.draw(a_check("pass"), 0)] == [{}]

    @pytest.mark.parametrize("number", [1, 5, 16])
    def test_as_many_as_asked_for_and_no_two_alike(self, number):
        drawn = examples.draw(drawing(INTEGERS, examples=number), 0)
        assert len(drawn) == len(set(drawn)) == number

    def test_where_there_are_fewer_each_is_there_once(self):
        drawn = examples.draw(drawing("{'n': st.booleans()}"), 0)
        assert sorted(examples.decode(stored)["n"] for stored in drawn) == [False, True]

    def test_another_seed_draws_other_examples(self):
        one, other = (set(examples.draw(drawing("{'n': normal(3)}"), seed)) for seed in (1, 2))
        assert len(one & other) <= 2  # the simplest is always among them

    def test_checks_of_equal_strategies_and_other_names_draw_other_examples(self):
        checks = [drawing("{'n': normal(3)}", name=name) for name in ("one", "other")]
        one, other = (set(examples.draw(check, 0)) for check in checks)
        assert len(one & other) <= 2

    def test_one_strategy_may_yield_all_arguments_together(self):
        check = drawing("st.integers(1, 9).map(lambda n: {'n': n, 'm': -n})", takes=("n", "m"))
        drawn = [examples.decode(stored) for stored in examples.draw(check, 0)]
        assert all(example["m"] == -example["n"] for example in drawn)

    def test_a_stored_example_is_replayed_to_the_last_bit(self):
        check = drawing(
            "{'n': normal((3, 2)), 'm': st.floats(), 's': st.text(), 'q': st.fractions()}", ("n", "m", "s", "q")
        )
        for stored in examples.draw(check, 0):
            example = examples.decode(stored)
            assert example["n"].dtype == np.float64
            assert wire.encode(example) == stored
            assert wire.encode(examples.decode(stored)) == stored

    def test_a_stored_array_cannot_be_changed_by_a_check(self):
        (stored, *_) = examples.draw(drawing("{'n': normal(3)}"), 0)
        with pytest.raises(ValueError, match="read-only"):
            examples.decode(stored)["n"][0] = 1

    def test_drawing_says_nothing_and_leaves_the_global_random_state_alone(self, capfd):
        import random

        random.seed(3)
        before = random.getstate()
        examples.draw(drawing(INTEGERS), 0)
        assert random.getstate() == before
        assert capfd.readouterr() == ("", "")


class TestRefusals:
    @pytest.mark.parametrize(
        ("given", "takes", "words"),
        [
            ("st.just(3)", ("n",), ["dict", "int"]),
            ("st.just({'m': 1})", ("n",), ["['m']", "['n']"]),
            ("{'n': st.nothing()}", ("n",), ["cannot be drawn"]),
            ("{'n': st.integers().filter(lambda n: False)}", ("n",), ["cannot be drawn"]),
            ("{'n': st.integers(3, 1)}", ("n",), ["cannot be drawn"]),
            ("{'n': st.integers().map(lambda n: 1 // 0)}", ("n",), ["cannot be drawn", "zero"]),
            ("{'n': 3}", ("n",), ["cannot be drawn"]),
            ("3", ("n",), ["cannot be drawn"]),
            ("{'n': normal([2, 3])}", ("n",), ["cannot be drawn"]),
            ("{'n': normal((-1,))}", ("n",), ["cannot be drawn"]),
            ("{'n': st.sets(st.integers(), min_size=1)}", ("n",), ["cannot be stored", "set"]),
            ("{'n': st.just(object())}", ("n",), ["cannot be stored", "object"]),
            ("{'n': st.data()}", ("n",), ["cannot be stored"]),
        ],
    )
    def test_what_cannot_be_drawn_or_kept_is_the_authors_error_and_names_the_check(self, given, takes, words):
        sentence = refusal(drawing(given, takes=takes, name="promised"))
        assert all(word in sentence for word in ["promised", *words])

    def test_nothing_is_printed_about_it(self, capfd):
        refusal(drawing("{'n': st.just(object())}"))
        assert capfd.readouterr() == ("", "")

    def test_a_stored_value_that_is_no_example_is_refused(self):
        with pytest.raises(AuthoringError, match="dict"):
            examples.decode(wire.encode([1]))


class TestShrinking:
    def test_the_simplest_failing_arguments_are_found(self):
        check = drawing(INTEGERS)
        start = wire.encode({"n": 987_654_321})
        found = examples.shrink(check, lambda example: example["n"] >= 1000, start, seed=0, seconds=60)
        assert found == {"n": 1000}

    def test_what_is_tried_looks_like_what_was_stored(self):
        check = drawing("{'n': normal((2,))}")
        seen = []
        examples.shrink(
            check, lambda example: seen.append(example) or True, wire.encode({"n": np.ones(2)}), seed=0, seconds=60
        )
        assert seen
        assert not any(example["n"].flags.writeable for example in seen)

    @pytest.mark.parametrize("seconds", [0.0, -1.0])
    def test_without_time_the_stored_example_stands(self, seconds):
        start = wire.encode({"n": 77})
        found = examples.shrink(drawing(INTEGERS), lambda example: True, start, seed=0, seconds=seconds)  # noqa: ARG005
        assert found == {"n": 77}

    def test_when_time_is_up_the_simplest_so_far_stands(self, monkeypatch):
        clock = iter(range(1000))
        monkeypatch.setattr("grader.examples.time.monotonic", lambda: next(clock))
        failing = []

        def fails(example):
            failing.extend([example["n"]] if example["n"] >= 1000 else [])
            return example["n"] >= 1000

        found = examples.shrink(drawing(INTEGERS), fails, wire.encode({"n": 10**9}), seed=0, seconds=12)
        assert found["n"] == min(failing)

    def test_what_fails_nowhere_else_stands(self):
        start = wire.encode({"n": -5})  # the strategy does not draw it
        found = examples.shrink(drawing(INTEGERS), lambda example: example["n"] < 0, start, seed=0, seconds=60)
        assert found == {"n": -5}

    def test_an_error_while_trying_falls_back_too(self):
        def fails(example):
            raise RuntimeError(example)

        start = wire.encode({"n": 5})
        assert examples.shrink(drawing(INTEGERS), fails, start, seed=0, seconds=60) == {"n": 5}

    def test_a_check_without_arguments_has_nothing_to_shrink(self):
        assert examples.shrink(a_check("pass"), lambda example: True, wire.encode({}), seed=0, seconds=60) == {}  # noqa: ARG005


SCRIPT = """
from making import a_check
from grader import examples
from grader.isolation.inside import wire
check = a_check("pass", given="{'n': st.floats() | st.integers()}", takes=("n",))
start = examples.draw(check, 0)[0]
examples.shrink(check, lambda example: True, start, seed=0, seconds=60)
"""


def test_nothing_is_left_in_the_working_folder(tmp_path):
    here = Path(__file__).parent
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here.parent), str(here)])}
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, env=environment, check=True)
    assert list(tmp_path.iterdir()) == []


def test_the_storage_folder_that_was_set_before_is_set_again(tmp_path):
    from hypothesis import configuration

    before = configuration.storage_directory(intent_to_write=False).home_directory
    configuration.set_hypothesis_home_dir(tmp_path)
    try:
        examples.draw(drawing(INTEGERS), 0)
        assert configuration.storage_directory(intent_to_write=False).home_directory == tmp_path
    finally:
        configuration.set_hypothesis_home_dir(before)
