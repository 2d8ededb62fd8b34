"""Assignments are read whole or refused with the key that is wrong; lateness is counted in days of 24 hours."""

import pickle
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from courses import put, tiny_course
from hypothesis import given
from hypothesis import strategies as st

from grader import assignments, course
from grader.assignments import Assignment, Lateness, LatePolicy
from grader.errors import CourseError

DUE = datetime(2026, 11, 30, 22, 59, tzinfo=UTC)
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
WHOLE = """
[assignments.week1]
problems = ["triple", "double"]
due = 2026-11-30T23:59:00+01:00

[assignments.week1.extensions]
ada = 2026-12-02T23:59:00+01:00
"bob.b@uni.example" = 2026-12-01T17:59:00-05:00

[assignments.week1.late]
per_day = 0.1
cap = 0.5
grace_minutes = 15
"""


@pytest.fixture
def read(tmp_path):
    root = tiny_course(tmp_path, "double", "triple")

    def read(text, name="week1"):
        put(root / "course.toml", text)
        return assignments.read(course.find(root), name)

    return read


class TestReading:
    def test_all_of_it_is_read_into_utc(self, read):
        assert read(WHOLE) == Assignment(
            name="week1",
            problems=("triple", "double"),
            due=DUE,
            extensions={"ada": DUE + 2 * DAY, "bob.b@uni.example": DUE + DAY},
            late=LatePolicy(per_day=0.1, cap=0.5, grace_minutes=15),
        )
        assert read(WHOLE).due.tzinfo is UTC

    def test_a_list_of_problems_is_enough(self, read):
        assert read('[assignments.week1]\nproblems = ["double"]') == Assignment("week1", ("double",))

    def test_what_is_left_out_of_a_late_policy_has_a_meaning(self, read):
        text = '[assignments.a]\nproblems = ["double"]\ndue = 2026-11-30T22:59:00Z\nlate = { per_day = 1 }'
        assert read(text, "a").late == LatePolicy(per_day=1.0, cap=1.0, grace_minutes=0)

    def test_names_come_in_the_order_of_the_file(self, tmp_path):
        root = tiny_course(tmp_path)
        assert assignments.names(course.find(root)) == ()
        put(root / "course.toml", "[assignments.week10]\n[assignments.week2]")
        assert assignments.names(course.find(root)) == ("week10", "week2")

    def test_it_travels_between_processes(self, read):
        assert pickle.loads(pickle.dumps(read(WHOLE))) == read(WHOLE)

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            ('"triple"', '"tripel"', r'assignments\.week1\.problems .*"tripel" is none \(did you mean triple\?\)'),
            ('"triple"', '"double"', '"double" is there twice'),
            ('["triple", "double"]', '"triple"', r"problems must be a list.*text, 'triple'"),
            ('["triple", "double"]', "[]", "problems must be a list"),
            ('["triple", "double"]', "[1]", "problems must be a list"),
            ('problems = ["triple", "double"]', "", "problems must be a list.*there is none"),
            ("due = 2026-11-30T23:59:00+01:00", "due = 2026-11-30T23:59:00", r"week1\.due must be .*offset.* has none"),
            ("due = 2026-11-30T23:59:00+01:00", "due = 2026-11-30", r"due must be .*offset"),
            ("due = 2026-11-30T23:59:00+01:00", 'due = "2026-11-30T23:59:00+01:00"', "without quotes; it is text"),
            ("due = 2026-11-30T23:59:00+01:00", "", "due must be .*since it has extensions"),
            ("due = ", "dew = ", r'no key "dew" \(did you mean due\?\); it takes problems, due, extensions, late'),
            ("ada = 2026-12-02T23:59:00+01:00", "ada = 2026-12-02T23:59:00", r"extensions\.ada must be .*offset"),
            ("ada = 2026-12-02T23:59:00+01:00", "ada = 2", r"extensions\.ada must be .*a number, 2"),
            ('"bob.b@uni.example"', "bob.b", "a key with a dot in it needs quotes"),
            ("ada = 2026-12-02", "ada = 2026-11-02", r"extensions\.ada must be later than the due date"),
            ('"bob.b@uni.example"', "Ada", "another spelling"),
            ("per_day", "per_days", r'\[assignments\.week1\.late\] has no key "per_days" \(did you mean per_day\?\)'),
            ("per_day = 0.1", "", r"late\.per_day must be there"),
            ("per_day = 0.1", "per_day = 10", r"per_day must be a share between 0 and 1.*a number, 10"),
            ("per_day = 0.1", "per_day = -0.1", "a share between 0 and 1"),
            ("per_day = 0.1", "per_day = nan", "a share between 0 and 1"),
            ("per_day = 0.1", "per_day = true", "a share between 0 and 1.*true or false"),
            ("cap = 0.5", "cap = '50 %'", r"late\.cap must be a share between 0 and 1.*text"),
            ("cap = 0.5", "cap = 1.01", "a share between 0 and 1"),
            ("grace_minutes = 15", "grace_minutes = 1.5", "a whole number of minutes"),
            ("grace_minutes = 15", "grace_minutes = -1", "a whole number of minutes"),
            ("grace_minutes = 15", "grace_minutes = inf", "a whole number of minutes"),
            ("[assignments.week1.late]", "[assignments.week1.delay]", 'no key "delay"'),
        ],
    )
    def test_what_is_wrong_is_refused_with_the_file_the_key_and_what_is_wanted(self, read, old, new, told):
        assert old in WHOLE
        with pytest.raises(CourseError, match=r"course\.toml.*" + told):
            read(WHOLE.replace(old, new))

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("assignments = 3", r"assignments must be tables, written as \[assignments\.NAME\]"),
            ("[assignments]\nweek1 = 3", r"assignments\.week1 must be a table"),
            ("[assignments.wek1]", r"no assignment 'week1' \(did you mean wek1\?\); it has wek1"),
            ("", "no assignment 'week1'; it has none"),
        ],
    )
    def test_a_table_that_is_none_is_refused(self, read, text, told):
        with pytest.raises(CourseError, match=told):
            read(text)


def late(after, policy=None, **extensions):
    """The lateness of a submission that came some time after the due date."""
    return Assignment("a", ("p",), DUE, extensions, policy).lateness("ada", DUE + after)


class TestLateness:
    @pytest.mark.parametrize(
        ("after", "days"),
        [(-DAY, 0), (0 * DAY, 0), (SECOND / 1000, 1), (SECOND, 1), (DAY, 1), (DAY + SECOND, 2), (9 * DAY, 9)],
    )
    def test_a_day_is_each_24_hours_begun(self, after, days):
        assert late(after).days == days
        assert late(after).late is (days > 0)

    def test_each_day_takes_a_share_of_the_points_earned_up_to_the_cap(self):
        policy = LatePolicy(per_day=0.1, cap=0.25)
        assert [late(days * DAY, policy).share for days in range(5)] == [0, 0.1, 0.2, 0.25, 0.25]
        assert late(2 * DAY, policy).taken(40.0) == pytest.approx(8.0)

    def test_shares_are_those_that_were_written(self):
        """Three times 0.1 is 0.3, not 0.30000000000000004."""
        assert late(3 * DAY, LatePolicy(per_day=0.1)).share == 0.3

    def test_within_the_grace_nothing_is_late_and_behind_it_all_of_the_time_counts(self):
        policy = LatePolicy(per_day=0.1, grace_minutes=15)
        assert late(timedelta(minutes=15), policy) == Lateness()
        assert late(timedelta(minutes=15, seconds=1), policy) == Lateness(901, 1, 0.1)
        assert late(DAY + timedelta(minutes=10), policy).days == 2

    def test_without_a_policy_lateness_is_told_and_costs_nothing(self):
        assert late(3 * DAY) == Lateness(3 * 86_400, 3, 0.0)
        assert late(3 * DAY).line(40.0) == "3 days late"

    def test_without_a_due_date_nothing_is_late(self):
        assert Assignment("a", ("p",)).lateness("ada", DUE + 9 * DAY) == Lateness()

    def test_a_time_that_nobody_knows_costs_nothing_and_is_no_time(self):
        unknown = Assignment("a", ("p",), DUE, {}, LatePolicy(0.5)).lateness("ada", None)
        assert (unknown.seconds, unknown.late, unknown.share, unknown.sentence) == (None, False, 0.0, "")

    def test_an_extension_moves_the_due_date_of_its_student_alone(self):
        one = Assignment("a", ("p",), DUE, {"Zoe\u0308": DUE + 2 * DAY, "z@uni.example": DUE + 3 * DAY})
        assert one.lateness("ZOË", DUE + 3 * DAY).days == 1
        assert one.lateness("ZOË", DUE + 3 * DAY, "z@uni.example").days == 0
        assert one.lateness("zoe", DUE + 3 * DAY).days == 3

    def test_the_night_when_clocks_are_set_back_has_its_25_hours(self):
        """Noon of the next day comes 25 hours after noon, so the second day has begun."""
        zurich = ZoneInfo("Europe/Zurich")
        due = datetime(2026, 10, 24, 12, tzinfo=zurich).astimezone(UTC)
        noon = datetime(2026, 10, 25, 12, tzinfo=zurich)
        assert Assignment("a", ("p",), due).lateness("ada", noon).days == 2
        assert Assignment("a", ("p",), due).lateness("ada", noon - timedelta(hours=1)).days == 1

    @pytest.mark.parametrize(
        ("after", "policy", "earned", "line"),
        [
            (DAY, LatePolicy(0.1), 40.0, "1 day late: 10 % off (4.0 of 40 points)"),
            (2 * DAY, LatePolicy(0.125, cap=0.5), 3.5, "2 days late: 25 % off (0.9 of 3.5 points)"),
            (0 * DAY, LatePolicy(0.1), 40.0, ""),
            (DAY, LatePolicy(0.0), 40.0, "1 day late"),
        ],
    )
    def test_it_is_told_in_a_line_of_its_own(self, after, policy, earned, line):
        assert late(after, policy).line(earned) == line
        assert line.startswith(late(after, policy).sentence)

    @given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 10**4), st.integers(0, 10**7), st.integers(0, 10**7))
    def test_no_lateness_takes_more_than_the_cap_and_later_never_costs_less(self, per_day, cap, grace, first, more):
        policy = LatePolicy(per_day, cap, grace)
        sooner, later = (late(timedelta(seconds=seconds), policy) for seconds in (first, first + more))
        assert 0 <= sooner.share <= later.share <= cap
