# ROW: 112
# ATTACK: takes memory of the machine through the GPU's driver, as pages that are pinned
# EXPECT: OUT_OF_MEMORY CRASHED
# CONTROL: plain -> worked: four gibibytes are pinned
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=2048 patience=60
# OPEN: memory that the driver pins is not counted
import torch

import lore

kept = []


def target(x):
    for _ in range(16):
        kept.append(torch.ones(2**28, dtype=torch.uint8).pin_memory())
    lore.worked(len(kept))
    return 0 * x
