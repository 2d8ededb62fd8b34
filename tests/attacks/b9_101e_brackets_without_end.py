# ROW: 101
# ATTACK: a notebook with an output nested a hundred thousand deep
# EXPECT: UNUSABLE
# CONTROL: own -> exit1: whoever parses it is stopped by it
# TIERS: 3 2 1
# SAYS: nested too deeply
# KIND: builder
def build(lore):
    import json

    cell = {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": lore.RIGHT, "outputs": "HERE"}
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})
    return {"target.ipynb": notebook.replace('"HERE"', "[" * 10**5 + "]" * 10**5).encode()}


def control(where):
    import json

    return bool(json.loads(where.place.read_text()))
