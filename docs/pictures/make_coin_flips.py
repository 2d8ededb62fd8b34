"""Draws the picture of `coin_flips`: four labels, the folded line and the least-squares line.

Run as ``python docs/pictures/make_coin_flips.py`` to write it again.
"""

from __future__ import annotations

from pathlib import Path

PICTURE = Path(__file__).parents[2] / "problems" / "coin_flips" / "two_predictors.svg"

WIDTH, HEIGHT = 520, 300
POINTS = [(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 1.0)]
NEW = [0.5, 1.5, 2.5]
INK, FOLDED, STRAIGHT = "#333333", "#0b5fa5", "#b5490f"  # the lines differ in their dashes too
TITLE = "Two predictors through four labels"
DESCRIPTION = (
    "The folded line joins (0, 0), (1, 1), (2, 0) and (3, 1), with kinks at 1 and 2. The dashed least-squares line "
    "rises from 0.2 at 0 to 0.8 at 3; dotted residuals lead from it to the points. At the new inputs 0.5, 1.5 and 2.5 "
    "the folded line is at one half."
)


def place(x: float, y: float) -> tuple[float, float]:
    """Return where a point of the plane lies on the picture."""
    return round(70 + 130 * x, 1), round(230 - 180 * y, 1)


def line(start: tuple[float, float], end: tuple[float, float], style: str) -> str:
    """Return a straight line between two points of the plane."""
    (x1, y1), (x2, y2) = place(*start), place(*end)
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {style}/>'


def text(at: tuple[float, float], words: str, colour: str = INK, anchor: str = "middle") -> str:
    """Return words at a place of the picture."""
    return f'<text x="{at[0]}" y="{at[1]}" fill="{colour}" text-anchor="{anchor}">{words}</text>'


def axes() -> list[str]:
    """Return the axes with their numbers and the inputs that are new."""
    thin = f'stroke="{INK}" stroke-width="1"'
    drawn = [line((-0.15, 0), (3.25, 0), thin), line((0, -0.05), (0, 1.1), thin)]
    for x in (0, 1, 2, 3):
        left, low = place(x, 0)
        drawn.append(text((left, low + 20), str(x)))
    for y in (0.5, 1):
        left, low = place(0, y)
        drawn += [line((-0.03, y), (0.03, y), thin), text((left - 10, low + 5), f"{y:g}", anchor="end")]
    for x in NEW:
        left, low = place(x, 0)
        drawn += [line((x, -0.03), (x, 0.03), thin), text((left, low + 20), f"{x:g}", "#666666")]
    end, low = place(3.25, 0)
    return [*drawn, text((end + 12, low + 5), "x"), text((place(0, 1.1)[0], place(0, 1.1)[1] - 8), "y")]


def picture() -> str:
    """Return the whole picture as SVG."""
    folded = " ".join(f"{x},{y}" for x, y in (place(*point) for point in POINTS))
    dotted = f'stroke="{STRAIGHT}" stroke-width="1.5" stroke-dasharray="2 3"'
    dashed = f'stroke="{STRAIGHT}" stroke-width="2.5" stroke-dasharray="9 5"'
    drawn = axes()
    drawn += [line((x, 0.2 + 0.2 * x), (x, y), dotted) for x, y in POINTS]
    drawn.append(line((-0.1, 0.18), (3.15, 0.83), dashed))
    drawn.append(f'<polyline points="{folded}" fill="none" stroke="{FOLDED}" stroke-width="2.5"/>')
    for x, y in POINTS:
        left, low = place(x, y)
        drawn.append(f'<circle cx="{left}" cy="{low}" r="6" fill="{INK}"/>')
    for x in NEW:
        left, low = place(x, 0.5)
        drawn.append(f'<circle cx="{left}" cy="{low}" r="5" fill="#ffffff" stroke="{FOLDED}" stroke-width="2"/>')
    left, low = place(1, 1)
    drawn.append(text((left, low - 14), "folded line", FOLDED))
    drawn.append(text(place(2, 0.74), "least-squares line", STRAIGHT))
    drawn.append(text((WIDTH / 2, HEIGHT - 14), "filled: flips seen, open: predictions at new inputs"))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"',
            '  aria-labelledby="title description" font-family="sans-serif" font-size="14">',
            f'<title id="title">{TITLE}</title>',
            f'<desc id="description">{DESCRIPTION}</desc>',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
            *drawn,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
