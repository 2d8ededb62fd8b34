# ROW: 93
# ATTACK: a zip with an entry that ends in .txt and, read up to its NUL, in .py
# EXPECT: UNUSABLE
# CONTROL: own -> passed: Python's reader sees the shorter name
# TIERS: 3 2 1
# SAYS: control character
# KIND: builder
def build(lore):
    from packing import zipped

    return {"hand-in.zip": zipped([("target.py\0.txt", lore.RIGHT.encode())])}


def control(where):
    import zipfile

    with zipfile.ZipFile(where.place) as box:
        return box.namelist() == ["target.py"]
