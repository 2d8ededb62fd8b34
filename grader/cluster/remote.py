"""Judges that are a cluster: works go to whichever worker is free, and whatever happens to one, no verdict is lost."""

from __future__ import annotations

import contextlib
import pickle
import threading
import time
import uuid
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any, Self

from grader.cluster import admission, hosting
from grader.crew import Died
from grader.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.classroom import Plan, Work
    from grader.verdict import Verdict

_WATCH_SECONDS = 2.0
_AGAIN = "What was judged is kept: start the cluster again and run the same command"


class Remote:
    """Judges on a cluster: see `grader.classroom.Judges`.

    A work whose worker is killed goes to another one, as Dask does it; its future is answered once, whoever answers.
    """

    def __init__(self, client: Any, address: str, plan: Plan, patience: float) -> None:
        self._client = client
        self._address = address
        self._patience = patience
        self._device = next((one.device for one in plan.settings if one.device != "cpu"), "cpu")
        self._tier = max((one.tier for one in plan.settings), default=0)
        self._plan = pickle.dumps(plan)
        self._token = uuid.uuid4().hex  # names this class on the workers, among those of others
        self._lock = threading.Lock()
        self._out: set[Future[Verdict]] = set()
        self._gone = ""
        self._ended = threading.Event()
        here = admission.awaited(client, self._device, patience)
        self._size = admission.size(here, self._device)
        self._admit(here)
        wanted = {"resources": {admission.GPU: 1}} if self._device != "cpu" else {}
        self._executor = client.get_executor(pure=False, **wanted)
        threading.Thread(target=self._watch, daemon=True).start()

    @property
    def size(self) -> int:
        """How many works can be in hand at once, as the cluster is now."""
        return self._size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()

    def submit(self, work: Work) -> Future[Verdict]:
        """Have a verdict made by whichever worker is free first."""
        future: Future[Verdict] = Future()
        future.set_running_or_notify_cancel()
        with self._lock:
            self._out.add(future)
        if self._gone:
            self._finish(future, UsageError(self._gone))
        else:
            self._send(work, future)
        return future

    def close(self) -> None:
        """Wait for what was submitted, then end the judges on every worker. Safe to call twice."""
        while self._out and not self._ended.wait(0.05):
            pass
        self.abandon()

    def abandon(self) -> None:
        """End the judges on every worker now, whatever they are at. Safe to call twice."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._finish_all(CancelledError())
        # In a thread, since a cluster that is in trouble may not answer.
        dismissal = threading.Thread(target=self._dismiss, daemon=True)
        dismissal.start()
        dismissal.join(admission.LEAVE_SECONDS)
        admission.close(self._client)

    def _dismiss(self) -> None:
        with contextlib.suppress(Exception):  # workers that are gone have no judges either
            self._client.run(hosting.dismiss, self._token, on_error="ignore")

    def _send(self, work: Work, future: Future[Verdict]) -> None:
        try:
            sent = self._executor.submit(hosting.judged, self._token, work)
        except Exception as error:  # noqa: BLE001 - the client of a cluster that is gone raises this and that
            self._lose(f"nothing can be sent to it: {error}")
        else:
            sent.add_done_callback(lambda done: self._arrived(work, future, done))

    def _arrived(self, work: Work, future: Future[Verdict], done: Future[tuple[str, Verdict | None]]) -> None:
        from distributed.scheduler import KilledWorker

        try:
            worker, verdict = done.result()
        except KilledWorker as error:
            self._finish(future, Died(f"the worker that judges is gone ({error.last_worker.address})"))
        except CancelledError:
            self._lose("the connection to its scheduler is lost")
        except ImportError as error:
            self._lose(f"a worker cannot judge: {error}")
        except Exception as error:  # noqa: BLE001 - whoever submitted the work decides
            self._finish(future, error)
        else:
            if verdict is not None:
                self._finish(future, verdict)
            elif not self._ended.is_set():
                # Not here: this is the client's own thread, which would wait for itself.
                threading.Thread(target=self._admit_and_send, args=(worker, work, future), daemon=True).start()

    def _admit_and_send(self, worker: str, work: Work, future: Future[Verdict]) -> None:
        """Admit a worker that came later; the work may go to another one meanwhile.

        One that must not judge ends the class: the next work might go to it as well.
        """
        try:
            here = admission.workers(self._client)
            self._admit({worker: here[worker]} if worker in here else {})
        except UsageError as error:
            self._end(str(error))
        except Exception as error:  # noqa: BLE001 - the client of a cluster that is gone raises this and that
            self._lose(str(error))
        else:
            self._send(work, future)

    def _admit(self, here: Mapping[str, Any]) -> None:
        admission.demand_same(self._client, here, self._device)
        admission.demand_tier(self._client, here, self._tier)
        admission.asked(self._client, here, hosting.host, self._token, self._plan)

    def _watch(self) -> None:
        """Follow how large the cluster is; give up on one that has had no worker for too long."""
        seen = time.monotonic()
        while not self._ended.wait(_WATCH_SECONDS):
            here: dict[str, Any] = {}
            with contextlib.suppress(Exception):  # no answer is no worker
                here = admission.suited(admission.workers(self._client), self._device)
            if here:
                self._size, seen = admission.size(here, self._device), time.monotonic()
            elif time.monotonic() - seen > self._patience:
                self._lose(f"it has had no worker for {self._patience:.0f} s")
                return

    def _lose(self, reason: str) -> None:
        self._end(f"the cluster at {self._address} is gone: {reason}. {_AGAIN}")

    def _end(self, sentence: str) -> None:
        """Give no more verdicts; the first reason is the one that is told."""
        self._gone = self._gone or sentence
        self._finish_all(UsageError(self._gone))

    def _finish_all(self, error: Exception) -> None:
        for future in list(self._out):
            self._finish(future, error)

    def _finish(self, future: Future[Verdict], outcome: Verdict | Exception) -> None:
        with self._lock:
            if future not in self._out:
                return  # it was answered, or has ended with the cluster
            self._out.discard(future)
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
