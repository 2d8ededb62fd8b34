"""Draw the shapes along the network of problems/vae_shapes as problems/vae_shapes/shapes.svg."""

from __future__ import annotations

from pathlib import Path

WIDTH, HEIGHT, MIDDLE = 760, 260, 130
# Name, width and height of its box, kind: maps are as tall as their side is long, and wider the more channels.
BOXES = (
    ("x", (16, 140), "map"),
    ("conv1", (30, 70), "map"),
    ("conv2", (44, 35), "map"),
    ("flat", (10, 170), "row"),
    ("head", (10, 60), "row"),
    ("z", (10, 30), "code"),
    ("linear", (10, 170), "row"),
    ("reshaped", (44, 35), "map"),
    ("up1", (30, 70), "map"),
    ("xhat", (16, 140), "map"),
)
FILLS = {"map": "#1f5fa8", "row": "#b35900", "code": "#444444"}
TITLE = "The way of one picture"
DESCRIPTION = (
    "Ten boxes from left to right: x, conv1 and conv2 shrink; flat is a long row; head and the code z are short ones; "
    "linear is a row as long as flat; reshaped, up1 and xhat grow as x, conv1 and conv2 shrank. The shapes are for "
    "you to find: the boxes tell only which of them are equal."
)


def picture() -> str:
    """Return the picture as SVG, with a title and a description for those who do not see it."""
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    step = WIDTH // len(BOXES)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title description">',
        f'<title id="title">{TITLE}</title>',
        f'<desc id="description">{DESCRIPTION}</desc>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<path d="M {step // 2} {MIDDLE} H {WIDTH - step // 2}" stroke="#444444" stroke-width="2"/>',
        *(_box(step // 2 + step * place, name, *sides, FILLS[kind]) for place, (name, sides, kind) in enumerate(BOXES)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _box(x: int, name: str, width: int, height: int, fill: str) -> str:
    font = 'font-family="sans-serif" font-size="15" text-anchor="middle"'
    place = f'x="{x - width // 2}" y="{MIDDLE - height / 2:g}" width="{width}" height="{height}"'
    return f'<rect {place} fill="{fill}"/><text x="{x}" y="{HEIGHT - 12}" fill="#222222" {font}>{name}</text>'


if __name__ == "__main__":
    target = Path(__file__).parents[2] / "problems" / "vae_shapes" / "shapes.svg"
    target.write_text(picture(), encoding="utf-8")
