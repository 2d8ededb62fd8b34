"""Draw the paw graph of problems/gcn_gradient as problems/gcn_gradient/paw.svg."""

from __future__ import annotations

from pathlib import Path

WIDTH, HEIGHT, RADIUS = 360, 200, 22
PLACES = {1: (60, 45), 2: (60, 155), 3: (180, 100), 4: (300, 100)}
EDGES = ((1, 2), (1, 3), (2, 3), (3, 4))
FILLS = {1: "#1f5fa8", 2: "#b35900"}  # by class; white text on both has a contrast above 4.5
CLASSES = {1: 1, 2: 1, 3: 2, 4: 2}
TITLE = "The paw graph"
DESCRIPTION = (
    "Nodes 1, 2 and 3 form a triangle; node 4 hangs on node 3. Nodes 1 and 2 are of class 1 and drawn as circles, "
    "nodes 3 and 4 are of class 2 and drawn as squares."
)


def picture() -> str:
    """Return the picture as SVG, with a title and a description for those who do not see it."""
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title description">',
        f'<title id="title">{TITLE}</title>',
        f'<desc id="description">{DESCRIPTION}</desc>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *(_edge(PLACES[a], PLACES[b]) for a, b in EDGES),
        *(_node(number, *place) for number, place in PLACES.items()),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _edge(start: tuple[int, int], end: tuple[int, int]) -> str:
    return f'<line x1="{start[0]}" y1="{start[1]}" x2="{end[0]}" y2="{end[1]}" stroke="#444444" stroke-width="3"/>'


def _node(number: int, x: int, y: int) -> str:
    fill = FILLS[CLASSES[number]]
    if CLASSES[number] == 1:
        shape = f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{fill}"/>'
    else:
        shape = f'<rect x="{x - RADIUS}" y="{y - RADIUS}" width="{2 * RADIUS}" height="{2 * RADIUS}" fill="{fill}"/>'
    font = 'font-family="sans-serif" font-size="20" text-anchor="middle"'
    return f'{shape}<text x="{x}" y="{y + 7}" fill="#ffffff" {font}>{number}</text>'


if __name__ == "__main__":
    target = Path(__file__).parents[2] / "problems" / "gcn_gradient" / "paw.svg"
    target.write_text(picture(), encoding="utf-8")
