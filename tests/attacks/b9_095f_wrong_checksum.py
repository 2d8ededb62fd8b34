# ROW: 95
# ATTACK: a zip whose answer is not the one that its checksum was made of
# EXPECT: UNUSABLE
# CONTROL: own -> passed: whoever unpacks the stream alone takes it
# TIERS: 3 2 1
# SAYS: wrong checksum
# KIND: builder
def build(lore):
    from packing import zipped

    def change(infos):
        infos[0].CRC ^= 0xFFFF

    return {"hand-in.zip": zipped([("target.py", lore.RIGHT.encode())], change=change)}


def control(where):
    import zlib

    packed = where.place.read_bytes()
    return b"def target" in zlib.decompressobj(-15).decompress(packed[30 + len("target.py") :])
