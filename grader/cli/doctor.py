"""``grade doctor``: what this machine can do, and what is missing."""

from __future__ import annotations

import click

from grader.cli import SUMMARIES
from grader.cli.common import console, course_option, document, json_option


@click.command("doctor", short_help=SUMMARIES["doctor"])
@course_option
@json_option
def command(*, as_json: bool) -> None:
    """Say how well student code is isolated here, which devices there are, and what is missing.

    The isolation is found by attacking it. Nothing is changed.
    """
    from grader import machine
    from grader.report.machine import examination

    found = machine.examine()
    if as_json:
        document(found.document())
    else:
        console().print(examination(found))
