"""What tests need to run student code in real children, the portable way."""

from __future__ import annotations

import textwrap
from contextlib import contextmanager

import pytest

from grader.errors import StudentFault
from grader.isolation.profile import Layers, Profile, Source, SourceFile
from grader.isolation.spawn import SpawnLauncher
from grader.isolation.worker import Worker

PORTABLE = Layers(fork=False, namespaces=False, landlock=False, seccomp=False)


def source(text, *, slug="xor", helpers=(), probes=""):
    """Return a submission of one file."""
    main = SourceFile(f"{slug}.py", (textwrap.dedent(text),))
    return Source(slug, main, helpers=tuple(helpers), probes=textwrap.dedent(probes))


def notebook(*cells, slug="xor"):
    """Return a submission of one notebook."""
    return Source(slug, SourceFile(f"{slug}.ipynb", tuple(map(textwrap.dedent, cells)), notebook=True))


@contextmanager
def workers():
    """Yield a function that starts a worker on a submission; all of them end with the block."""
    launcher = SpawnLauncher(PORTABLE)
    made = []

    def start(answers, profile=None, seconds=20.0):
        made.append(Worker(launcher, answers, profile or Profile()))
        made[-1].begin(seconds)
        return made[-1]

    try:
        yield start
    finally:
        for worker in made:
            worker.close()
        launcher.close()


def call(worker, name, *args, tensors=False, **kwargs):
    """Call a function by name, or a target."""
    target = (name,) if isinstance(name, str) else name
    return worker.call(target, args, kwargs, tensors=tensors)


def fault(worker, name, *args, **kwargs):
    """Return the fault that a call ends in."""
    with pytest.raises(StudentFault) as caught:
        call(worker, name, *args, **kwargs)
    return caught.value
