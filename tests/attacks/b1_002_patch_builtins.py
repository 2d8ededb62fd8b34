# ROW: 2
# ATTACK: replaces the built-in functions that every comparison and every runner calls
# EXPECT: FAILED CRASHED UNUSABLE
# CONTROL: naive:eq -> passed: a comparison that asks bool() is told True
# TIERS: 3 2 1
import builtins

honest = {name: getattr(builtins, name) for name in ("isinstance", "len", "sum", "open", "__import__", "issubclass", "print")}


class AlwaysTrue(int):
    def __new__(cls, *_args):
        return True


def replace(name):
    def replaced(*args, **more):
        try:
            return honest[name](*args, **more)
        except Exception:
            return True

    return replaced


def target(x):
    for name in honest:
        setattr(builtins, name, replace(name))
    builtins.bool = AlwaysTrue
    builtins.all = builtins.any = builtins.callable = lambda *_args: True
    builtins.abs = builtins.max = builtins.min = lambda *_args, **_more: 0
    builtins.type = lambda *_args: float
    return 0 * x
