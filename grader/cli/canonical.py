"""``python -m grader.cli.canonical RUN``: a run as text to compare with another, by diff or in tests."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("canonical")
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
def command(run: Path) -> None:
    """Print a run sorted and without times and paths."""
    from grader import canonical, store
    from grader.cli import Told
    from grader.errors import GraderError

    try:
        click.echo(canonical.canonical(store.read(run)), nl=False)
    except GraderError as error:
        raise Told(error) from error


if __name__ == "__main__":
    command()
