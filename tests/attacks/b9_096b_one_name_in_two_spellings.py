# ROW: 96
# ATTACK: a zip with pairs of names that differ in case or in how an accent is written
# EXPECT: UNUSABLE
# CONTROL: own -> passed: what is unpacked depends on the computer
# TIERS: 3 2 1
# SAYS: are one name on some computers
# KIND: builder
def build(lore):
    from packing import zipped

    names = ["target.py", "Target.py", "\u00fcbung.py", "u\u0308bung.py"]
    return {"hand-in.zip": zipped([(name, f"name = {name!a}\n".encode()) for name in names])}


def control(where):
    import unicodedata
    import zipfile

    with zipfile.ZipFile(where.place) as box:
        names = box.namelist()
    return len(names) == 4 > len({unicodedata.normalize("NFC", name).casefold() for name in names})
