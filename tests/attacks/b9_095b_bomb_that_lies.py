# ROW: 95
# ATTACK: a zip whose directory says a hundred bytes and whose stream says half a gigabyte
# EXPECT: UNUSABLE
# CONTROL: own -> memory: whoever adds up the stated sizes first and unpacks then makes room for it
# TIERS: 3 2 1
# SAYS: not as long as the zip says
# LIMITS: patience=20
# KIND: builder
def build(lore):
    import zlib

    from packing import deflated_zeros, raw_zip

    return {"hand-in.zip": raw_zip("target.py", deflated_zeros(512 * 2**20), size=100, crc=zlib.crc32(bytes(100)))}


def control(where):
    import zipfile
    import zlib

    with zipfile.ZipFile(where.place) as box:
        if sum(info.file_size for info in box.infolist()) > 2**20:
            return False
        info = box.infolist()[0]
    start = info.header_offset + 30 + len(info.filename)
    packed = where.place.read_bytes()[start : start + info.compress_size]
    return len(zlib.decompress(packed, -15)) > 2**20
