"""A verdict says the worst of its checks, and no number where a number would be a lie."""

import dataclasses
import pickle
from itertools import pairwise

import pytest

from grader.errors import (
    AuthoringError,
    CourseError,
    Failure,
    GraderError,
    IsolationError,
    StudentFault,
    SubmissionError,
    TierError,
    UsageError,
)
from grader.verdict import SEVERITY, CheckResult, Status, Verdict, combined

ORDER = [
    *("BROKEN", "UNUSABLE", "TOO_MUCH_OUTPUT", "OUT_OF_MEMORY", "TIMED_OUT", "CRASHED", "FAILED", "SKIPPED"),
    *("NOT_ATTEMPTED", "PASSED"),
]  # the design's


def a_result(status=Status.PASSED, score=1.0, points=1.0, message="Two is two."):
    return CheckResult("c", True, "Two is two.", status, score, points, message)


def verdict(*checks, manual_points=0.0):
    return Verdict.of("p", checks, manual_points=manual_points, tier=2, device="cpu", dtype="float64")


@pytest.mark.parametrize(("worse", "better"), list(pairwise(ORDER))[:-2])
def test_each_status_outranks_the_next_one_in_either_order(worse, better):
    assert combined([Status[worse], Status[better], Status.PASSED]) is Status[worse]
    assert combined([Status.PASSED, Status[better], Status[worse]]) is Status[worse]


def test_every_status_is_ranked_or_needs_all_checks():
    assert {*SEVERITY, Status.PASSED, Status.NOT_ATTEMPTED} == set(Status) == {Status[name] for name in ORDER}


@pytest.mark.parametrize("status", list(Status))
def test_checks_of_one_status_give_that_status(status):
    assert combined([status, status]) is status


def test_a_problem_in_part_not_attempted_is_neither_passed_nor_not_attempted():
    assert combined([Status.PASSED, Status.NOT_ATTEMPTED]) is Status.FAILED


def test_one_skipped_check_keeps_a_problem_from_passing():
    assert combined([Status.PASSED, Status.SKIPPED]) is Status.SKIPPED


def test_a_status_is_its_own_name_as_text():
    assert [f"{status}" for status in Status] == [status.name for status in Status]


def test_a_score_is_the_sum_of_the_checks_and_leaves_marks_by_hand_out():
    whole = verdict(a_result(), a_result(Status.FAILED, 0.0, 2.0), manual_points=4.0)
    assert (whole.score, whole.points, whole.manual_points, whole.status) == (1.0, 3.0, 4.0, Status.FAILED)


def test_a_broken_check_leaves_the_whole_problem_without_a_score():
    whole = verdict(a_result(), a_result(Status.BROKEN, None), a_result(Status.CRASHED, 0.0))
    assert (whole.score, whole.points, whole.status) == (None, 3.0, Status.BROKEN)


def test_a_verdict_travels_between_processes_unchanged():
    whole = verdict(a_result(), a_result(Status.BROKEN, None))
    assert pickle.loads(pickle.dumps(whole)) == whole


def test_a_verdict_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        verdict(a_result()).score = 100.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        a_result().score = 100.0


def test_a_finding_is_the_message_without_the_promise_that_opens_it():
    assert a_result(message="Two is two.\nGot 3, want 2.").finding == "Got 3, want 2."
    assert a_result(message="Two is two.").finding == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [(UsageError, 2), (CourseError, 2), (SubmissionError, 2), (TierError, 2), (AuthoringError, 3), (IsolationError, 3)],
)
def test_every_sentence_for_a_person_carries_its_exit_code(error, code):
    assert issubclass(error, GraderError)
    assert error("a sentence").exit_code == code


@pytest.mark.parametrize("signal", [Failure, StudentFault])
def test_the_signals_inside_a_check_are_no_faults_of_the_grader(signal):
    assert not issubclass(signal, GraderError)


@pytest.mark.parametrize(
    "error",
    [
        CourseError("no course"),
        Failure("off", kind="shape", share=7.0),
        StudentFault(Status.CRASHED, "ValueError in xor.py", exception=("ValueError",), text="no", traceback="line 1"),
    ],
)
def test_errors_travel_between_processes_with_all_they_say(error):
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))
