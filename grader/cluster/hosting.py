"""What runs on a worker: judges of its own, and what it tells of itself.

A worker runs its tasks in threads. Judging wants a main thread, where an alarm can interrupt an author's check, and a
core of its own. So a worker keeps judges in processes of their own, as many as it has threads, and the threads only
wait for them. They get the plan once, not with each work; when the worker ends, however it ends, they end too.
"""

from __future__ import annotations

import asyncio
import pickle
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from grader import isolation, machine, versions
from grader.classroom import local_judges
from grader.crew import Unseated

if TYPE_CHECKING:
    from grader.classroom import Plan, Work
    from grader.isolation import Survey
    from grader.verdict import Verdict

IDLE_SECONDS = 600.0  # after which a worker ends its judges: whoever wanted them may be gone without a word


class Host:
    """A worker's judges for one class, and how long nobody has wanted anything from them."""

    def __init__(self, plan: Plan, size: int) -> None:
        own = isolation.survey()  # the layers of the machine that judges, not of the one that asks
        settings = tuple(replace(one, tier=own.tier, layers=own.layers) for one in plan.settings)
        self.crew = local_judges(replace(plan, settings=settings), size)
        self._lock = threading.Lock()
        self._busy = 0
        self._since = time.monotonic()

    def judged(self, work: Work) -> Verdict:
        """Wait for the verdict on a work."""
        self._count(1)
        try:
            return self.crew.submit(work).result()
        finally:
            self._count(-1)

    @property
    def idle_seconds(self) -> float:
        """How long nothing has been in hand."""
        with self._lock:
            return 0.0 if self._busy else time.monotonic() - self._since

    def _count(self, change: int) -> None:
        with self._lock:
            self._busy += change
            self._since = time.monotonic()


_HOSTS: dict[str, Host] = {}


def judged(token: str, work: Work) -> tuple[str, Verdict | None]:
    """Return this worker's address, and the verdict: None if the worker was not admitted to this class."""
    from distributed import get_worker

    address: str = get_worker().address
    host = _HOSTS.get(token)
    try:
        return address, None if host is None else host.judged(work)
    except Unseated as error:
        raise Unseated(f"on worker {address} {error}") from error


async def environment() -> dict[str, str]:
    """Return the versions here that can change a number."""
    return await asyncio.to_thread(versions.environment)


async def survey() -> Survey:
    """Return how well this worker isolates student code."""
    return await asyncio.to_thread(isolation.survey)


async def devices() -> tuple[dict[str, Any], ...]:
    """Return the CUDA devices that this worker sees."""
    return await asyncio.to_thread(machine.cuda)


async def host(token: str, plan: bytes, dask_worker: Any) -> None:
    """Keep judges for a class from now on, one a thread, and one alone where there is a GPU.

    Args:
        token: the name of the class.
        plan: what is judged, pickled.
        dask_worker: this worker; Dask puts it here.
    """
    if token in _HOSTS:
        return
    made: Plan = pickle.loads(plan)  # noqa: S301 - who may speak to a worker may run programs there
    size = 1 if any(settings.device != "cpu" for settings in made.settings) else dask_worker.state.nthreads
    _HOSTS[token] = await asyncio.to_thread(Host, made, size)
    asyncio.get_running_loop().create_task(_end_when_idle(token))


async def dismiss(token: str) -> None:
    """End the judges of a class, whatever they are at."""
    host = _HOSTS.pop(token, None)
    if host is not None:
        await asyncio.to_thread(host.crew.abandon)


async def _end_when_idle(token: str) -> None:
    while token in _HOSTS:
        await asyncio.sleep(IDLE_SECONDS / 10)
        if token in _HOSTS and _HOSTS[token].idle_seconds > IDLE_SECONDS:
            await dismiss(token)
