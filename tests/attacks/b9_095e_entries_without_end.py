# ROW: 95
# ATTACK: a zip of a single file that its directory names three hundred thousand times
# EXPECT: UNUSABLE
# CONTROL: own -> passed: whoever reads the directory makes an object for each
# TIERS: 3 2 1
# SAYS: too many files
# LIMITS: patience=20
# KIND: builder
def build(lore):
    from packing import raw_zip

    return {"hand-in.zip": raw_zip("a.png", b"\x03\0", size=0, copies=300_000)}


def control(where):
    import zipfile

    with zipfile.ZipFile(where.place) as box:
        return len(box.infolist()) == 300_000
