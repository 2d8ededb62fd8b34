# ROW: 95
# ATTACK: a zip whose hundred entries all unpack the same bytes
# EXPECT: UNUSABLE
# CONTROL: own -> passed: whoever unpacks each entry unpacks a thousand times what was packed
# TIERS: 3 2 1
# SAYS: its entries overlap
# KIND: builder
def build(lore):
    from packing import zipped

    def change(infos):
        for info in infos[1:]:
            first = infos[0]
            info.header_offset, info.CRC = first.header_offset, first.CRC
            info.compress_size, info.file_size = first.compress_size, first.file_size

    text = b"x = 1\n" * 20_000
    return {"hand-in.zip": zipped([("target.py", text), *((f"more{n:02}.py", b"") for n in range(99))], change=change)}


def control(where):
    import zipfile
    import zlib

    packed, unpacked = where.place.read_bytes(), 0
    with zipfile.ZipFile(where.place) as box:
        for info in box.infolist():
            unpacked += len(zlib.decompressobj(-15).decompress(packed[info.header_offset + 30 + packed[26] :]))
    return unpacked > 500 * len(packed)
