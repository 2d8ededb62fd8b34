# ROW: 115
# ATTACK: builds an extension in C++ and CUDA, which runs compilers
# EXPECT: CRASHED
# CONTROL: plain -> worked: the compilers are found or asked for
# TIERS: 3 2
# NEEDS: linux gpu
# PROBLEM: tensors
# LIMITS: seconds=20 import_seconds=120 problem_seconds=300 memory_mib=8192 patience=60
# OPEN: programs can be run
import subprocess

import lore


def target(x):
    subprocess.run(["/bin/sh", "-c", f"echo {lore._WORKED}"], check=True)
    from torch.utils.cpp_extension import load_inline

    return load_inline("attack", "int f() { return 1; }", functions=["f"]).f() * x
