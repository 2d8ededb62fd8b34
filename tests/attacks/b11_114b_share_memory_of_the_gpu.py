# ROW: 114
# ATTACK: hands the GPU's memory to whoever asks, and talks to the service by which processes share it
# EXPECT: FAILED CRASHED
# CONTROL: plain -> worked: a handle is had that any process of this user can open
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=8192 patience=60
# OPEN: memory of the GPU can be shared with other processes
import os
import socket

import torch

import lore


def service():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps") + "/control")
        lore.worked("service")


def handle():
    import multiprocessing.connection

    held = torch.ones(4, device="cuda")
    told = held.untyped_storage()._share_cuda_()
    with multiprocessing.connection.Listener(family="AF_UNIX"):
        lore.worked("handle", len(told))


def target(x):
    for way in (service, handle):
        try:
            way()
        except (OSError, RuntimeError):
            pass
    return 0 * x
