"""A grader that is attacked: ``python keeper.py best|portable|bare FOLDER SECRET``.

Requests and answers are lines of JSON; the folder of this file's folder must be among those that Python imports from.

A request names an attack and whether it is the control that is wanted. The answer tells what was seen::

    status, message, hint, notes   of the hidden check
    evidence                       what the attack achieved, as words that a control must show and the attack must not
    left                           what of the run is still there: processes, descriptors, mounts, memory, files
    next                           "" if the right answer after it got the same values as ever, else what it got
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import attacking
import controls
import surroundings
import targets
from scene import Scene

from grader import course as courses
from grader import isolation
from grader import submission as submissions
from grader.isolation.inside import wire
from grader.isolation.profile import Layers
from grader.judge import RunSettings, examine, settled
from grader.problem import load

HERE = Path(__file__).resolve().parent
SEED = 20_240_607
BARE = Layers(namespaces=False, landlock=False, seccomp=False, rlimits=False)
PORTABLE = Layers(fork=False, namespaces=False, landlock=False, seccomp=False)
SUBREAPER = 36
SHARED = ("shared memory:", "ipc:")  # kinds of what may be left
SETTLING, SOON = 5.0, 0.3  # seconds for what ends by itself to have ended
LONG = 400_000  # characters that may be kept of one check


class Keeper:
    """The grader and everything around it that can be seen to change."""

    def __init__(self, layers: str, folder: Path, secret: str) -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)  # what an attack leaves behind becomes ours
        self._temporary = folder / "tmp"
        self._temporary.mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(self._temporary)
        self._scene = Scene(folder / "scene", secret)
        os.environ["GRADER_CANARY"] = self._scene.canaries["environ"]
        self._courses: dict[str, SimpleNamespace] = {}
        self._drawn: dict[str, object] = {}  # by problem
        self._values: dict[str, str] = {}  # what a right answer gives, by problem and limits
        self._controls = controls.Controls()
        self._layers, self._tier, self._missing = _found(layers)
        self._launcher = isolation.launcher(self._layers)
        self._protected = layers != "bare"
        self._state: dict[str, object] = {}

    def greeting(self) -> dict[str, object]:
        return {"tier": self._tier, "layers": str(self._layers), "missing": self._missing, "pid": os.getpid()}

    def attacked(self, attack: attacking.Attack) -> dict[str, object]:
        """Judge an attack, then a right answer, and tell what was seen.

        What a whole machine shares may have been left there by others meanwhile; an attack leaves it again.
        """
        course = self._course(attack)
        if course.key not in self._values:
            self._values[course.key] = self._right(course)
        told = self._unproved(attack, course)
        if told["left"] and all(what.startswith(SHARED) for what in told["left"]):
            told = self._unproved(attack, course)
        return told | {"next": self._next(course)}

    def _unproved(self, attack: attacking.Attack, course: SimpleNamespace) -> dict[str, object]:
        """Judge an attack and tell what was seen; nothing shows yet that the grader is as it was."""
        place = self._handed_in(attack, course)
        examined, taken = self._judged(course, place, attack)
        hidden = next(check for check in examined.verdict.checks if not check.visible)
        told = "\n".join([hidden.message, hidden.hint, *examined.verdict.notes, *self._visible_words(examined)])
        seen = self._evidence(taken + told.encode("utf-8", "backslashreplace"))
        seen += _unseemly(hidden.message + hidden.hint, self._scene.tokens["leak"])
        seen += ["escape"] if _unprintable(told + hidden.detail + "".join(examined.outputs.values())) else []
        if hidden.status == "PASSED" and "PASSED" not in attack.expect:
            seen.append("passed")
        answer = {
            "status": str(hidden.status),
            "score": hidden.score,
            "message": hidden.message,
            "hint": hidden.hint,
            "notes": examined.verdict.notes,
            "detail": hidden.detail[-2000:],
            "evidence": seen + self._scene.traces(),
        }
        left = self._left(SETTLING if self._protected else SOON)
        self._scene.restore()
        return answer | {"left": left}

    def controlled(self, attack: attacking.Attack) -> dict[str, object]:
        """Run an attack without protection and tell what was seen."""
        if attack.control.how == "bare":
            told = self._unproved(attack, self._course(attack))
            return {**told, "evidence": [*told["evidence"], *(f"left: {what}" for what in told["left"])]}
        self._controls.ready(attack)  # before what is there is looked at
        place = self._handed_in(attack, self._course(attack))
        with tempfile.TemporaryDirectory() as scratch:
            seen, output = self._controls.run(attack, place, Path(scratch), self._scene)
        told = {"evidence": [*seen, *self._evidence(output), *self._scene.traces()]}
        text = output.decode("utf-8", "surrogateescape")
        told["evidence"] += _unseemly(text, self._scene.tokens["leak"]) + (["escape"] if _unprintable(text) else [])
        told["output"] = text[-2000:]
        self._left(SOON)
        self._scene.restore()
        return told

    def close(self) -> None:
        self._controls.close()
        self._launcher.close()
        self._scene.close()

    def _course(self, attack: attacking.Attack) -> SimpleNamespace:
        """Return the problem that an attack answers, its examples drawn, and where a right answer to it lies."""
        device = "cuda:0" if "gpu" in attack.needs else "cpu"
        settings = {name: value for name, value in attack.limits.items() if name != "patience"}
        limits = hashlib.sha256(repr(sorted(settings.items())).encode()).hexdigest()
        key = f"{attack.problem}-{device[:4]}-{limits[:8]}"
        if key not in self._courses:
            folder = self._scene.folder / "courses" / key
            targets.write(folder, attack.problem, attack.limits, self._scene.canaries)
            files = courses.find(folder).problem("target")
            if attack.problem not in self._drawn:
                self._drawn[attack.problem] = settled(load(files), SEED)
            honest = self._scene.folder / "students" / "ada" / attack.problem
            honest.mkdir(parents=True, exist_ok=True)
            (honest / "target.py").write_text(targets.right(attack.problem), encoding="utf-8")
            self._courses[key] = SimpleNamespace(
                device=device, folder=folder, files=files, drawn=self._drawn[attack.problem], honest=honest, key=key
            )
        return self._courses[key]

    def _handed_in(self, attack: attacking.Attack, course: SimpleNamespace) -> Path:
        """Write what a student hands in, and look at everything before it is touched."""
        place = self._scene.hand_in(attack, self._scene.folder / "students" / "mallory", course.folder)
        self._scene.restore()
        self._state = surroundings.seen(self._temporary, self._scene.victim)
        return place

    def _judged(self, course: SimpleNamespace, place: Path, attack: attacking.Attack | None):
        """Return what `grader.judge` found, and all bytes that came from the children."""
        recorder = Recorder(self._launcher)
        run = RunSettings(
            seed=SEED,
            examples=course.drawn,
            device=course.device,
            layers=self._layers,
            tier=self._tier,
            only=frozenset() if attack is None or attack.both else frozenset({targets.HIDDEN}),
        )
        submission = submissions.load(place, student="mallory", slugs=("target",))
        return examine(course.files, submission, run, recorder), bytes(recorder.taken)

    def _right(self, course: SimpleNamespace) -> str:
        """Judge a right answer; return a digest of its status and of every value that it gave."""
        examined, _ = self._judged(course, course.honest, None)
        values = [wire.encode(call.value) for log in examined.logs.values() for call in log.calls]
        digest = hashlib.sha256(b"".join(values)).hexdigest()
        return f"{examined.verdict.status} {examined.verdict.score} {len(values)} values {digest}"

    def _next(self, course: SimpleNamespace) -> str:
        got = self._right(course)
        return "" if got == self._values[course.key] and got.startswith("PASSED") else got

    def _evidence(self, data: bytes) -> list[str]:
        found = [f"canary: {place}" for place in self._scene.found(data)]
        return found + (["worked"] if self._scene.tokens["worked"].encode() in data else [])

    def _visible_words(self, examined) -> list[str]:
        return [f"{check.message}\n{check.hint}" for check in examined.verdict.checks if check.visible]

    def _left(self, seconds: float = SETTLING) -> list[str]:
        """Return what is there that was not before, once what ends by itself has ended; end what is left."""
        deadline = time.monotonic() + seconds
        while (
            now := surroundings.seen(self._temporary, self._scene.victim)
        ) != self._state and time.monotonic() < deadline:
            self._reap(now)
            time.sleep(0.02)
        left = [f"{kind}: {now[kind]} was {self._state[kind]}" for kind in now if now[kind] != self._state[kind]]
        self._reap(now, kill=True)
        for name in set(now["shared memory"]) - set(self._state["shared memory"]):
            if name.startswith("attack-"):  # as our own attacks call what no tier but the highest keeps them from
                Path("/dev/shm", name).unlink(missing_ok=True)
        return left

    def _reap(self, now: dict[str, object], *, kill: bool = False) -> None:
        """Take in what has ended of what the run started, as the system's first process would; or end it."""
        for pid in set(now["process"]) - set(self._state["process"]):
            with contextlib.suppress(OSError):
                if kill:
                    os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0 if kill else os.WNOHANG)


class Recorder:
    """A launcher that keeps every byte that its children sent."""

    def __init__(self, launcher) -> None:
        self._launcher = launcher
        self.taken = bytearray()

    def __getattr__(self, name):
        return getattr(self._launcher, name)

    def start(self, profile):
        return RecordedChild(self._launcher.start(profile), self.taken)


class RecordedChild:
    """A child whose replies and output are kept."""

    def __init__(self, child, taken) -> None:
        self._child = child
        self._taken = taken

    def __getattr__(self, name):
        return getattr(self._child, name)

    def reply(self):
        data = self._child.reply()
        self._taken += data
        return data

    def output(self):
        data = self._child.output()
        self._taken += data
        return data


def _unseemly(text: str, leak: str) -> list[str]:
    """Return what a student must not read about a hidden check: an input, or numbers of any kind but a line's."""
    telling = re.sub(r"\d+(\.\d+)? s\b", "", text)  # a limit of time is everybody's to know
    return [name for name, so in (("leak", leak in text), ("digits", re.search(r"\d\.\d|\[", telling))) if so]


def _unprintable(text: str) -> bool:
    """Return whether a text could do something to a terminal, or is far too long for a message."""
    return len(text) > LONG or not text.replace("\n", "").replace("\t", "").isprintable()


def _found(layers: str) -> tuple[Layers, int, tuple[str, ...]]:
    if layers == "bare":
        return (BARE if sys.platform == "linux" else PORTABLE), 0, ()
    survey = isolation.survey(Layers() if layers == "best" else Layers(fork=False))
    return survey.layers, survey.tier, survey.missing


def main(layers: str, folder: str, secret: str) -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # whatever prints by mistake is no answer
    keeper = Keeper(layers, Path(folder), secret)
    try:
        answers.write(json.dumps(keeper.greeting()) + "\n")
        for line in sys.stdin:
            request = json.loads(line)
            attack = attacking.read(HERE / f"{request['attack']}.py")
            told = keeper.controlled(attack) if request["control"] else keeper.attacked(attack)
            answers.write(json.dumps(told, default=str) + "\n")
    finally:
        keeper.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
