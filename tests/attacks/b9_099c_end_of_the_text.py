# ROW: 99
# ATTACK: puts a NUL byte where some readers stop
# EXPECT: UNUSABLE
# CONTROL: own -> passed: a reader in C sees half of the text
# TIERS: 3 2 1
# SAYS: holds a NUL byte
# KIND: builder
def build(lore):
    return {"target.py": b"def target(x):\n    return 0 * x\n\0" + lore.RIGHT.encode()}


def control(where):
    import ctypes

    content = where.place.read_bytes()
    return ctypes.create_string_buffer(content).value != content and len(ctypes.c_char_p(content).value) < len(content)
