"""``grade release``: what students receive."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli import SUMMARIES
from grader.cli.common import console, course, course_option, document, json_option, say


@click.command("release", short_help=SUMMARIES["release"])
@course_option
@click.argument("assignment", required=False)
@click.option("-o", "folder", metavar="DIR", required=True, type=click.Path(path_type=Path), help="Where to.")
@click.option("--notebooks", is_flag=True, help="Hand out notebooks to fill in, in place of Python files.")
@json_option
def command(assignment: str | None, *, folder: Path, notebooks: bool, as_json: bool) -> None:
    """Write what students receive into a folder: stubs, statements, visible checks, recorded hints.

    Of one assignment of course.toml, or of the whole course. No hidden check and no reference is in it. An earlier
    release is brought up to date; a file that was edited there is never written over.
    """
    from dataclasses import asdict

    from grader import bundle, release

    files = release.files(
        course(), assignment, notebooks=notebooks, say=lambda slug: say(f"{slug}: recording known mistakes")
    )
    listed = bundle.write(files, folder)
    if as_json:
        document([asdict(entry) for entry in listed])
    else:
        from grader.report.text import plain

        total = sum(entry.bytes for entry in listed) / 1024
        console().print(plain(f"{folder} holds {len(listed)} files, {total:.0f} KiB; give students all of it."))
