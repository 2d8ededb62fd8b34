"""Skips what this machine cannot run and says why; keeps Hypothesis from remembering between runs."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import attacking
import pytest
from hypothesis import settings

settings.register_profile("tests", database=None, deadline=None, derandomize=True, max_examples=60)
settings.load_profile("tests")


def pytest_runtest_setup(item: pytest.Item) -> None:
    marks = {mark.name for mark in item.iter_markers()}
    if marks & {"torch", "gpu"} and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    if "gpu" in marks and not _has_gpu():
        where = getattr(item, "callspec", None) and item.callspec.params
        if where and where.get("name") in attacking.NAMES and "machine" in where:
            kept = {"name": where["name"], "machine": where["machine"], "result": "not run", "why": "no CUDA device"}
            item.user_properties.append(("attack", kept))
        pytest.skip("no CUDA device is visible")


def pytest_terminal_summary(terminalreporter) -> None:
    """Say how many attacks were tried, contained and not run; keep what was seen if a file is named for it."""
    reports = [report for found in terminalreporter.stats.values() for report in found]
    said = [kept for report in reports for kept in getattr(report, "user_properties", ()) if kept[0] == "attack"]
    results = list({(kept["name"], kept["machine"]): kept for _, kept in said}.values())
    if results:
        terminalreporter.section("attacks")
        for line in attacking.table(results):
            terminalreporter.line(line)
    if results and os.environ.get("ATTACK_RESULTS"):
        Path(os.environ["ATTACK_RESULTS"]).write_text(json.dumps(results, indent=1), encoding="utf-8")


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()
