from math import inf, log

import numpy as np

from grader import check, close, equal, settings

limits = settings(seconds=5, source="Where the chapters meet, problem 2")

STARTS = np.array([-1.5, 0.25, 1.0])


@check(points=0.5)
def factors_at_sight(student):
    """The factors of one step are right at the text's numbers, at z = log 3 and z = -log 3, and below zero."""
    for z, factor in ((0.0, 0.25), (log(3), 0.1875), (-log(3), 0.1875)):
        close(student.step_factor("sigmoid", z), factor)
    for w in (0.9, -1.3):
        close(student.step_factor("recurrence", w), w)
    for f in (0.95, 0.4):
        close(student.step_factor("carry", f), f)
    for a, factor in ((0.05, 1.05), (-0.05, 0.95), (-2.25, -1.25)):
        close(student.step_factor("residual", a), factor)
    equal(student.step_factor("residual", -1.0), 0)


@check(points=0.5)
def products_at_sight(student):
    """After 20 and 100 steps all four derivatives are right, and so are a negative and an exactly zero one."""
    for chain, p, after_20, after_100 in (
        ("sigmoid", 0.0, 9.094947017729282e-13, 6.223015277861142e-61),
        ("recurrence", 0.9, 0.12157665459056929, 2.6561398887587477e-05),
        ("carry", 0.95, 0.35848592240854224, 0.005920529220334026),
        ("residual", 0.05, 2.653297705144420, 131.50125784630346),
        ("residual", -0.05, 0.35848592240854224, 0.005920529220334026),
    ):
        close(student.derivative(chain, p, 20), after_20, growth=20)
        close(student.derivative(chain, p, 100), after_100, growth=100)
    close(student.derivative("recurrence", -0.5, 3), -0.125)
    equal(student.derivative("residual", -1.0, 1), 0)
    equal(student.derivative("residual", -1.0, 20), 0)


@check(points=0.5)
def limits_at_sight(student):
    """The words are right at the text's numbers, at factors 1 and -1, and at a large negative factor."""
    equal(student.limit("sigmoid", 0.0), "0")
    for w, word in ((0.9, "0"), (1.0, "1"), (-1.0, "none"), (-1.5, "diverges")):
        equal(student.limit("recurrence", w), word)
    for f, word in ((0.95, "0"), (1.0, "1")):
        equal(student.limit("carry", f), word)
    for a, word in ((0.05, "diverges"), (-0.05, "0"), (-1.0, "0"), (0.0, "1")):
        equal(student.limit("residual", a), word)


@check(points=0.5)
def parameters_at_sight(student):
    """It is right what brings each factor to 1, if anything does, and what brings it to other values."""
    equal(student.parameter_for("sigmoid", 1.0), None)
    close(student.parameter_for("sigmoid", 0.25), 0.0, scale=1)
    close(student.parameter_for("sigmoid", 0.1875), 1.0986122886681098)
    for w in (1.0, -0.7):
        close(student.parameter_for("recurrence", w), w)
    close(student.parameter_for("carry", 1.0), 1.0)
    equal(student.parameter_for("carry", 1.2), None)
    close(student.parameter_for("residual", 1.0), 0.0, scale=1)
    close(student.parameter_for("residual", 0.4), -0.6)


@check(points=0.5)
def steps_at_sight(student):
    """It is right after how many steps half of the derivative is left, or a tenth, or a thousandth."""
    equal(student.steps_until("sigmoid", 0.0, 0.001), 5)
    equal(student.steps_until("recurrence", 0.9, 0.5), 7)
    equal(student.steps_until("carry", 0.95, 0.5), 14)
    equal(student.steps_until("residual", 0.05, 0.5), None)
    equal(student.steps_until("residual", -1.0, 0.001), 1)
    equal(student.steps_until("recurrence", -0.6, 0.1), 5)


@check(points=0.5)
def logarithms_at_sight(student):
    """Sign and log10 are right for a hundred and a thousand factors of 1/4, for four unequal ones and for a zero."""
    close(student.signed_log10(np.full(100, 0.25)), (1, -60.20599913279624), growth=4)
    close(student.signed_log10(np.full(1000, 0.25)), (1, -602.0599913279624), growth=4)
    close(student.signed_log10(np.array([-0.5, 0.2, -4.0, -0.01])), (-1, -2.397940008672038), growth=4)
    close(student.signed_log10(np.array([-0.5, 0.0, 3.0])), (0, -inf), scale=1)


@check(points=0.5)
def chains_at_sight(student):
    """Twenty steps at rest give the powers, and a few steps from three other starts the right ends and derivatives."""
    for chain, p, after_20 in (
        ("sigmoid", 0.0, 9.094947017729282e-13),
        ("recurrence", 0.9, 0.12157665459056929),
        ("carry", 0.95, 0.35848592240854224),
        ("residual", 0.05, 2.653297705144420),
    ):
        ends, slopes = _pair(student.through_chain(np.zeros(1), chain, p, 20))
        close(ends, np.zeros(1), scale=1)
        close(slopes, np.array([after_20]), growth=20)
    for chain, p, steps, ends, slopes in (
        ("sigmoid", 0.5, 3, [0.47443172, 0.49664123, 0.50589466], [0.0089635507, 0.0138311227, 0.0104779072]),
        ("recurrence", -1.25, 4, [-0.74956923, 0.48465456, 0.73639051], [0.0117285083, 1.2110080979, 0.0517141852]),
        ("carry", 0.75, 5, [-0.35595703, 0.05932617, 0.23730469], [0.2373046875] * 3),
        ("residual", 0.5, 3, [-2.92518595, 0.80098843, 2.29584891], [1.1497420815, 2.9027362718, 1.4121625356]),
        ("residual", -0.5, 4, [-0.19234847, 0.01605591, 0.09015082], [0.2742097987, 0.0676606914, 0.1472337276]),
    ):
        got = _pair(student.through_chain(STARTS, chain, p, steps))
        close(got[0], np.array(ends), growth=4)
        close(got[1], np.array(slopes), growth=4)


@check(points=0.5)
def plain_sigmoids_at_sight(student):
    """The sigmoid stack that nothing recentres has the right end and derivative, from 0 and from other starts."""
    ends, slopes = _pair(student.through_chain(np.zeros(1), "plain", 0.0, 20))
    close(ends, np.array([0.6590460684073407]))
    close(slopes, np.array([1.271777667227907e-13]), growth=20)
    ends, slopes = _pair(student.through_chain(STARTS, "plain", 0.0, 3))
    close(ends, np.array([0.63308636, 0.65406503, 0.66263023]), growth=4)
    close(slopes, np.array([0.0085895719, 0.0128782203, 0.0096415845]), growth=4)


@check(points=0.5)
def long_chains_at_sight(student):
    """Sign and log10 are right after 200 steps of the sigmoid stack and 201 of a recurrence with a negative weight."""
    starts = np.append(STARTS, 0.0)
    for chain, p, steps, sign, sizes in (
        ("sigmoid", -4.0, 200, 1.0, [-349.592026841280, -349.213949537856, -349.240730500079, -349.233343950052]),
        ("recurrence", -0.01, 201, -1.0, [-402.000097722365, -402.000002714609, -402.000043433067, -402.0]),
    ):
        signs, logarithms = _pair(student.long_chain(starts, chain, p, steps))
        close(signs, np.full(4, sign))
        close(logarithms, np.array(sizes), growth=8)


def _pair(answer):
    first, second = answer.values() if isinstance(answer, dict) else answer  # a named tuple comes as a dict
    return first, second
