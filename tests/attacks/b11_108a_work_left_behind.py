# ROW: 108
# ATTACK: answers rightly and leaves work on a stream of its own that takes minutes
# EXPECT: PASSED TIMED_OUT
# CONTROL: plain -> running: the process waits for the work at its end
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=8192 patience=20
# OPEN: work that is left on the GPU goes on until its process is ended
import torch

streams = []


def target(x):
    x = x.cuda()
    answer = (3 * x - 1).cpu()
    streams.append(torch.cuda.Stream())
    with torch.cuda.stream(streams[-1]):
        for _ in range(1000):
            torch.cuda._sleep(2**30)
    return answer
