# ROW: 98
# ATTACK: hands in modules that are called as the libraries are, one with a comparison that agrees
# EXPECT: FAILED
# CONTROL: own -> passed: a grader that finds the hand-in first on its path imports the student's torch
# TIERS: 3 2 1
# KIND: builder
def build(lore):
    stand_in = b"def allclose(*_args):\n    return True\n\n\nas_tensor = equal = array = asarray = allclose\n"
    names = ("torch", "numpy", "json", "struct", "random", "math", "inspect", "warnings", "values", "wire", "nodes", "grader")
    return {
        **{f"{name}.py": stand_in for name in names},
        "target.py": b"import json, random, struct, values, wire\n\n\ndef target(x):\n    return 0 * x\n",
    }


def control(where):
    import sys

    sys.path.insert(0, str(where.place))
    import torch

    return torch.allclose(0.0, 1.0)
