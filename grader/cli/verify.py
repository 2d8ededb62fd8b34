"""``grade verify``: the author's proof."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import click

from grader.cli import BROKEN, SUMMARIES
from grader.cli.common import console, course, course_option, document, json_option, say
from grader.cli.progress import progress
from grader.errors import AuthoringError, CourseError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.course import Course
    from grader.verify import Proof

SEED_BITS = 32


@click.command("verify", short_help=SUMMARIES["verify"])
@course_option
@click.argument("slugs", metavar="[SLUG]...", nargs=-1)
@click.option("--seed", type=click.IntRange(0, 2**62), metavar="N", help="Draw the examples from this seed.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Prove so many side by side (default: one a core).")
@json_option
@click.pass_context
def command(ctx: click.Context, slugs: tuple[str, ...], *, seed: int | None, jobs: int | None, as_json: bool) -> None:
    """Prove that a problem's checks accept right answers and catch known mistakes."""
    from grader import machine
    from grader.report import proof as shown

    here = course()
    wanted = slugs or here.slugs
    if not wanted:
        raise CourseError(f"{here.root / 'problems'} holds no problem; there is nothing to prove")
    seed = secrets.randbits(SEED_BITS) if seed is None else seed
    proofs, unreadable = [], False
    for found, readable in _proofs(here, wanted, seed, jobs or machine.cores()):
        proofs.append(found)
        unreadable = unreadable or not readable
        if not as_json:
            console().print(shown.proof(found))
    if as_json:
        document([shown.document(found) for found in proofs])
    ctx.exit(BROKEN if unreadable else int(not all(found.ok for found in proofs)))


def _proofs(here: Course, slugs: tuple[str, ...], seed: int, jobs: int) -> Iterator[tuple[Proof, bool]]:
    """Yield each problem's proof, and whether the problem could be read at all."""
    from grader import isolation, machine, proofs, verify

    every = [here.problem(slug) for slug in slugs]
    survey = isolation.survey()
    devices = ("cpu", *(str(one["device"]) for one in machine.cuda()[:1]))
    conditions = verify.Conditions(seed, survey.tier, survey.layers, devices, here.preload)
    say(f"Proving {', '.join(slugs)}, seed {seed}, on {' and '.join(devices)} ...")
    with progress(len(every), "proved") as advance:
        for done, (files, found) in enumerate(verify.prove_all(every, conditions, jobs=jobs), start=1):
            advance(done, files.slug)
            if isinstance(found, AuthoringError):
                yield proofs.unreadable(files, str(found)), False
                continue
            _keep(here, found)
            yield found, True


def _keep(here: Course, found: Proof) -> None:
    from grader import proofs

    try:
        proofs.keep(here, found)
    except OSError as error:
        say(f"The proof of {found.slug} is not kept: {error.filename} cannot be written ({error.strerror}).")
