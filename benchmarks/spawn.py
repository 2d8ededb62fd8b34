"""Part (h): what a fresh interpreter would cost, against a locked-down child of a prepared process."""

from __future__ import annotations

import contextlib
from importlib.util import find_spec

from bound import one_core
from measuring import PYTHON, alternated, clocked, compared, environment, finished

from grader import isolation
from grader.isolation import Profile, Source, SourceFile, Worker

SOURCE = Source(slug="same", main=SourceFile("same.py", ("def same(x):\n    return x\n",)))


def rows(rounds):
    launcher = isolation.launcher(isolation.survey().layers)
    with contextlib.closing(launcher), one_core():
        for library in ("numpy", *(["torch"] if find_spec("torch") else [])):
            bare = [*PYTHON, "-I", "-c", f"import {library}"]
            child = _child(launcher, Profile(torch=library == "torch"))
            child()  # starts the process that children are forked from
            contenders = {"fresh": lambda bare=bare: finished(bare, env=environment())}
            contenders["child"] = lambda child=child: clocked(child)
            taken = alternated(contenders, rounds)
            what = f"python -c 'import {library}' : a child's first answer"
            yield compared("h", what, taken["fresh"].wall, taken["child"].wall)


def _child(launcher, profile):
    def answered():
        with Worker(launcher, SOURCE, profile) as worker:
            worker.begin(60)
            worker.call(("same",), (1.0,), {}, tensors=False)

    return answered
