"""Values as a student compares them: an argument in short, and two arrays with the wrong numbers marked."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from grader import plain as p
from grader.outcome import compact
from grader.report.text import plain, safe

if TYPE_CHECKING:
    from rich.text import Text

    from grader.excerpt import Excerpt
    from grader.student import Call

MARK = "*"
DIGITS = (4, 6, 9, 12, 17)  # the first that tells each wrong number from the right one
ROOMY = 6  # digits where there is room for them
ENTRIES = 64  # of an array, up to which all are written
LARGE = 64  # letters for a larger one
GAP = "  "
GOT, WANTED = "bold red", "green"
_OPENING, _CLOSING = {list: "[", tuple: "(", dict: "{"}, {list: "]", tuple: ")", dict: "}"}


def written(value: Any, letters: int) -> str:
    """Return a value in so many letters at most; of an array, shape and dtype stand behind it."""
    import numpy as np

    if isinstance(value, np.ndarray):
        behind = f", {value.dtype}" if value.ndim == 0 else f", shape {value.shape}, {value.dtype}"
        kinds = {"float_kind": lambda one: f"{one:.6g}", "complex_kind": lambda one: f"{one:.6g}"}
        room = letters if value.size <= ENTRIES else min(letters, LARGE)
        text = np.array2string(value, threshold=ENTRIES, edgeitems=2, separator=",", formatter=kinds)  # type: ignore[arg-type]
        text = " ".join(text.split()).replace(",", ", ").replace(",  ", ", ").replace("[ ", "[")
        return cut(text, room - len(behind)) + behind
    if isinstance(value, (list, tuple, dict)) and _holds_arrays(value):
        first = itertools.islice(value.items() if isinstance(value, dict) else enumerate(value), ENTRIES)
        named = "{key!r}: {part}" if isinstance(value, dict) else "{part}"
        inside = ", ".join(named.format(key=key, part=written(part, letters)) for key, part in first)
        return cut(f"{_OPENING[type(value)]}{inside}{_CLOSING[type(value)]}", letters)
    kind = getattr(value, "kind", None)
    return cut(f"<{kind}>" if isinstance(kind, str) else compact(value), letters)


def spelled(call: Call, letters: int) -> str:
    """Return a call and what came of it."""
    named = [f"{name}={written(value, letters)}" for name, value in call.kwargs.items()]
    asked = ", ".join([*(written(value, letters) for value in call.args), *named])
    ending = call.fault.status.value if call.fault is not None else written(call.value, letters)
    return f"{call.name}({asked}) -> {ending}"


def _holds_arrays(value: list[Any] | tuple[Any, ...] | dict[Any, Any]) -> bool:
    parts = value.values() if isinstance(value, dict) else value
    return any(hasattr(part, "dtype") or hasattr(part, "kind") for part in itertools.islice(parts, ENTRIES))


def cut(text: str, width: int) -> str:
    """Return a text cut to so many letters."""
    return text if len(text) <= width else f"{text[: max(width - 1, 1)]}…"


def side_by_side(found: Excerpt, width: int) -> list[Text]:
    """Return two arrays around their first difference, what is wrong marked by a star and by colour.

    Args:
        found: the numbers.
        width: columns that there are; as many of the array are shown as fit.
    """
    columns = list(range(len(found.columns)))
    focus = next(k for row in found.wrong for k in columns if row[k])
    fewest = _digits(found)
    while True:
        for digits in sorted({fewest, max(fewest, ROOMY)}, reverse=True):
            grid = _Grid(found, columns, digits)
            lines = grid.in_a_row() if len(found.shape) == 1 else grid.beside()
            if _widest(lines) <= width:
                return [*_where(found, columns), *lines]
        lines = grid.stacked()
        if len(found.shape) > 1 and (_widest(lines) <= width or len(columns) == 1):
            return [*_where(found, columns), *lines]
        if len(columns) == 1:
            return lines
        columns.remove(columns[0] if focus - columns[0] > columns[-1] - focus else columns[-1])


def _widest(lines: list[Text]) -> int:
    return max(line.cell_len for line in lines)


def _where(found: Excerpt, columns: list[int]) -> list[Text]:
    """Return a line on which part of the array this is; none if it is all of it."""
    height, width = (1, *found.shape)[-2:]
    parts = [f"at [{', '.join(map(str, found.place))}, ...]"] if found.place else []
    if len(found.rows) < height:
        parts.append(f"rows {found.rows[0]} to {found.rows[-1]} of {height}")
    if len(columns) < width:
        first, last = found.columns[columns[0]], found.columns[columns[-1]]
        what = "numbers" if len(found.shape) == 1 else "columns"
        parts.append(f"{what} {first} to {last} of {width}")
    return [plain(f"({', '.join(parts)})", style="dim")] if parts else []


class _Grid:
    """Some columns of an excerpt as cells of text."""

    def __init__(self, found: Excerpt, columns: list[int], digits: int) -> None:
        self.wrong = [[row[k] for k in columns] for row in found.wrong]
        self.got, self.wanted = (
            [[_number(row[k], digits) for k in columns] for row in rows] for rows in (found.got, found.wanted)
        )
        self.heads = [f"[{found.columns[k]}]" for k in columns]
        self.sides = [f"[{row}]" for row in found.rows]

    def in_a_row(self) -> list[Text]:
        """Return a line of numbers: places, got, wanted."""
        marked = [one + (MARK if wrong else " ") for one, wrong in zip(self.got[0], self.wrong[0], strict=True)]
        heads, wanted = ([f"{one} " for one in row] for row in (self.heads, self.wanted[0]))
        widths = [max(map(len, column)) for column in zip(heads, marked, wanted, strict=True)]
        lines = [
            self._line("", heads, widths, style="dim"),
            self._line("got", marked, widths, wrong=self.wrong[0]),
            self._line("wanted", wanted, widths, wrong=self.wrong[0], colour=WANTED),
        ]
        for line in lines:
            line.rstrip()
        return lines

    def beside(self) -> list[Text]:
        """Return got and wanted side by side."""
        left, right = self.half("got", self.got, marks=True), self.half("wanted", self.wanted, marks=False)
        widest = _widest(left)
        for line, other in zip(left, right, strict=True):
            line.append(" " * (widest - line.cell_len) + GAP)
            line.append_text(other)
            line.rstrip()
        return left

    def stacked(self) -> list[Text]:
        """Return wanted below got."""
        lines = [*self.half("got", self.got, marks=True), *self.half("wanted", self.wanted, marks=False)]
        for line in lines:
            line.rstrip()
        return lines

    def half(self, name: str, cells: list[list[str]], *, marks: bool) -> list[Text]:
        """Return one of the two arrays below its name, rows and columns numbered."""
        shown = [
            [one + (MARK if marks and wrong else " ") for one, wrong in zip(row, wrongs, strict=True)]
            for row, wrongs in zip(cells, self.wrong, strict=True)
        ]
        heads = [f"{head} " for head in self.heads]
        widths = [max(map(len, column)) for column in zip(heads, *shown, strict=True)]
        first = max(len(name), *map(len, self.sides))
        head = self._line(name, heads, widths, style="dim", first=first)
        sides = zip(self.sides, shown, self.wrong, strict=True)
        colour = GOT if marks else WANTED
        rest = [self._line(side, row, widths, wrong=wrongs, colour=colour, first=first) for side, row, wrongs in sides]
        return [head, *rest]

    def _line(
        self,
        name: str,
        cells: list[str],
        widths: list[int],
        *,
        wrong: list[bool] | None = None,
        style: str = "",
        colour: str = GOT,
        first: int = 6,
    ) -> Text:
        line = plain("")
        line.append(f"{name:<{first}}", style="dim" if name.startswith("[") else "")
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
            line.append(GAP if place == 0 else " ")
            line.append(safe(f"{cell:>{width}}"), style=colour if wrong and wrong[place] else style)
        return line


def _digits(found: Excerpt) -> int:
    pairs = [
        (got, wanted)
        for gots, wanteds, wrongs in zip(found.got, found.wanted, found.wrong, strict=True)
        for got, wanted, wrong in zip(gots, wanteds, wrongs, strict=True)
        if wrong
    ]
    for digits in DIGITS:
        if all(_number(got, digits) != _number(wanted, digits) for got, wanted in pairs):
            return digits
    return DIGITS[-1]


def _number(value: Any, digits: int) -> str:
    whole = isinstance(value, (bool, int, Fraction)) or value is None
    return p.shown(value) if whole else p.shown(value, digits)
