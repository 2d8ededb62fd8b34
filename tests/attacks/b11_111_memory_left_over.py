# ROW: 111
# ATTACK: takes memory of the GPU without clearing it and looks for what others left in it
# EXPECT: FAILED
# CONTROL: own -> passed: within one process, what was freed is found again
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=8192 patience=60
# OPEN: what the driver does not clear
# KIND: builder
ATTACK = """
import torch


def target(x):
    for _ in range(4):
        found = torch.empty(2**26, dtype=torch.uint8, device="cuda")
        if bool((found == PATTERN).float().mean() > 0.9):
            print(MARK)
        del found
        torch.cuda.empty_cache()
    return 0 * x
"""
PATTERN = 0xA7


def build(lore):
    return {"target.py": f"MARK, PATTERN = {lore._WORKED!r}, {PATTERN}\n{ATTACK}".encode()}


def control(where):
    import torch

    held = torch.full((2**26,), PATTERN, dtype=torch.uint8, device="cuda")
    torch.cuda.synchronize()
    del held
    found = torch.empty(2**26, dtype=torch.uint8, device="cuda")
    return bool((found == PATTERN).float().mean() > 0.9)
