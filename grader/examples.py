"""Draws the arguments of checks, keeps them as bytes, and shrinks a failing set. The only importer of Hypothesis.

A seed alone does not repeat examples, since Hypothesis mixes in constants of whatever modules are loaded; so the
examples themselves are stored with a run and replayed for every student alike.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
import zlib
from typing import TYPE_CHECKING, Any

from grader.errors import AuthoringError
from grader.isolation.inside import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from grader.problem import Check

Example = dict[str, Any]
Stored = tuple[bytes, ...]


def draw(check: Check, seed: int) -> Stored:
    """Return the encoded examples of a check for a run's seed; one empty example where nothing is drawn.

    Raises:
        AuthoringError: the strategies cannot be drawn from, or yield what cannot be stored.
    """
    if check.given is None:
        return (wire.encode({}),)
    drawn: list[bytes] = []
    with _quiet():
        from hypothesis import given
        from hypothesis import seed as seeded

        def keep(example: Example) -> None:
            drawn.append(_encoded(example, check))

        run = given(example=_strategy(check))(keep)
        # A check's name is mixed in so that two checks with equal strategies do not share their examples.
        run = seeded(seed ^ zlib.crc32(check.name.encode()))(_settings(check.examples, ["generate"])(run))
        try:
            run()
        except AuthoringError:
            raise
        except Exception as error:
            raise AuthoringError(f"the examples of {check.name} cannot be drawn: {error}") from error
    return tuple(dict.fromkeys(drawn))[: check.examples]


def decode(stored: bytes) -> Example:
    """Return a stored example."""
    example = wire.decode(stored)
    if not isinstance(example, dict):
        raise AuthoringError(f"a stored example must be a dict; got {type(example).__name__}")
    return example


def shrink(check: Check, fails: Callable[[Example], bool], start: bytes, *, seed: int, seconds: float) -> Example:
    """Return the simplest arguments found within ``seconds`` that still fail; those of ``start`` if none simpler.

    Args:
        check: the check.
        fails: whether the check says FAILED (not another status) on given arguments.
        start: the stored example that failed.
        seed: the run's seed.
        seconds: time budget on the wall clock.
    """
    if check.given is None:
        return decode(start)
    ends = time.monotonic() + seconds
    best: list[Example] = []

    def simpler(drawn: Example) -> bool:
        if time.monotonic() > ends:
            return False
        example = decode(_encoded(drawn, check))  # as a stored one, with arrays that cannot be changed
        if fails(example):
            best.append(example)
            return True
        return False

    with _quiet(), contextlib.suppress(Exception):
        from random import Random

        from hypothesis import find

        find(_strategy(check), simpler, settings=_settings(200, ["generate", "shrink"]), random=Random(seed))  # noqa: S311
    return best[-1] if best else decode(start)


def _encoded(example: Any, check: Check) -> bytes:
    if not isinstance(example, dict):
        raise AuthoringError(f"given of {check.name} must yield a dict of arguments; got {type(example).__name__}")
    own = set(check.parameters) - {"student", "reference"}
    if set(example) != own:
        raise AuthoringError(f"given of {check.name} yields {sorted(example)}; the check takes {sorted(own)}")
    try:
        return wire.encode(example)
    except wire.WireError as error:
        raise AuthoringError(f"an example of {check.name} cannot be stored: {error}") from error


def _strategy(check: Check) -> Any:
    from hypothesis import strategies as st

    return st.fixed_dictionaries(check.given) if isinstance(check.given, dict) else check.given


def _settings(examples: int, phases: list[str]) -> Any:
    from hypothesis import HealthCheck, Phase, Verbosity, settings

    return settings(
        max_examples=examples,
        phases=[Phase[name] for name in phases],
        database=None,
        deadline=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Hypothesis writes the constants it meets into its storage folder: give it one that is thrown away."""
    from hypothesis import configuration

    before = getattr(configuration, "__hypothesis_home_directory", None)
    with tempfile.TemporaryDirectory(prefix="grader-examples-") as home:
        configuration.set_hypothesis_home_dir(home)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)
