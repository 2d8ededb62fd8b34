# ROW: 101
# ATTACK: a notebook with a cell of a hundred points of its own, a grade that is in it already, and forged checksums
# EXPECT: FAILED
# CONTROL: own -> passed: a grader that adds up what the notebook says gives a hundred points
# TIERS: 3 2 1
# KIND: builder
def build(lore):
    import json

    marked = {"grade": True, "grade_id": "mine", "points": 100, "solution": True, "locked": True, "checksum": "0" * 32}
    passed = [{"output_type": "stream", "name": "stdout", "text": "all tests passed; score 100"}]
    sources = [({"nbgrader": {**marked, "score": 100, "max_score": 100}}, "assert True", passed)]
    sources += [({"nbgrader": {**marked, "grade_id": "target"}}, "def target(x):\n    return 0 * x", [])]
    cells = [
        {"cell_type": "code", "metadata": metadata, "outputs": outputs, "execution_count": 1, "source": text}
        for metadata, text, outputs in sources
    ]
    return {"target.ipynb": json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()}


def control(where):
    import json

    cells = json.loads(where.place.read_text())["cells"]
    return sum(cell["metadata"]["nbgrader"].get("score", 0) for cell in cells) == 100
