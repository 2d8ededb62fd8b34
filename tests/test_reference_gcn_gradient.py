"""The reference of gcn_gradient agrees with autograd, differences, fractions, plain loops and the text's numbers."""

import importlib.util
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from grader import course, problem
from grader.trusted import trusted

torch = pytest.importorskip("torch", reason="the problem is in torch")

ROOT = Path(__file__).parents[1]
PAW = torch.tensor([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]], dtype=torch.float64)
PAW_X = torch.tensor([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=torch.float64)
PAW_LABELS = torch.tensor([0, 0, 1, 1])
EYE = torch.eye(2, dtype=torch.float64)


def _load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gcn = _load(ROOT / "reference" / "gcn_gradient.py")
visible = _load(ROOT / "problems" / "gcn_gradient" / "visible.py")


@pytest.fixture(scope="module")
def wrong():
    """The known mistakes by name, each answering calls as a student's file would."""
    found = problem.load(course.find(ROOT).problem("gcn_gradient")).wrong
    return {variant.name: trusted(variant.text, variant.name) for variant in found}


@pytest.fixture
def instance():
    """A graph of two components and an isolated node, four features, three classes."""
    generator = torch.Generator().manual_seed(20)
    adjacency = torch.zeros(8, 8, dtype=torch.float64)
    for a, b in ((0, 3), (0, 5), (3, 5), (5, 6), (1, 4), (4, 7)):
        adjacency[a, b] = adjacency[b, a] = 1
    x, w = (torch.randn(shape, generator=generator, dtype=torch.float64) for shape in ((8, 4), (4, 3)))
    return adjacency, x, torch.tensor([0, 2, 1, 1, 0, 2, 0, 0]), w


def answer(wrong, name, function, *args, **kwargs):
    plain = [arg.numpy() if isinstance(arg, torch.Tensor) else arg for arg in args]
    return wrong[name].call((function,), tuple(plain), kwargs, tensors=True)


def paw_loss(wrong, name):
    """The losses of the paw before and after one step, with a mistake in one function."""
    return answer(wrong, name, "descend", PAW, PAW_X, PAW_LABELS, EYE, eta=1.0, steps=1)[1]


def printed(values):
    return [f"{float(value):.6f}" for value in values]


def loss_by_loops(adjacency, x, labels, w):
    """The loss from the graph itself, in plain Python."""
    rows, features, weights = adjacency.tolist(), x.tolist(), w.tolist()
    d = [1 + sum(row) for row in rows]
    total = 0.0
    for node, label in enumerate(labels.tolist()):
        around = [node, *(other for other, edge in enumerate(rows[node]) if edge)]
        average = [
            math.fsum(features[j][k] / math.sqrt(d[node] * d[j]) for j in around) for k in range(len(features[0]))
        ]
        z = [math.fsum(a * row[k] for a, row in zip(average, weights, strict=True)) for k in range(len(weights[0]))]
        total += math.log(math.fsum(map(math.exp, z))) - z[label]
    return total / len(rows)


def slopes_by_differences(adjacency, x, labels, w, eps=1e-5):
    slopes = torch.zeros_like(w)
    for place in np.ndindex(*w.shape):
        move = torch.zeros_like(w)
        move[place] = eps
        up, down = (loss_by_loops(adjacency, x, labels, w + sign * move) for sign in (1, -1))
        slopes[place] = (up - down) / (2 * eps)
    return slopes


def test_the_table_of_averaged_features_that_the_text_lost_is_rebuilt():
    averaged = gcn.averaged_features(gcn.normalised_adjacency(PAW), PAW_X, 1)
    exact = [[2 / 3, 12**-0.5], [2 / 3, 12**-0.5], [2 / 12**0.5, 1 / 4 + 8**-0.5], [0, 1 / 2 + 8**-0.5]]
    torch.testing.assert_close(averaged, torch.tensor(exact, dtype=torch.float64), rtol=1e-15, atol=1e-15)
    assert printed(averaged[2]) == ["0.577350", "0.603553"]


def test_every_printed_number_of_the_text_is_reproduced():
    a_hat = gcn.normalised_adjacency(PAW)
    z = gcn.logits(a_hat, PAW_X, EYE)
    own = gcn.own_class(gcn.probabilities(z), PAW_LABELS)
    assert printed(own) == ["0.593389", "0.593389", "0.506550", "0.701312"]
    assert printed([gcn.loss(z, PAW_LABELS)]) == ["0.519686"]
    slopes = gcn.gradient(a_hat, PAW_X, PAW_LABELS, EYE)
    assert printed(slopes[0]) == ["-0.064314", "0.064314"]
    assert printed(slopes[1]) == ["0.079503", "-0.079503"]
    _, losses = gcn.descend(PAW, PAW_X, PAW_LABELS, EYE, eta=1.0, steps=1)
    assert printed(losses) == ["0.519686", "0.499356"]


def test_the_degrees_of_the_text_are_those_with_self_loops():
    assert (1 / torch.diagonal(gcn.normalised_adjacency(PAW))).round().tolist() == [3, 3, 4, 2]


def test_the_first_step_strengthens_the_links_that_the_text_names():
    w, _ = gcn.descend(PAW, PAW_X, PAW_LABELS, EYE, eta=1.0, steps=1)
    assert ((w - EYE).sign() == torch.tensor([[1, -1], [-1, 1]])).all()


def test_node_3_gets_what_the_text_says_from_its_neighbours_and_from_itself_with_node_4():
    a_hat = gcn.normalised_adjacency(PAW)
    own, others = gcn.own_and_neighbours(a_hat, PAW_X)
    assert printed([others[2, 0], own[2, 1] + a_hat[2, 3]]) == ["0.577350", "0.603553"]
    assert own[2].tolist() == [0, 0.25]


def test_the_row_sums_that_the_statement_prints_are_right():
    sums = gcn.normalised_adjacency(PAW).sum(dim=1)
    assert [f"{float(v):.4f}" for v in sums] == ["0.9553", "0.9553", "1.1809", "0.8536"]


def test_squares_of_the_normalised_adjacency_are_the_exact_fractions(instance):
    adjacency = instance[0]
    d = [1 + int(row.sum()) for row in adjacency]
    for i, row in enumerate(gcn.normalised_adjacency(adjacency).tolist()):
        for j, entry in enumerate(row):
            exact = Fraction(int(adjacency[i, j]) + (i == j), d[i] * d[j])
            assert entry**2 == pytest.approx(float(exact), rel=1e-14)


def test_loss_is_that_of_plain_loops_and_of_the_library(instance):
    adjacency, x, labels, w = instance
    z = gcn.logits(gcn.normalised_adjacency(adjacency), x, w)
    assert float(gcn.loss(z, labels)) == pytest.approx(loss_by_loops(*instance), rel=1e-13)
    library = torch.nn.functional.cross_entropy(z, labels)
    torch.testing.assert_close(gcn.loss(z, labels), library, rtol=1e-13, atol=0)


def test_gradient_is_that_of_autograd_and_of_central_differences(instance):
    adjacency, x, labels, w = instance
    a_hat, leaf = gcn.normalised_adjacency(adjacency), w.clone().requires_grad_()
    torch.nn.functional.cross_entropy(a_hat @ x @ leaf, labels).backward()
    slopes = gcn.gradient(a_hat, x, labels, w)
    torch.testing.assert_close(slopes, leaf.grad, rtol=1e-12, atol=1e-14)
    torch.testing.assert_close(slopes, slopes_by_differences(*instance), rtol=1e-7, atol=1e-9)


def test_rows_of_the_gradient_add_up_to_zero_and_columns_do_not(instance):
    adjacency, x, labels, w = instance
    slopes = gcn.gradient(gcn.normalised_adjacency(adjacency), x, labels, w)
    assert slopes.sum(dim=1).abs().max() < 1e-15
    assert slopes.sum(dim=0).abs().max() > 1e-3


def test_a_small_step_lowers_the_loss_by_the_square_of_the_gradient(instance):
    adjacency, x, labels, w = instance
    slopes = gcn.gradient(gcn.normalised_adjacency(adjacency), x, labels, w)
    end, losses = gcn.descend(*instance, eta=1e-5, steps=1)
    assert float(losses[0] - losses[1]) == pytest.approx(1e-5 * float((slopes**2).sum()), rel=1e-3)
    torch.testing.assert_close(w - end, 1e-5 * slopes)


def test_descent_is_that_of_the_library(instance):
    adjacency, x, labels, w = instance
    averaged, leaf = gcn.normalised_adjacency(adjacency) @ x, w.clone().requires_grad_()
    optimiser, losses = torch.optim.SGD([leaf], lr=0.8), []
    for _ in range(5):
        optimiser.zero_grad()
        losses.append(torch.nn.functional.cross_entropy(averaged @ leaf, labels))
        losses[-1].backward()
        optimiser.step()
    end, ours = gcn.descend(*instance, eta=0.8, steps=5)
    torch.testing.assert_close(end, leaf.detach(), rtol=1e-12, atol=1e-12)
    assert [float(v) for v in ours[:-1]] == pytest.approx([float(v.detach()) for v in losses], rel=1e-12)
    assert len(ours) == 6


def test_probabilities_and_loss_survive_large_logits():
    z = torch.tensor([[1000.0, 999.0], [-1000.0, -999.0], [500.0, -500.0]], dtype=torch.float64)
    torch.testing.assert_close(gcn.probabilities(z), torch.softmax(z, dim=1), rtol=1e-14, atol=0)
    wanted = [math.log1p(math.exp(-1)), math.log1p(math.exp(1)), 1000.0]
    assert float(gcn.loss(z, torch.tensor([0, 0, 1]))) == pytest.approx(sum(wanted) / 3, rel=1e-14)


def test_nodes_in_another_order_give_the_same_weights_and_losses(instance):
    adjacency, x, labels, w = instance
    order = torch.tensor([5, 2, 7, 0, 1, 6, 3, 4])
    end, losses = gcn.descend(adjacency[order][:, order], x[order], labels[order], w, eta=0.5, steps=3)
    torch.testing.assert_close((end, losses), gcn.descend(*instance, eta=0.5, steps=3), rtol=1e-13, atol=1e-13)


def test_nodes_with_the_same_neighbourhood_cannot_be_told_apart_by_the_convolution_but_by_the_sum():
    x = torch.tensor([[3.0, -1.0], [-2.0, 5.0], [0.5, 0.5], [1.0, 0.0]], dtype=torch.float64)
    convolved = gcn.logits(gcn.normalised_adjacency(PAW), x, EYE)
    summed = gcn.sum_layer(PAW, x, 2 * EYE, EYE)
    torch.testing.assert_close(convolved[0], convolved[1], rtol=1e-14, atol=0)
    assert (summed[0] - summed[1]).abs().min() > 1


def test_the_sum_layer_is_the_message_formula_node_by_node(instance):
    adjacency, x, _, w = instance
    w_self = torch.arange(12, dtype=torch.float64).reshape(4, 3)
    z = gcn.sum_layer(adjacency, x, w_self, w)
    for node, row in enumerate(z):
        others = sum(x[j] @ w for j in torch.nonzero(adjacency[node])[:, 0])
        torch.testing.assert_close(row, x[node] @ w_self + others)


@pytest.mark.parametrize(("node", "label", "p"), [(2, 1, 0.9), (2, 0, 0.9), (0, 0, 0.2), (3, 1, 0.5)])
def test_the_sum_layer_with_the_own_weight_gives_the_probability_asked_for(node, label, p):
    c = gcn.self_weight(PAW, PAW_X, node, label, p)
    assert float(gcn.probabilities(gcn.sum_layer(PAW, PAW_X, c * EYE, EYE))[node, label]) == pytest.approx(p, rel=1e-14)


def test_node_3_is_a_coin_at_equal_weights_and_keeps_its_evidence_above():
    assert float(gcn.self_weight(PAW, PAW_X, 2, 1, 0.5)) == 1
    assert gcn.probabilities(gcn.sum_layer(PAW, PAW_X, 3 * EYE, EYE))[2, 1] > 0.88


def test_the_limit_is_where_four_thousand_rounds_lead(instance):
    adjacency, x, _, _ = instance
    a_hat = gcn.normalised_adjacency(adjacency)
    limit = gcn.smoothing_limit(adjacency, x)
    torch.testing.assert_close(torch.linalg.matrix_power(a_hat, 4096) @ x, limit, rtol=1e-11, atol=1e-11)
    torch.testing.assert_close(a_hat @ limit, limit, rtol=1e-14, atol=1e-14)
    torch.testing.assert_close(limit[2], x[2], rtol=1e-15, atol=0)  # the isolated node


def test_smoothing_turns_node_3_to_its_neighbours_class():
    a_hat = gcn.normalised_adjacency(PAW)
    once, limit = gcn.averaged_features(a_hat, PAW_X, 1), gcn.smoothing_limit(PAW, PAW_X)
    assert once[2, 0] < once[2, 1]
    assert (limit[:, 0] > limit[:, 1]).all()


def test_a_path_longer_than_two_has_one_limit():
    path = torch.diag(torch.ones(8, dtype=torch.float64), 1)
    path = path + path.T
    v = torch.sqrt(path.sum(dim=1) + 1)[:, None]
    x = torch.arange(9, dtype=torch.float64)[:, None]
    torch.testing.assert_close(gcn.smoothing_limit(path, x), v * (v.T @ x) / (v.T @ v), rtol=1e-14, atol=1e-14)


def test_inputs_are_left_as_they_were_and_float32_stays_float32(instance):
    adjacency, x, labels, w = (part.float() if part.is_floating_point() else part for part in instance)
    copies = [part.clone() for part in (adjacency, x, labels, w)]
    end, losses = gcn.descend(adjacency, x, labels, w, eta=0.5, steps=2)
    results = [end, *losses, *gcn.own_and_neighbours(adjacency, x), gcn.smoothing_limit(adjacency, x)]
    assert {result.dtype for result in results} == {torch.float32}
    assert all(torch.equal(part, copy) for part, copy in zip((adjacency, x, labels, w), copies, strict=True))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.gpu
def test_a_gpu_gives_the_same_numbers(instance):
    on_gpu = [part.cuda() for part in instance]
    end, _ = gcn.descend(*on_gpu, eta=0.5, steps=3)
    torch.testing.assert_close(end.cpu(), gcn.descend(*instance, eta=0.5, steps=3)[0], rtol=1e-12, atol=1e-12)
    limit = gcn.smoothing_limit(*on_gpu[:2])
    torch.testing.assert_close(limit.cpu(), gcn.smoothing_limit(*instance[:2]), rtol=1e-12, atol=1e-12)


def test_the_visible_instance_agrees_with_plain_loops():
    adjacency, x, w = (torch.tensor(value) for value in (visible.SIX, visible.SIX_X, visible.SIX_W))
    labels = torch.tensor(visible.SIX_LABELS)
    assert loss_by_loops(adjacency, x, labels, w) == pytest.approx(1.132989140083101, rel=1e-14)
    slopes = [[0.13506145, -0.13506145], [0.51829884, -0.51829884], [-0.06503176, 0.06503176]]
    wanted = torch.tensor(slopes, dtype=torch.float64)
    torch.testing.assert_close(slopes_by_differences(adjacency, x, labels, w), wanted, rtol=0, atol=1e-8)


def test_the_two_graphs_that_students_see_are_proper_graphs():
    for adjacency in (visible.PAW, visible.SIX):
        assert (adjacency == adjacency.T).all()
        assert not adjacency.diagonal().any()
    assert visible.SIX.sum() == 8


def test_the_known_mistakes_give_the_numbers_that_are_noted_for_them(wrong):
    assert printed(paw_loss(wrong, "divided_by_row")) == ["0.521755", "0.503358"]
    assert printed(paw_loss(wrong, "degrees_before_the_loops")) == ["0.428935", "0.396722"]
    assert printed(paw_loss(wrong, "of_the_sum"))[1] == "0.444900"
    assert printed(paw_loss(wrong, "back_without_the_graph"))[1] == "0.466364"
    assert printed(paw_loss(wrong, "transposed"))[1] == "0.499569"
    assert printed(paw_loss(wrong, "softmax_before_the_softmax"))[0] == "0.601702"


@pytest.mark.parametrize(
    "name", ["mean_over_the_classes", "features_for_labels", "labels_for_features", "from_the_identity"]
)
def test_on_the_paw_alone_these_mistakes_do_not_show(wrong, name):
    assert printed(paw_loss(wrong, name)) == ["0.519686", "0.499356"]


@pytest.mark.parametrize("name", ["without_the_weights", "weights_transposed"])
def test_while_the_weights_are_the_identity_these_mistakes_do_not_show(wrong, name):
    before, after = printed(paw_loss(wrong, name))
    assert before == "0.519686"
    assert after != "0.499356"


def test_labels_counted_from_one_are_out_of_bounds_for_the_library():
    with pytest.raises(IndexError, match="Target 2 is out of bounds"):
        torch.nn.functional.cross_entropy(PAW_X, PAW_LABELS + 1)


def test_the_picture_is_what_its_script_draws():
    script = _load(ROOT / "docs" / "pictures" / "make_gcn_gradient.py")
    picture = ROOT / "problems" / "gcn_gradient" / "paw.svg"
    assert picture.read_text(encoding="utf-8") == script.picture()
    assert {(a - 1, b - 1) for a, b in script.EDGES} == {tuple(edge) for edge in PAW.triu().nonzero().tolist()}
