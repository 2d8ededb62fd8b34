"""Problems, checks and candidates of a few lines, made in memory; nothing here starts a process."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from grader import examples, problem
from grader.blame import Bench
from grader.course import ProblemFiles
from grader.errors import StudentFault
from grader.isolation.inside.wire import Handle
from grader.student import Log, target_name
from grader.trusted import Trusted, trusted
from grader.verdict import Status

if TYPE_CHECKING:
    from grader.outcome import Outcome

VISIBLE = """
    from grader import check, close

    @check(points=1)
    def doubles_two(student):
        \"\"\"Twice two is four.\"\"\"
        close(student.double(2.0), 4.0)
    """
REFERENCE = """
    def double(x: float) -> float:
        # BEGIN SOLUTION
        return 2 * x
        # END SOLUTION
    """


def files(**texts: str) -> ProblemFiles:
    """Return a problem's files: a sound problem ``tiny``, with the given texts in place of its own."""
    whole = {"slug": "tiny", "statement": "# Tiny\n", "visible": VISIBLE, "reference": REFERENCE} | texts
    return ProblemFiles(**{name: dedent(text).lstrip("\n") for name, text in whole.items()})


def load(**texts: str) -> problem.Problem:
    """Return a read problem; see ``files``."""
    return problem.load(files(**texts))


def a_check(body: str, *, given: str = "None", name: str = "holds", hidden: bool = False, **options: Any) -> Any:
    """Return one read check whose body is given; it may use what a problem's file usually imports."""
    arguments = ["student", *(["reference"] if hidden else []), *options.pop("takes", ())]
    extra = "".join(f", {option}={value!r}" for option, value in options.items())
    text = (
        f"import numpy as np\nfrom hypothesis import strategies as st\nfrom grader import *\n\n"
        f"@check(given={given}{extra})\ndef {name}({', '.join(arguments)}):\n    '''A promise.'''\n"
        + "".join(f"    {line}\n" for line in dedent(body).strip().splitlines())
    )
    side = {"hidden": text} if hidden else {"visible": text}
    return load(**side).check(name)


class Fake:
    """Answers by name: with a value, with what a function returns, or by raising an exception."""

    def __init__(self, **answers: Any) -> None:
        self._answers = answers
        self.calls: list[tuple[Any, ...]] = []
        self.forgotten = 0

    def call(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, tensors: bool) -> Any:
        self.calls.append((target, args, kwargs, tensors))
        answer = self._answers[target_name(target).replace(".", "_")]
        if isinstance(answer, Exception):
            raise answer
        return answer(*args, **kwargs) if callable(answer) else answer

    def forget(self) -> None:
        self.forgotten += 1


class Candidate:
    """Answers from a text as a student's child does, in this process: what it raises becomes a fault."""

    def __init__(self, text: str, probes: str = "") -> None:
        self._trusted = Trusted(dedent(text), "student.py", dedent(probes))
        self.forget = self._trusted.forget

    def call(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, tensors: bool) -> Any:
        try:
            return self._trusted.call(target, args, kwargs, tensors=tensors)
        except Exception as error:
            raise fault(type(error)) from error


def fault(kind: type[BaseException] = ValueError, text: str = "", status: Status | None = None) -> StudentFault:
    """Return the fault that a student's exception becomes."""
    absent = issubclass(kind, NotImplementedError)
    return StudentFault(
        status or (Status.NOT_ATTEMPTED if absent else Status.CRASHED),
        f"{kind.__name__} in tiny.py, line 1",
        exception=tuple(cls.__name__ for cls in kind.__mro__),
        text=text,
    )


def bench(read: problem.Problem, dtype: str = "float64") -> Bench:
    """Return the bench of a problem that has a reference."""
    return Bench(trusted(read.reference, "reference/tiny.py", read.probes), dtype, read.takes_tensors)


def run(check: Any, student: Any, reference: Any = None, **example: Any) -> Outcome:
    """Run one check on one example; the reference may be anything that answers."""
    return Bench(reference, "float64", {}).run(check, example, student, Log())


def judged(read: problem.Problem, student: Any, *, seed: int = 0) -> tuple[dict[str, Outcome], dict[str, Log]]:
    """Judge a candidate on every check of a problem, as a judge does; return outcomes and logs by check."""
    outcomes, logs = {}, {check.name: Log() for check in read.checks}
    for check in read.checks:
        for stored in examples.draw(check, seed):
            outcomes[check.name] = bench(read).run(check, examples.decode(stored), student, logs[check.name])
            if outcomes[check.name].status is not Status.PASSED:
                break
    return outcomes, logs


# Every value that can come from a child, for Hypothesis
numbers = (
    st.integers(-(10**300) + 1, 10**300 - 1)
    | st.floats()
    | st.complex_numbers()
    | st.fractions().filter(lambda q: max(abs(q.numerator), q.denominator) < 10**300)
)
texts = st.text(st.characters(codec=None, categories=None))
dtypes = st.sampled_from(["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"])
shapes = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3)
tables = st.tuples(dtypes, shapes).flatmap(lambda both: arrays.arrays(np.dtype(both[0]), both[1]))
leaves = st.none() | st.booleans() | numbers | texts | tables | st.builds(Handle, st.integers(0, 9), texts)
keys = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False)


def several(inner):
    return st.lists(inner, max_size=4)


values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple) | st.dictionaries(keys, inner, max_size=3)
    ),
    max_leaves=8,
)
