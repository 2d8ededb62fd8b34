"""Every variant of every torch problem gets the same verdict on a CUDA device as on the CPU."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from grader import course as courses
from grader import grading, isolation
from grader.isolation import Profile, Source, SourceFile, Worker
from grader.judge import RunSettings, judge, settled
from grader.problem import load
from grader.verify import as_submission, candidates

ROOT = Path(__file__).resolve().parent.parent
COURSE = courses.find(ROOT)
PROBLEMS = {slug: load(COURSE.problem(slug)) for slug in COURSE.slugs}
TORCH = [slug for slug, problem in PROBLEMS.items() if "torch" in problem.reference and not problem.settings.by_hand]
CANDIDATES = [(slug, name, text) for slug in TORCH for name, _, text in candidates(PROBLEMS[slug])]

pytestmark = [pytest.mark.gpu, pytest.mark.torch]


@pytest.fixture(scope="module")
def launcher():
    started = isolation.launcher(isolation.survey().layers)
    yield started
    started.close()


@pytest.fixture(scope="module")
def stored():
    return {slug: settled(PROBLEMS[slug], 17) for slug in TORCH}


def verdict_on(device, slug, text, launcher, stored):
    run = RunSettings(seed=17, examples=stored[slug], device=device, layers=launcher.layers)
    return judge(COURSE.problem(slug), as_submission("somebody", slug, text), run, launcher)


@pytest.mark.parametrize(
    ("slug", "text"), [(slug, text) for slug, _, text in CANDIDATES], ids=[c[1] for c in CANDIDATES]
)
def test_the_verdict_is_that_of_the_cpu(slug, text, launcher, stored):
    """Statuses, scores and hints are the same; a right answer keeps half of every tolerance on the device."""
    there = verdict_on("cuda:0", slug, text, launcher, stored)
    here = verdict_on("cpu", slug, text, launcher, stored)
    told = [(check.name, check.status, check.score, check.hint) for check in there.checks]
    assert told == [(check.name, check.status, check.score, check.hint) for check in here.checks]
    assert there.device == ("cuda:0" if "cuda" in (PROBLEMS[slug].settings.devices or ("cuda",)) else "cpu")
    if all(check.status == "PASSED" for check in there.checks):
        assert max((check.share or 0.0 for check in there.checks), default=0.0) <= 0.5


def test_a_child_answers_on_the_device(launcher, capsys):
    """A CUDA child gives its first answer; how long that took is printed for the record."""
    text = "import torch\n\ndef f(x: torch.Tensor):\n    return (x.double() * 2).sum(), str(x.device)\n"
    source = Source(slug="f", main=SourceFile("f.py", (text,)))
    began = time.monotonic()
    with Worker(launcher, source, Profile(torch=True, device="cuda:0")) as worker:
        worker.begin(30)
        import numpy as np

        total, device = worker.call(("f",), (np.ones(8),), {}, tensors=True)
    with capsys.disabled():
        print(f"\nCUDA child to first answer: {time.monotonic() - began:.2f} s on {device}")  # noqa: T201 - for the record
    assert (float(total), device) == (16.0, "cuda:0")


def test_a_run_judges_one_at_a_time_and_records_which_gpu_it_was(tmp_path, capsys):
    """A small class, each with a context of its own on the GPU; the rate is printed for the record."""
    import torch

    slug = TORCH[0]
    for student, variant in zip(("ada", "bob", "cy", "dee"), PROBLEMS[slug].right, strict=False):
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / f"{slug}.py").write_text(variant.text, encoding="utf-8")
    request = grading.Request(
        course=COURSE, paths=(tmp_path / "class",), folder=tmp_path / "run", problems=(slug,), device="cuda:0"
    )
    began = time.monotonic()
    with grading.prepared(request) as prepared:
        run = grading.grade(prepared, progress=lambda *_: None)
    uuid = torch.cuda.get_device_properties(0).uuid
    assert run.conditions.gpus == (f"{torch.cuda.get_device_name(0)} GPU-{uuid}",)
    assert [one.score for one in run.students] == [one.points for one in run.students]
    rate = 60 * len(run.students) / (time.monotonic() - began)
    with capsys.disabled():
        print(f"\n{rate:.0f} submissions a minute on one GPU, the start included")  # noqa: T201 - for the record
