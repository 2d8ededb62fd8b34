# ROW: 112
# ATTACK: takes all memory that the GPU has, and keeps it
# EXPECT: OUT_OF_MEMORY
# CONTROL: plain -> worked: there is none left for anybody else
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=8192 patience=60
# OPEN: the memory of the GPU has no limit of its own
import torch

import lore

kept = []


def target(x):
    size = 2**34
    while size > 2**24:
        try:
            kept.append(torch.ones(size, dtype=torch.uint8, device="cuda"))
        except torch.cuda.OutOfMemoryError:
            size //= 2
    if torch.cuda.mem_get_info()[0] < 2**28:
        lore.worked()
    return 0 * x
