"""Grade numeric answers against hidden tests that student code never shares a process with.

The words that an author of problems writes come from here, and nothing else::

    check settings close equal refuses Failure right wrong normal uniform

How data flows, one module a stage, each importing only from those above it::

    picture, excerpt     where an answer misses, as plain data
    errors, verdict      plain data
    whole                files that are there whole or not at all
    plain                what a value is
    sketch               arrays -> a picture of where they differ
    leaf                 one wanted array and what is allowed
    compare              the only numeric comparison: close, equal
    authoring            the author's other words: decorators that only mark a function
    course               finds the course; the bytes of one problem
    released             what a student's machine is told of hidden checks
    problem, variants    those bytes, read: checks, variants, the stub
    template             the stubs of a course, in step with its references
    isolation            everything that touches untrusted code
    submission           a student's files, frozen; executes and parses nothing
    assignments, intake  what is due when; deliveries in all usual shapes -> who handed in what
    student              the proxies that a check calls: student.f(x), reference.f(x)
    trusted              who answers them in our own process: the reference, a variant
    examples             draws, stores and shrinks the arguments of checks
    patience             how long our own side may take over one example
    script               what a check asks whatever it is answered, found out once
    outcome, blame       how a check went, in words; who is to blame, by experiment
    diagnose             which known mistake yields these very numbers
    sitting              one answer, every check on every example, in one child
    judge                (problem, submission, settings) -> Verdict
    smallest             the simplest arguments that still fail
    closer               the call, the arguments and the lines behind a check that fails
    seat, crew           processes of our own side by side, each on a core of its own
    classroom            many submissions
    results, documents   what a run has come to; the same as JSON data
    regrade              what is judged again, and which of two scores stands
    volumes, database    file systems; SQLite, its complaints in words
    schema, lock         the tables of a run file; one grader a run
    record, store        its rows as plain data; the run on disk
    marks, canonical     points that a person gives; a run as text to compare
    generic, verify      the author's proof
    versions             what is installed that can change a number
    machine, proofs      what is installed here; which problems are proved
    cluster              the same judging on the workers of a Dask cluster
    demo, grading        a class of known answers; one run from request to record
    replaykit, replay    a failing call as a script to run by hand
    sheet, bundle        a stub as a notebook; a folder of files that are ours
    release              what students receive, by allow-list
    practice, explain    a student's own work, judged; everything about one verdict
    watch                a student's files watched, and judging that gives way to a newer save
    handin               a student's own work, packed and delivered
    scaffold             a new course, a new problem
    report               verdicts as text
    export               a run as files that other systems take
    sources              what was handed in as plain files, to compare
    notebook             nbgrader: sources, its grading by us; a live notebook's checks
    gradescope           an autograder archive, and what runs in Gradescope's container
    cli                  the command `grade`

The words are resolved when they are first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.authoring import check, normal, refuses, right, settings, uniform, wrong
    from grader.compare import close, equal
    from grader.errors import Failure

__version__ = "0.1.0"

__all__ = [
    "Failure",
    "check",
    "close",
    "equal",
    "normal",
    "refuses",
    "right",
    "settings",
    "uniform",
    "wrong",
]

_HOME = {
    "Failure": "grader.errors",
    "close": "grader.compare",
    "equal": "grader.compare",
    "check": "grader.authoring",
    "normal": "grader.authoring",
    "refuses": "grader.authoring",
    "right": "grader.authoring",
    "settings": "grader.authoring",
    "uniform": "grader.authoring",
    "wrong": "grader.authoring",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'grader' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def load_ipython_extension(shell: Any) -> None:
    """Give a live notebook the magic ``%grade``; IPython calls this for ``%load_ext grader``."""
    import_module("grader.notebook.live").load(shell)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
