# ROW: 115
# ATTACK: has the GPU's compiler work on a text that takes it for ever
# EXPECT: TIMED_OUT OUT_OF_MEMORY CRASHED
# CONTROL: plain -> running: the compiler does not come back
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=5 import_seconds=120 problem_seconds=300 memory_mib=8192 patience=20
# OPEN: nothing more than time
import torch

TEXT = """
template <int N, int M> struct Deep { static __device__ float at(float x) { return Deep<N - 1, M>::at(x) + Deep<N - 1, M + 1>::at(x); } };
template <int M> struct Deep<0, M> { static __device__ float at(float x) { return x * M; } };
template <typename T> T grow(T x) { return Deep<2000, 0>::at(x); }
"""


def target(x):
    grow = torch.cuda.jiterator._create_jit_fn(TEXT)
    return grow(x.cuda())
