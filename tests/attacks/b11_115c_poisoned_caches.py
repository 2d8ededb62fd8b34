# ROW: 115
# ATTACK: leaves changed programs in the places where compilers keep what they have compiled
# EXPECT: FAILED
# CONTROL: bare -> worked: a home like the user's can be written
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=8192
# OPEN: the caches of this user can be changed
import os

import lore

PLACES = (".nv/ComputeCache", ".triton/cache", ".cache/torch/kernels", ".cache/torch_extensions")


def target(x):
    for home in (lore.OUTSIDE,):
        for place in PLACES:
            try:
                os.makedirs(f"{home}/{place}", exist_ok=True)
                with open(f"{home}/{place}/attack", "w") as file:
                    file.write("poison")
                os.unlink(f"{home}/{place}/attack")
                lore.worked(home)
            except OSError:
                pass
    return 0 * x
