"""A message tells a student what helps and tells nothing that a hidden check keeps; a detail tells all."""

import numpy as np
import pytest
from making import Fake, a_check, fault, run

from grader import outcome as words
from grader.errors import Failure, StudentFault
from grader.isolation.inside.wire import Handle
from grader.outcome import KINDS, Outcome, arguments, compact, kind_of, printable, result, spelled
from grader.student import Call, Log
from grader.verdict import Status

HIDDEN = a_check("pass", hidden=True)
VISIBLE = a_check("pass")
INPUT, WANTED, GOT, TEXT, OUTPUT, TROUBLE = (
    31337.25,
    "wanted-271828",
    "got-161803",
    "text-577215",
    "output-1414",
    "why-1732",
)
SECRETS = ["31337.25", WANTED, GOT, TEXT, OUTPUT, TROUBLE]
EXAMPLE = {"x": INPUT}
FAULT = StudentFault(
    Status.CRASHED,
    "ValueError in tiny.py, line 7",
    exception=("ValueError", "Exception"),
    text=TEXT,
    traceback=f'File "tiny.py", line 7, in f\nValueError: {TEXT}',
)
FAILURE = Failure(f"got {GOT}, want {WANTED}", kind="value")


def a_log(value=GOT, target=("f",), fault=None):
    log = Log()
    log.add(Call(target, (INPUT,), {"k": TEXT}, tensors=False, value=value, fault=fault))
    return log


OUTCOMES = {
    "failed": (Outcome(Status.FAILED, failure=FAILURE, trouble=TROUBLE, example=EXAMPLE, output=OUTPUT), a_log()),
    "crashed": (
        Outcome(Status.CRASHED, fault=FAULT, trouble=TROUBLE, example=EXAMPLE, output=OUTPUT),
        a_log(fault=FAULT),
    ),
    "unusable": (Outcome(Status.UNUSABLE, trouble=TROUBLE, example=EXAMPLE, output=OUTPUT), a_log()),
    "broken": (Outcome(Status.BROKEN, trouble=TROUBLE, example=EXAMPLE, output=OUTPUT), a_log()),
    "passed": (Outcome(Status.PASSED, example=EXAMPLE, output=OUTPUT), a_log()),
    "skipped": (Outcome(Status.SKIPPED), None),
}


@pytest.mark.parametrize("case", OUTCOMES)
class TestHidden:
    def test_no_input_no_expected_value_no_exception_text_and_no_output_reaches_the_message(self, case):
        message = result(HIDDEN, *OUTCOMES[case], "").message
        assert not [secret for secret in SECRETS if secret in message]

    def test_the_message_opens_with_the_promise(self, case):
        made = result(HIDDEN, *OUTCOMES[case], "")
        assert made.message.splitlines()[0] == "A promise."
        assert bool(made.finding) == (case != "passed")


class TestWhatHiddenMessagesSay:
    @pytest.mark.parametrize("kind", KINDS)
    def test_a_miss_says_its_kind(self, kind):
        outcome = Outcome(Status.FAILED, failure=Failure(f"got {GOT}", kind=kind), example=EXAMPLE)
        assert result(HIDDEN, outcome, a_log(), "").finding == KINDS[kind]

    def test_an_authors_own_kind_says_that_the_promise_does_not_hold(self):
        outcome = Outcome(Status.FAILED, failure=Failure(f"got {GOT}", kind=WANTED))
        assert result(HIDDEN, outcome, a_log(), "").finding == KINDS["promise"]

    def test_an_exception_says_its_type_with_the_students_own_file_and_line(self):
        assert result(HIDDEN, *OUTCOMES["crashed"], "").finding == "ValueError in tiny.py, line 7"

    @pytest.mark.parametrize(
        ("value", "sort"),
        [
            (None, "None"),
            (GOT, "text"),
            ([0] * 31337, "a list"),
            ((0,) * 31337, "a tuple"),
            ({GOT: 1}, "a dict"),
            (np.zeros((31337, 25)), "an array"),
            (Handle(1, GOT), "an object"),
            (31337.25, "a number"),
        ],
    )
    @pytest.mark.parametrize(
        ("target", "name"), [(("f",), "f"), ((Handle(1, GOT), "go"), "go"), ((Handle(1, GOT), ""), "__call__")]
    )
    def test_an_unusable_value_says_its_sort_and_nothing_that_its_maker_chose(self, value, sort, target, name):
        finding = result(HIDDEN, Outcome(Status.UNUSABLE, example=EXAMPLE), a_log(value, target), "").finding
        assert finding == f"`{name}` returned {sort}, which this check could not use."

    def test_a_student_cannot_read_hidden_numbers_off_a_real_check(self):
        check = a_check("close(student.f(x), reference.f(x))", hidden=True, given="{'x': st.just(0)}", takes=("x",))
        made = [
            run(check, Fake(f=answer), Fake(f=271828.5), x=INPUT)
            for answer in (lambda x: x, fault(ValueError, text=str(INPUT)), lambda x: [x, "a"], lambda x: str(x))  # noqa: PLW0108
        ]
        assert [outcome.status for outcome in made][:2] == [Status.FAILED, Status.CRASHED]
        for outcome in made:
            message = result(check, outcome, Log(), "").message
            assert not [number for number in ("31337", "271828") if number in message]


class TestVisible:
    def test_a_miss_says_what_was_got_and_wanted_and_with_what(self):
        finding = result(VISIBLE, *OUTCOMES["failed"], "").finding
        assert finding.splitlines() == [f"Got {GOT}, want {WANTED}", "With x=31337.25"]

    def test_an_exception_says_where_and_what_once(self):
        finding = result(VISIBLE, *OUTCOMES["crashed"], "").finding
        assert finding.count(TEXT) == 1
        assert all(part in finding for part in ("line 7, in f", "ValueError in tiny.py, line 7", "With x=31337.25"))

    def test_an_exception_without_frames_still_says_what(self):
        outcome = Outcome(Status.CRASHED, fault=fault(ValueError, text=TEXT))
        assert f"ValueError: {TEXT}" in result(VISIBLE, outcome, None, "").finding

    def test_an_unusable_value_says_what_it_was_and_with_what(self):
        outcome = Outcome(Status.UNUSABLE, example=EXAMPLE)
        finding = result(VISIBLE, outcome, a_log([1, 2]), "").finding
        assert finding.splitlines() == [
            "`f` returned a list of 2 items, which this check could not use.",
            "With x=31337.25",
        ]

    def test_output_is_for_the_instructor(self):
        assert OUTPUT not in result(VISIBLE, *OUTCOMES["failed"], "").message


@pytest.mark.parametrize("check", [VISIBLE, HIDDEN], ids=["visible", "hidden"])
class TestScoresAndDetails:
    def test_points_are_all_none_or_unknown(self, check):
        scores = {case: result(check, *OUTCOMES[case], "").score for case in OUTCOMES}
        assert scores == {"failed": 0, "crashed": 0, "unusable": 0, "broken": None, "passed": 1, "skipped": 0}

    @pytest.mark.parametrize(
        ("case", "told"),
        [
            ("failed", ["31337.25", GOT, WANTED, OUTPUT, "f(31337.25, k='text-577215') -> 'got-161803'"]),
            ("crashed", ["31337.25", TEXT, OUTPUT, "line 7, in f", "-> CRASHED"]),
            ("unusable", ["31337.25", TROUBLE, OUTPUT, GOT]),
            ("broken", ["31337.25", TROUBLE, OUTPUT, GOT]),
        ],
    )
    def test_the_detail_tells_the_instructor_everything(self, check, case, told):
        detail = result(check, *OUTCOMES[case], "").detail
        assert not [part for part in told if part not in detail]

    def test_a_pass_needs_no_detail(self, check):
        assert result(check, *OUTCOMES["passed"], "").detail == ""

    def test_a_hint_stands_apart(self, check):
        made = result(check, *OUTCOMES["failed"], "Is two a factor?")
        assert made.hint == "Is two a factor?"
        assert made.hint not in made.message

    def test_a_check_that_could_not_be_judged_blames_nobody(self, check):
        assert result(check, *OUTCOMES["broken"], "").finding == words.BROKEN

    def test_what_cannot_be_seen_is_written_out(self, check):
        nasty = "\x1b[2J\u202e\ud800"
        failing = Outcome(Status.FAILED, failure=Failure(nasty), trouble=nasty, output=nasty, example={"x": nasty})
        crashed = Outcome(Status.CRASHED, fault=fault(text=nasty))
        for outcome in (failing, crashed, Outcome(Status.UNUSABLE)):
            made = result(check, outcome, a_log(Handle(1, nasty), (Handle(1, nasty), "")), "")
            assert all(c.isprintable() or c == "\n" for c in made.message + made.detail)
            (made.message + made.detail).encode("utf-8")


class TestWordsForValues:
    @pytest.mark.parametrize(
        "value",
        [
            10**300,
            list(range(10**5)),
            "a" * 10**6,
            {"k" * 1000: 1},
            np.arange(10**6, dtype=float),
            np.zeros((0, 3)),
            np.array(True),
            np.array([1 + 2j] * 100),
            Handle(1, "x" * 10**4),
            [[[[np.nan]]]],
        ],
    )
    def test_any_value_is_one_short_line(self, value):
        assert len(compact(value)) <= words.WIDTH
        assert compact(value).isprintable()

    def test_an_array_says_shape_and_dtype(self):
        assert compact(np.float32([[0.5, 1.0]])) == "[[0.5, 1. ]] (shape (1, 2), float32)"

    def test_arguments_and_calls_read_as_code(self):
        assert arguments({"sigma2": 4.0, "name": "v2"}) == "sigma2=4.0, name='v2'"
        assert spelled(Call(("probe", "f"), (1, "a"), {"k": None}, tensors=False)) == "probe.f(1, 'a', k=None)"

    @pytest.mark.parametrize(
        ("value", "kind"),
        [
            (None, "None"),
            ("", "text"),
            ((1,), "a tuple of 1 items"),
            (np.ones((2, 3)), "an array of shape (2, 3)"),
            (Handle(1, "Net"), "an object of type Net"),
            (1.5, "a value of type float"),
            ({}, "a value of type dict"),
        ],
    )
    def test_kinds_are_named_as_students_name_them(self, value, kind):
        assert kind_of(value) == kind

    def test_what_can_be_seen_stays(self):
        assert printable("Größe: ∂L/∂w\n\tok") == "Größe: ∂L/∂w\n\tok"
