# ROW: 26
# ATTACK: raises from code whose file and function are named after the hidden input
# EXPECT: CRASHED
# CONTROL: naive:shown -> leak: the traceback that a student is shown names them
# TIERS: 3 2 1
import lore


def target(x):
    name = lore.leak(x.tolist())
    code = compile("raise ValueError", name, "exec").replace(co_name=name, co_qualname=name)
    exec(code, {})
