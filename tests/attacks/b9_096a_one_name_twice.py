# ROW: 96
# ATTACK: a zip that holds the answer twice, wrong for one reader and right for another
# EXPECT: UNUSABLE
# CONTROL: own -> passed: two readers take two answers
# TIERS: 3 2 1
# SAYS: twice
# KIND: builder
def build(lore):
    import warnings

    from packing import zipped

    warnings.simplefilter("ignore")
    return {"hand-in.zip": zipped([("target.py", b"def target(x):\n    return x\n"), ("target.py", lore.RIGHT.encode())])}


def control(where):
    import zipfile

    with zipfile.ZipFile(where.place) as box:
        return box.read("target.py") != box.read(box.infolist()[0])
