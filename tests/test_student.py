"""Student and reference answer the same calls with the same numbers, and nothing one does reaches the other."""

import random
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import Candidate, Fake, a_check, fault, run

from grader.errors import AuthoringError, StudentFault
from grader.isolation.inside.wire import Handle
from grader.student import Log, Proxy, has_handle, mapped, rounded, target_name
from grader.trusted import Trusted, trusted
from grader.verdict import Status

TAKES = {"f": True, "g": False, "Net": False, "Net.__init__": False, "Net.forward": True, "Net.size": False}
BOX = """
    class Box:
        def __init__(self, size):
            self.size = size

        def __call__(self, x):
            return self.size * x

        def grow(self, by=1):
            self.size += by
            return self

        def both(self):
            return [self, (self.size, {"me": self})]

    def weigh(box):
        return box.size

    def add(x, box, *, twice=False):
        return x + box.size * (2 if twice else 1)
    """
BOX_PROBES = """
    def size_of(box):
        return box.size
    """


def proxy(answers, dtype="float64", takes_tensors=None, log=None):
    return Proxy(answers, log or Log(), dtype=dtype, takes_tensors=takes_tensors or {})


def trusting(text, dtype="float64", **options):
    return proxy(Candidate(text, options.pop("probes", "")), dtype, **options)


class TestRounding:
    """Floats are rounded once to the run's dtype; the student gets these values, the reference the same in float64."""

    @pytest.mark.parametrize("dtype", ["float64", "float32"])
    def test_numbers_and_arrays_are_rounded_and_nothing_else_is(self, dtype):
        near = float(np.dtype(dtype).type(0.1))
        sent = (0.1, [0.1, (0.1,)], {"x": 0.1}, np.array([0.1]), np.float64(0.1), 0.1 + 0.1j)
        fake = Fake(f=None)
        proxy(fake, dtype).f(*sent, k=0.1)
        ((_, args, kwargs, _),) = fake.calls
        assert args[:3] == (near, [near, (near,)], {"x": near})
        assert (args[3].dtype, args[3].tolist()) == (np.dtype(dtype), [near])
        assert (type(args[4]), args[4]) == (float, near)
        assert (args[5], kwargs) == (complex(near, near), {"k": near})

    @pytest.mark.parametrize(
        "value", [None, True, 10**300, "0.1", Fraction(1, 10), [1, "a"], {1: (2,)}, np.int64(3), np.bool_(1)]
    )
    def test_what_is_no_float_arrives_as_it_is(self, value):
        fake = Fake(f=None)
        proxy(fake, "float32").f(value)
        assert fake.calls[0][1] == (value,)

    def test_integer_and_boolean_arrays_keep_their_dtype(self):
        fake = Fake(f=None)
        proxy(fake, "float32").f(np.arange(3, dtype=np.uint8), np.array([True]))
        assert [array.dtype for array in fake.calls[0][1]] == [np.uint8, np.bool_]

    def test_student_and_reference_see_the_same_float32_value_and_the_reference_sees_it_in_float64(self):
        fake = Fake(f=None)
        proxy(fake, "float32").f(np.array([0.1]), 0.1)
        seen = proxy(Trusted("def f(x, y): return [str(x.dtype), x, y]", "r.py"), "float32").f(np.array([0.1]), 0.1)
        array, number = fake.calls[0][1]
        assert array.dtype == np.float32
        assert (seen[0], seen[1].tolist(), seen[2]) == ("float64", array.astype(float).tolist(), number)

    def test_a_number_beyond_float32_becomes_infinite_in_silence(self):
        assert rounded([1e300, np.array([-1e300]), 1e300j], "float32")[0] == np.inf

    @given(st.floats(allow_nan=False, width=32) | st.integers() | st.text())
    def test_rounding_twice_changes_nothing(self, value):
        assert rounded(rounded(value, "float32"), "float32") == rounded(value, "float32") == value


class TestArguments:
    def test_a_tensor_is_sent_as_its_numbers(self):
        torch = pytest.importorskip("torch", reason="torch is not installed")
        fake = Fake(f=None)
        proxy(fake).f(torch.ones(2, requires_grad=True))
        assert type(fake.calls[0][1][0]) is np.ndarray

    def test_what_is_no_plain_value_cannot_be_sent(self):
        with pytest.raises(TypeError, match="plain values only; got object"):
            proxy(Fake(f=None)).f(object())

    def test_what_one_answer_does_to_its_input_changes_nobody_elses(self):
        spoiling = "def f(x, n, l, d):\n    x[:] = 0; n[:] = 0; l.append(1); d['a'].clear()\n    return None\n"
        given = (np.ones(2), np.arange(2), [[1.0]], {"a": [1]})
        log = Log()
        for answers in (Candidate(spoiling), Trusted(spoiling, "r.py")):
            proxy(answers, log=log).f(*given)
        assert [value.tolist() for value in given[:2]] == [[1, 1], [0, 1]]
        assert given[2:] == ([[1.0]], {"a": [1]})
        first, second = log.calls
        assert str(first.args) == str(second.args) == str(given)

    def test_read_only_examples_can_be_changed_by_who_answers(self):
        array = np.ones(2)
        array.setflags(write=False)
        assert trusting("def f(x):\n    x += 1\n    return x\n").f(array).tolist() == [2, 2]


class TestTensors:
    """Who gets torch tensors is read from the annotations; all others get numpy arrays."""

    @pytest.mark.parametrize(
        ("target", "tensors"),
        [
            (("f",), True),
            (("g",), False),
            (("unknown",), False),
            (("Net",), False),
            ((Handle(1, "Net"), ""), True),
            ((Handle(1, "Net"), "forward"), True),
            ((Handle(1, "Net"), "size"), False),
            ((Handle(1, "Sequential"), ""), True),
            ((Handle(1, "Net"), "inherited"), True),
            (("probe", "shapes"), True),
            (("probe", "g"), True),
        ],
    )
    def test_each_kind_of_call(self, target, tensors):
        assert proxy(Fake(), takes_tensors=TAKES)._tensors(target) is tensors

    def test_where_nothing_takes_tensors_probes_and_unknown_objects_do_not_either(self):
        plain = proxy(Fake(), takes_tensors={"Net": False, "Net.forward": False})
        assert not plain._tensors(("probe", "shapes"))
        assert not plain._tensors((Handle(1, "Other"), ""))

    def test_an_object_that_is_called_itself_takes_what_its_call_method_takes(self):
        student = proxy(Fake(), takes_tensors={"Net": False, "Net.__init__": False, "Net.__call__": True})
        assert student._tensors((Handle(1, "Net"), ""))

    @pytest.mark.torch
    def test_arrays_become_tensors_where_wanted_and_come_back_as_arrays(self):
        text = "import torch\ndef f(x):\n    return [type(x).__name__, x.dtype == torch.float64, 2 * x]\n"
        kind, wide, doubled = proxy(Trusted(text, "r.py"), "float32", {"f": True}).f(np.ones(2))
        assert (kind, wide) == ("Tensor", True)
        assert type(doubled) is np.ndarray

    @pytest.mark.torch
    def test_the_reference_computes_in_float64_from_its_first_call_on_and_torch_is_left_as_it_was(self):
        import torch

        text = "import torch\nW = torch.ones(1)\ndef f(n):\n    return [str(W.dtype), str(torch.zeros(1).dtype)]\n"
        before = torch.get_default_dtype(), torch.get_num_threads()
        answers = [proxy(Trusted(text, "r.py")).f(n) for n in (1, 2)]
        assert answers == [["torch.float64", "torch.float64"]] * 2
        assert (torch.get_default_dtype(), torch.get_num_threads()) == before

    @pytest.mark.torch
    def test_torch_is_left_as_it_was_when_the_reference_raises(self):
        import torch

        with pytest.raises(ZeroDivisionError):
            proxy(Trusted("import torch\ndef f(n): return 1 / n\n", "r.py"), takes_tensors={"f": True}).f(0)
        assert torch.get_default_dtype() == torch.float32


class TestObjects:
    """What cannot be sent stays with who made it; the check holds it by a handle and may call it."""

    def test_an_object_is_called_and_so_are_its_methods(self):
        student = trusting(BOX)
        box = student.Box(3)
        assert (box(5), box.kind, repr(box)) == (15, "Box", "<Box, kept by whoever made it>")
        assert box.grow(by=2)(1) == 5
        assert box(1) == 5

    def test_objects_go_back_as_arguments_in_any_place(self):
        student = trusting(BOX)
        box = student.Box(3)
        assert (student.weigh(box), student.add(1, box), student.add(1, box=box, twice=True)) == (3, 4, 7)

    def test_objects_come_back_inside_containers(self):
        first, (size, named) = trusting(BOX).Box(3).both()
        assert (first(1), size, named["me"](2)) == (3, 3, 6)

    def test_what_a_class_of_the_text_makes_is_an_object_even_if_it_could_be_sent(self):
        text = """
            from dataclasses import dataclass
            @dataclass
            class Point:
                x: int
                def double(self):
                    return Point(2 * self.x)
                def get(self):
                    return self.x
            def origin():
                return Point(0)
            """
        student = trusting(text)
        assert student.Point(4).get() == 4
        assert student.origin() == {"x": 0}

    def test_an_object_has_no_attributes_but_what_can_be_called(self):
        box = trusting(BOX).Box(3)
        with pytest.raises(AttributeError):
            box.__array__  # noqa: B018 - reading it is the test
        with pytest.raises(TypeError):
            len(box)
        with pytest.raises(TypeError):
            float(box)

    def test_objects_end_with_their_example(self):
        answers = Candidate(BOX)
        box = proxy(answers).Box(3)
        answers.forget()
        with pytest.raises(StudentFault):
            box(1)

    def test_an_object_of_one_is_never_taken_for_an_object_of_the_other(self):
        student, reference = trusting(BOX), proxy(Trusted("".join(BOX.replace("\n    ", "\n")), "r.py"))
        reference.Box(100)
        with pytest.raises(TypeError, match="belongs to"):
            reference.weigh(student.Box(3))

    def test_an_object_that_should_have_been_a_number_is_the_students_doing(self):
        check = a_check("close(reference.g(student.f(1.0)), 2.0)", hidden=True)
        reference = Trusted("def f(x): return x\ndef g(x): return 2 * x\n", "r.py")
        assert run(check, Fake(f=Handle(1, "Box")), reference).status is Status.UNUSABLE


class TestProbes:
    def test_a_probe_measures_the_object_it_is_given(self):
        student = trusting(BOX, probes=BOX_PROBES)
        assert student.probe.size_of(student.Box(7)) == 7

    def test_probes_and_functions_have_names_of_their_own(self):
        student = trusting("def f(): return 'function'\n", probes="def f(): return 'probe'\n")
        assert (student.f(), student.probe.f()) == ("function", "probe")

    def test_probes_that_do_not_run_are_told_every_time(self):
        answers = Trusted("def f(): return 1\n", "r.py", "import nothing_of_that_name\n")
        for _ in range(2):
            with pytest.raises(AuthoringError, match="probes"):
                proxy(answers).probe.g()


class TestTheLog:
    def test_calls_are_kept_in_order_by_example(self):
        log = Log()
        student = trusting(BOX, log=log)
        student.weigh(student.Box(3))
        log.begin()
        student.Box(4).grow()
        assert [[call.name for call in example] for example in log.examples] == [["Box", "weigh"], ["Box", "Box.grow"]]
        assert [call.value for call in log.calls if call.name == "weigh"] == [3]

    def test_what_a_check_does_to_an_answer_changes_neither_the_log_nor_the_next_answer(self):
        log = Log()
        reference = proxy(Trusted("def f(): return {'a': [1, 2]}\n", "r.py"), log=log)
        reference.f()["a"].clear()
        assert reference.f() == {"a": [1, 2]}
        assert [call.value for call in log.calls] == [{"a": [1, 2]}] * 2

    def test_a_fault_is_kept_even_if_the_check_swallows_it(self):
        check = a_check("""
            try:
                student.f(1)
            except Exception:
                pass
            """)
        first, second = fault(ValueError), fault(KeyError)
        outcome = run(check, Fake(f=first))
        assert (outcome.status, outcome.fault) == (Status.CRASHED, first)
        log = Log()
        student = proxy(Fake(f=first, g=second), log=log)
        for function in (student.f, student.g):
            with pytest.raises(StudentFault):
                function()
        assert log.fault is first

    def test_names_read_as_a_check_wrote_them(self):
        assert target_name((Handle(3, "Net"), "")) == "Net"
        assert target_name((Handle(3, "Net"), "forward")) == "Net.forward"
        assert target_name(("probe", "f")) == "probe.f"
        assert proxy(Fake()).f.__name__ == "f"

    def test_a_proxy_has_no_special_attributes_of_its_own(self):
        with pytest.raises(AttributeError):
            proxy(Fake()).__wrapped__  # noqa: B018 - reading it is the test


class TestTrusted:
    COUNTING = "count = []\ndef f(x, y=0):\n    count.append(x)\n    return len(count)\n"

    def test_equal_calls_are_answered_once(self):
        reference = proxy(Trusted(self.COUNTING, "r.py"))
        array = np.array([1.0, 2.0])
        assert reference.f(array) == reference.f(array.copy()) == 1

    @pytest.mark.parametrize(
        ("one", "other"),
        [(1, 1.0), (1, True), (0.0, -0.0), ([1], (1,)), ("1", 1), (np.ones(1), np.ones((1, 1))), (np.ones(1), [1.0])],
    )
    def test_what_differs_in_kind_or_shape_is_another_call(self, one, other):
        reference = proxy(Trusted(self.COUNTING, "r.py"))
        assert (reference.f(one), reference.f(other)) == (1, 2)

    def test_a_named_argument_is_another_call(self):
        reference = proxy(Trusted(self.COUNTING, "r.py"))
        assert (reference.f(1, 2), reference.f(1, y=2)) == (1, 2)

    def test_calls_on_objects_are_not_remembered(self):
        box = proxy(Trusted("".join(BOX.replace("\n    ", "\n")), "r.py")).Box(1)
        box.grow()
        assert (box(1), box.grow()(1), box(1)) == (2, 3, 3)

    def test_what_it_remembers_has_a_bound(self, monkeypatch):
        monkeypatch.setattr("grader.trusted.REMEMBERED", 2)
        answers = Trusted(self.COUNTING, "r.py")
        for n in range(5):
            proxy(answers).f(n)
        assert len(answers._memory) == 2
        assert proxy(answers).f(0) == 1

    def test_large_answers_are_not_hoarded(self, monkeypatch):
        monkeypatch.setattr("grader.trusted.REMEMBERED_BYTES", 10_000)
        text = (
            "import numpy as np\ncount = []\ndef f(n):\n    count.append(n)\n    return [len(count), np.zeros(500)]\n"
        )
        reference = proxy(Trusted(text, "r.py"))
        assert [reference.f(n)[0] for n in (1, 2, 3, 1, 2, 3)] == [1, 2, 3, 1, 2, 4]

    def test_random_numbers_are_the_same_in_every_call_whatever_ran_before(self):
        text = "import random\nimport numpy as np\ndef f(n): return [random.random(), np.random.random()]\n"
        reference = proxy(Trusted(text, "r.py"))
        first = reference.f(1)
        random.seed(5)
        np.random.seed(5)  # noqa: NPY002 - the state that must not matter
        assert reference.f(2) == first

    def test_random_numbers_at_import_are_the_same_in_every_process(self):
        text = "import random\nW = random.random()\ndef f(): return W\n"
        random.seed(1)
        first = proxy(Trusted(text, "r.py")).f()
        random.seed(2)
        assert proxy(Trusted(text, "r.py")).f() == first

    def test_a_function_that_the_reference_lacks_is_named(self):
        with pytest.raises(NameError, match=r"reference/tiny\.py has no g"):
            proxy(Trusted("def f(): ...\n", "reference/tiny.py")).g()

    def test_a_text_is_run_when_it_is_first_asked_and_stays_out_of_the_loaded_modules(self):
        answers = Trusted("raise SystemError('it ran')\n", "reference/tiny.py")
        before = set(sys.modules)
        with pytest.raises(AuthoringError, match="it ran"):
            proxy(answers).f()
        assert set(sys.modules) == before

    def test_one_text_is_one_answerer_a_process(self):
        assert trusted("x = 1", "r.py") is trusted("x = 1", "r.py")
        assert trusted("x = 1", "r.py") is not trusted("x = 1", "r.py", "probes")

    def test_what_it_raises_comes_through(self):
        with pytest.raises(ZeroDivisionError):
            proxy(Trusted("def f(): return 1 / 0\n", "r.py")).f()


leaves = st.none() | st.booleans() | st.integers() | st.text() | st.just(Handle(1, "Box"))
nested = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner))


@given(nested)
def test_mapping_the_identity_gives_an_equal_value_with_containers_of_its_own(value):
    copy = mapped(value, lambda leaf: leaf)
    assert copy == value
    assert copy is not value or not isinstance(value, (list, dict)) or not value


@given(nested)
def test_a_handle_is_found_wherever_it_is(value):
    assert has_handle(value) == ("Handle(" in repr(value).replace("'", "") and "Box" in repr(value))
