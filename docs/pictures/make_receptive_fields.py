"""Draws problems/receptive_fields/reaches.svg: three ways from the first of eight inputs to the last output.

Run it from the repository's root: ``python docs/pictures/make_receptive_fields.py``.
"""

from pathlib import Path

TARGET = Path(__file__).parents[2] / "problems" / "receptive_fields" / "reaches.svg"
LENGTH = 8
STEP, ROW, BOTTOM = 24, 32, 262
PANELS = (
    # title, what a layer costs, layers, hops back from layer to layer, hops within a layer, colour
    ("recurrence", "1 layer, 8 stages", [[0]], [1], "#1f5fa8"),
    ("dilated stack", "3 layers, 3 stages", [[0, 1], [0, 2], [0, 4]], [], "#2a7f3f"),
    ("message passing", "7 layers, 7 stages", [[-1, 0, 1]] * 7, [], "#b35c00"),
)


def svg() -> str:
    """Return the whole picture."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 310" font-family="sans-serif" font-size="13">',
        '<rect width="700" height="310" fill="white"/>',
    ]
    for place, (title, cost, layers, within, colour) in enumerate(PANELS):
        left = 40 + 230 * place
        middle = left + STEP * (LENGTH - 1) / 2
        parts += [
            f'<text x="{middle}" y="20" text-anchor="middle" fill="{colour}">{title}</text>',
            f'<text x="{middle}" y="302" text-anchor="middle">{cost}</text>',
            f'<text x="{left}" y="{BOTTOM + 20}" text-anchor="middle" font-size="11">x1</text>',
            f'<text x="{left + STEP * (LENGTH - 1)}" y="{BOTTOM + 20}" text-anchor="middle" font-size="11">x8</text>',
        ]
        parts += _panel(left, layers, within, colour)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(left: int, layers: list[list[int]], within: list[int], colour: str) -> list[str]:
    """Draw the positions of every layer, and all that the last output depends on in colour."""
    ways, seen, nodes = [], {LENGTH - 1}, []
    for number in range(len(layers), 0, -1):
        for hop in within:
            pairs = [(position - hop, position) for position in range(hop, LENGTH)]
            ways += [_way(left, (start, number), (end, number), colour) for start, end in pairs]
            seen = set(range(LENGTH))
        nodes += _nodes(left, number, seen, colour)
        pairs = [(end - hop, end) for end in sorted(seen) for hop in layers[number - 1] if 0 <= end - hop < LENGTH]
        ways += [_way(left, (start, number - 1), (end, number), colour) for start, end in pairs]
        seen = {start for start, _ in pairs}
    return [*ways, *nodes, *_nodes(left, 0, seen, colour)]


def _at(left: int, place: tuple[int, int]) -> tuple[int, int]:
    return left + STEP * place[0], BOTTOM - ROW * place[1]


def _way(left: int, start: tuple[int, int], end: tuple[int, int], colour: str) -> str:
    (x1, y1), (x2, y2) = _at(left, start), _at(left, end)
    return f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{colour}" stroke-width="1.5"/>'


def _nodes(left: int, layer: int, seen: set[int], colour: str) -> list[str]:
    nodes = []
    for position in range(LENGTH):
        x, y = _at(left, (position, layer))
        fill = colour if position in seen else "#dddddd"
        nodes.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{fill}"/>')
    return nodes


if __name__ == "__main__":
    TARGET.write_text(svg(), encoding="utf-8")
