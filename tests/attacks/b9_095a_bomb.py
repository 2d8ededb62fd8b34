# ROW: 95
# ATTACK: a zip of half a megabyte that unpacks to half a gigabyte
# EXPECT: UNUSABLE
# CONTROL: own -> memory: whoever unpacks it makes room for it
# TIERS: 3 2 1
# LIMITS: patience=20
# KIND: builder
def build(lore):
    import zlib

    from packing import deflated_zeros, raw_zip

    size = 512 * 2**20
    piece, crc = bytes(2**20), 0
    for _ in range(512):
        crc = zlib.crc32(piece, crc)
    return {"hand-in.zip": raw_zip("target.py", deflated_zeros(size), size=size, crc=crc)}


def control(where):
    import zipfile

    with zipfile.ZipFile(where.place) as box:
        return len(box.read("target.py")) > 2**20
