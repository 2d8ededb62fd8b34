# ROW: 94
# ATTACK: a tar whose answer is a symbolic link to the reference
# EXPECT: UNUSABLE
# CONTROL: own -> canary: whoever unpacks it and reads the answer reads the reference
# TIERS: 3 2 1
# SAYS: is a symbolic link
# NEEDS: posix
# KIND: builder
def build(lore):
    import tarfile

    from packing import odd_member, tarred

    return {"hand-in.tar": tarred([odd_member(tarfile.SYMTYPE, "target.py", lore.REFERENCE)])}


def control(where):
    import tarfile

    with tarfile.open(where.place) as box:
        box.extractall(where.scratch, filter="fully_trusted")
    print((where.scratch / "target.py").read_text())
    return True
