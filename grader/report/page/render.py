"""Plain data as HTML. Every value is escaped, and whatever is invisible in it is spelled out, wherever it stands."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.errors import UsageError
from grader.report.page import names
from grader.report.text import safe

if TYPE_CHECKING:
    from types import ModuleType

TEMPLATES = Path(__file__).parent / "templates"
REPEATED = 4096  # texts that are kept: the same promises and hints stand on a thousand pages


class Renderer:
    """Fills in the templates.

    A page carries the digests of its own stylesheet and script as its policy: a browser runs no other, even if one
    got past the escaping.

    Raises:
        UsageError: Jinja2 is not installed.
    """

    def __init__(self) -> None:
        jinja2, markupsafe = _jinja()
        self._escape, self._markup = markupsafe.escape, markupsafe.Markup
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(TEMPLATES, encoding="utf-8"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            finalize=self._visible,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._environment.filters |= {"lines": lru_cache(REPEATED)(self._lines), "path": names.path}

    def page(self, template: str, *, page: object, script: str = "") -> str:
        """Return one page: a template, filled in, with our stylesheet and perhaps a script in it."""
        styles, code = _own("style.css"), _own(script) if script else ""
        text: str = self._environment.get_template(template).render(
            page=page,
            policy=_policy(styles, code),
            styles=self._markup(styles),
            code=self._markup(code),
        )
        return text

    def _visible(self, value: Any) -> Any:
        """Spell out what is invisible; what is HTML already stays as it is."""
        if not isinstance(value, str) or isinstance(value, self._markup) or (value.isascii() and value.isprintable()):
            return value
        return safe(value)

    def _lines(self, value: str) -> Any:
        """Do the same for a text of several lines, which stay lines; elsewhere a line end is spelled out too."""
        return self._escape(safe(value, lines=True))


def _jinja() -> tuple[ModuleType, ModuleType]:
    try:
        import jinja2
        import markupsafe
    except ImportError as error:
        raise UsageError(
            f"pages need the package Jinja2 ({error}): python -m pip install 'tensor-grader[report]'"
        ) from error
    return jinja2, markupsafe


def _own(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _policy(styles: str, code: str) -> str:
    script = _source(code) if code else "'none'"
    return f"default-src 'none'; style-src {_source(styles)}; script-src {script}; base-uri 'none'; form-action 'none'"


def _source(text: str) -> str:
    """Return how a policy names the content of an element, which here is a text and nothing else."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
