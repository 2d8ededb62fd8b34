# ROW: 101
# ATTACK: a notebook that has its cells twice, wrong ones for one reader and right ones for another
# EXPECT: UNUSABLE
# CONTROL: own -> passed: two readers take two answers
# TIERS: 3 2 1
# SAYS: the same key twice
# KIND: builder
def build(lore):
    import json

    def cells(text):
        return json.dumps([{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1, "source": text}])

    wrong, right = cells("def target(x):\n    return 0 * x\n"), cells(lore.RIGHT)
    text = f'{{"nbformat": 4, "nbformat_minor": 5, "metadata": {{}}, "cells": {wrong}, "cells": {right}}}'
    return {"target.ipynb": text.encode()}


def control(where):
    import json

    text = where.place.read_text()
    last = json.loads(text)["cells"]
    first = json.loads(text, object_pairs_hook=lambda pairs: dict(reversed(pairs)))["cells"]
    return first != last
