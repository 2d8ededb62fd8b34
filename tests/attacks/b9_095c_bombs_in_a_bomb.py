# ROW: 95
# ATTACK: a zip of zips of zips, ten at a time and five deep
# EXPECT: NOT_ATTEMPTED
# CONTROL: own -> passed: whoever opens what is inside finds a hundred thousand files in a few kilobytes
# TIERS: 3 2 1
# KIND: builder
def build(lore):
    from packing import zipped

    inner = zipped([("target.py", lore.RIGHT.encode())])
    for _ in range(5):
        inner = zipped([(f"{number}.zip", inner) for number in range(10)])
    return {"hand-in.zip": inner}


def control(where):
    import io
    import zipfile

    inner, files = where.place.read_bytes(), 1
    while inner[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(inner)) as box:
            files *= len(box.namelist())
            inner = box.read(box.namelist()[0])
    return files == 10**5 > where.place.stat().st_size
