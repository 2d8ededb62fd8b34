"""What a `Worker` promises for answers in torch."""

from __future__ import annotations

import numpy as np
import pytest
from carrying import same
from children import call, fault, source, workers

from grader.isolation.profile import Profile
from grader.verdict import Status

pytestmark = pytest.mark.torch

ANSWERS = """
    import torch

    def kinds(x, y):
        return type(x).__name__, str(x.dtype), type(y).__name__, x.requires_grad

    def default():
        return str(torch.get_default_dtype()), torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()

    def ones():
        return torch.ones(2, 3)

    def narrow():
        return torch.ones(2, dtype=torch.bfloat16)

    def gradient():
        x = torch.ones(2, requires_grad=True)
        return (x * 2).requires_grad

    def draw():
        return torch.randn(3)

    def warn():
        import warnings
        warnings.warn("thing_cuda does not have a deterministic implementation, but you set something")

    def greedy():
        return torch.ones(10**13)

    class Net(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.layer = torch.nn.Linear(width, 1)

        def forward(self, x):
            return self.layer(x)
"""


@pytest.fixture(scope="module")
def shared():
    with workers() as start:
        yield start(source(ANSWERS), Profile(torch=True, autograd=False))


@pytest.fixture
def worker(shared):
    """A worker at the start of a check; a child that another test ended has been replaced."""
    shared.begin(20)
    return shared


def test_arrays_become_tensors_where_they_are_wanted(worker):
    assert call(worker, "kinds", np.ones(2), 1.0, tensors=True) == ("Tensor", "torch.float64", "float", False)
    assert call(worker, "kinds", np.ones(2, dtype=np.int32), [np.ones(1)], tensors=True)[1] == "torch.int32"
    assert fault(worker, "kinds", np.ones(2), 1.0).exception[0] == "AttributeError"


def test_tensors_come_back_as_arrays(worker):
    assert same(call(worker, "ones"), np.ones((2, 3)))
    assert fault(worker, "narrow").summary == "`narrow` returned numbers narrower than float32"


def test_conditions_are_set(worker):
    assert call(worker, "default") == ("torch.float64", 1, True)
    assert call(worker, "gradient") is False


def test_draws_repeat_with_the_example(worker):
    first = call(worker, "draw")
    assert not same(call(worker, "draw"), first)
    worker.forget()
    assert same(call(worker, "draw"), first)


def test_a_module_is_an_object(worker):
    net = call(worker, "Net", 4)
    assert net.kind == "Net"
    assert call(worker, (net, ""), np.ones((2, 4)), tensors=True).shape == (2, 1)
    assert call(worker, (net, "forward"), np.ones((2, 4)), tensors=True).shape == (2, 1)
    found = fault(worker, (net, ""), np.ones((2, 5)), tensors=True)
    assert found.summary == "`Net()(...)` raised RuntimeError at xor.py:36"


def test_memory_that_torch_cannot_have_is_out_of_memory(worker):
    assert fault(worker, "greedy").status is Status.OUT_OF_MEMORY


def test_inexact_operations_are_noted_without_the_childs_words(worker):
    call(worker, "warn")
    call(worker, "warn")
    assert worker.notes == ("torch used an operation without a deterministic form; numbers may vary between runs",)
