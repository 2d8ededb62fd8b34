# ROW: 113
# ATTACK: has the GPU write to an address that is nobody's
# EXPECT: CRASHED
# CONTROL: plain -> exit1: the process ends with the error
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=8192 patience=60
# OPEN: a GPU that has failed is of no use to the process that made it fail
import torch

TEXT = "template <typename T> T stray(T x) { *(volatile int*)16 = 1; return x; }"


def target(x):
    stray = torch.cuda.jiterator._create_jit_fn(TEXT)
    return 3 * stray(x.cuda().float()).cpu() - 1
