"""A student's own work: what passed, and of what did not, the promise, got, wanted, where, how far, and the input."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from grader.closer import Relation
from grader.report import figures
from grader.report.layout import Fitted, Hanging, indented
from grader.report.text import EXPLAINED, counted, plain, points, safe, sign, style
from grader.report.verdicts import heading
from grader.verdict import Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import RenderableType
    from rich.text import Text

    from grader.closer import Closer, Spot
    from grader.excerpt import Miss
    from grader.practice import Worth
    from grader.student import Call
    from grader.verdict import CheckResult, Verdict

SIGN, BODY, INNER = 2, 4, 6  # where signs, findings and what belongs to them begin
LABEL = 9  # columns of "wanted" and its like
ARGUMENTS = 8  # of one call that are listed
LINES = 20  # of what was printed, or called
LETTERS = 240  # of one line of it, and of an argument
CALLERS = 3


def work(
    verdict: Verdict, title: str, closer: Mapping[str, Closer] | None = None, *, verbose: bool = False
) -> RenderableType:
    """Return a student's own verdict on the visible checks; one line where nothing has been tried.

    Args:
        verdict: of visible checks.
        title: the problem's.
        closer: what else is known, by check.
        verbose: name the checks, and list what was called.
    """
    from rich.console import Group

    if verdict.status is Status.NOT_ATTEMPTED:
        return _untouched(verdict)
    closer = closer or {}
    parts: list[RenderableType] = [heading(verdict, title)]
    parts += [indented(plain(f"Note: {note}", style="dim"), SIGN) for note in verdict.notes]
    first = closer.get(verdict.checks[0].name)
    if first is not None and _all_alike(verdict, first):
        return Group(*parts, *_once(verdict, first))
    told: set[object] = set()
    for check in verdict.checks:
        shown = list(_check(check, closer.get(check.name), told, verbose=verbose))
        parts += [*shown, plain("")] if len(shown) > 1 else shown
    return Group(*parts)


def total(verdicts: Sequence[Verdict], worth: Worth) -> RenderableType:
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
    return indented(plain(f"{line} A person marks {counted(worth.by_hand, 'point')}." if worth.by_hand else line), 0)


def in_short(verdict: Verdict) -> RenderableType:
    """Return a line on a verdict that was shown before."""
    line = f"{sign(verdict.status)} {verdict.problem}: {points(verdict.score)}/{points(verdict.points)}, as before"
    return plain(line, style=style(verdict.status))


def _untouched(verdict: Verdict) -> RenderableType:
    missing = not verdict.notes and "handed in" in verdict.checks[0].finding
    line = f"{sign(verdict.status)} {verdict.problem}: not attempted yet, {counted(verdict.points, 'visible point')}"
    return plain(f"{line} (no file found)" if missing else line, style=style(verdict.status))


def _all_alike(verdict: Verdict, closer: Closer) -> bool:
    """Tell whether one fault ahead of any call stands behind all checks: the file cannot be imported, or read."""
    first = verdict.checks[0]
    alike = {(check.status, check.finding) for check in verdict.checks} == {(first.status, first.finding)}
    return len(verdict.checks) > 1 and alike and closer.call is None and first.status is not Status.FAILED


def _once(verdict: Verdict, closer: Closer) -> Iterator[RenderableType]:
    first = verdict.checks[0]
    text = plain(f"{EXPLAINED[first.status]}: ", style=style(first.status))
    text.append(f"none of the {len(verdict.checks)} checks could be made")
    yield Hanging(text, plain(sign(first.status), style=style(first.status)), by=SIGN, hang=BODY)
    yield from _finding(first, closer, set(), verbose=False)


def _check(check: CheckResult, closer: Closer | None, told: set[object], *, verbose: bool) -> Iterator[RenderableType]:
    text = plain("")
    if check.status is not Status.PASSED:
        text.append(f"{EXPLAINED[check.status]}: ", style=style(check.status))
    unwritten = check.status is Status.NOT_ATTEMPTED
    text.append(safe(closer.said if unwritten and closer is not None else check.promise))
    if verbose:
        text.append(f" [{safe(check.name)}]", style="dim")
    worth = plain(f"{points(check.score)}/{points(check.points)}")
    yield Hanging(text, plain(sign(check.status), style=style(check.status)), by=SIGN, hang=BODY, right=worth)
    if check.status is not Status.PASSED and not (unwritten and closer is not None):
        yield from _finding(check, closer, told, verbose=verbose)
    if check.hint:
        again = check.hint in told
        yield indented(plain(f"Hint: {'as above.' if again else check.hint}", style="bold", lines=True), BODY)
        told.add(check.hint)
    if closer is not None and not unwritten:
        yield from _behind(closer, verbose=verbose)


def _finding(
    check: CheckResult, closer: Closer | None, told: set[object], *, verbose: bool
) -> Iterator[RenderableType]:
    """Yield what is wrong, where and with what; what was told before is named in one line."""
    if closer is None:
        if check.finding:
            again = check.finding in told and "\n" in check.finding
            yield indented(plain("The same as above." if again else check.finding, lines=True), BODY)
        told.add(check.finding)
        return
    if closer.spots:
        spot = closer.spots[0]
        place = (spot.place, closer.raised)
        if place in told:
            error = closer.raised.partition(":")[0]
            yield indented(plain(f"{error} at {spot.place}, as above."), BODY)
            return
        told.add(place)
        yield from _raised(closer)
    elif closer.miss is not None:
        yield from _missed(closer, closer.miss)
    else:
        if closer.call is not None and closer.relation is not Relation.ENDED:
            yield indented(_called(closer.call, closer, ":"), BODY)
        by = BODY if closer.call is None or closer.relation is Relation.ENDED else INNER
        yield indented(plain(closer.said, lines=True), by)
        if closer.raised:
            yield indented(plain(closer.raised, lines=True), by)
    yield from _arguments(closer, verbose=verbose)


def _missed(closer: Closer, miss: Miss) -> Iterator[RenderableType]:
    """Yield got and wanted below each other, then both arrays around the first difference."""
    where = "" if closer.relation is Relation.ONE else miss.path + miss.place
    at = f" at {where}" if where else ""
    if closer.call is not None:
        yield indented(_called(closer.call, closer, f"{at}:"), BODY)
    elif at:
        yield indented(plain(f"at {where}:"), BODY)
    yield _labelled("got", miss.got, figures.GOT)
    yield _labelled("wanted", miss.wanted, figures.WANTED)
    if miss.off is not None and miss.allowed is not None:
        yield _labelled("off by", f"{miss.off:.3g}, where {miss.allowed:.2g} is allowed")
    if miss.size > 1:
        first = f"; the first is at {miss.first}" if miss.wrong > 1 and miss.first != miss.place else ""
        yield _labelled("wrong", f"{miss.wrong} of {miss.size} numbers, marked {figures.MARK}{first}")
    if miss.made and (miss.excerpt is not None or miss.off is None):
        shape = f"shape {miss.excerpt.shape}, " if miss.excerpt is not None else ""
        yield _labelled("array" if shape else "dtype", f"{shape}{miss.made}")
    if closer.relation is Relation.AFTER and closer.call is not None:
        yield _labelled("returned", figures.written(closer.call.value, LETTERS))
    if miss.note:
        yield indented(plain(miss.note), INNER)
    if miss.excerpt is not None:
        yield Fitted(functools.partial(figures.side_by_side, miss.excerpt), INNER)


def _called(call: Call, closer: Closer, ending: str) -> Text:
    names = ", ".join(name if name.isidentifier() else "..." for name, _ in closer.given)
    before = {Relation.PART: "part of ", Relation.AFTER: "after "}.get(closer.relation, "")
    text = plain(before)
    text.append(safe(f"{call.name}({names})"), style="bold")
    text.append(safe(ending))
    return text


def _labelled(label: str, text: str, colour: str = "") -> RenderableType:
    return Hanging(plain(text, style=colour), plain(label), by=INNER, hang=INNER + LABEL)


def _raised(closer: Closer) -> Iterator[RenderableType]:
    """Yield the line of the student's file with those ahead of it, the exception, and who called."""
    first, *callers = closer.spots
    within = f", in {first.function}" if first.function else ""
    yield indented(plain(f"{first.place}{within}"), BODY)
    wide = len(str(first.number))
    for number, line in _dedented(first):
        here = number == first.number
        label = plain(f"{'>' if here else ' '} {number:>{wide}} |", style="" if here else "dim")
        yield Hanging(plain(line, style="bold" if here else "dim"), label, by=INNER, hang=INNER + wide + 5)
    yield indented(plain(closer.raised or closer.said, style="red", lines=True), INNER)
    for spot in callers[:CALLERS]:
        line = spot.lines[-1][1].strip() if spot.lines else ""
        at = f"called at {spot.place}"
        yield indented(plain(f"{at}, in {spot.function}: {line}" if spot.function else at, style="dim"), INNER)
    if len(callers) > CALLERS:
        yield indented(plain(f"and {len(callers) - CALLERS} calls further out", style="dim"), INNER)


def _dedented(spot: Spot) -> Iterator[tuple[int, str]]:
    lines = [(number, safe(text.expandtabs(4))) for number, text in spot.lines]
    ahead = [place for place, (_, text) in enumerate(lines[:-1]) if not text.strip() or text.rstrip().endswith('"""')]
    lines = lines[ahead[-1] + 1 if ahead else 0 :]
    spare = min((len(text) - len(text.lstrip()) for _, text in lines if text.strip()), default=0)
    return ((number, text[spare:]) for number, text in lines)


def _arguments(closer: Closer, *, verbose: bool) -> Iterator[RenderableType]:
    """Yield the input: what the check was given, where that was drawn, and what the call was."""
    drawn = list(closer.drawn.items())
    if drawn:
        title = "smallest failing input that was found:" if closer.simplest else "with this input:"
        yield from _listed(title, drawn)
    if closer.call is None or not closer.given or (drawn and not verbose):
        return
    yield from _listed("called with" if not drawn else "so it was called with", list(closer.given))


def _listed(title: str, named: list[tuple[str, object]]) -> Iterator[RenderableType]:
    yield indented(plain(title, style="dim"), BODY)
    wide = max(len(name) for name, _ in named[:ARGUMENTS])
    for name, value in named[:ARGUMENTS]:
        label = plain(f"{name:<{wide}} =")
        yield Hanging(plain(figures.written(value, LETTERS)), label, by=INNER, hang=INNER + wide + 3)
    if len(named) > ARGUMENTS:
        yield indented(plain(f"and {len(named) - ARGUMENTS} more", style="dim"), INNER)


def _behind(closer: Closer, *, verbose: bool) -> Iterator[RenderableType]:
    if closer.calls and verbose:
        yield from _block("Called:", "\n".join(figures.spelled(call, LETTERS // 2) for call in closer.calls))
    if closer.output.strip():
        yield from _block("Your code printed:", closer.output)


def _block(title: str, content: str) -> Iterator[RenderableType]:
    """Yield some lines under a title; of many the first and the last, of a long one its beginning."""
    lines = [figures.cut(line, 2 * LETTERS) for line in content.rstrip().splitlines()]
    if len(lines) > LINES:
        lines = [*lines[: LINES // 2], f"... {len(lines) - LINES} lines left out ...", *lines[-LINES // 2 :]]
    yield indented(plain(title, style="dim"), BODY)
    for line in lines:
        yield Hanging(plain(line), plain("|", style="dim"), by=INNER, hang=INNER + 2)
