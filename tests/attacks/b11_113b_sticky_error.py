# ROW: 113
# ATTACK: makes the GPU fail in a way that every later use of it in this process meets again
# EXPECT: CRASHED
# CONTROL: plain -> exit1: the process ends with the error
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=8192 patience=60
# OPEN: a GPU that has failed is of no use to the process that made it fail
import torch


def target(x):
    x = x.cuda()
    try:
        torch.zeros(3, device="cuda")[torch.tensor([2**20], device="cuda")].cpu()
    except RuntimeError:
        pass
    return 3 * x - 1
