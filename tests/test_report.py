"""Whatever is printed fits 80 columns, holds no escape codes, and says in words what colour says too."""

from __future__ import annotations

# ruff: noqa: RUF001 - formulas are wanted in characters that look like others
import io
import math
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from grader.assignments import Lateness
from grader.isolation.profile import Layers
from grader.practice import Worth
from grader.report import latex, machine, own, proof, standing, statement, table, text, verdicts
from grader.results import Conditions, Graded, Mark, Move, Result, Run
from grader.verdict import CheckResult, Status, Verdict
from grader.verify import Margin, Proof, Row

HOSTILE = "Ada\x1b[5m\x9b2J\u202eevil\u200b[red]bold[/red]\r\n" + "x" * 100
HIDDEN = "wanted 42.125"


def lines_of(renderable, *, terminal=False):
    stream = io.StringIO()
    system = "truecolor" if terminal else None
    console = Console(
        file=stream, width=80, force_terminal=terminal, color_system=system, markup=False, highlight=False, emoji=False
    )
    console.print(renderable)
    return stream.getvalue().splitlines()


def plain_lines(renderable):
    lines = lines_of(renderable)
    assert all(cell_len(line) <= 80 for line in lines)
    assert all(line.isprintable() for line in lines)
    return lines


def joined(renderable):
    return " ".join(" ".join(plain_lines(renderable)).split())


def a_check(name="a_check", status=Status.PASSED, **changes):
    scores = {Status.PASSED: 1.0, Status.BROKEN: None}
    made = CheckResult(
        name=name,
        visible=True,
        promise=f"The promise of {name}.",
        status=status,
        score=scores.get(status, 0.0),
        points=1.0,
        message=f"The promise of {name}.",
        detail="" if status is Status.PASSED else HIDDEN,
    )
    return replace(made, **changes)


def a_verdict(*checks, problem="double", manual_points=0.0, notes=()):
    return Verdict.of(problem, checks, manual_points=manual_points, tier=2, device="cpu", dtype="float64", notes=notes)


def a_run(*students, **changes):
    names = {name: changes.pop(name) for name in ("missing", "ignored") if name in changes}
    under = Conditions(
        tier=2, words="files cannot be read", missing=(), device="cpu", dtype="float64", seed=1, versions={},
        environment="{}",
    )  # fmt: skip
    made = Run(run="run", conditions=replace(under, **names), problems={}, unproved=(), examples={}, students=students)
    return replace(made, **changes)


def a_student(name, *verdicts):
    return Graded.of(name, f"class/{name}", "digest", verdicts)


def a_mark(**changes):
    made = Mark(
        "ada", "double", "", by_hand=False, points=1.5, reason="a typo", who="grace", when="2026-11-30T10:00:00"
    )
    return replace(made, **changes)


# Text that is safe to print


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u2066b", "a\\u2066b"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("half\ud800", "half\\ud800"),
        ("two\nlines", "two\\nlines"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("hard\xa0space", "hard space"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(hostile, shown):
    assert text.safe(hostile) == shown


def test_names_of_other_scripts_stay_as_they_are():
    for name in ("Zoë Müller", "李小龙", "محمد", "Þórunn"):
        assert text.safe(name) == name


def test_a_tower_of_accents_is_cut():
    assert text.safe("a" + "\u0301" * 50) == "a" + "\u0301" * 3


def test_line_ends_stay_only_where_lines_are_wanted():
    assert text.safe("a\r\n\tb", lines=True) == "a\n    b"


def test_every_status_has_a_word_and_no_two_share_one():
    assert len({text.WORDS[status] for status in Status}) == len(Status)


# Formulas and statements


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"\frac{1}{2\pi}", "1/(2π)"),
        (r"\frac{a+b}{c}", "(a + b)/c"),
        (r"\tfrac12 x", "½x"),
        (r"x_{ij}^2 \le \sqrt{n}", "xᵢⱼ² ≤ √n"),
        (r"x_{i,k}", "x_{i,k}"),
        (r"e^{-x^2/2}", "e^(-x²/2)"),
        (r"\mathbb{E}_q[\log p(x\mid z)]", "𝔼_q[log p(x | z)]"),
        (r"\sum_{i=1}^{n}\sum_j a_{ij}", "∑ᵢ₌₁ⁿ ∑ⱼ aᵢⱼ"),
        (r"\operatorname{Var}(X) \approx \operatorname{Var} Y", "Var(X) ≈ Var Y"),
        (r"\left\| w \right\|_2", "‖w‖₂"),
        (r"w \leftarrow w-\eta\,\nabla_w L", "w ← w - η ∇_w L"),
        (r"-\eta", "-η"),
        (r"2\times(-3)", "2 × (-3)"),
        (r"\hat y_i, \bar{x}", "ŷᵢ, x̄"),
        (r"x^\top y", "xᵀy"),
        (r"\{0,1\}^n \text{ if } n>0", "{0, 1}ⁿ if n > 0"),
        (r"(n,)", "(n,)"),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "(1 2; 3 4)"),
        (r"\begin{aligned}a&=b\\&=c\end{aligned}", "a = b\n= c"),
        (r"\begin{cases}1 & x>0\\0 & \text{otherwise}\end{cases}", "{ 1 if x > 0; 0 otherwise"),
        (r"\unheard{x}{y} + \strange", r"\unheard{x}{y} + \strange"),
        (r"\sqrt[3]{x}", "³√x"),
    ],
)
def test_formulas_read_as_unicode(written, read):
    assert latex.readable(written) == read


@pytest.mark.parametrize("broken", ["{{", "}", "^", "_", r"\frac", r"\left.", r"\begin{x}", "\\", r"\sqrt[", "{" * 300])
def test_a_broken_formula_is_shown_somehow(broken):
    assert isinstance(latex.readable(broken), str)


def test_formulas_in_code_stay_as_they_were_written():
    written = "`a $x_1$`\n\n```\nprice = '$x_1$'\n```\nand $x_1$, \\$5 and \\$6"
    assert statement.unicoded(written) == "`a $x_1$`\n\n```\nprice = '$x_1$'\n```\nand x₁, \\$5 and \\$6"


def test_what_a_formula_becomes_is_no_markup():
    shown = joined(statement.statement(r"Let $a*b*c$ and $\{x\,|\,x_{max}<1\}$ and $f_{i,k} g_{i,k}$."))
    assert shown == "Let a*b*c and {x | xₘₐₓ < 1} and f_{i,k}g_{i,k}."


def test_a_statement_loses_no_word_of_a_narrow_table():
    long = "abcdeghij" * 8
    shown = plain_lines(statement.statement(f"| f | p | r |\n|---|---|---|\n| `{long}` | {'x ' * 40} | y |"))
    assert "".join(sign for line in shown for sign in line if sign in long) == long


def test_display_formulas_stand_alone_row_by_row():
    shown = plain_lines(statement.statement("We have $$\\begin{aligned}a&=1\\\\b&=2\\end{aligned}$$ and go on."))
    assert [line.strip() for line in shown if "=" in line] == ["▌ a = 1", "▌ b = 2"]


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.parent.glob("problems/*/statement.md")), ids=str)
def test_every_statement_of_this_course_is_readable(path):
    shown = "\n".join(plain_lines(statement.statement(path.read_text(encoding="utf-8"))))
    assert "$" not in shown
    assert "\\" not in shown


# A student's own verdict


def test_an_untouched_problem_takes_one_line():
    verdict = a_verdict(a_check("one", Status.NOT_ATTEMPTED), a_check("two", Status.NOT_ATTEMPTED))
    assert plain_lines(own.work(verdict, "Twice")) == ["- double: not attempted yet, 2 visible points"]


def test_a_student_never_sees_the_instructors_detail():
    told = "The promise of a_check.\nA value is not right."
    every = [
        a_check(status=status, message=told, promise="The promise of a_check.", hint="A hint.") for status in Status
    ]
    assert HIDDEN not in joined(own.work(a_verdict(*every), "Twice", verbose=True))


def test_one_long_finding_is_told_once():
    finding = "double.py cannot be imported\nSyntaxError: invalid syntax"
    checks = [a_check(name, Status.CRASHED, message=f"The promise of {name}.\n{finding}") for name in ("a", "b", "c")]
    assert joined(own.work(a_verdict(*checks), "Twice")).count("SyntaxError") == 1


@pytest.mark.parametrize("status", Status)
def test_a_status_is_told_by_words_and_not_by_colour_alone(status):
    verdict = a_verdict(a_check("one", status), a_check("two", Status.PASSED))
    shown = plain_lines(own.work(verdict, "Twice"))[1]
    assert shown.strip().startswith(text.sign(status))
    assert (f"{text.EXPLAINED[status]}: " in shown) == (status is not Status.PASSED)


def test_visible_points_and_those_after_hand_in_are_told():
    verdict = a_verdict(a_check(), a_check(status=Status.FAILED))
    known = joined(own.total([verdict], Worth(visible=2, after_hand_in=8)))
    assert known == "1 of 2 visible points. 8 points more are checked after hand-in."
    unknown = joined(own.total([verdict], Worth(visible=3, after_hand_in=None)))
    assert unknown == (
        "1 of 2 visible points. 1 visible point not checked this time. Further checks are made after hand-in."
    )


# For instructors


def test_an_instructor_sees_detail_share_and_hand_marked_points():
    check = a_check("hidden_one", Status.FAILED, visible=False, share=12.0)
    verdict = a_verdict(check, manual_points=2.0, notes=("a cell was dropped",))
    said = standing.lines(a_student("ada", verdict), Result(verdict))
    shown = joined(verdicts.for_instructor(verdict, {}, said))
    for wanted in (
        HIDDEN,
        "[hidden_one, hidden]",
        "Missed by 12 times the tolerance.",
        "2 points, pending",
        "a cell was dropped",
    ):
        assert wanted in shown


def test_the_smallest_failing_example_is_told_to_an_instructor():
    verdict = a_verdict(a_check(status=Status.FAILED))
    shown = joined(verdicts.for_instructor(verdict, {"a_check": ("with x=1.0", "double(1.0)", "  got    1.0")}))
    assert "Smallest failing example: with x=1.0 double(1.0) got 1.0" in shown


# A class


def test_hostile_names_and_messages_leave_the_table_whole():
    check = a_check(status=Status.FAILED, message=HOSTILE, hint=HOSTILE, detail=HOSTILE, promise=HOSTILE)
    verdict = a_verdict(check, notes=(HOSTILE,))
    run = a_run(a_student(HOSTILE, verdict), ignored=((HOSTILE, HOSTILE),))
    for renderable in (table.run(run), own.work(verdict, HOSTILE), verdicts.for_instructor(verdict, {})):
        assert "[red]bold[/red]" in "".join(plain_lines(renderable)).replace(" ", "")
        assert not any("\x1b[5m" in line or "\x9b" in line for line in lines_of(renderable, terminal=True))


def test_a_class_is_shown_as_points_and_words():
    run = a_run(
        a_student("ada", a_verdict(a_check(), a_check())),
        a_student("bob", a_verdict(a_check(), a_check(status=Status.TIMED_OUT))),
    )
    shown = plain_lines(table.run(run))
    assert [line.split() for line in shown[2:4]] == [["ada", "2/2", "2/2"], ["bob", "1/2", "timed", "out", "1/2"]]
    assert "Mean 1.5 of 2 points." in shown
    assert "Isolation: tier 2, files cannot be read." in shown


def test_many_problems_are_shown_in_blocks():
    slugs = [f"a_problem_with_a_long_name_{number}" for number in range(12)]
    students = [
        a_student(name, *(a_verdict(a_check(status=Status.UNUSABLE), problem=slug) for slug in slugs))
        for name in ("ada", "李小龙" * 12)
    ]
    shown = plain_lines(table.run(a_run(*students)))
    assert sum(line.startswith("ada") for line in shown) > 1
    assert sum(line.count("0/1 unusable") for line in shown) == 2 * len(slugs)


def test_what_could_not_be_judged_is_named_and_left_open():
    run = a_run(a_student("ada", a_verdict(a_check(status=Status.BROKEN))))
    shown = joined(table.run(run))
    assert "?/1 BROKEN" in shown
    assert "Not judged, through no fault of the students: ada (double)." in shown


def test_a_run_tells_what_is_missing_unproved_ignored_and_marked_by_hand():
    run = a_run(
        a_student("ada", a_verdict(a_check(), manual_points=2.0)),
        missing=("no user namespaces: sysctl -w kernel.unprivileged_userns_clone=1",),
        unproved=("double",),
        ignored=tuple((f"class/{number}.txt", "no source file") for number in range(12)),
    )
    shown = joined(table.run(run))
    assert "Marked by hand, pending and not in the totals: 2 points in double." in shown
    assert "Missing: no user namespaces: sysctl -w kernel.unprivileged_userns_clone=1" in shown
    assert "Used without a proof: double. To prove them: grade verify double" in shown
    assert "Ignored class/9.txt: no source file." in shown
    assert "Ignored 2 more; --json names them all." in shown


def test_what_became_of_scores_is_told_a_sentence_each():
    half = a_verdict(a_check(), a_check("two", Status.FAILED))
    whole = a_verdict(a_check(), a_check("two"))
    lost = a_verdict(a_check(), a_check("two", Status.BROKEN))
    students = (
        Graded("ada", "", "d", (Result(whole, waiting=half), Result(a_verdict(a_check(), problem="triple"))),
               late=Lateness(86_400, 1, 0.1)),
        Graded("bob", "", "d", (Result(half, stale=("the problem", "the device")),), ("triple",), late=Lateness(None)),
        Graded("cy", "", "d", (Result(lost, marks=(a_mark(student="cy"),)),), present=False),
        Graded("dee", "", "d", (Result(whole, waiting=lost),)),
    )  # fmt: skip
    moves = (Move("bob", "double", 0.5, 1.0, kept=False), Move("ada", "double", 2.0, 1.0, kept=True))
    run = a_run(*students, moved=moves, marks=(a_mark(student="cy"),), finished=False)
    shown = joined(table.run(run))
    for sentence in (
        "Not judged yet: bob (triple). Their totals are left open (?)",
        "Moved: bob, double, from 0.5 to 1.",
        "Kept: ada, double: 2 stands, since the later score of 1 is lower.",
        "Kept: dee, double: 2 stands, since judging it again failed through no fault of the student.",
        "No score falls unless grading is told --allow-lower.",
        "Stale, since the problem and the device changed after judging: bob (double).",
        "Late: ada, 1 day late: 10 % off (0.3 of 3 points).",
        "Time of hand-in unknown, so taken as on time: bob.",
        "Mark: cy, 1.5 points in double overridden by grace, 2026-11-30: a typo.",
        "Not found by the latest grading, so kept as judged before: cy.",
    ):
        assert sentence in shown
    rows = {line.split()[0]: line.split()[1:] for line in plain_lines(table.run(run))[2:6]}
    assert rows["ada"] == ["2/2", "kept", "1/1", "2.7/3"]
    assert rows["bob"] == ["1/2", "failed", "stale", "?/2"]
    assert rows["cy"] == ["1.5/2", "marked", "1.5/2"]


def test_an_override_of_a_check_that_is_gone_is_said_and_counts_nothing():
    mark = a_mark(check="gone")
    graded = Graded("ada", "", "d", (Result(a_verdict(a_check()), marks=(mark,)),))
    assert graded.score == 1.0
    shown = joined(table.run(a_run(graded, marks=(mark,))))
    assert "Overrides of checks that are no longer there, kept and of no effect: ada (double::gone)." in shown


# Proofs and machines


def a_proof(**changes):
    names = [f"a_check_with_a_rather_long_name_that_goes_on_and_on_{number}" for number in range(40)]
    made = Proof(
        slug="double", digest="d", checks=len(names), right=1, wrong=2, caught=1, diagnosed=2, generic=9,
        margins={name: Margin(None, math.inf) if number else Margin(0.25, 3e5) for number, name in enumerate(names)},
        table=(Row("a_variant_" * 6, "wrong", dict.fromkeys(names, Status.FAILED)),),
        complaints=("(d) nothing proves that it can fail " * 4,),
    )  # fmt: skip
    return replace(made, **changes)


def test_a_proof_with_many_checks_fits():
    shown = joined(proof.proof(a_proof()))
    assert "double: NOT proved, 1 complaint. 40 checks, 1 right, 2 wrong (1 caught, 2 diagnosed)" in shown
    assert shown.count("✗✗✗✗✗") == 8
    assert "nothing proves that it can fail" in shown
    assert "0.25 3e+05" in shown


def test_a_proof_as_data_has_the_contracts_fields():
    found = proof.document(a_proof())
    assert list(found) == [
        "slug", "ok", "checks", "right", "wrong", "caught", "diagnosed", "generic", "margins", "complaints"
    ]  # fmt: skip
    assert found["ok"] is False
    assert next(iter(found["margins"].values())) == {"right": 0.25, "wrong": 3e5}


def test_a_machine_is_shown_with_its_probes():
    class Survey:
        tier, words, layers = 2, "files cannot be read", Layers()
        probes = {"read": "contained", "stat": "open", "udp": "not tried: no such thing"}  # noqa: RUF012

    class Found:
        survey, missing, versions = (
            Survey(),
            ("problems in torch need torch: pip install torch " * 3,),
            {"python": "3.11"},
        )
        devices = (
            {"device": "cpu", "name": "A processor", "cores": 2},
            {"device": "cuda:0", "name": "A GPU", "memory_gib": 80.0, "capability": "9.0"},
        )

    shown = joined(machine.examination(Found()))
    for wanted in (
        "tier 2 of 3: files cannot be read.", "attack read ✓ contained", "attack stat ✗ open", "- not tried",
        "A processor, 2 cores", "A GPU, 80.0 GiB, compute capability 9.0", "python 3.11", "- problems in torch need",
    ):  # fmt: skip
        assert wanted in shown
