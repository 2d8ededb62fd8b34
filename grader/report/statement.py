"""A problem's statement, readable in a terminal: its Markdown laid out, its formulas as Unicode."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from grader.report.latex import readable
from grader.report.text import safe

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.markdown import Markdown

_PIECE = re.compile(
    r"""(?P<code>^(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^(?P=fence)[^\n]*$   # a block of code
               |(?P<tick>`+)[^`].*?(?P=tick)(?!`)                       # a span of code
               |\\\$)                                                   # a dollar that is a dollar
    | \$\$(?P<display>.+?)\$\$
    | \$(?P<inline>[^\s$](?:[^$]*?[^\s$\\])?)\$(?!\d)""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def statement(markdown: str) -> RenderableType:
    """Return a statement as a renderable; a console without colour prints it as plain text."""
    return _layout()(unicoded(safe(markdown, lines=True)), hyperlinks=False)


@functools.cache
def _layout() -> type[Markdown]:
    """Return rich's Markdown, made here since rich is imported where it is used."""
    from rich.markdown import Markdown, TableElement
    from rich.table import Table

    class Folding(TableElement):
        """A table that breaks long words; rich cuts them off."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for part in super().__rich_console__(console, options):
                if isinstance(part, Table):
                    for column in part.columns:
                        column.overflow = "fold"
                yield part

    class Statement(Markdown):
        """Markdown with such tables."""

        elements = Markdown.elements | {"table_open": Folding}

    return Statement


def unicoded(markdown: str) -> str:
    r"""Return Markdown with every formula between dollars as Unicode; code stays as it is.

    >>> unicoded(r"Let $x_i \le \sqrt{2}$; run `a $b$ c`.")
    'Let xᵢ ≤ √2; run `a $b$ c`.'
    """
    return _PIECE.sub(_replaced, markdown)


def _replaced(match: re.Match[str]) -> str:
    if match["code"] is not None:
        return match["code"]
    if match["inline"] is not None:
        if "\n\n" in match["inline"]:
            return match[0]  # two lone dollars in different paragraphs
        return _literal(" ".join(readable(match["inline"]).split("\n")))
    lines = [_literal(line) for line in readable(match["display"]).split("\n")]
    return "\n\n> " + "\\\n> ".join(lines) + "\n\n"


def _literal(text: str) -> str:
    """Return a text that Markdown takes letter by letter."""
    return _PUNCTUATION.sub(r"\\\1", text)
