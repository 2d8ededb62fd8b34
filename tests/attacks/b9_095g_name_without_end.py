# ROW: 95
# ATTACK: a gzip file of nothing but its own name, which Python's reader takes in byte by byte
# EXPECT: UNUSABLE
# CONTROL: own -> running: whoever opens it waits longer than for any bomb
# TIERS: 3 2 1
# SAYS: damaged
# LIMITS: patience=1
# KIND: builder
def build(lore):
    return {"hand-in.tar.gz": b"\x1f\x8b\x08\x08\0\0\0\0\0\xff" + b"n" * (16 * 2**20)}


def control(where):
    import tarfile

    try:
        tarfile.open(where.place)
    except (tarfile.TarError, EOFError):
        pass
    return True
