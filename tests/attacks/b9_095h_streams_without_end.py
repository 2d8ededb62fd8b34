# ROW: 95
# ATTACK: a gzip file of hundreds of thousands of empty streams
# EXPECT: UNUSABLE
# CONTROL: own -> running: whoever opens it waits, and gets nothing
# TIERS: 3 2 1
# SAYS: packed in too many pieces
# LIMITS: patience=1
# KIND: builder
def build(lore):
    import gzip

    return {"hand-in.tar.gz": gzip.compress(b"") * 500_000}


def control(where):
    import gzip

    try:
        gzip.decompress(where.place.read_bytes())
        gzip.open(where.place).read()
    except OSError:
        pass
    return True
