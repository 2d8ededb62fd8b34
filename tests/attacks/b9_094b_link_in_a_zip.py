# ROW: 94
# ATTACK: a zip whose answer is a symbolic link to the hidden checks
# EXPECT: UNUSABLE
# CONTROL: own -> canary: whoever unpacks it as unzip does reads the checks in the answer's place
# TIERS: 3 2 1
# SAYS: is a symbolic link
# NEEDS: posix
# KIND: builder
def build(lore):
    import stat

    from packing import zipped

    def change(infos):
        infos[0].external_attr = (stat.S_IFLNK | 0o777) << 16

    return {"hand-in.zip": zipped([("target.py", lore.HIDDEN.encode())], change=change)}


def control(where):
    import os
    import stat
    import zipfile

    with zipfile.ZipFile(where.place) as box:
        for info in box.infolist():
            path = where.scratch / info.filename
            if stat.S_ISLNK(info.external_attr >> 16):
                os.symlink(box.read(info).decode(), path)
    print((where.scratch / "target.py").read_text())
    return True
