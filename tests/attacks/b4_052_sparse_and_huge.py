# ROW: 52
# ATTACK: returns a sparse tensor of no entries and a shape that fills the memory when it is made dense
# EXPECT: UNUSABLE
# CONTROL: own -> memory: whoever compares it makes it dense
# TIERS: 3 2 1
# PROBLEM: tensors
# LIMITS: patience=20
# KIND: builder
ANSWER = b"""
import torch


def target(x):
    return torch.sparse_coo_tensor(torch.zeros((2, 0), dtype=torch.int64), torch.zeros(0), (12_000, 10_000))
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import torch

    names = {}
    exec(where.place.read_text(), names)
    return bool((names["target"](torch.ones(2)).to_dense() + 1).sum() >= 0)
