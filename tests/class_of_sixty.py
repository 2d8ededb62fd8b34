"""A class of made verdicts, for reports: every status, marks, lateness, and whatever else a run can hold."""

from __future__ import annotations

from dataclasses import replace

from grader import store
from grader.assignments import Lateness
from grader.picture import Picture
from grader.results import Conditions, Graded, Key, Mark, Move, Result, Run
from grader.verdict import CheckResult, Status, Verdict

CANARY = "canary"  # in every detail, and nowhere else
FIRST = ("Ada", "Bruno", "Chiara", "Deniz", "Emeka", "Freya", "Goran", "Hana", "Ines", "Jun")
LAST = ("Abe", "Berg", "Costa", "Diaz", "Evans", "Fuchs")
PROBLEMS = {
    "xor": ("truth_table", "any_width", "no_bias_is_refused", "learns_from_noise"),
    "gcn_gradient": ("shape", "value_on_a_path", "matches_finite_differences", "isolated_node", "permutation"),
    "vae_shapes": ("latent", "reconstruction", "batch_of_one"),
    "coin_flips": ("mean", "variance", "bounds", "empty"),
}
HINTS = {
    "gcn_gradient": "The adjacency is normalised on one side only; both sides need the square root of the degree.",
    "coin_flips": "This divides by n where the unbiased estimate divides by n - 1.",
    "xor": "The hidden layer is linear, and a linear network cannot compute XOR.",
    "vae_shapes": "The batch axis is dropped when there is one image.",
}
FOUND = {
    Status.FAILED: "Several values are off.",
    Status.CRASHED: "ValueError in your file, line 12, in forward.",
    Status.TIMED_OUT: "Took more than 2 s of CPU time.",
    Status.NOT_ATTEMPTED: "The function is not written yet.",
    Status.BROKEN: "This check could not be made, through no fault of yours.",
}
PICTURES = {  # where a failed answer misses, one of each kind; the wanted numbers of a line are another canary
    "xor": Picture("", (2, 3), off=3, rows=2, columns=3, cells="...AbA"),
    "gcn_gradient": Picture(
        "", (4, 2), off=3, rows=4, columns=2, cells="..D.bc..", nodes=4, edges=((0, 1), (0, 2), (1, 2), (2, 3))
    ),
    "vae_shapes": Picture("['mean']", (2, 3, 4, 4), off=32, rows=4, columns=4, cells="x..." * 4, place=(1, 0)),
    "coin_flips": Picture(
        "", (6,), off=3, rows=1, columns=6, cells=".AB..c",
        got=(0.5, 2.0, 3.0, 4.0, 5.0, 5.25), wanted=(0.5, 1.0, 1.5, 4.0, 5.0, 61.375),
    ),
}  # fmt: skip
KEY = Key("files", "problem", "examples", "{}", "cpu", "float64", 2)
HAND = 3.0  # points of vae_shapes that a person gives


def check(slug, name, status, number=0):
    promise = f"{name.replace('_', ' ').capitalize()} is as the statement says."
    found = FOUND.get(status, "" if status is Status.PASSED else "It went over its limit.")
    share = {Status.PASSED: 0.01 * (number % 70), Status.FAILED: 1.5 + number}.get(status)
    return CheckResult(
        name=name,
        visible=number % 2 == 0,
        promise=promise,
        status=status,
        score={Status.PASSED: 1.0, Status.BROKEN: None}.get(status, 0.0),
        points=1.0,
        message=f"{promise}\n{found}".strip(),
        detail=f"{CANARY} wanted 42.125 got 17.5 in {slug}::{name}",
        hint=HINTS[slug] if status is Status.FAILED and number % 3 else "",
        share=share,
        picture=PICTURES[slug] if status is Status.FAILED else None,
    )


def status_of(student, place, number):
    """Return how a check of a student goes: most pass, some fail, and every status occurs."""
    if student % 29 == 13:
        return Status.NOT_ATTEMPTED
    draw = (student * 7919 + place * 104729 + number * 1299709) % 101
    if draw < 25 + (student * 37) % 78:
        return Status.PASSED
    rare = [status for status in Status if status not in {Status.PASSED, Status.FAILED, Status.BROKEN}]
    return rare[draw // 4 % len(rare)] if draw % 4 == 0 else Status.FAILED


def verdict(slug, statuses, *, manual=0.0):
    checks = tuple(
        check(slug, name, status, number)
        for number, (name, status) in enumerate(zip(PROBLEMS[slug], statuses, strict=True))
    )
    return Verdict.of(slug, checks, manual_points=manual, tier=2, device="cpu", dtype="float64")


def student(number, name, problems=tuple(PROBLEMS)):
    results = []
    for place, slug in enumerate(problems):
        statuses = [status_of(number, place, k) for k in range(len(PROBLEMS[slug]))]
        if number == 11 and slug == "xor":
            statuses[1] = Status.BROKEN
        results.append(Result(verdict(slug, statuses, manual=HAND if slug == "vae_shapes" else 0.0), KEY))
    if number == 3:
        results[0] = replace(results[0], stale=("the problem",))
    if number == 4:
        results[1] = replace(results[1], waiting=verdict("gcn_gradient", [Status.FAILED] * 5), stale=("the problem",))
    made = Graded(name, f"class/{name}", f"digest {number}", tuple(results))
    made = replace(made, handed_in=f"2026-11-{20 + number % 9}T1{number % 10}:0{number % 6}:00+00:00", late=Lateness())
    if number % 13 == 6:
        made = replace(made, late=Lateness(90_000, 2, 0.2))
    return replace(made, present=number != 20, note="the latest of two" if number == 21 else "")


def marked(graded, *marks):
    """Return a student with marks, each on its own result."""
    results = tuple(
        replace(result, marks=tuple(mark for mark in marks if mark.slug == result.judged.problem))
        for result in graded.results
    )
    return replace(graded, results=results)


def mark(name, slug, check_name="", *, by_hand=False, points=1.0):
    return Mark(
        name, slug, check_name, by_hand=by_hand, points=points, reason="The reader's reason", who="grace",
        when="2026-11-30T10:00:00+00:00",
    )  # fmt: skip


def names(count=60):
    return [f"{FIRST[n % 10]} {LAST[n // 10 % 6]}{'' if n < 60 else f' {n // 60}'}" for n in range(count)]


def run(count=60, extra=()):
    """Return a run of a class; ``extra`` names further students, who answer as the first ones do."""
    students = [student(number, name) for number, name in enumerate([*names(count), *extra])]
    marks = []
    for number in (1, 2, 8):
        if number < len(students):
            given = (
                mark(students[number].student, "vae_shapes", by_hand=True, points=2.5),
                *([mark(students[number].student, "xor", "any_width", points=0.5)] if number == 2 else []),
            )
            students[number] = marked(students[number], *given)
            marks += given
    if count >= 60:
        students[30] = replace(students[30], results=students[30].results[:3], unjudged=("coin_flips",))
    conditions = Conditions(
        tier=2,
        words="hidden files cannot be read, no network and no other process can be reached",
        missing=("a file system of its own (user namespaces are off)", "limits of the cgroup"),
        device="cpu",
        dtype="float64",
        seed=271828182845,
        versions={"grader": "0.1.0", "numpy": "2.2.0", "python": "3.12.4"},
        environment="{}",
        assignment="week1",
        ignored=(("class/.DS_Store", "a file of the system"), ("class/readme.txt", "no problem is called so")),
    )
    return Run(
        run="runs/week1",
        conditions=conditions,
        problems=dict.fromkeys(PROBLEMS, "digest"),
        unproved=("coin_flips",),
        examples={},
        students=tuple(sorted(students, key=lambda one: one.student)),
        moved=(Move(names(count)[0], "xor", 2.0, 3.0, kept=False),),
        finished=True,
        marks=tuple(marks),
    )


def keep(folder, made, everybody=True):
    """Keep a run in a folder, as grading would have: without its marks."""
    problems = [store.Problem(slug, "problem", examples={}) for slug in made.problems]
    seen = [store.Seen(one.student, one.digest, (), one.handed_in, one.late, one.note) for one in made.students]
    with store.writing(folder) as kept:
        kept.begin(made.conditions, problems, seen, everybody=everybody)
        for one in made.students:
            for result in one.results:
                kept.keep(one.student, result.judged.problem, replace(KEY, submission=one.digest), result.judged)
        kept.finish()
