# ROW: 94
# ATTACK: a tar whose answer is a sparse file of a terabyte
# EXPECT: UNUSABLE
# CONTROL: own -> passed: the reader says that it is as large
# TIERS: 3 2 1
# SAYS: sparse
# KIND: builder
def build(lore):
    import tarfile

    from packing import tarred

    info = tarfile.TarInfo("target.py")
    info.pax_headers = {
        "GNU.sparse.major": "0",
        "GNU.sparse.minor": "1",
        "GNU.sparse.name": "target.py",
        "GNU.sparse.size": str(2**40),
        "GNU.sparse.map": f"{2**40},0",
    }
    return {"hand-in.tar": tarred([(info, b"")])}


def control(where):
    import tarfile

    with tarfile.open(where.place) as box:
        return box.getmember("target.py").size == 2**40
