# ROW: 75
# ATTACK: computes with numbers so small that the processor is slow with them, an element at a time
# EXPECT: TIMED_OUT
# CONTROL: plain -> running: it takes for ever
# TIERS: 3 2 1
# LIMITS: seconds=0.2 patience=0.5
import numpy as np


def target(x):
    tiny = np.full(2**16, 5e-324)
    while True:
        tiny = np.vectorize(lambda value: value * 1.0)(tiny * 0.75 + 5e-324)
