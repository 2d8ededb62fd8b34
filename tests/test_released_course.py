"""The bundle of the real course: no right answer is recorded in it, and it names mistakes where nothing else is."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys

import pytest
from commands import ROOT

from grader import bundle, compare, diagnose, problem, release
from grader import course as courses
from grader.isolation.inside import wire

SLUGS = courses.find(ROOT).slugs
MISTAKES = {  # two of each problem that a visible check catches, of different functions
    "batch_reduction": ("divided_only_once", "divided_by_the_root"),
    "coin_flips": ("variance_of_the_label_left_out", "a_kink_at_every_change_of_label"),
    "deep_linear_autoencoder": ("rows_of_the_eigenvector_matrix", "mean_over_numbers"),
    "gcn_gradient": ("divided_by_row", "over_the_nodes"),
    "receptive_fields": ("two_biases_as_in_the_library", "last_layer_without_tanh"),
    "vae_shapes": ("layers_without_biases", "beta_on_the_reconstruction"),
    "vanishing_factors": ("height_of_the_sigmoid", "only_the_branch"),
    "xor": ("gradients_of_half_the_mean", "weights_with_a_positive_on_the_line"),
}
NOT_INSTALLED = ("nbgrader", "nbformat", "dask", "distributed", "jinja2", "matplotlib", "pytest", "torchvision")
START = f"""
import sys


class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        absent = name.partition(".")[0] in {NOT_INSTALLED}
        return None if absent else self.finder.find_spec(name, path, target)


sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
from grader.cli import main

main()
"""


@pytest.fixture(scope="module")
def released():
    """The files of the whole course's bundle by path; made once, since every known mistake is asked for it."""
    return release.files(courses.find(ROOT))


@pytest.fixture
def desk(released, tmp_path):
    """A student's machine: the bundle, and a grader that lies apart from any course."""
    bundle.write(released, tmp_path / "bundle")
    shutil.copytree(ROOT / "grader", tmp_path / "site" / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def check(desk, *arguments, code=1):
    done = subprocess.run(
        [sys.executable, "-c", START, "check", *arguments],
        cwd=desk / "bundle", env={**os.environ, "PYTHONPATH": str(desk / "site")}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return done.stdout


def read(slug):
    return problem.load(courses.find(ROOT).problem(slug))


@pytest.mark.torch
@pytest.mark.parametrize("slug", SLUGS)
def test_no_recorded_answer_is_right(released, slug):
    """Where a mistake answers as the reference does, only that it does is told."""
    whole = read(slug)
    logs = {check.name: diagnose._visible_calls(whole, check.name) for check in whole.checks if check.visible}
    right = diagnose._answers(diagnose.trusted_reference(whole), logs)
    by_key = {key: right[call] for call, key in diagnose._keys(logs).items() if call in right}
    mistakes = json.loads(released[f"problems/{slug}/mistakes.json"])["mistakes"]
    answers = [(key, blob) for mistake in mistakes for key, blob in mistake["answers"].items()]
    assert len(answers) > len(mistakes) > 20
    for key, blob in answers:
        assert not compare.agree(wire.decode(base64.b64decode(blob)), by_key[key]), key
    assert {key.partition("/")[0] for key, _ in answers} <= {check.name for check in whole.checks if check.visible}


@pytest.mark.torch
def test_stubs_and_statements_are_those_of_the_course(released):
    for slug in SLUGS:
        assert released[f"student_template/{slug}.py"] == (ROOT / "student_template" / f"{slug}.py").read_bytes()
        assert released[f"problems/{slug}/visible.py"] == (ROOT / "problems" / slug / "visible.py").read_bytes()


@pytest.mark.torch
def test_no_solution_is_in_it(released):
    """No line of a solution that stands in no visible file is in any byte of the bundle."""
    whole = b"\n".join(released.values())
    for slug in SLUGS:
        reference = courses.find(ROOT).problem(slug).reference
        stub = read(slug).stub
        lines = {line.strip() for line in reference.splitlines()} - {line.strip() for line in stub.splitlines()}
        telling = [line for line in lines if len(line) > 30]
        assert telling
        assert [line for line in telling if line.encode() in whole] == []


@pytest.mark.torch
def test_a_batch_that_seems_to_bring_nothing_is_named(desk):
    """Mistake 3a: the variance is divided by B once and not by its square, in a file as a student leaves it."""
    path = desk / "bundle" / "student_template" / "batch_reduction.py"
    before, name, after = path.read_text(encoding="utf-8").partition("def gradient_variance")
    body = 'total = batch * sigma2\n    if reduction == "mean":\n        total = total / batch\n    return total'
    path.write_text(before + name + after.replace("raise NotImplementedError", body, 1), encoding="utf-8")
    told = " ".join(check(desk, "batch_reduction").split())
    assert "got 4 wanted 0.125" in told
    assert "Hint: With the mean, your variance does not depend on the batch, as if averaging brought nothing." in told


@pytest.mark.torch
@pytest.mark.parametrize("turn", [0, 1], ids=["first", "second"])
def test_known_mistakes_are_named_from_the_bundle_alone(desk, turn):
    """For each problem two mistakes get their own hints on a machine that has neither variants nor reference."""
    assert set(MISTAKES) == set(SLUGS)
    wrong = {slug: {variant.name: variant for variant in read(slug).wrong} for slug in SLUGS}
    handed_in = {slug: wrong[slug][MISTAKES[slug][turn]] for slug in SLUGS}
    for slug, variant in handed_in.items():
        (desk / "bundle" / "student_template" / f"{slug}.py").write_text(variant.text, encoding="utf-8")
    verdicts = {verdict["problem"]: verdict for verdict in json.loads(check(desk, "--json"))}
    assert set(verdicts) == set(SLUGS)
    for slug, variant in handed_in.items():
        hints = {one["name"]: one["hint"] for one in verdicts[slug]["checks"]}
        assert hints[variant.caught_by] == diagnose.hint_of(variant, read(slug)), (slug, variant.name)
