# ROW: 103
# ATTACK: changes torch's default dtype, device, threads and promises of determinism for whoever comes next
# EXPECT: FAILED CRASHED UNUSABLE
# CONTROL: own -> passed: the next student's tensors are half as exact and on a device without numbers
# TIERS: 3 2 1
# PROBLEM: tensors
# LIMITS: patience=20
# KIND: builder
ANSWER = b"""
import torch

torch.set_default_dtype(torch.float16)
torch.set_default_device("meta")
torch.set_num_threads(4)
torch.use_deterministic_algorithms(False)
torch.set_flush_denormal(True)
torch.autograd.set_grad_enabled(False)
torch.set_printoptions(precision=1)


def target(x):
    return torch.zeros(x.shape, dtype=x.dtype, device="cpu")
"""


def build(lore):
    return {"target.py": ANSWER}


def control(where):
    import torch

    exec(where.place.read_text(), {})
    return torch.ones(1).dtype == torch.float16 and torch.ones(1).is_meta
