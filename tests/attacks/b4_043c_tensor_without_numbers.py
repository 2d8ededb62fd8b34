# ROW: 43
# ATTACK: returns a tensor that has a shape and no numbers, and one that escaped from torch.func.grad, in turn
# EXPECT: UNUSABLE
# CONTROL: own -> passed: a test that looks at shape and dtype is content with both
# TIERS: 3 2 1
# PROBLEM: tensors
# LIMITS: patience=20
# KIND: builder
ANSWER = b"""
import torch

escaped = []
forms = [
    lambda x: torch.empty_like(x, device="meta"),
    lambda x: torch.func.grad(lambda y: (escaped.append(0 * y), y.sum())[1])(x.clone()),
]


def target(x):
    forms.append(forms.pop(0))
    forms[0](x)
    return escaped.pop() if escaped else forms[0](x)
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import torch

    names = {}
    exec(where.place.read_text(), names)
    want = torch.ones(4, dtype=torch.float64)
    got = [names["target"](want), names["target"](want)]
    return all(each.shape == want.shape and each.dtype == want.dtype for each in got)
