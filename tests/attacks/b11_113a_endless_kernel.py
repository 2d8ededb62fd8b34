# ROW: 113
# ATTACK: starts a kernel that does not end and waits for it
# EXPECT: TIMED_OUT
# CONTROL: plain -> running: it waits
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=2 import_seconds=120 problem_seconds=300 memory_mib=8192 patience=20
# OPEN: a kernel runs until its process is ended
import torch


def target(x):
    x = x.cuda()
    for _ in range(10**4):
        torch.cuda._sleep(2**40)
    torch.cuda.synchronize()
    return 3 * x - 1
