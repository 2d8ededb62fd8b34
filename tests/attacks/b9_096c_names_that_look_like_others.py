# ROW: 96
# ATTACK: a zip with names that turn round, break the line, end in dots, fill the disk's patience or mean a device
# EXPECT: UNUSABLE
# CONTROL: own -> passed: a list of what was handed in reads otherwise than it is
# TIERS: 3 2 1
# SAYS: hand in again
# KIND: builder
def build(lore):
    from packing import zipped

    names = ["target.py", "graded\u202eyp.teg.txt", "x\n passed.py", "CON", "aux.py", "tail.py.", "n" * 300 + ".py"]
    return {"hand-in.zip": zipped([(name, lore.RIGHT.encode()) for name in names])}


def control(where):
    import zipfile

    with zipfile.ZipFile(where.place) as box:
        listing = "\n".join(box.namelist())
    return len(listing.splitlines()) == 8 and " passed.py" in listing.splitlines()
