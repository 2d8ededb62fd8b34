# ROW: 112
# ATTACK: takes more memory than the GPU has, as pages that wander between it and the machine
# EXPECT: OUT_OF_MEMORY CRASHED TIMED_OUT FAILED
# CONTROL: plain -> worked: four gibibytes of the machine are held
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=2048 patience=60
# OPEN: pages that the driver moves are not counted
import ctypes
import glob
import os

import torch

import lore


def runtime():
    own = os.path.join(os.path.dirname(torch.__file__), "lib", "libcudart*.so*")
    other = os.path.join(os.path.dirname(os.path.dirname(torch.__file__)), "nvidia", "*", "lib", "libcudart.so*")
    return ctypes.CDLL((glob.glob(own) + glob.glob(other))[0])


def target(x):
    torch.zeros(1, device="cuda")
    cuda = runtime()
    place = ctypes.c_void_p()
    if cuda.cudaMallocManaged(ctypes.byref(place), ctypes.c_size_t(2**32), 1) == 0:
        ctypes.memset(place, 1, 2**32)
        lore.worked()
    return 0 * x
