"""A script changes how a check is answered, never what comes of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from courses import put
from making import load

from grader import course as courses
from grader import examples, isolation, script, sitting
from grader import problem as problems
from grader import submission as submissions
from grader.isolation import session
from grader.isolation.inside import wire
from grader.judge import RunSettings, examine, settled
from grader.trusted import Trusted
from grader.verdict import Status

VISIBLE = '''
    import numpy as np
    from grader import check, close, equal, refuses, settings

    limits = settings(seconds=2, import_seconds=2, problem_seconds=60, memory_mib=200, by_hand=True)

    @check(points=1)
    def halves_and_refuses(student):
        """Half of four is two, and text has no half."""
        close(student.half(4.0), 2.0)
        refuses(ValueError, student.half, "text")
        close(student.half(x=6.0), 3.0)
'''
HIDDEN = '''
    import numpy as np
    from hypothesis import strategies as st
    from grader import check, close, equal, normal

    @check(points=1, given={"x": st.floats(1, 9)}, examples=3)
    def halves_anything(student, reference, x):
        """Half of any number is right."""
        close(student.half(x), reference.half(x))

    @check(points=1, given={"x": st.floats(1, 9)}, examples=3)
    def halves_twice(student, reference, x):
        """Half of a half is a quarter."""
        close(student.half(student.half(x)), x / 4)

    @check(points=1, given={"n": st.integers(2, 9)}, examples=3)
    def halves_as_often_as_counted(student, reference, n):
        """A number is halved as often as it is counted."""
        for place in range(student.asked(n)):
            close(student.half(place + 1.0), (place + 1) / 2)

    @check(points=1, given={"x": normal((3,), 1.0)}, examples=2)
    def a_sum_keeps_its_parts(student, reference, x):
        """A sum adds up what it is given, from where it began."""
        ours, theirs = student.Sum(2.0), reference.Sum(2.0)
        for part in x.tolist():
            close(ours.add(part), theirs.add(part), scale=10)
        close(student.total(ours), reference.total(theirs), scale=10)
'''
REFERENCE = """
    def half(x: float) -> float:
        # BEGIN SOLUTION
        if isinstance(x, str):
            raise ValueError("text")
        return x / 2
        # END SOLUTION

    def asked(n: int) -> int:
        # BEGIN SOLUTION
        return n
        # END SOLUTION

    class Sum:
        def __init__(self, start: float) -> None:
            # BEGIN SOLUTION
            self.value = start
            # END SOLUTION

        def add(self, x: float) -> float:
            # BEGIN SOLUTION
            self.value += x
            return self.value
            # END SOLUTION

    def total(one: Sum) -> float:
        # BEGIN SOLUTION
        return one.value
        # END SOLUTION
"""
VARIANTS = """
    from grader import right, wrong

    @wrong(replaces="half", caught_by="halves_and_refuses", hint="Does text have a half?")
    def zero_for_text(x):
        return 0.0 if isinstance(x, str) else x / 2

    @wrong(replaces="half", caught_by="halves_anything", hint="Two halves make a whole.")
    def third(x):
        if isinstance(x, str):
            raise ValueError("text")
        return x / 3
"""
RIGHT = """\
def half(x):
    if isinstance(x, str):
        raise ValueError("text")
    return x / 2

def asked(n):
    return n

class Sum:
    def __init__(self, start):
        self.value = start

    def add(self, x):
        self.value += x
        return self.value

def total(one):
    return one.value
"""


def altered(old, new):
    assert old in RIGHT
    return RIGHT.replace(old, new)


ANSWERS = {
    "right": RIGHT,
    "another make": altered("return x / 2", "return 0.5 * x"),
    "prints when imported": f"print('here I am')\n{RIGHT}",
    "right in other digits": altered("return x / 2", "return x * (0.5 + 2**-50)"),
    "a known mistake": altered("return x / 2", "return x / 3"),
    "halves text": altered('raise ValueError("text")', "return 0.0"),
    "does not refuse": altered("raise ValueError", "return ValueError"),
    "refuses with another error": altered("raise ValueError", "raise KeyError"),
    "counts one more": altered("return n", "return n + 1"),
    "counts none": altered("return n", "return 0"),
    "raises on what is large": altered("return x / 2", "return x / 2 if x < 5 else 1 / 0"),
    "exits": altered("return x / 2", "import os; os._exit(3)"),
    "never ends": altered("return x / 2", "while True: pass"),
    "takes its time": altered("return x / 2", "return slowly(x)")
    + """
import time

def slowly(x):
    end = time.process_time() + 0.05 * (x != int(x))
    while time.process_time() < end:
        pass
    return x / 2
""",
    "no object": altered("class Sum:", "def Sum(start): return start\n\nclass Other:"),
    "another kind of object": altered("class Sum:", "class Total:") + "\nSum = Total\n",
    "an object too many": altered("def half", "import sys\ndef half").replace(
        "    return x / 2", "    return x / 2 if isinstance(x, float) else sys"
    ),
    "a sum that forgets": altered("self.value += x", "self.value = x"),
    "prints": altered("return x / 2", "print('half of', x); return x / 2"),
    "another signature": altered("def half(x):", "def half(y):").replace("x", "y"),
    "text": altered("return x / 2", "return 'half'"),
    "stub": "def half(x):\n    raise NotImplementedError\n",
    "does not import": "import nothing_of_this_name\n",
}


@pytest.fixture(scope="module")
def launcher():
    started = isolation.launcher(isolation.survey().layers)
    yield started
    started.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    put(folder / "problems" / "halves" / "statement.md", "# Halves\n")
    put(folder / "problems" / "halves" / "visible.py", VISIBLE)
    put(folder / "problems" / "halves" / "hidden.py", HIDDEN)
    put(folder / "problems" / "halves" / "variants.py", VARIANTS)
    put(folder / "reference" / "halves.py", REFERENCE)
    return courses.find(folder).problem("halves")


def examined(files, text, launcher, folder, seed=5):
    (folder / "halves.py").write_text(text, encoding="utf-8")
    run = RunSettings(seed=seed, examples=settled(problems.load(files), seed), layers=launcher.layers)
    return examine(files, submissions.load(folder, slugs=("halves",)), run, launcher)


@pytest.fixture
def afresh(monkeypatch):
    """Nothing is remembered from other tests."""
    monkeypatch.setattr(sitting, "_JUDGED", sitting.Memory(100))


@pytest.mark.usefixtures("afresh")
@pytest.mark.parametrize("way", ["at once", "check by check"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_script_gives_the_verdict_that_calls_one_by_one_give(  # noqa: PLR0917 - fixtures
    answer, way, files, launcher, tmp_path, monkeypatch
):
    """Status, points, words, hints, calls and output are equal, whatever the answer does."""
    monkeypatch.setattr(sitting, "TOGETHER_SECONDS", 0.05 if answer == "takes its time" else 1)
    monkeypatch.setattr(sitting, "ALONE_SECONDS", 0.05 if answer == "takes its time" else 1)
    if way == "check by check":
        monkeypatch.setattr(sitting.Sitting, "_at_once", lambda *_: {})
    prompted = examined(files, ANSWERS[answer], launcher, tmp_path)
    monkeypatch.setattr(sitting, "_script", lambda *_: None)
    asked = examined(files, ANSWERS[answer], launcher, tmp_path)
    if answer == "never ends":  # which limit ends it first is for the machine to say
        assert [one.status for one in prompted.verdict.checks] == [one.status for one in asked.verdict.checks]
        return
    assert prompted.verdict == asked.verdict
    assert prompted.outputs == asked.outputs
    for name, log in asked.logs.items():
        assert shown(prompted.logs[name]) == shown(log)


@pytest.mark.usefixtures("afresh")
def test_an_ordinary_answer_is_judged_in_one_exchange(files, launcher, tmp_path, monkeypatch):
    """Nothing is asked twice: this is what makes judging quick."""
    exchanges = []
    send = session.Session.send
    monkeypatch.setattr(session.Session, "send", lambda *args: (exchanges.append(args), send(*args))[1])
    examined(files, ANSWERS["another make"], launcher, tmp_path)
    preparing, importing, scripts, dependent = 1, 1, 1, 1 + 3 * 2  # the last is asked call by call: a rest, two calls
    assert len(exchanges) == preparing + importing + scripts + dependent


@pytest.mark.usefixtures("afresh")
def test_an_answer_that_ends_its_process_now_and_then_ends_the_check(files, launcher, tmp_path):
    """The child dies in a script, and the calls one by one then decide, in a child that starts anew."""
    text = altered("def half", "calls = []\n\ndef half").replace(
        "    return x / 2", "    calls.append(x)\n    return x / 2 if len(calls) != 3 else __import__('os')._exit(0)"
    )
    statuses = [check.status for check in examined(files, text, launcher, tmp_path).verdict.checks]
    assert statuses == [Status.PASSED, Status.CRASHED, Status.CRASHED, Status.CRASHED, Status.PASSED]


@pytest.mark.usefixtures("afresh")
def test_who_forgets_to_refuse_is_told_so(files, launcher, tmp_path):
    """Where the reference raises, any answer is wrong, and the mistake that gives this one is named."""
    check = examined(files, ANSWERS["halves text"], launcher, tmp_path).verdict.checks[0]
    assert (check.status, check.hint) == (Status.FAILED, "Does text have a half?")


def shown(log):
    """Return what a log tells, objects' numbers apart."""
    return [[(call.name, repr(call.value).split("(id=")[0], str(call.fault)) for call in one] for one in log.examples]


def test_only_checks_that_ask_the_same_whatever_they_are_answered_have_a_script(files):
    """A question that depends on an answer, as on a half, rules a script out; one that depends on a count does not."""
    read = problems.load(files)
    having = {check.name for check in read.checks if written(read, check) is not None}
    assert having == {
        "halves_and_refuses",
        "halves_anything",
        "halves_as_often_as_counted",
        "a_sum_keeps_its_parts",
    }


def written(read, check, **options):
    stored = examples.draw(check, 1)
    student, reference = Trusted(read.reference, "student.py"), Trusted(read.reference, "reference.py")
    return script.write(
        check, stored, student, reference, dtype="float64", takes_tensors=read.takes_tensors, seed=1, **options
    )


@pytest.mark.parametrize(
    "body",
    ["close(student.double(np.random.rand()), 0.5)", "close(student.double(2.0), 5.0)", "undefined_name", "1 / 0"],
    ids=["asks at random", "fails for the reference", "has a mistake", "raises"],
)
def test_a_check_that_the_reference_does_not_pass_the_same_way_twice_has_no_script(body):
    """It is judged call by call, where blame is decided."""
    read = load(
        visible=f"""
        import numpy as np
        from grader import check, close

        @check(points=1)
        def promise(student):
            '''A promise.'''
            {body}
        """
    )
    assert written(read, read.checks[0]) is None


def test_a_check_that_never_ends_has_no_script():
    """Writing a script takes no longer than an example may."""
    read = load(
        visible="""
        from grader import check

        @check(points=1)
        def promise(student):
            '''A promise.'''
            while True:
                student.double(1.0)
        """
    )
    assert written(read, read.checks[0], patience=0.2) is None


@pytest.mark.usefixtures("afresh")
def test_equal_answers_are_judged_once_and_others_for_themselves(files, launcher, tmp_path, monkeypatch):
    """A second right answer costs no run of a check but of one that refuses; one in other digits is compared."""
    runs = []
    replay = sitting.Bench.replay
    monkeypatch.setattr(
        sitting.Bench, "replay", lambda self, check, *rest: (runs.append(check.name), replay(self, check, *rest))[1]
    )
    first = examined(files, RIGHT, launcher, tmp_path)
    assert runs
    runs.clear()
    second = examined(files, f"# mine\n{RIGHT}", launcher, tmp_path)
    assert runs == ["halves_and_refuses"]
    assert second.verdict == first.verdict
    runs.clear()
    third = examined(files, ANSWERS["right in other digits"], launcher, tmp_path)
    assert set(runs) == {"halves_and_refuses", "halves_anything", "halves_as_often_as_counted"}
    assert third.verdict.score == first.verdict.score
    assert third.verdict.checks[1].share != first.verdict.checks[1].share


@pytest.mark.usefixtures("afresh")
def test_each_call_has_arguments_of_its_own(launcher, tmp_path):
    """An answer may work in its arguments: the next call gets what its check says, in a script as call by call."""
    asking = """
        import numpy as np
        from grader import check, close

        X = np.arange(3.0)

        @check(points=1)
        def doubles_over_and_over(student):
            \"\"\"Twice the same is twice the same, however often it is asked.\"\"\"
            for _ in range(2):
                close(student.double(X, [X]), 2 * X)
    """
    double = "def double(x, parts):\n    parts[0] *= 2\n    x *= 2\n    return x\n"
    course, work = tmp_path / "course", tmp_path / "ada"
    work.mkdir()
    put(course / "problems" / "halves" / "statement.md", "# Halves\n")
    put(course / "problems" / "halves" / "visible.py", asking)
    solved = "    # BEGIN SOLUTION\n    return 2 * x\n    # END SOLUTION\n"
    put(course / "reference" / "halves.py", f"def double(x, parts):\n{solved}")
    files = courses.find(course).problem("halves")
    read = problems.load(files)
    assert written(read, read.checks[0]) is not None
    verdict = examined(files, double, launcher, work).verdict
    assert [check.status for check in verdict.checks] == [Status.PASSED]


@pytest.mark.usefixtures("afresh")
def test_two_checks_that_ask_the_same_are_judged_each_by_itself(launcher, tmp_path):
    """What one check has made of answers says nothing about another, of this problem or of its next edition."""
    asking = '''
        from grader import check, close

        @check(points=1)
        def gives_a_half(student):
            """Half of four is given."""
            student.half(4.0)

        @check(points=1)
        def gives_the_right_half(student):
            """Half of four is two."""
            close(student.half(4.0), 2.0)
    '''
    course, work = tmp_path / "course", tmp_path / "ada"
    work.mkdir()
    put(course / "problems" / "halves" / "statement.md", "# Halves\n")
    put(course / "problems" / "halves" / "visible.py", asking)
    put(course / "reference" / "halves.py", REFERENCE)
    assert statuses(course, launcher, work) == [Status.PASSED, Status.FAILED]
    put(course / "problems" / "halves" / "visible.py", asking.replace("2.0)", "4.0 / 3)"))
    put(course / "reference" / "halves.py", REFERENCE.replace("x / 2", "x / 3"))
    assert statuses(course, launcher, work) == [Status.PASSED, Status.PASSED]


def statuses(course, launcher, work):
    """Return how an answer with a known mistake does in a course."""
    read = courses.find(course).problem("halves")
    return [check.status for check in examined(read, ANSWERS["a known mistake"], launcher, work).verdict.checks]


@pytest.mark.usefixtures("afresh")
def test_what_was_drawn_counts_even_where_no_question_holds_it(launcher, tmp_path):
    """A check may ask the same for other examples and allow another miss; nothing is taken over from another run."""
    hidden = '''
        from hypothesis import strategies as st
        from grader import check, close

        @check(points=1, given={"growth": st.sampled_from([1, 1000])}, examples=1)
        def halves_four(student, growth):
            """Half of four is two."""
            close(student.half(4.0), 2.0, growth=growth)
    '''
    course, work = tmp_path / "course", tmp_path / "ada"
    put(course / "problems" / "halves" / "statement.md", "# Halves\n")
    put(course / "problems" / "halves" / "visible.py", VISIBLE)
    put(course / "problems" / "halves" / "hidden.py", hidden)
    put(course / "reference" / "halves.py", REFERENCE)
    put(work / "halves.py", altered("return x / 2", "return x / 2 * 1.0001"))
    read = courses.find(course).problem("halves")
    own = settled(problems.load(read), 1)
    for growth, status in ((1000, Status.PASSED), (1, Status.FAILED)):
        given = own | {"halves_four": (wire.encode({"growth": growth}),)}
        run = RunSettings(seed=5, examples=given, layers=launcher.layers)
        verdict = examine(read, submissions.load(work, slugs=("halves",)), run, launcher).verdict
        assert verdict.checks[-1].status is status


@pytest.mark.usefixtures("afresh")
def test_what_is_remembered_of_one_run_says_nothing_in_another(files, launcher, tmp_path):
    """Other examples are other questions, so nothing is taken over."""
    examined(files, RIGHT, launcher, tmp_path)
    before = len(sitting._JUDGED._kept)
    assert examined(files, ANSWERS["a known mistake"], launcher, tmp_path, seed=6).verdict.status is Status.FAILED
    assert len(sitting._JUDGED._kept) > before


def test_sameness_is_to_the_last_bit():
    """What is equal to Python and not the same to a function is told apart."""
    for one, other in ((0.0, -0.0), (1, 1.0), (1, True), (np.float32(1), np.float64(1)), (np.ones(2), np.ones((2, 1)))):
        assert script.same(one, one)
        assert not script.same(one, other)
    assert script.same([math.nan, {"a": (1,)}], [math.nan, {"a": (1,)}])
    assert not script.same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not script.same(object(), object())
