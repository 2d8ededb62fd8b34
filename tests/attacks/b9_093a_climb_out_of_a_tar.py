# ROW: 93
# ATTACK: a tar whose entries climb out of their folder and name a place by its whole path
# EXPECT: UNUSABLE
# CONTROL: own -> file: whoever unpacks it writes where the tar says
# TIERS: 3 2 1
# SAYS: is an absolute path
# KIND: builder
def build(lore):
    from packing import tarred

    return {"hand-in.tar": tarred([("target.py", lore.RIGHT.encode()), (f"{lore.OUTSIDE}/planted.py", b"x = 1\n")])}


def control(where):
    import tarfile
    import warnings

    warnings.simplefilter("ignore")
    with tarfile.open(where.place) as box:
        for entry in box:
            text = box.extractfile(entry).read()
            (where.scratch / entry.name).write_bytes(text)
    return True
