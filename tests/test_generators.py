"""Seeding before each call: always the state that the generators' own functions would set, whatever was drawn."""

# ruff: noqa: NPY002 - the legacy generator is what students use

from __future__ import annotations

import importlib.util
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.isolation.inside import generators
from grader.isolation.inside.generators import Generators

SEEDS = st.integers(0, 2**63 - 1)


def draws():
    """What one call may leave behind: numbers drawn, one of a pair of normal numbers, states set by hand."""
    return st.sampled_from(
        [
            lambda: None,
            random.random,
            lambda: random.gauss(0, 1),  # the second of a pair is kept
            lambda: [random.random() for _ in range(700)],  # past the end of a state
            lambda: random.setstate(random.Random(5).getstate()),
            lambda: random.seed("text"),
            np.random.rand,
            np.random.randn,  # keeps the second of a pair
            lambda: np.random.rand(700),
        ]
    )


def states():
    name, keys, *rest = np.random.get_state()
    return random.getstate(), (name, keys.tolist(), *rest)


def as_seeded(seed):
    random.seed(seed)
    np.random.seed(seed % 2**32)
    return states()


@pytest.fixture(autouse=True)
def undisturbed():
    """Leave the generators of this process as they were."""
    python, numpy = random.getstate(), np.random.get_state()
    yield
    random.setstate(python)
    np.random.set_state(numpy)


class TestAnySeed:
    @given(st.lists(st.tuples(SEEDS, draws()), max_size=6), SEEDS)
    def test_is_as_if_seeded_by_hand_after_whatever_was_drawn(self, history, seed):
        chosen = Generators()
        for earlier, draw in [*history, *history]:  # the second time the states are known
            chosen.seed(earlier)
            assert states() == as_seeded(earlier)
            chosen.seed(earlier)
            draw()
        chosen.seed(seed)
        assert states() == as_seeded(seed)

    def test_is_so_too_for_more_seeds_than_are_kept(self, monkeypatch):
        monkeypatch.setattr(generators, "_KEPT", 2)
        chosen = Generators()
        for seed in [*range(5), *range(5)]:
            chosen.seed(seed)
            assert states() == as_seeded(seed)

    def test_is_so_too_where_a_state_cannot_be_copied(self, monkeypatch):
        monkeypatch.setattr(generators, "_can_be_copied", lambda: False)
        chosen = Generators()
        for seed in (3, 3, 4):
            chosen.seed(seed)
            assert states() == as_seeded(seed)


def test_this_python_lets_a_state_be_copied():
    """It is a matter of speed only; should a new Python say no here, look at what has moved."""
    assert generators._can_be_copied()


def test_a_python_that_keeps_its_state_elsewhere_is_found_out(monkeypatch):
    monkeypatch.setattr(generators, "_STATE_BYTES", 4 + 600 * 4)
    assert not generators._can_be_copied()


def test_students_who_put_functions_of_their_own_there_change_nothing(monkeypatch):
    chosen = Generators()
    wanted = as_seeded(8)
    with monkeypatch.context() as theirs:
        theirs.setattr(random, "seed", lambda *_: None)
        theirs.setattr(np.random, "seed", lambda *_: None)
        chosen.seed(8)
        assert states() == wanted
        random.random()
        chosen.seed(8)
        assert states() == wanted


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_torch_is_seeded_where_it_is_given():
    import torch

    with torch.random.fork_rng(devices=[]):
        Generators().seed(9, torch)
        drawn = torch.rand(3)
        torch.manual_seed(9)
        assert torch.equal(drawn, torch.rand(3))
