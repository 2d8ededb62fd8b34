"""Children with the student's source imported: files, and notebooks cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from grader.errors import AuthoringError, IsolationError, StudentFault
from grader.isolation import faults, packing
from grader.isolation.faults import Report, Subject
from grader.isolation.inside.wire import WireError
from grader.isolation.session import Session

if TYPE_CHECKING:
    from grader.isolation.profile import Launcher, Profile, Source

_PREPARE_SECONDS = 60.0  # for our own part of a child, before any of the student's
_RESTARTS = 3  # how many cells of a notebook may each cost us a child
_NOTEBOOK_SHARE = 3  # a notebook may take this many times what one of its cells may
_NOTES = 40
_NOTE_CHARACTERS = 200


class Importer:
    """Starts children and imports the source in them.

    A ``.py`` file either runs to its end or the import has failed. In a notebook a cell that fails is noted and
    the rest runs; one that takes its child with it (a limit, an exit) is left out when the next child is made.

    Args:
        launcher: starts the children.
        source: what they import.
        profile: the conditions that they run under.
    """

    def __init__(self, launcher: Launcher, source: Source, profile: Profile) -> None:
        self.probes: frozenset[str] = frozenset()  # names that the author's probes define
        self.notes: dict[str, None] = {}
        self._launcher = launcher
        self._source = source
        self._profile = profile
        self._files = faults.known_files(source)
        self._left_out: set[str] = set()
        self._noting = True

    def session(self, seed: int) -> Session:
        """Return a fresh child with the source imported.

        Raises:
            StudentFault: the source cannot be imported.
            IsolationError: there is no child.
            AuthoringError: the probes cannot be loaded.
        """
        while True:
            session = self._prepared()
            try:
                name = self._import(session, seed)
            except BaseException:
                session.close()
                raise
            if not name:
                self._noting = False  # a later child may have seen what its notes must not tell
                return session
            session.close()

    def faulty(self, reply: dict[str, Any], subject: Subject) -> StudentFault | None:
        """Return the fault that a reply reports, or None if it reports none.

        Raises:
            WireError: the report has not the form of one.
        """
        if "fault" not in reply:
            return None
        report = Report.read(reply["fault"])
        return faults.reported(report, subject, self._files, self._profile.hidden_packages)

    def note(self, text: str) -> None:
        """Keep a sentence for the reader, once."""
        if len(self.notes) < _NOTES:
            self.notes.setdefault(faults.clean(text, _NOTE_CHARACTERS))

    def _prepared(self) -> Session:
        try:
            return self._preparing()
        except IsolationError:  # it was killed from outside, or started as its zygote died: no student code has run
            return self._preparing()

    def _preparing(self) -> Session:
        session = Session(self._launcher.start(self._profile), self._profile.memory_mib)
        session.allow(_PREPARE_SECONDS)
        subject = Subject(label="preparing a child", file="probes.py", importing=True)
        try:
            self.probes = _probes(session.exchange(self._preparation(), subject))
        except StudentFault as fault:
            words = session.output()
            session.close()
            raise IsolationError(f"a child could not be prepared: {fault.summary}\n{words}") from fault
        except BaseException:
            session.close()
            raise
        return session

    def _preparation(self) -> dict[str, Any]:
        profile = self._profile
        return {
            "op": "prepare",
            "slug": self._source.slug,
            "helpers": dict(self._source.helpers),
            "probes": self._source.probes,
            "compiled": np.frombuffer(packing.compiled(self._source.probes, "<probes>"), np.uint8),
            "hidden": profile.hidden_packages,
            "dtype": profile.dtype,
            "device": profile.device,
            "threads": profile.threads,
            "autograd": profile.autograd,
        }

    def _import(self, session: Session, seed: int) -> str:
        """Run the file or the cells; return the name of a cell that cost the child its life, or ""."""
        total = 0.0
        notebook = self._source.main.notebook
        for name, text in faults.main_files(self._source):
            if name in self._left_out:
                continue
            if total > _NOTEBOOK_SHARE * self._profile.import_seconds:
                self._say(f"{name} and the cells after it were not run: the time for importing was used up")
                break
            try:
                self._run(session, seed, name, text)
            except StudentFault as fault:
                if not notebook or len(self._left_out) >= _RESTARTS:
                    raise
                self._left_out.add(name)
                self._say(f"{name} was left out: {fault.summary}")
                return name
            total += session.spent
        return ""

    def _run(self, session: Session, seed: int, name: str, text: str) -> None:
        notebook = self._source.main.notebook
        subject = Subject(label=name if notebook else f"importing {name}", file=name, importing=True)
        session.allow(self._profile.import_seconds)
        request = {"op": "run", "name": name, "text": text, "notebook": notebook, "seed": seed}
        reply = session.exchange(request, subject)
        try:
            for said in reply.get("notes", []):
                self._say(f"{name}: {faults.clean(said, _NOTE_CHARACTERS)}")
            fault = self.faulty(reply, subject)
        except (TypeError, WireError) as error:
            raise session.end(faults.broke_protocol(subject, str(error))) from error
        if fault is None:
            return
        if not notebook:
            raise fault
        self._say(f"{fault.summary}; the cells after it were run")

    def _say(self, text: str) -> None:
        if self._noting:
            self.note(text)


def _probes(reply: dict[str, Any]) -> frozenset[str]:
    """Return the names of the probes; no student code is there yet, so what fails is the author's."""
    if "fault" in reply:
        report = Report.read(reply["fault"])
        raise AuthoringError(f"probes.py cannot be loaded: {', '.join(report.classes[:1])} {report.text}")
    return frozenset(reply["value"])
