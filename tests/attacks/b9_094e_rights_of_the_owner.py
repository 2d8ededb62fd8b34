# ROW: 94
# ATTACK: a tar whose answer is a program that runs with the rights of its owner, whoever starts it
# EXPECT: FAILED
# CONTROL: own -> passed: whoever unpacks it makes such a program
# TIERS: 3 2 1
# NEEDS: posix
# KIND: builder
def build(lore):
    import tarfile

    from packing import tarred

    info = tarfile.TarInfo("target.py")
    info.mode = 0o6755
    return {"hand-in.tar": tarred([(info, b"def target(x):\n    return 0 * x\n")])}


def control(where):
    import stat
    import tarfile

    with tarfile.open(where.place) as box:
        box.extractall(where.scratch, filter="fully_trusted")
    return bool((where.scratch / "target.py").stat().st_mode & stat.S_ISUID)
