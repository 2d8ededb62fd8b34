# ROW: 98
# ATTACK: hands in compiled code that claims to be its source's and need not be compared with it
# EXPECT: FAILED
# CONTROL: own -> passed: what is imported is not what can be read
# TIERS: 3 2 1
# KIND: builder
WRONG = b"def target(x):\n    return 0 * x\n"


def build(lore):
    import importlib.util
    import marshal

    code = compile(lore.RIGHT, "target.py", "exec")
    unchecked = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + importlib.util.source_hash(WRONG)
    compiled = unchecked + marshal.dumps(code)
    cached = importlib.util.cache_from_source("target.py")
    return {"target.py": WRONG, cached: compiled, "target.pyc": compiled}


def control(where):
    import sys

    sys.path.insert(0, str(where.place))
    import target

    return target.target(2.0) == 5.0
