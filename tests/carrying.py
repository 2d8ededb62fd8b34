"""The values that can cross between the grader and a child, as Hypothesis strategies."""

from __future__ import annotations

import math
import struct

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.isolation.inside import nodes
from grader.isolation.inside.wire import Handle

BOUND = 10**300

integers = st.integers(-BOUND + 1, BOUND - 1)
texts = st.text(st.characters(exclude_categories=()), max_size=20)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    integers,
    st.floats(),
    st.complex_numbers(),
    texts,
    st.fractions(max_denominator=10**30),
    st.builds(Handle, st.integers(0, 2**63), st.text("abcXYZ_", max_size=20)),
)
arrays = st.sampled_from(sorted(nodes.DTYPES)).flatmap(
    lambda code: hnp.arrays(nodes.DTYPES[code], hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
)
keys = st.recursive(
    st.one_of(st.none(), st.booleans(), integers, st.floats(allow_nan=False), texts),
    lambda parts: st.lists(parts, max_size=3).map(tuple),
    max_leaves=4,
)
plain = st.recursive(
    st.one_of(scalars, arrays),
    lambda parts: st.one_of(
        st.lists(parts, max_size=4), st.lists(parts, max_size=4).map(tuple), st.dictionaries(keys, parts, max_size=4)
    ),
    max_leaves=12,
)


def same(one, other):
    """Whether two values are alike to the bit, NaN included, types included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or struct.pack("d", one) == struct.pack("d", other)
    if isinstance(one, complex):
        return same(one.real, other.real) and same(one.imag, other.imag)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    return one == other
