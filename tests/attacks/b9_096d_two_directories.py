# ROW: 96
# ATTACK: a zip whose entry has one name in front of its bytes and another in the directory
# EXPECT: UNUSABLE
# CONTROL: own -> passed: a reader that streams and one that seeks take two names
# TIERS: 3 2 1
# SAYS: to some readers
# KIND: builder
def build(lore):
    from packing import zipped

    return {"hand-in.zip": zipped([("target.py", lore.RIGHT.encode())]).replace(b"target.py", b"secret.py", 1)}


def control(where):
    import zipfile

    packed = where.place.read_bytes()
    with zipfile.ZipFile(where.place) as box:
        return packed[30 : 30 + packed[26]] == b"secret.py" and box.namelist() == ["target.py"]
