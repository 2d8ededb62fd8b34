"""Draws problems/vanishing_factors/chains.svg: four derivatives against depth, on a logarithmic scale.

Run it from the repository's root: ``python docs/pictures/make_vanishing_factors.py``.
"""

import math
from pathlib import Path

TARGET = Path(__file__).parents[2] / "problems" / "vanishing_factors" / "chains.svg"
LINES = (
    ("residual, a = 0.05", 1.05, "#2a7f3f", -6),
    ("carry, f = 0.95", 0.95, "#1f5fa8", 1),
    ("recurrence, w = 0.9", 0.9, "#b35c00", 8),
    ("sigmoid, z = 0", 0.25, "#a02060", 0),
)
LEFT, TOP, WIDE, HIGH = 70, 20, 380, 260
DEEPEST, TOP_POWER, BOTTOM_POWER = 100, 5, -65


def across(steps: float) -> float:
    """Return where a depth lies on the page."""
    return LEFT + WIDE * steps / DEEPEST


def down(power: float) -> float:
    """Return where a power of ten lies on the page."""
    return TOP + HIGH * (TOP_POWER - power) / (TOP_POWER - BOTTOM_POWER)


def svg() -> str:
    """Return the whole picture."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 330" font-family="sans-serif" font-size="13">',
        '<rect width="620" height="330" fill="white"/>',
    ]
    for power in range(0, -61, -20):
        y = down(power)
        parts += [
            f'<path d="M{LEFT} {y:.1f}h{WIDE}" stroke="#dddddd"/>',
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_power_of_ten(power)}</text>',
        ]
    for steps in range(0, DEEPEST + 1, 20):
        parts.append(f'<text x="{across(steps):.1f}" y="{TOP + HIGH + 18}" text-anchor="middle">{steps}</text>')
    parts += [
        f'<rect x="{LEFT}" y="{TOP}" width="{WIDE}" height="{HIGH}" fill="none" stroke="#888888"/>',
        f'<text x="{LEFT + WIDE / 2}" y="{TOP + HIGH + 38}" text-anchor="middle">steps L</text>',
    ]
    for name, factor, colour, lower in LINES:
        y = down(DEEPEST * math.log10(factor))
        line = f"M{across(0):.1f} {down(0):.1f}L{across(DEEPEST):.1f} {y:.1f}"
        parts += [
            f'<path d="{line}" stroke="{colour}" stroke-width="2"/>',
            f'<text x="{LEFT + WIDE + 8}" y="{y + 4 + lower:.1f}" fill="{colour}">{name}</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _power_of_ten(power: int) -> str:
    return "1" if power == 0 else f'10<tspan dy="-5" font-size="10">{power}</tspan>'


if __name__ == "__main__":
    TARGET.write_text(svg(), encoding="utf-8")
