# ROW: 94
# ATTACK: a tar that takes a file outside in by a hard link and then writes through it
# EXPECT: UNUSABLE
# CONTROL: own -> file: whoever unpacks it overwrites that file
# TIERS: 3 2 1
# SAYS: is a hard link
# NEEDS: posix
# KIND: builder
def build(lore):
    import tarfile

    from packing import odd_member, tarred

    return {"hand-in.tar": tarred([odd_member(tarfile.LNKTYPE, "target.py", lore.PRECIOUS), ("x.py", b"x = 1\n")])}


def control(where):
    import os
    import tarfile

    with tarfile.open(where.place) as box:
        for entry in box:
            if entry.islnk():
                os.link(entry.linkname, where.scratch / entry.name)
    with open(where.scratch / "target.py", "a") as answer:
        answer.write("written through")
    return True
