# ROW: 101
# ATTACK: a notebook of fifteen megabytes of output that is twenty times as large in memory
# EXPECT: UNUSABLE
# CONTROL: own -> memory: whoever parses it makes room for it
# TIERS: 3 2 1
# SAYS: holds too many values
# LIMITS: patience=20
# KIND: builder
def build(lore):
    import json

    cell = {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": lore.RIGHT, "outputs": "HERE"}
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})
    return {"target.ipynb": notebook.replace('"HERE"', "[" + "[]," * (5 * 2**20) + "0]").encode()}


def control(where):
    import json

    return len(json.loads(where.place.read_text())["cells"][0]["outputs"]) > 10**6
