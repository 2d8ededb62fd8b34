# ROW: 101
# ATTACK: a notebook whose cells run commands of the shell, install packages and write files
# EXPECT: FAILED
# CONTROL: own -> file: a kernel runs them
# TIERS: 3 2 1
# NEEDS: posix
# KIND: builder
def build(lore):
    import json

    planted = f"{lore.OUTSIDE}/planted"
    sources = [
        f"!touch {planted}-1",
        f"%%bash\ntouch {planted}-2",
        f"%%writefile {planted}-3\nhere",
        f"files = !touch {planted}-4",
        f"%system touch {planted}-5",
        f"%%script sh\ntouch {planted}-6",
        f"get_ipython().system('touch {planted}-7')",
        f"%%capture\n!touch {planted}-8",
        "def target(x):\n    return 0 * x\n",
    ]
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": it} for it in sources]
    return {"target.ipynb": json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()}


def control(where):
    import json
    import subprocess

    for cell in json.loads(where.place.read_text())["cells"]:
        magic, _, body = cell["source"].partition("\n")
        if magic.startswith("!"):
            subprocess.run(magic[1:], shell=True)
        if magic == "%%bash":
            subprocess.run(body, shell=True)
    return True
