# ROW: 94
# ATTACK: a tar whose answer is a pipe that nobody writes to
# EXPECT: UNUSABLE
# CONTROL: own -> running: whoever reads the answer waits
# TIERS: 3 2 1
# LIMITS: patience=1
# SAYS: is a pipe or a device
# NEEDS: posix
# KIND: builder
def build(lore):
    import tarfile

    from packing import odd_member, tarred

    return {"hand-in.tar": tarred([odd_member(tarfile.FIFOTYPE, "target.py")])}


def control(where):
    import tarfile

    with tarfile.open(where.place) as box:
        box.extractall(where.scratch, filter="fully_trusted")
    return (where.scratch / "target.py").read_text() == ""
