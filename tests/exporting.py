"""Runs made in memory for tests of exports; nothing here grades."""

from __future__ import annotations

from dataclasses import replace

from grader.export import Wish, export
from grader.picture import Picture
from grader.results import Conditions, Graded, Mark, Result, Run
from grader.verdict import CheckResult, Status, Verdict

DETAIL = "wanted 42.125, which nobody may see"
PICTURE = Picture(DETAIL, (2, 2), off=1, rows=2, columns=2, cells="...D")


def a_check(name="sums", status=Status.PASSED, *, points=2.0, visible=True, **changes):
    score = {Status.PASSED: points, Status.BROKEN: None}.get(status, 0.0)
    promise = f"The promise of {name}."
    made = CheckResult(
        name=name, visible=visible, promise=promise, status=status, score=score, points=points,
        message=promise if status is Status.PASSED else f"{promise}\nA value is not right.",
        detail=DETAIL, share=float("inf"), picture=None if status is Status.PASSED else PICTURE,
    )  # fmt: skip
    return replace(made, **changes)


def a_verdict(*checks, problem="xor", manual_points=0.0):
    return Verdict.of(problem, checks, manual_points=manual_points, tier=2, device="cpu", dtype="float64")


def a_student(name, *checks, manual_points=0.0, marks=(), **changes):
    """Return somebody with one problem, ``xor``; passed where no check is given."""
    judged = a_verdict(*(checks or (a_check(),)), manual_points=manual_points)
    return replace(Graded(name, f"class/{name}", "digest", (Result(judged, marks=tuple(marks)),)), **changes)


def scored(name, points):
    """Return somebody with so many of 10 points."""
    return a_student(name, a_check(status=Status.FAILED, points=10.0, score=points))


def absent(name):
    return a_student(name, a_check(status=Status.NOT_ATTEMPTED), path="", places=())


def broken(name):
    return a_student(name, a_check(), a_check("breaks", Status.BROKEN))


def pending(name):
    return a_student(name, manual_points=3.0)


def by_hand(points, *, check="", manual=True):
    return Mark("", "xor", check, manual, points, "a reason for the staff", "grace", "2026-11-30T10:00:00+00:00")


def a_run(*students, **changes):
    under = Conditions(
        tier=2, words="files cannot be read", missing=(), device="cpu", dtype="float64", seed=1, versions={},
        environment="{}",
    )  # fmt: skip
    made = Run(
        run="run", conditions=under, problems={"xor": "digest"}, unproved=(), examples={}, students=tuple(students)
    )
    return replace(made, **changes)


def exported(run, form, **wishes):
    return export(run, Wish(form, **wishes))
