"""One student's verdicts for the instructor, with ``detail``; holds hidden values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.report.layout import Hanging, indented
from grader.report.text import EXPLAINED, WORDS, plain, points, safe, sign, style
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import RenderableType
    from rich.text import Text

    from grader.verdict import CheckResult, Verdict

WORTH_TELLING = 1e-4  # a share of the tolerance; less is rounding
LINES = 40  # of one student's output or one detail


def for_instructor(verdict: Verdict, seen: Mapping[str, Sequence[str]], standing: Sequence[str] = ()) -> RenderableType:
    """Return everything about one verdict; holds hidden values.

    Args:
        verdict: the verdict.
        seen: lines about the simplest failing example, by check.
        standing: sentences about what became of its score.
    """
    from rich.console import Group

    parts: list[RenderableType] = [heading(verdict, f"{WORDS[verdict.status]}, {_conditions(verdict)}")]
    parts += [indented(plain(f"Note: {note}"), 2) for note in verdict.notes]
    details: set[str] = set()
    for check, told in zip(verdict.checks, _told_once(verdict.checks), strict=True):
        parts += _check(check, told)
        if check.share is not None and check.share >= WORTH_TELLING:
            parts.append(indented(plain(share(check.share), style="dim"), 6))
        if check.detail and check.detail not in details:
            details.add(check.detail)
            parts.append(_block("For the instructor:", check.detail))
        if seen.get(check.name):
            parts.append(_block("Smallest failing example:", "\n".join(seen[check.name])))
    parts += [indented(plain(sentence), 2) for sentence in standing]
    return Group(*parts)


def share(value: float) -> str:
    """Return in words how much of what a tolerance allows was used, or by how much it was missed.

    >>> share(0.031), share(12.0), share(float("inf"))
    ('Used 3.1 % of the tolerance.', 'Missed by 12 times the tolerance.', 'No number says how far it misses.')
    """
    if value == float("inf"):
        return "No number says how far it misses."
    return (
        f"Used {100 * value:.2g} % of the tolerance." if value <= 1 else f"Missed by {value:.3g} times the tolerance."
    )


def _conditions(verdict: Verdict) -> str:
    return f"{verdict.dtype} on {verdict.device}, tier {verdict.tier}"


def heading(verdict: Verdict, title: str) -> RenderableType:
    """Return the first line of a problem: its name, something about it, and its points."""
    name = plain(verdict.problem, style="bold")
    name.append(f"  {safe(title)}", style="")
    return Hanging(name, hang=2, right=plain(f"{points(verdict.score)}/{points(verdict.points)}", style="bold"))


def _told_once(checks: Sequence[CheckResult]) -> Iterator[str]:
    """Yield each check's finding; a file that cannot be imported fails them all in the same long words."""
    seen: set[str] = set()
    for check in checks:
        yield "The same as above." if check.finding in seen and "\n" in check.finding else check.finding
        seen.add(check.finding)


def _check(check: CheckResult, finding: str) -> Iterator[RenderableType]:
    yield Hanging(
        _promise(check),
        plain(sign(check.status), style=style(check.status)),
        by=2,
        hang=4,
        right=plain(f"{points(check.score)}/{points(check.points)}"),
    )
    if finding:
        yield indented(plain(finding, lines=True), 6)
    if check.hint:
        yield indented(plain(f"Hint: {check.hint}", style="bold", lines=True), 6)


def _promise(check: CheckResult) -> Text:
    text = plain("")
    if check.status is not Status.PASSED:
        text.append(f"{EXPLAINED[check.status]}: ", style=style(check.status))
    text.append(safe(check.promise))
    text.append(f" [{safe(check.name)}{'' if check.visible else ', hidden'}]", style="dim")
    return text


def _block(title: str, content: str) -> RenderableType:
    from rich.console import Group

    lines = content.rstrip().splitlines()
    if len(lines) > LINES:
        lines = [*lines[: LINES // 2], f"... {len(lines) - LINES} lines left out ...", *lines[-LINES // 2 :]]
    return Group(indented(plain(title, style="dim"), 6), indented(plain("\n".join(lines), style="dim", lines=True), 8))
