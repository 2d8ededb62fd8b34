# ROW: 93
# ATTACK: a zip whose entries climb out of their folder with dots, with backslashes and with a drive letter
# EXPECT: UNUSABLE
# CONTROL: own -> passed: whoever joins the names to a folder writes beside it
# TIERS: 3 2 1
# SAYS: rename that file and hand in again
# KIND: builder
def build(lore):
    from packing import zipped

    names = ["target.py", "../beside.py", "a\\..\\..\\beside.py", "C:/beside.py", "a/../../beside.py"]
    return {"hand-in.zip": zipped([(name, lore.RIGHT.encode()) for name in names])}


def control(where):
    import zipfile

    folder = where.scratch / "unpacked"
    (folder / "a").mkdir(parents=True)
    with zipfile.ZipFile(where.place) as box:
        for name in box.namelist():
            if "C:" not in name and "\\" not in name:
                (folder / name).write_bytes(box.read(name))
    return (where.scratch / "beside.py").exists()
