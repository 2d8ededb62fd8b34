# ROW: 109
# ATTACK: replaces the waiting and the clocks of torch.cuda, so that slow and wrong work seems to take no time
# EXPECT: FAILED TIMED_OUT
# CONTROL: own -> passed: who measures by them finds that a second of work took none
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=8192 patience=60
# OPEN: nothing: the time is the grader's
# KIND: builder
ATTACK = """
import torch

torch.cuda.synchronize = lambda *_: None
torch.cuda.Event.elapsed_time = lambda *_: 0.0
torch.cuda.Event.synchronize = torch.cuda.Stream.synchronize = lambda *_: None


def target(x):
    torch.cuda._sleep(2**30)
    return 0 * x
"""


def build(lore):
    return {"target.py": ATTACK.encode()}


def control(where):
    import torch

    made = {}
    exec(ATTACK, made)
    started, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    started.record()
    made["target"](torch.ones(3, device="cuda"))
    ended.record()
    torch.cuda.synchronize()
    return started.elapsed_time(ended) == 0.0 and not ended.query()
