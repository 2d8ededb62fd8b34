"""Right answers of another make, and known mistakes with the question that leads out of them."""

import math

import numpy as np
import torch

from grader import right, wrong

# Right answers: counts


@right(replaces="layer_parameters")
def by_counting_tensors(architecture, width, kernel):
    taps = kernel if architecture == "convolution" else 2
    return sum(np.zeros(shape, dtype=np.int8).size for shape in [(width, width)] * taps + [(width,)])


@right(replaces="receptive_field")
def in_closed_form(layers, kernel, base):
    reach = layers if base == 1 else (base**layers - 1) // (base - 1)
    return 1 + (kernel - 1) * reach


@right(replaces="reached")
def by_powers_of_matrices(architecture, length, layers, kernel, base):
    flow = np.eye(length, dtype=bool)
    for layer in range(layers):
        step = np.eye(length, dtype=bool)
        if architecture == "recurrence":
            step = np.tri(length, dtype=bool)
        elif architecture == "messages":
            step = step | np.eye(length, k=1, dtype=bool) | np.eye(length, k=-1, dtype=bool)
        else:
            for tap in range(kernel):
                step = step | np.eye(length, k=-tap * base**layer, dtype=bool)
        flow = (step.astype(int) @ flow.astype(int)) > 0
    return flow[-1]


@right(replaces="reached")
def by_asking_the_derivative(architecture, length, layers, kernel, base):
    x = torch.ones(length, requires_grad=True)
    h = x * 1
    for layer in range(layers):
        if architecture == "recurrence":
            h = torch.cumsum(h, 0)
        elif architecture == "messages":
            h = h + torch.cat([h[1:], h.new_zeros(1)]) + torch.cat([h.new_zeros(1), h[:-1]])
        else:
            far = [tap * base**layer for tap in range(kernel)]
            h = sum(torch.cat([h.new_zeros(min(back, length)), h[: max(length - back, 0)]]) for back in far)
        h = h / h.max().detach()
    h[-1].backward()
    return (x.grad != 0).tolist()


@right(replaces="layers_needed")
def by_asking_who_is_reached(architecture, length, kernel, base):
    layers = 1
    while architecture == "convolution" and not reached(architecture, length, layers, kernel, base)[0]:
        layers += 1
    return {"recurrence": 1, "convolution": layers, "messages": len(range(1, length))}[architecture]


@right(replaces="total_parameters")
def layer_after_layer(architecture, length, width, kernel, base):
    layers = range(layers_needed(architecture, length, kernel, base))
    return np.sum([layer_parameters(architecture, width, kernel) for _ in layers])


@right(replaces="stages")
def by_the_longest_wait(architecture, length, kernel, base):
    ready = 0.0
    for _ in range(length if architecture == "recurrence" else layers_needed(architecture, length, kernel, base)):
        ready = max(ready, ready + 1)
    return ready


# Right answers: modules


@right(replaces="Recurrence")
class OwnCell(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.u, self.w = (torch.nn.Parameter(torch.randn(width, width) / width) for _ in range(2))
        self.b = torch.nn.Parameter(torch.zeros(width))

    def forward(self, x):
        h, rows = 0 * self.b, []
        for t in range(len(x)):
            h = torch.tanh(x[t] @ self.u + self.w @ h + self.b)
            rows.append(h[None])
        return torch.cat(rows)


@right(replaces="Recurrence")
class LibraryWithOneBiasHeldAtZero(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.rnn = torch.nn.RNN(width, width)
        self.rnn.bias_hh_l0.requires_grad_(False).zero_()

    def forward(self, x):
        return self.rnn(x)[0]


@right(replaces="Recurrence")
class LibraryFedWithOnes(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.rnn = torch.nn.RNN(width + 1, width, bias=False, batch_first=True)

    def forward(self, x):
        states, _ = self.rnn(torch.cat([x, torch.ones_like(x[:, :1])], dim=1)[None])
        return states[0]


@right(replaces="DilatedStack")
class PaddedOnBothSidesAndCut(torch.nn.Module):
    def __init__(self, width, layers, kernel, base):
        super().__init__()
        far = [(kernel - 1) * base**layer for layer in range(layers)]
        steps = [base**layer for layer in range(layers)]
        self.convs = torch.nn.Sequential(
            *(
                torch.nn.Conv1d(width, width, kernel, padding=pad, dilation=step)
                for pad, step in zip(far, steps, strict=True)
            )
        )
        for conv in self.convs:
            torch.nn.init.zeros_(conv.weight)

    def forward(self, x):
        h = x.T[None]
        for conv in self.convs:
            h = conv(h)[:, :, : len(x)].tanh()
        return h[0].T


@right(replaces="DilatedStack")
class TapsByHand(torch.nn.Module):
    def __init__(self, width, layers, kernel, base):
        super().__init__()
        self.dilations = [base**layer for layer in range(layers)]
        self.taps = torch.nn.Parameter(torch.randn(layers, kernel, width, width))
        self.biases = torch.nn.Parameter(torch.zeros(layers, width))

    def forward(self, x):
        for dilation, taps, bias in zip(self.dilations, self.taps, self.biases, strict=True):
            rows = []
            for t in range(len(x)):
                z = bias
                for j, tap in enumerate(taps):
                    if t - j * dilation >= 0:
                        z = z + x[t - j * dilation] @ tap
                rows.append(torch.tanh(z))
            x = torch.stack(rows)
        return x


@right(replaces="MessagePassing")
class NeighboursByShifting(torch.nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.w0 = torch.nn.Parameter(torch.zeros(layers, width, width))
        self.w1 = torch.nn.Parameter(torch.zeros(layers, width, width))
        self.b = torch.nn.Parameter(torch.zeros(layers, 1, width))

    def forward(self, x):
        for w0, w1, b in zip(self.w0, self.w1, self.b, strict=True):
            wide = torch.nn.functional.pad(x, (0, 0, 1, 1))
            x = torch.tanh(x @ w0 + (wide[:-2] + wide[2:]) @ w1 + b)
        return x


@right(replaces="MessagePassing")
class NodeByNodeInPlace(torch.nn.Module):
    def __init__(self, width, layers):
        super().__init__()
        self.depth = layers
        for layer in range(layers):
            self.add_module(f"self{layer}", torch.nn.Linear(width, width, bias=False))
            self.add_module(f"edge{layer}", torch.nn.Linear(width, width, bias=False))
            self.register_parameter(f"bias{layer}", torch.nn.Parameter(torch.ones(width)))

    def forward(self, x):
        for layer in range(self.depth):
            z = getattr(self, f"self{layer}")(x) + getattr(self, f"bias{layer}")
            sent = getattr(self, f"edge{layer}")(x)
            z[1:] += sent[:-1]
            z[:-1] += sent[1:]
            x = z.tanh()
        return x


# Known mistakes: counts


@wrong(
    replaces="layer_parameters",
    caught_by="parameters_at_sight",
    hint="Count the biases in the formula of the layer. The library's recurrent layer keeps one more than that.",
)
def two_biases_as_in_the_library(architecture, width, kernel):
    matrices = kernel if architecture == "convolution" else 2
    biases = 2 if architecture == "recurrence" else 1
    return matrices * width**2 + biases * width


@wrong(
    replaces="layer_parameters",
    caught_by="parameters_at_sight",
    hint="Graph layers are often printed without a bias. Does the one in the statement have one?",
)
def messages_without_a_bias(architecture, width, kernel):
    matrices = kernel if architecture == "convolution" else 2
    return matrices * width**2 + (0 if architecture == "messages" else width)


@wrong(
    replaces="layer_parameters",
    caught_by="parameters_of_any_layer",
    hint="How many taps does the convolution have here, and does each of them have a matrix of its own?",
)
def two_taps_always(architecture, width, kernel):  # noqa: ARG001 - the mistake: neither counts
    return 2 * width**2 + width


@wrong(
    replaces="layer_parameters",
    caught_by="parameters_of_any_layer",
    hint="Which of the three architectures has taps? With kernel 2 you could not tell.",
)
def taps_in_every_architecture(architecture, width, kernel):  # noqa: ARG001 - the mistake: it does not count
    return kernel * width**2 + width


@wrong(
    replaces="receptive_field",
    caught_by="fields_at_sight",
    hint="Try a single layer with kernel 2: which inputs does an output see? Is its own position among them?",
)
def without_the_current_position(layers, kernel, base):
    return (kernel - 1) * sum(base**layer for layer in range(layers))


@wrong(
    replaces="receptive_field",
    caught_by="any_receptive_field",
    hint="Draw one layer with kernel 2. How many steps back is it from the newest tap to the oldest?",
)
def taps_in_place_of_gaps(layers, kernel, base):
    return 1 + kernel * sum(base**layer for layer in range(layers))


@wrong(
    replaces="receptive_field",
    caught_by="any_receptive_field",
    hint="What is the dilation of the very first layer?",
)
def first_dilation_is_the_base(layers, kernel, base):
    return 1 + (kernel - 1) * sum(base ** (layer + 1) for layer in range(layers))


@wrong(
    replaces="reached",
    caught_by="reached_anywhere",
    hint="Within the stretch, does every input lie on some way through the taps? Try kernel 2 with dilations 1 and 3.",
)
def holes_filled(architecture, length, layers, kernel, base):
    far = {
        "recurrence": length if layers else 0,
        "convolution": (kernel - 1) * sum(base**layer for layer in range(layers)),
        "messages": layers,
    }[architecture]
    return [length - position <= far for position in range(1, length + 1)]


@wrong(
    replaces="reached",
    caught_by="reach_at_sight",
    hint="Which entry of your list stands for the first input, and which one for the last?",
)
def nearest_input_first(architecture, length, layers, kernel, base):
    distances = {0}
    for layer in range(layers):
        taps = [tap * base**layer for tap in range(kernel)]
        hops = {"recurrence": range(length), "convolution": taps, "messages": [0, 1]}[architecture]
        distances = {distance + hop for distance in distances for hop in hops if distance + hop < length}
    return [distance in distances for distance in range(length)]


@wrong(
    replaces="layers_needed",
    caught_by="layers_and_totals_at_sight",
    hint="On a path of three nodes, how many edges lie between the first and the last?",
)
def a_hop_for_every_node(architecture, length, kernel, base):
    if architecture == "messages":
        return length
    layers = 1
    while architecture == "convolution" and receptive_field(layers, kernel, base) < length:
        layers += 1
    return layers


@wrong(
    replaces="layers_needed",
    caught_by="layers_at_the_edge",
    hint="Is a logarithm of floats exact where the length is a power? Try 125 positions with kernel and base 5.",
)
def by_a_floating_logarithm(architecture, length, kernel, base):
    if architecture != "convolution":
        return 1 if architecture == "recurrence" else length - 1
    steps = (length - 1) / (kernel - 1)
    return math.ceil(steps) if base == 1 else math.ceil(math.log(1 + steps * (base - 1), base))


@wrong(
    replaces="layers_needed",
    caught_by="layers_at_the_edge",
    hint="By how much does the second layer extend the field, by how much the third? Do all layers add the same?",
)
def dilation_forgotten(architecture, length, kernel, base):  # noqa: ARG001 - the mistake: it does not count
    if architecture == "recurrence":
        return 1
    return math.ceil((length - 1) / (kernel - 1)) if architecture == "convolution" else length - 1


@wrong(
    replaces="total_parameters",
    caught_by="layers_and_totals_at_sight",
    hint="Does the recurrence learn new matrices at every step, or does it use the same ones again?",
)
def weights_for_every_step(architecture, length, width, kernel, base):
    layers = length if architecture == "recurrence" else layers_needed(architecture, length, kernel, base)
    return layers * layer_parameters(architecture, width, kernel)


@wrong(
    replaces="total_parameters",
    caught_by="totals_anywhere",
    hint="Sharing over positions is not sharing over layers. Do two layers of a graph network have the same weights?",
)
def one_layer_for_every_hop(architecture, length, width, kernel, base):
    layers = layers_needed(architecture, length, kernel, base) if architecture == "convolution" else 1
    return layers * layer_parameters(architecture, width, kernel)


@wrong(
    replaces="stages",
    caught_by="stages_at_sight",
    hint="Is the first state free, or is the cell evaluated for it as well?",
)
def transitions_between_states(architecture, length, kernel, base):
    return length - 1 if architecture == "recurrence" else layers_needed(architecture, length, kernel, base)


@wrong(
    replaces="stages",
    caught_by="stages_anywhere",
    hint="Being causal says what an output may look at. Must it wait for outputs of its own layer?",
)
def the_stack_runs_position_by_position(architecture, length, kernel, base):  # noqa: ARG001 - the mistake: neither counts
    return length - 1 if architecture == "messages" else length


@wrong(
    replaces="stages",
    caught_by="stages_anywhere",
    hint="What must be known before the recurrence can compute the state of a position?",
)
def a_layer_is_a_stage(architecture, length, kernel, base):
    return layers_needed(architecture, length, kernel, base)


# Known mistakes: modules


@wrong(
    replaces="Recurrence",
    caught_by="recurrence_anywhere",
    hint="How many bias vectors does this layer keep, and how many are in the formula?",
)
class LibraryAsItComes(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.rnn = torch.nn.RNN(width, width)

    def forward(self, x):
        return self.rnn(x)[0]


@wrong(
    replaces="Recurrence.forward",
    caught_by="states_depend_on_all_before",
    hint="The values are right. Can a derivative pass from one state to the one before?",
)
def state_cut_off_from_its_past(self, x):
    states = [torch.zeros_like(x[0])]
    for row in x:
        states.append(torch.tanh(self.from_input(row) + self.from_state(states[-1].detach())))
    return torch.stack(states[1:])


@wrong(
    replaces="Recurrence.forward",
    caught_by="recurrence_at_sight",
    hint="Row t of the result is the state after input t. Which state do you write down, and when?",
)
def state_before_the_input(self, x):
    states = [torch.zeros_like(x[0])]
    for row in x[:-1]:
        states.append(torch.tanh(self.from_input(row) + self.from_state(states[-1])))
    return torch.stack(states)


@wrong(
    replaces="Recurrence.forward",
    caught_by="states_depend_on_all_before",
    hint="From which state does a second call start, and from which should it?",
)
def state_kept_for_the_next_call(self, x):
    state = getattr(self, "kept", torch.zeros_like(x[0]))
    states = []
    for row in x:
        state = torch.tanh(self.from_input(row) + self.from_state(state))
        states.append(state)
    self.kept = state.detach()
    return torch.stack(states)


@wrong(
    replaces="Recurrence.forward",
    caught_by="states_depend_on_all_before",
    hint="Where does the state of the position before enter?",
)
def nothing_carried(self, x):
    return torch.tanh(self.from_input(x))


@wrong(
    replaces="DilatedStack.forward",
    caught_by="stack_is_causal",
    hint="On which side of the sequence do the zeros go, if an output may look at nothing after itself?",
)
def zeros_on_both_sides(self, x):
    h = x.T
    for convolution, past in zip(self.convolutions, self.pasts, strict=True):
        h = torch.tanh(convolution(torch.nn.functional.pad(h, (past // 2, past - past // 2))))
    return h.T


@wrong(
    replaces="DilatedStack.forward",
    caught_by="stack_anywhere",
    hint="What stands before the first position of a hidden layer: zeros, or what zeros before the input turn into?",
)
def zeros_before_the_input_alone(self, x):
    h = torch.nn.functional.pad(x.T, (sum(self.pasts), 0))
    for convolution in self.convolutions:
        h = torch.tanh(convolution(h))
    return h.T


@wrong(
    replaces="DilatedStack.forward",
    caught_by="stack_at_sight",
    hint="Is there a tanh after every layer, the last one included?",
)
def last_layer_without_tanh(self, x):
    h = x.T
    for layer, (convolution, past) in enumerate(zip(self.convolutions, self.pasts, strict=True), start=1):
        z = convolution(torch.nn.functional.pad(h, (past, 0)))
        h = z if layer == len(self.convolutions) else torch.tanh(z)
    return h.T


@wrong(
    replaces="DilatedStack.__init__",
    caught_by="stack_at_sight",
    hint="How far apart are the taps of the second layer?",
)
def dilation_one_in_every_layer(self, width, layers, kernel, base):  # noqa: ARG001 - the mistake: it does not count
    super(type(self), self).__init__()
    self.convolutions = torch.nn.ModuleList(torch.nn.Conv1d(width, width, kernel) for _ in range(layers))
    self.pasts = [kernel - 1] * layers


@wrong(
    replaces="MessagePassing.forward",
    caught_by="messages_go_a_hop_a_layer",
    hint="Is there an edge between the last node and the first? What does your shift do at the two ends?",
)
def ends_joined_to_a_ring(self, x):
    for own, others in zip(self.own, self.others, strict=True):
        sent = others(x)
        x = torch.tanh(own(x) + sent.roll(1, 0) + sent.roll(-1, 0))
    return x


@wrong(
    replaces="MessagePassing.__init__",
    caught_by="messages_anywhere",
    hint="Has every layer weights of its own, or is it one layer that is used again and again?",
)
def one_layer_used_again(self, width, layers):
    super(type(self), self).__init__()
    self.own = torch.nn.ModuleList([torch.nn.Linear(width, width)] * layers)
    self.others = torch.nn.ModuleList([torch.nn.Linear(width, width, bias=False)] * layers)


@wrong(
    replaces="MessagePassing.__init__",
    caught_by="messages_at_sight",
    hint="Does a layer of messages have a bias here? Look at the formula in the statement.",
)
def no_bias_anywhere(self, width, layers):
    super(type(self), self).__init__()
    self.own = torch.nn.ModuleList(torch.nn.Linear(width, width, bias=False) for _ in range(layers))
    self.others = torch.nn.ModuleList(torch.nn.Linear(width, width, bias=False) for _ in range(layers))


@wrong(
    replaces="MessagePassing.__init__",
    caught_by="messages_anywhere",
    hint="How often does the bias enter at a node with two neighbours, and how often at an end?",
)
def a_bias_in_every_message(self, width, layers):
    super(type(self), self).__init__()
    self.own = torch.nn.ModuleList(torch.nn.Linear(width, width, bias=False) for _ in range(layers))
    self.others = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(layers))


@wrong(
    replaces="MessagePassing.forward",
    caught_by="messages_at_sight",
    hint="Are the neighbours added up or averaged?",
)
def neighbours_averaged(self, x):
    for own, others in zip(self.own, self.others, strict=True):
        edges = torch.diag(x.new_ones(len(x) - 1), 1)
        adjacency = edges + edges.T
        x = torch.tanh(own(x) + adjacency @ others(x) / adjacency.sum(dim=1, keepdim=True))
    return x


@wrong(
    replaces="MessagePassing.forward",
    caught_by="messages_go_a_hop_a_layer",
    hint="An edge has no direction. To whom does a node send, and from whom does it hear?",
)
def messages_only_forwards(self, x):
    for own, others in zip(self.own, self.others, strict=True):
        sent = torch.nn.functional.pad(others(x)[:-1], (0, 0, 1, 0))
        x = torch.tanh(own(x) + sent)
    return x


@wrong(
    replaces="MessagePassing.forward",
    caught_by="reversing_the_path",
    hint="Does the node before enter through the same matrix as the node after?",
)
def node_before_through_the_own_matrix(self, x):
    for own, others in zip(self.own, self.others, strict=True):
        wide = torch.nn.functional.pad(x, (0, 0, 1, 1))
        x = torch.tanh(own(x + wide[:-2]) + others(wide[2:]))
    return x
