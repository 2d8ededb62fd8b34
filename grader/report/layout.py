"""Lines for a terminal: text that hangs from what stands before it, with nothing behind its last letter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.text import Text

LEAST = 20  # columns that a text gets, however far in it begins


@dataclass(frozen=True, slots=True)
class Hanging:
    """A text behind a label, its later lines below its first; at the right end of the first, something short.

    ``by`` columns are left free before the label, ``hang`` before later lines.
    """

    text: Text
    label: Text | None = None
    by: int = 0
    hang: int = 0
    right: Text | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines."""
        from rich.text import Text

        right = self.right.cell_len + 1 if self.right is not None else 0
        lines = self.text.wrap(console, max(LEAST, options.max_width - self.hang - right), overflow="fold")
        for number, line in enumerate(lines or [Text()]):
            line.rstrip()
            start = Text(" " * (self.hang if number else self.by))
            if number == 0 and self.label is not None:
                start.append_text(self.label)
                start.append(" " * (self.hang - start.cell_len))
            start.append_text(line)
            if number == 0 and self.right is not None:
                start.append(" " * max(1, options.max_width - start.cell_len - self.right.cell_len))
                start.append_text(self.right)
            if not start.plain.strip():
                start = Text()
            start.no_wrap = True
            start.overflow = "ignore"
            yield start


@dataclass(frozen=True, slots=True)
class Fitted:
    """Lines that depend on how much room there is; they begin so far in."""

    draw: Callable[[int], list[Text]]
    by: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines."""
        for line in self.draw(max(LEAST, options.max_width - self.by)):
            yield from indented(line, self.by).__rich_console__(console, options)


def indented(text: Text, by: int) -> Hanging:
    """Return a text whose lines all begin so far in."""
    return Hanging(text, by=by, hang=by)
