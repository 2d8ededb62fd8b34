"""Draw the four points of problems/deep_linear_autoencoder and their reconstructions as points.svg."""

from __future__ import annotations

from pathlib import Path

SIZE, UNIT = 340, 56  # pixels of the square picture, and of one unit of length
U1, U2 = (0.8, 0.6), (-0.6, 0.8)
SIGNS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
LINE, POINT, FOOT, GREY = "#1f5fa8", "#222222", "#b35900", "#767676"
TITLE = "Four points and what comes back"
DESCRIPTION = (
    "Four points in the plane and a line through the origin along u1. Each point is joined to its foot on the line by "
    "a dashed segment of length one; two points share each foot. The feet are the reconstructions."
)


def picture() -> str:
    """Return the picture as SVG, with a title and a description for those who do not see it."""
    size = f'viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}"'
    points = [(2 * a * U1[0] + b * U2[0], 2 * a * U1[1] + b * U2[1]) for a, b in SIGNS]
    feet = [(2 * a * U1[0], 2 * a * U1[1]) for a, _ in SIGNS]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title description">',
        f'<title id="title">{TITLE}</title>',
        f'<desc id="description">{DESCRIPTION}</desc>',
        f'<rect width="{SIZE}" height="{SIZE}" fill="#ffffff"/>',
        _segment((-2.9, 0), (2.9, 0), GREY, 1),
        _segment((0, -2.9), (0, 2.9), GREY, 1),
        _segment((-3 * U1[0], -3 * U1[1]), (3 * U1[0], 3 * U1[1]), LINE, 2.5),
        *(_segment(point, foot, FOOT, 2, dashed=True) for point, foot in zip(points, feet, strict=True)),
        *(_dot(place, POINT) for place in points),
        *(_dot(place, FOOT) for place in feet[::2]),
        _text((2.62, 1.62), "u1", LINE),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _at(place: tuple[float, float]) -> tuple[float, float]:
    return round(SIZE / 2 + UNIT * place[0], 1), round(SIZE / 2 - UNIT * place[1], 1)


def _segment(
    start: tuple[float, float], end: tuple[float, float], colour: str, width: float, *, dashed: bool = False
) -> str:
    (x1, y1), (x2, y2) = _at(start), _at(end)
    dashes = ' stroke-dasharray="6 4"' if dashed else ""
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="{width}"{dashes}/>'


def _dot(place: tuple[float, float], colour: str) -> str:
    x, y = _at(place)
    return f'<circle cx="{x}" cy="{y}" r="7" fill="{colour}"/>'


def _text(place: tuple[float, float], words: str, colour: str) -> str:
    x, y = _at(place)
    return f'<text x="{x}" y="{y}" fill="{colour}" font-family="sans-serif" font-size="18">{words}</text>'


if __name__ == "__main__":
    target = Path(__file__).parents[2] / "problems" / "deep_linear_autoencoder" / "points.svg"
    target.write_text(picture(), encoding="utf-8")
