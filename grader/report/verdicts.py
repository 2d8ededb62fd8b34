"""One student's verdicts: for the student from ``message`` and ``hint`` alone, for the instructor with ``detail``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.report.text import WORDS, counted, plain, points, safe, sign, style
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import RenderableType
    from rich.text import Text

    from grader.practice import Extra, Worth
    from grader.verdict import CheckResult, Verdict

EXPLAINED = {
    Status.OUT_OF_MEMORY: "out of memory",
    Status.TOO_MUCH_OUTPUT: "too much output",
    Status.NOT_ATTEMPTED: "not attempted",
}
WORTH_TELLING = 1e-4  # a share of the tolerance; less is rounding
LINES = 40  # of one student's output or one detail


def own_work(
    verdict: Verdict, title: str, extras: Mapping[str, Extra] | None = None, *, verbose: bool = False
) -> RenderableType:
    """Return a student's own verdict on the visible checks; one line where nothing has been tried.

    Args:
        verdict: of visible checks.
        title: the problem's.
        extras: by check.
        verbose: name the checks, and list what was called.
    """
    from rich.console import Group

    if verdict.status is Status.NOT_ATTEMPTED:
        missing = verdict.checks[0].finding if not verdict.notes and "handed in" in verdict.checks[0].finding else ""
        line = (
            f"{sign(verdict.status)} {verdict.problem}: not attempted yet, {counted(verdict.points, 'visible point')}"
        )
        return plain(line if not missing else f"{line} (no file found)")
    parts: list[RenderableType] = [_heading(verdict, title)]
    parts += [_indented(plain(f"Note: {note}", style="dim"), 2) for note in verdict.notes]
    for check, told in zip(verdict.checks, _told_once(verdict.checks), strict=True):
        parts += _check(check, told, verbose=verbose)
        if extras and check.name in extras:
            parts += _extra(extras[check.name], verbose=verbose)
    return Group(*parts)


def own_total(verdicts: Sequence[Verdict], worth: Worth) -> RenderableType:
    """Return what stands below a student's own verdicts: visible points now, others after hand-in."""
    scored = sum(verdict.score or 0.0 for verdict in verdicts)
    judged = sum(verdict.points for verdict in verdicts)
    line = f"{points(scored)} of {counted(judged, 'visible point')}."
    if worth.visible > judged:
        line += f" {counted(worth.visible - judged, 'visible point')} not checked this time."
    if worth.after_hand_in is None:
        line += " Further checks are made after hand-in."
    else:
        line += f" {counted(worth.after_hand_in, 'point')} more are checked after hand-in."
    return plain(f"{line} A person marks {counted(worth.by_hand, 'point')}." if worth.by_hand else line)


def for_instructor(verdict: Verdict, seen: Mapping[str, Sequence[str]], standing: Sequence[str] = ()) -> RenderableType:
    """Return everything about one verdict; holds hidden values.

    Args:
        verdict: the verdict.
        seen: lines about the simplest failing example, by check.
        standing: sentences about what became of its score.
    """
    from rich.console import Group

    parts: list[RenderableType] = [_heading(verdict, f"{WORDS[verdict.status]}, {_conditions(verdict)}")]
    parts += [_indented(plain(f"Note: {note}"), 2) for note in verdict.notes]
    details: set[str] = set()
    for check, told in zip(verdict.checks, _told_once(verdict.checks), strict=True):
        parts += _check(check, told, verbose=True)
        if check.share is not None and check.share >= WORTH_TELLING:
            parts.append(_indented(plain(share(check.share), style="dim"), 6))
        if check.detail and check.detail not in details:
            details.add(check.detail)
            parts.append(_block("For the instructor:", check.detail))
        if seen.get(check.name):
            parts.append(_block("Smallest failing example:", "\n".join(seen[check.name])))
    parts += [_indented(plain(sentence), 2) for sentence in standing]
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


def _heading(verdict: Verdict, title: str) -> RenderableType:
    from rich.table import Table

    row = Table.grid(expand=True, padding=(0, 1))
    row.add_column(ratio=1, overflow="fold")
    row.add_column(justify="right", no_wrap=True)
    name = plain(verdict.problem, style="bold")
    name.append(f"  {safe(title)}", style="")
    row.add_row(name, plain(f"{points(verdict.score)}/{points(verdict.points)}", style="bold"))
    return row


def _told_once(checks: Sequence[CheckResult]) -> Iterator[str]:
    """Yield each check's finding; a file that cannot be imported fails them all in the same long words."""
    seen: set[str] = set()
    for check in checks:
        yield "The same as above." if check.finding in seen and "\n" in check.finding else check.finding
        seen.add(check.finding)


def _check(check: CheckResult, finding: str, *, verbose: bool) -> Iterator[RenderableType]:
    from rich.table import Table

    row = Table.grid(expand=True, padding=(0, 1))
    row.add_column(width=3, justify="right")
    row.add_column(ratio=1, overflow="fold")
    row.add_column(justify="right", no_wrap=True)
    row.add_row(
        plain(sign(check.status), style=style(check.status)),
        _promise(check, verbose=verbose),
        plain(f"{points(check.score)}/{points(check.points)}"),
    )
    yield row
    if check.status is Status.PASSED and not verbose:
        return
    if finding:
        yield _indented(plain(finding, lines=True), 6)
    if check.hint:
        yield _indented(plain(f"Hint: {check.hint}", style="bold", lines=True), 6)


def _extra(extra: Extra, *, verbose: bool) -> Iterator[RenderableType]:
    if extra.smallest:
        yield _block("Smallest failing example:", extra.smallest)
    if extra.calls and verbose:
        yield _block("Called:", "\n".join(extra.calls))
    if extra.output.strip():
        yield _block("Your code printed:", extra.output)


def _promise(check: CheckResult, *, verbose: bool) -> Text:
    text = plain("")
    if check.status is not Status.PASSED:
        text.append(f"{EXPLAINED.get(check.status, WORDS[check.status])}: ", style=style(check.status))
    text.append(safe(check.promise))
    if verbose:
        text.append(f" [{safe(check.name)}{'' if check.visible else ', hidden'}]", style="dim")
    return text


def _block(title: str, content: str) -> RenderableType:
    from rich.console import Group

    lines = content.rstrip().splitlines()
    if len(lines) > LINES:
        lines = [*lines[: LINES // 2], f"... {len(lines) - LINES} lines left out ...", *lines[-LINES // 2 :]]
    return Group(
        _indented(plain(title, style="dim"), 6), _indented(plain("\n".join(lines), style="dim", lines=True), 8)
    )


def _indented(content: RenderableType, by: int) -> RenderableType:
    from rich.padding import Padding

    return Padding(content, (0, 0, 0, by), expand=False)
