"""Skips what this machine cannot run and says why; keeps Hypothesis from remembering between runs."""

from __future__ import annotations

import importlib.util

import pytest
from hypothesis import settings

settings.register_profile("tests", database=None, deadline=None, derandomize=True, max_examples=60)
settings.load_profile("tests")


def pytest_runtest_setup(item: pytest.Item) -> None:
    marks = {mark.name for mark in item.iter_markers()}
    if marks & {"torch", "gpu"} and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    if "gpu" in marks and not _has_gpu():
        pytest.skip("no CUDA device is visible")


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()
