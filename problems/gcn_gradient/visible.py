from math import sqrt

import numpy as np

from grader import check, close, settings

limits = settings(seconds=5, autograd=False, source="Where the chapters meet, problem 7")

# The paw: nodes 1 to 4 are the rows 0 to 3, the text's classes 1 and 2 are 0 and 1.
PAW = np.array([[0.0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
PAW_HAT = np.array(
    [
        [1 / 3, 1 / 3, 1 / sqrt(12), 0],
        [1 / 3, 1 / 3, 1 / sqrt(12), 0],
        [1 / sqrt(12), 1 / sqrt(12), 1 / 4, 1 / sqrt(8)],
        [0, 0, 1 / sqrt(8), 1 / 2],
    ]
)
PAW_X = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
PAW_LABELS = np.array([0, 0, 1, 1])
EYE = np.array([[1.0, 0], [0, 1]])
PAW_Z = PAW_AVERAGED = [
    [0.6666666666666666, 0.2886751345948129],
    [0.6666666666666666, 0.2886751345948129],
    [0.5773502691896258, 0.6035533905932737],
    [0.0, 0.8535533905932737],
]
PAW_OWN = [0.5933885937047106, 0.5933885937047106, 0.5065504055608799, 0.7013120155941960]
PAW_P = np.array([[p, 1 - p] for p in PAW_OWN[:2]] + [[1 - p, p] for p in PAW_OWN[2:]])
PAW_GRADIENT = [[-0.0643138213865287, 0.0643138213865287], [0.0795030281873735, -0.0795030281873735]]

# Six nodes with the edges 0-2, 1-5, 2-3 and 2-5: node 4 has none. Features that have nothing to do with the labels.
SIX = np.zeros((6, 6))
SIX[[0, 1, 2, 2], [2, 5, 3, 5]] = SIX[[2, 5, 3, 5], [0, 1, 2, 2]] = 1
SIX_HAT = np.diag([1 / 2, 1 / 2, 1 / 4, 1 / 2, 1, 1 / 3])
for i, j, product in ((0, 2, 8), (1, 5, 6), (2, 3, 8), (2, 5, 12)):
    SIX_HAT[i, j] = SIX_HAT[j, i] = 1 / sqrt(product)
SIX_X = np.array([[1, -0.5, 2], [0, 1.5, -1], [-1, 0.5, 1], [2, 1, 0], [0.5, -2, 1], [1.5, 0, -0.5]])
SIX_LABELS = np.array([1, 0, 1, 1, 0, 1])
SIX_W = np.array([[0.5, -1], [1, 0.25], [-0.75, 1.5]])
SIX_Z = np.array(
    [
        [-1.0151650429449552, 1.8655776503073433],
        [1.5842793267718460, -1.4810586535436920],
        [0.3140362217158014, 0.0509251209858302],
        [0.7348349570550448, 0.0530776503073435],
        [-2.5, 0.5],
        [1.0770523025975822, -0.4515070984604620],
    ]
)
SIX_P = np.array(
    [
        [0.0531137719502235, 0.9468862280497765],
        [0.9554401110583746, 0.0445598889416255],
        [0.5654009148978608, 0.4345990851021392],
        [0.6641307971395993, 0.3358692028604007],
        [0.0474258731775668, 0.9525741268224333],
        [0.8217954396125516, 0.1782045603874484],
    ]
)


@check(points=0.5)
def normalising_at_sight(student):
    """The normalised adjacency is right for the paw and for six nodes, one of which has no edge."""
    close(student.normalised_adjacency(PAW), PAW_HAT)
    close(student.normalised_adjacency(SIX), SIX_HAT)


@check(points=0.5)
def averaging_at_sight(student):
    """The features are right after one round of averaging on both graphs, and after two rounds on the paw."""
    close(student.averaged_features(PAW_HAT, PAW_X, 1), PAW_AVERAGED)
    twice = [
        [0.6111111111111112, 0.3666809459945443],
        [0.6111111111111112, 0.3666809459945443],
        [0.5292377467571570, 0.6193317096116220],
        [0.2041241452319315, 0.6401650429449552],
    ]
    close(student.averaged_features(PAW_HAT, PAW_X, 2), twice)
    once = [
        [0.1464466094067263, -0.0732233047033631, 1.3535533905932737],
        [0.6123724356957946, 0.75, -0.7041241452319316],
        [1.2436728736720406, 0.3017766952966369, 0.8127692138891410],
        [0.6464466094067263, 0.6767766952966369, 0.3535533905932737],
        [0.5, -2.0, 1.0],
        [0.2113248654051871, 0.7567100029932010, -0.2862398225357168],
    ]
    close(student.averaged_features(SIX_HAT, SIX_X, 1), once)


@check(points=0.5)
def logits_at_sight(student):
    """The logits are right on the paw, where W is the identity, and on six nodes with another W."""
    close(student.logits(PAW_HAT, PAW_X, EYE), PAW_Z)
    close(student.logits(SIX_HAT, SIX_X, SIX_W), SIX_Z)


@check(points=0.5)
def probabilities_at_sight(student):
    """Each node's probabilities are right, and so is that of its own class, for both sets of logits."""
    close(student.probabilities(np.array(PAW_Z)), PAW_P)
    close(student.probabilities(SIX_Z), SIX_P)
    close(student.own_class(PAW_P, PAW_LABELS), PAW_OWN)
    own = [0.9468862280497765, 0.9554401110583746, 0.4345990851021392, 0.3358692028604007]
    close(student.own_class(SIX_P, SIX_LABELS), [*own, 0.0474258731775668, 0.1782045603874484])


@check(points=0.5)
def loss_at_sight(student):
    """The loss is right for the logits of the paw and for those of six nodes."""
    close(student.loss(np.array(PAW_Z), PAW_LABELS), 0.519686354901739)
    close(student.loss(SIX_Z, SIX_LABELS), 1.132989140083101)


@check(points=1)
def gradient_at_sight(student):
    """The gradient is right on the paw and, with three features and two classes, on six nodes."""
    close(student.gradient(PAW_HAT, PAW_X, PAW_LABELS, EYE), PAW_GRADIENT)
    six = [
        [0.1350614523277002, -0.1350614523277002],
        [0.5182988443914391, -0.5182988443914391],
        [-0.0650317559224770, 0.0650317559224770],
    ]
    close(student.gradient(SIX_HAT, SIX_X, SIX_LABELS, SIX_W), six)


@check(points=0.5)
def descent_at_sight(student):
    """One step of size 1 on the paw and two of size 0.5 on six nodes give the right weights and losses."""
    w = [[1.0643138213865287, -0.0643138213865287], [-0.0795030281873735, 1.0795030281873735]]
    paw = student.descend(PAW, PAW_X, PAW_LABELS, EYE, eta=1.0, steps=1)
    close(paw, (w, [0.519686354901739, 0.4993559725648732]))
    w = [
        [0.3767201197409062, -0.8767201197409062],
        [0.5079076617781099, 0.7420923382218901],
        [-0.6878257659014981, 1.4378257659014984],
    ]
    six = student.descend(SIX, SIX_X, SIX_LABELS, SIX_W, eta=0.5, steps=2)
    close(six, (w, [1.132989140083101, 0.8560534225540728, 0.6407801224727662]))


@check(points=0.5)
def own_and_neighbours_at_sight(student):
    """What a node gets from itself and what it gets from its neighbours is right on the paw, node 3 included."""
    own = [[1 / 3, 0], [1 / 3, 0], [0, 1 / 4], [0, 1 / 2]]
    others = [
        [0.3333333333333333, 0.2886751345948129],
        [0.3333333333333333, 0.2886751345948129],
        [0.5773502691896258, 0.3535533905932738],
        [0, 0.3535533905932738],
    ]
    close(student.own_and_neighbours(PAW_HAT, PAW_X), (own, others))


@check(points=0.5)
def sum_layer_at_sight(student):
    """The sum layer is right on the paw with weights 3 I and I, and on six nodes with two other sets of weights."""
    close(student.sum_layer(PAW, PAW_X, 3 * EYE, EYE), [[4, 1], [4, 1], [2, 4], [0, 4]])
    w_self = np.array([[2.0, 0], [-1, 1], [0, 0.5]])
    six = [[1.75, 3.125], [-0.375, -1.25], [-0.875, -1.125], [2.25, 3.625], [3, -1.5], [4.5, 1.25]]
    close(student.sum_layer(SIX, SIX_X, w_self, SIX_W), six)


@check(points=0.5)
def self_weight_at_sight(student):
    """The own weight that gives node 3 of the paw nine tenths for class 2 is right, and so is one on six nodes."""
    close(student.self_weight(PAW, PAW_X, 2, 1, 0.9), 3.197224577336219)
    close(student.self_weight(SIX, SIX_X[:, :2], 5, 0, 0.2), 1.075803759253406, scale=3)


@check(points=0.5)
def smoothing_limit_at_sight(student):
    """The limit of endless averaging is right on the paw, and on six nodes, where one stands alone."""
    paw = [
        [0.5, 0.4927992798267445],
        [0.5, 0.4927992798267445],
        [0.5773502691896258, 0.5690355937288492],
        [0.4082482904638631, 0.4023689270621825],
    ]
    close(student.smoothing_limit(PAW, PAW_X), paw)
    six = [
        [0.5266005761099263, 0.4164779663364203, 0.2772063271811418],
        [0.5266005761099263, 0.4164779663364203, 0.2772063271811418],
        [0.7447256766881430, 0.5889887884225309, 0.3920289474752044],
        [0.5266005761099263, 0.4164779663364203, 0.2772063271811418],
        [0.5, -2.0, 1.0],
        [0.6449513548624886, 0.5100792533181298, 0.3395070275324024],
    ]
    close(student.smoothing_limit(SIX, SIX_X), six, growth=8)
