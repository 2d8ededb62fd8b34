"""A known mistake is named when its numbers are the student's, and only then; its record gives nothing away."""

import base64
import functools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import Candidate, Fake, files, judged

from grader import compare, course, diagnose, variants
from grader.errors import AuthoringError
from grader.isolation.inside import wire
from grader.isolation.inside.wire import Handle
from grader.problem import load
from grader.student import Call, Log
from grader.trusted import trusted
from grader.verdict import Status

COURSE = course.find(Path(__file__).parent.parent)
VISIBLE = """
    from grader import check, close, settings
    import numpy as np

    @check()
    def averages(student):
        '''The mean of 1, 2 and 6 is 3.'''
        close(student.mean(np.array([1.0, 2.0, 6.0])), 3.0)

    @check()
    def spreads(student):
        '''The variance of 1, 2 and 6 is 14/3.'''
        x = np.array([1.0, 2.0, 6.0])
        close(student.variance(x), 14 / 3)
        close(student.variance(2 * x), 4 * student.variance(x))
    """
HIDDEN = """
    from grader import check, close, normal

    @check(given={"x": normal((5,), 3.0)}, examples=3)
    def averages_anything(student, reference, x):
        '''Any mean is right.'''
        close(student.mean(x), reference.mean(x))

    @check(given={"x": normal((5,), 3.0)}, examples=3)
    def spreads_anything(student, reference, x):
        '''Any variance is right.'''
        close(student.mean(x), reference.mean(x))
        close(student.variance(x + 31337.25), reference.variance(x + 31337.25))
    """
REFERENCE = """
    import numpy as np

    def mean(x: np.ndarray) -> float:
        # BEGIN SOLUTION
        return float(np.sum(x) / len(x))
        # END SOLUTION

    def variance(x: np.ndarray) -> float:
        # BEGIN SOLUTION
        return mean((x - mean(x)) ** 2)
        # END SOLUTION
    """
VARIANTS = """
    from grader import right, wrong
    import numpy as np

    @wrong(replaces="mean", caught_by="averages", hint="Is a sum a mean?")
    def total(x):
        return float(np.sum(x))

    @wrong(replaces="variance", caught_by="spreads", hint="One degree of freedom too few?")
    def unbiased(x):
        return float(np.sum((x - mean(x)) ** 2) / (len(x) - 1))

    @wrong(replaces="variance", caught_by="spreads", alike="unbiased")
    def also_unbiased(x):
        return float(np.var(x, ddof=1))

    @wrong(replaces="variance", caught_by="spreads", hint="Is the mean subtracted?")
    def raw(x):
        return mean(x**2)
    """
TEXTS = {"visible": VISIBLE, "hidden": HIDDEN, "reference": REFERENCE, "variants": VARIANTS}
UNBIASED, RAW, SUM = "One degree of freedom too few?", "Is the mean subtracted?", "Is a sum a mean?"


def hints(student, mistakes=None, **texts):
    """Judge a student's text (or answers) and return the hint of each failed check."""
    whole = files(**{**TEXTS, **texts})
    answers = Candidate(student) if isinstance(student, str) else student
    outcomes, logs = judged(load(whole), answers)
    failed = [name for name, outcome in outcomes.items() if outcome.status is Status.FAILED]
    if mistakes is None:
        return diagnose.hints(load(whole), whole, logs, failed)
    own = files(visible=VISIBLE, reference="", mistakes=mistakes)
    return diagnose.hints(load(own), own, {name: logs[name] for name in ("averages", "spreads")}, failed)


def variant(name):
    return next(variant.text for variant in load(files(**TEXTS)).wrong if variant.name == name)


@functools.cache
def whole_record():
    return diagnose.record(load(files(**TEXTS)))


def student(mean="sum(x) / len(x)", variance="mean((x - mean(x)) ** 2)"):
    return f"def mean(x):\n    return {mean}\ndef variance(x):\n    return {variance}\n"


class TestFitting:
    @pytest.mark.parametrize(
        ("name", "hint"), [("total", SUM), ("unbiased", UNBIASED), ("also_unbiased", UNBIASED), ("raw", RAW)]
    )
    def test_each_known_mistake_gets_its_hint_in_every_check_that_it_fails(self, name, hint):
        found = hints(variant(name))
        assert found
        assert set(found.values()) == {hint}

    def test_the_same_mistake_in_other_words_gets_the_hint(self):
        assert hints(student(variance="((x - mean(x)) ** 2).sum() / (len(x) - 1)"))["spreads"] == UNBIASED

    def test_a_right_answer_gets_none(self):
        assert hints(student()) == {}

    @pytest.mark.parametrize("variance", ["5.0", "float('nan')", "None", "x", "[1, 'a']", "object()", "-mean(x ** 2)"])
    def test_a_mistake_that_nobody_knows_gets_none(self, variance):
        assert hints(student(variance=variance)) == {}

    def test_right_in_one_function_and_wrong_in_another_is_told_about_the_wrong_one(self):
        found = hints(student(mean="5.0", variance="((x - x.sum() / len(x)) ** 2).sum() / (len(x) - 1)"))
        assert found["spreads"] == UNBIASED
        assert "averages" not in found

    def test_a_mistake_must_fit_every_call_of_its_function(self):
        turncoat = student(variance="mean(x**2) if x[0] > 1 else ((x - mean(x)) ** 2).sum() / (len(x) - 1)")
        assert hints(turncoat) == {}

    def test_calls_that_ended_otherwise_are_left_out(self):
        found = hints(student(mean="1 / 0", variance="((x - x.sum() / 3) ** 2).sum() / (len(x) - 1)"))
        assert found["spreads"] == UNBIASED

    def test_two_mistakes_that_fit_and_say_different_things_say_nothing(self):
        other = VARIANTS.replace('alike="unbiased"', 'hint="Something else?"')
        assert hints(variant("unbiased"), variants=other) == {}

    def test_two_mistakes_that_fit_and_say_the_same_thing_say_it(self):
        same = VARIANTS.replace('alike="unbiased"', f'hint="{UNBIASED}"')
        assert hints(variant("unbiased"), variants=same)["spreads"] == UNBIASED

    def test_a_variant_that_cannot_answer_explains_nothing(self):
        broken = VARIANTS.replace("return mean(x**2)", "return 1 / 0")
        assert hints(student(variance="mean(x**2)"), variants=broken) == {}

    def test_only_failed_checks_are_asked_about(self):
        whole = files(**TEXTS)
        _, logs = judged(load(whole), Candidate(variant("raw")))
        assert diagnose.hints(load(whole), whole, logs, ()) == {}
        assert set(diagnose.hints(load(whole), whole, logs, ("spreads", "unheard_of"))) == {"spreads"}

    @given(
        st.none()
        | st.integers()
        | st.floats()
        | st.text()
        | st.just(Handle(1, "x"))
        | st.lists(st.floats(), max_size=3)
    )
    def test_any_answer_at_all_is_survived(self, value):
        assert set(hints(Fake(mean=value, variance=value), hidden="")) <= {"averages", "spreads"}


OBJECTS = {
    "visible": """
        from grader import check, close

        @check()
        def counts(student):
            '''Two and three are five.'''
            counter = student.Counter(2)
            counter.up(3)
            close(student.probe.count_of(counter), 5.0)
            close(counter(1), 6.0)

        @check()
        def counts_in_pairs(student):
            '''A pair of counters counts alike.'''
            pair = student.pair(2)
            close(pair["left"](1), 3.0)
            close(student.total([pair["left"], pair["right"]]), 4.0)
        """,
    "hidden": "",
    "probes": "def count_of(counter):\n    return counter.n\n",
    "reference": """
        class Counter:
            def __init__(self, n: int) -> None:
                # BEGIN SOLUTION
                self.n = n
                # END SOLUTION
            def up(self, by: int) -> None:
                self.n += by
            def __call__(self, by: int) -> int:
                return self.n + by

        def pair(n: int) -> dict:
            return {"left": Counter(n), "right": Counter(n)}

        def total(counters: list) -> int:
            return sum(counter.n for counter in counters)
        """,
    "variants": """
        from grader import wrong
        @wrong(replaces="Counter.up", caught_by="counts", hint="Up or down?")
        def down(self, by):
            self.n -= by
        @wrong(replaces="Counter", caught_by="counts", hint="From where does it count?")
        class From:
            def __init__(self, n):
                self.n = 10 + n
            def up(self, by):
                self.n += by
            def __call__(self, by):
                return self.n + by
        @wrong(replaces="total", caught_by="counts_in_pairs", hint="Each counts once.")
        def double(counters):
            return 2 * sum(counter.n for counter in counters)
        """,
}


class TestObjects:
    @pytest.mark.parametrize(
        ("name", "check", "hint"),
        [
            ("down", "counts", "Up or down?"),
            ("From", "counts", "From where does it count?"),
            ("From", "counts_in_pairs", "From where does it count?"),
            ("double", "counts_in_pairs", "Each counts once."),
        ],
    )
    def test_calls_on_objects_are_put_to_the_variants_own_objects(self, name, check, hint):
        whole = files(**OBJECTS)
        read = load(whole)
        answers = Candidate(next(v.text for v in read.wrong if v.name == name), OBJECTS["probes"])
        outcomes, logs = judged(read, answers)
        assert outcomes[check].status is Status.FAILED
        assert diagnose.hints(read, whole, logs, (check,)) == {check: hint}

    def test_a_replay_answers_in_order_and_with_what_it_made_itself(self):
        read = load(files(**OBJECTS))
        _, logs = judged(read, Candidate(read.reference, OBJECTS["probes"]))
        (example,) = logs["counts"].examples
        down = trusted(next(v.text for v in read.wrong if v.name == "down"), "down.py", read.probes)
        made, nothing, count, called = diagnose.replay(example, down)
        assert (made, nothing, count, called) == (Handle(1, "Counter"), None, -1, 0)

    def test_the_students_numbers_of_objects_mean_nothing_to_the_candidate(self):
        theirs, other, log = Handle(70, "Counter"), Handle(80, "Counter"), Log()
        log.add(Call(("Counter",), (2,), {}, tensors=False, value=theirs))
        log.add(Call(("pair",), (5,), {}, tensors=False, value={"left": other, "right": theirs}))
        log.add(Call((other, ""), (1,), {}, tensors=False, value=6))
        log.add(Call(("total",), ([other, other],), {}, tensors=False, value=10))
        answers = diagnose.replay(log.examples[0], trusted(load(files(**OBJECTS)).reference, "r.py"))
        assert answers[2:] == [6, 10]

    def test_an_object_that_nobody_made_is_missing(self):
        log = Log()
        log.add(Call((Handle(9, "Counter"), "up"), (1,), {}, tensors=False))
        log.add(Call(("total",), ([Handle(8, "Counter")],), {}, tensors=False))
        assert (
            diagnose.replay(log.examples[0], trusted(load(files(**OBJECTS)).reference, "r.py"))
            == [diagnose.MISSING] * 2
        )


class TestTheRecord:
    @pytest.fixture
    def record(self):
        return whole_record()

    @pytest.mark.parametrize("name", ["total", "unbiased", "also_unbiased", "raw"])
    def test_it_gives_the_hints_that_the_variants_give(self, record, name):
        visible = {check: hint for check, hint in hints(variant(name)).items() if check in {"averages", "spreads"}}
        assert hints(variant(name), record) == visible

    @pytest.mark.parametrize("text", [student(), student(variance="5.0"), student(mean="5.0")])
    def test_it_names_no_mistake_where_there_is_none_that_it_knows(self, record, text):
        assert hints(text, record) == {}

    def test_every_answer_in_it_is_wrong(self, record):
        read = load(files(**TEXTS))
        logs = {name: diagnose._visible_calls(read, name) for name in ("averages", "spreads")}
        keys = diagnose._keys(logs)
        right = {keys[id(call)]: call.value for log in logs.values() for call in log.calls}
        told = [
            (wire.decode(base64.b64decode(blob)), right[key])
            for mistake in json.loads(record)["mistakes"]
            for key, blob in mistake["answers"].items()
        ]
        assert len(told) >= 4
        assert not [pair for pair in told if compare.agree(*pair)]

    def test_it_knows_nothing_of_hidden_checks_and_nothing_of_how_a_mistake_is_made(self, record):
        blobs = [blob for mistake in json.loads(record)["mistakes"] for blob in mistake["answers"].values()]
        everything = record + "".join(repr(wire.decode(base64.b64decode(blob))) for blob in blobs)
        for secret in ("anything", "31337", "ddof", "total", "raw", "np.sum", "variance"):
            assert secret not in everything

    def test_it_is_the_same_every_time(self, record):
        assert diagnose.record(load(files(**TEXTS))) == record

    def test_calls_with_other_arguments_are_other_calls(self, record):
        edited = VISIBLE.replace("[1.0, 2.0, 6.0]", "[1.0, 2.0, 7.0]").replace("14 / 3", "62 / 9")
        assert hints(variant("raw"), record, visible=edited) == {}

    def test_a_call_is_known_by_its_check_its_place_its_function_and_its_arguments(self):
        def key(check="c", name="f", args=(1,), before=0, **kwargs):
            log = Log()
            for _ in range(before):
                log.add(Call(("g",), (), {}, tensors=False))
            call = Call((name,), args, kwargs, tensors=False)
            log.add(call)
            return diagnose._keys({check: log})[id(call)]

        keys = [key(), key(check="d"), key(name="g"), key(args=(2,)), key(args=(1.0,)), key(before=1), key(k=1)]
        assert len(set(keys)) == len(keys)
        assert key() == keys[0]

    def test_checks_that_draw_their_arguments_are_left_out(self):
        drawn = HIDDEN.replace(", reference", "").replace("reference.mean(x)", "x.sum() / 5")
        drawn = drawn.replace("reference.variance(x + 31337.25)", "x.var()").replace(" + 31337.25", "")
        read = load(files(**{**TEXTS, "visible": VISIBLE + drawn, "hidden": ""}))
        assert "anything" not in diagnose.record(read)

    def test_a_reference_that_fails_its_own_check_is_told(self):
        read = load(files(**{**TEXTS, "visible": VISIBLE.replace("14 / 3", "14.0")}))
        with pytest.raises(AuthoringError, match="does not pass spreads"):
            diagnose.record(read)

    def test_objects_cannot_be_recorded_but_what_they_answer_can(self):
        whole = files(**OBJECTS)
        record = diagnose.record(load(whole))
        answers = Candidate(next(v.text for v in load(whole).wrong if v.name == "down"), OBJECTS["probes"])
        _, logs = judged(load(whole), answers)
        own = files(visible=OBJECTS["visible"], reference="", mistakes=record)
        assert diagnose.hints(load(own), own, logs, ("counts",)) == {"counts": "Up or down?"}


@functools.cache
def failed_logs():
    _, logs = judged(load(files(**{**TEXTS, "hidden": ""})), Candidate(student(variance="mean(x**2)")))
    return logs


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
entries = st.fixed_dictionaries(
    {},
    optional={
        "hint": json_values,
        "answers": json_values | st.dictionaries(st.text(), json_values),
        "right": json_values,
    },
)
whole_records = st.fixed_dictionaries({"format": st.just(1), "mistakes": st.lists(entries, min_size=1) | json_values})


class TestADamagedRecord:
    def asked(self, mistakes):
        own = files(visible=VISIBLE, reference="", mistakes=mistakes)
        return diagnose.hints(load(own), own, failed_logs(), ("spreads",))

    def test_the_whole_record_gives_a_hint_here(self):
        assert self.asked(whole_record()) == {"spreads": RAW}

    @pytest.mark.parametrize(
        "text", ["{", "null", "[]", "7", '"text"', "{}", '{"format": 2, "mistakes": []}', "[" * 10**5]
    )
    def test_what_is_no_record_gives_no_hint(self, text):
        assert self.asked(text) == {}

    @given(json_values | whole_records)
    def test_whatever_is_in_it_no_hint_and_no_crash(self, content):
        assert self.asked(json.dumps(content)) == {}

    @pytest.mark.parametrize("hint", [7, None, [], {}])
    def test_a_hint_that_is_no_text_is_none(self, hint):
        content = json.loads(whole_record())
        for mistake in content["mistakes"]:
            mistake["hint"] = hint
        assert self.asked(json.dumps(content)) == {}

    @given(st.data())
    def test_bytes_that_were_changed_are_survived(self, data):
        record = whole_record()
        place = data.draw(st.integers(0, len(record) - 1))
        damaged = record[:place] + data.draw(st.characters(codec="ascii")) + record[place + 1 :]
        assert set(self.asked(damaged)) <= {"spreads"}


def test_a_mistake_that_was_put_to_no_call_fits_nothing():
    assert not diagnose.Mistake("h", lambda _call: 0, lambda _call, _value: True).fits([])


@pytest.mark.parametrize("slug", COURSE.slugs)
def test_a_mistake_out_of_reach_of_a_call_answers_it_as_the_reference_does(slug):
    """That is what is taken for granted where such a mistake is not asked."""
    problem = load(COURSE.problem(slug))
    within = variants.reach(problem.reference)
    first = {}
    for check in problem.checks:
        if check.visible:
            for call in diagnose._visible_calls(problem, check.name).calls:
                if len(call.target) == 1 and not call.objects:
                    first.setdefault(call.target[0], call)
    spared = 0
    for variant in problem.wrong:
        candidate = diagnose.trusted_variant(problem, variant)
        for name, call in first.items():
            if variant.replaces.partition(".")[0] not in within[name]:
                spared += 1
                (answer,) = diagnose.replay([call], candidate)
                assert wire.encode(answer) == wire.encode(call.value), (variant.name, name)
    assert spared > len(problem.wrong)
