r"""Formulas as Unicode, for readers in a terminal: ``\frac{1}{B}\sum_i g_i^2`` reads ``1/B ∑ᵢ gᵢ²``.

The common commands become characters; a command that is not known stays as it was written.
"""

from __future__ import annotations

# ruff: noqa: RUF001, RUF002 - characters that look like others are what this module writes
import re
from typing import TYPE_CHECKING

from grader.report import symbols

if TYPE_CHECKING:
    from collections.abc import Mapping

_PIECE = re.compile(r"\\[A-Za-z]+\*?|\\.|\s+|.", re.DOTALL)
_ROW, _CELL = "\n", "\t"
_SPACED = set("=<>")  # relations: a space on both sides wherever they stand
_MATRICES = {"pmatrix": "()", "bmatrix": "[]", "matrix": "[]", "smallmatrix": "[]", "vmatrix": "||", "array": "[]"}
_OPENS = set("([{⟨⌊⌈|‖,;:=<>≤≥≈→+-/^_ \u2003\n\t")
_DEEPEST = 40


def readable(latex: str) -> str:
    r"""Return one formula, without its dollars, as Unicode text; its rows are lines.

    >>> readable(r"\bar g = \frac1B\sum_{i=1}^{B} g_i \le \sqrt{2\sigma^2}")
    'ḡ = 1/B ∑ᵢ₌₁ᴮ gᵢ ≤ √(2σ²)'
    >>> readable(r"\ell_i(w) = \tfrac12\,(x_i\cdot w - y_i)^2")
    'ℓᵢ(w) = ½ (xᵢ·w - yᵢ)²'
    >>> readable(r"\unheard{x} \in \mathbb{R}^{n \times d}")
    '\\unheard{x} ∈ ℝ^(n × d)'
    """
    text = _Reader(latex).read()
    text = re.sub(r"([,;]) (?=[)\]}])", r"\1", re.sub(r" *\t *", " ", text))
    lines = [re.sub(" +", " ", line).strip() for line in text.split(_ROW)]
    return "\n".join(line.replace("\u2003", "  ") for line in lines if line)


class _Reader:
    """Reads pieces from left to right; what has been written so far is ``self.out``."""

    def __init__(self, latex: str, depth: int = 0) -> None:
        self.pieces = _PIECE.findall(latex)
        self.place = 0
        self.depth = depth
        self.out: list[str] = []
        self.after_name = False  # an operator's name was written: what follows it is set apart

    def read(self) -> str:
        while self.place < len(self.pieces):
            self.step(self.take())
        return "".join(self.out)

    def take(self) -> str:
        piece = self.pieces[self.place] if self.place < len(self.pieces) else ""
        self.place += 1
        return piece

    def step(self, piece: str) -> None:
        if piece.isspace():
            return
        if piece.startswith("\\") and len(piece) > 1:
            self.command(piece[1:])
        elif piece in "^_":
            self.script(piece)
        elif piece == "{":
            self.write(_converted(self.braces(), self.depth))
        elif piece == "&":
            self.out.append(_CELL)
        elif piece != "}":
            self.character(piece)

    def character(self, piece: str) -> None:
        if piece in _SPACED:
            self.between(piece)
        elif piece in "+-":
            self.sign(piece)
        elif piece in ",;":
            self.out.append(f"{piece} ")
        else:
            self.write({"'": "′", "~": " "}.get(piece, piece))

    def command(self, name: str) -> None:
        if name in symbols.LETTERS:
            self.write(symbols.LETTERS[name])
        elif name in symbols.BETWEEN:
            self.between(symbols.BETWEEN[name])
        elif name in symbols.OPERATORS:
            self.name(symbols.OPERATORS[name])
        elif name in symbols.SPACES:
            self.out.append(symbols.SPACES[name])
        elif name in {"cdot", "bullet"}:
            self.out.append("·")
        elif name in symbols.DROPPED:
            self.dropped(name)
        elif name == "\\":
            self.out.append(_ROW)
        else:
            self.structure(name)

    def structure(self, name: str) -> None:
        if name in {"frac", "tfrac", "dfrac", "cfrac"}:
            self.write(_over(self.converted(), self.converted()))
        elif name in {"binom", "tbinom", "dbinom"}:
            self.write(f"C({self.converted()}, {self.converted()})")
        elif name == "sqrt":
            self.root()
        elif name in symbols.TEXT:
            self.out.append(re.sub(r"\$(.+?)\$", lambda m: _converted(m[1], self.depth), self.argument()))
        elif name in symbols.UPRIGHT:
            self.write(self.converted())
        elif name in symbols.ACCENTS:
            self.write(_accented(name, self.converted()))
        elif name == "mathbb":
            self.write("".join(map(_double_struck, self.argument())))
        elif name.rstrip("*") == "operatorname":
            self.name(self.converted())
        elif name == "begin":
            self.environment(self.argument())
        else:
            self.unknown(name)

    def unknown(self, name: str) -> None:
        self.write(f"\\{name}")
        while self.place < len(self.pieces) and self.pieces[self.place] == "{":
            self.out.append(f"{{{self.converted()}}}")

    def dropped(self, name: str) -> None:
        if name in {"left", "right"} and self.place < len(self.pieces) and self.pieces[self.place] == ".":
            self.place += 1

    def root(self) -> None:
        degree = ""
        if self.place < len(self.pieces) and self.pieces[self.place] == "[":
            end = self.pieces.index("]", self.place) if "]" in self.pieces[self.place :] else self.place
            degree = _raised("".join(self.pieces[self.place + 1 : end]), symbols.SUPERSCRIPTS) or ""
            self.place = end + 1
        self.write(f"{degree}√{_wrapped(self.converted())}")

    def script(self, mark: str) -> None:
        content = self.converted()
        table = symbols.SUPERSCRIPTS if mark == "^" else symbols.SUBSCRIPTS
        raised = _raised(content, table)
        if raised is not None:
            self.out.append(raised)
        elif len(content) <= 1 or content.isalnum():
            self.out.append(f"{mark}{content}")
            self.after_name = True
        else:
            self.out.append(f"^({content})" if mark == "^" else f"_{{{content.replace(' ', '')}}}")

    def environment(self, name: str) -> None:
        if name == "array":
            self.argument()  # the alignment of its columns
        body = _converted(self.until_end(), self.depth)
        rows = [[cell.strip() for cell in row.split(_CELL)] for row in body.split(_ROW) if row.strip()]
        if name in _MATRICES:
            around = _MATRICES[name]
            self.write(around[0] + "; ".join(" ".join(row) for row in rows) + around[1])
        elif name == "cases":
            self.write("{ " + "; ".join(map(_case, rows)))
        else:
            self.out.append(_ROW + _ROW.join(" ".join(filter(None, row)) for row in rows) + _ROW)

    def until_end(self) -> str:
        inner, start = 0, self.place
        while self.place < len(self.pieces):
            at, piece = self.place, self.take()
            if piece == "\\begin":
                inner += 1
            elif piece == "\\end" and inner:
                inner -= 1
            elif piece == "\\end":
                self.argument()
                return "".join(self.pieces[start:at])
        return "".join(self.pieces[start:])

    # Arguments

    def argument(self) -> str:
        """Return the next argument as it was written: a group without its braces, or one piece."""
        piece = self.take()
        while piece.isspace():
            piece = self.take()
        return self.braces() if piece == "{" else piece

    def converted(self) -> str:
        """Return the next argument as Unicode; a command that stands for an argument brings its own."""
        while self.place < len(self.pieces) and self.pieces[self.place].isspace():
            self.place += 1
        if self.place < len(self.pieces) and self.pieces[self.place].startswith("\\"):
            inner = _Reader("", self.depth + 1)
            inner.pieces, inner.place = self.pieces, self.place
            inner.step(inner.take())
            self.place = inner.place
            return "".join(inner.out).strip()
        return _converted(self.argument(), self.depth)

    def braces(self) -> str:
        open_, start = 1, self.place
        while self.place < len(self.pieces):
            piece = self.take()
            open_ += {"{": 1, "}": -1}.get(piece, 0)
            if not open_:
                return "".join(self.pieces[start : self.place - 1])
        return "".join(self.pieces[start:])

    # Writing

    def write(self, text: str) -> None:
        if self.after_name and (text[:1].isalnum() or text[:1] in "√∂∇∑∏∫½|‖"):
            self.out.append(" ")
        self.after_name = False
        self.out.append(text)

    def name(self, text: str) -> None:
        if self.out and self.out[-1][-1:] not in _OPENS:
            self.out.append(" ")
        self.out.append(text)
        self.after_name = True

    def between(self, text: str) -> None:
        self.after_name = False
        self.out.append(f" {text} ")

    def sign(self, piece: str) -> None:
        written = "".join(self.out[-2:]).rstrip(" ")
        self.after_name = False
        self.out.append(piece if not written or written[-1] in _OPENS else f" {piece} ")


def _converted(latex: str, depth: int) -> str:
    if depth > _DEEPEST:
        return latex
    return _Reader(latex, depth + 1).read().strip(" ")


def _raised(content: str, table: Mapping[str, str]) -> str | None:
    """Return a sub- or superscript; None where some character has no such form."""
    compact = content.replace(" ", "")
    return "".join(table[c] for c in compact) if compact and all(c in table for c in compact) else None


def _over(top: str, bottom: str) -> str:
    return symbols.FRACTIONS.get((top, bottom)) or f"{_wrapped(top)}/{_wrapped(bottom)}"


def _wrapped(text: str) -> str:
    """Return an expression in parentheses unless it is one name or number, perhaps with its indices."""
    scripts = "".join({*symbols.SUPERSCRIPTS.values(), *symbols.SUBSCRIPTS.values()})
    name = rf"[^\W\d_][\u0300-\u036f]?[{re.escape(scripts)}]*"
    return text if re.fullmatch(rf"\d+(\.\d+)?|{name}|\([^()]*\)|∂{name}", text) else f"({text})"


def _case(row: list[str]) -> str:
    value, condition = row[0], " ".join(row[1:])
    return f"{value} {condition}" if re.match(r"if\b|for\b|otherwise|else|$", condition) else f"{value} if {condition}"


def _accented(name: str, text: str) -> str:
    import unicodedata

    mark = symbols.ACCENTS[name]
    if len(text) == 1 or name in {"overline", "underline"}:
        return unicodedata.normalize("NFC", "".join(character + mark for character in text))
    base = text[0] + mark
    return unicodedata.normalize("NFC", base) + text[1:] if text[1:].isdigit() else f"{name}({text})"


def _double_struck(letter: str) -> str:
    if letter in symbols.DOUBLE_STRUCK:
        return symbols.DOUBLE_STRUCK[letter]
    return chr(0x1D538 + ord(letter) - ord("A")) if "A" <= letter <= "Z" else letter
