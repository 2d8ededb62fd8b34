"""The same judging on the workers of a Dask cluster, which need this package and nothing of the course.

::

    hosting      what runs on a worker: judges of its own, and what it tells of itself
    admission    which schedulers and workers may be used, and what they are asked before they are
    remote       judges that are a cluster

Whoever can speak to a scheduler or a worker without TLS can run programs there and read hidden tests. So nobody but
this machine may be able to: everything else is refused. A worker is admitted before it judges, one that comes later
too: it has the same versions as this machine and isolates as well as the run demands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.cluster import admission
from grader.cluster.admission import PATIENCE
from grader.cluster.remote import Remote

if TYPE_CHECKING:
    from grader.classroom import Plan
    from grader.isolation import Survey

__all__ = ["Look", "Remote", "judges", "look"]


@dataclass(frozen=True, slots=True)
class Look:
    """What a cluster offers: the isolation of its weakest worker, the device to judge on, and what should be said."""

    survey: Survey
    device: str
    size: int  # how many works can be in hand at once
    notes: tuple[str, ...] = ()
    gpus: tuple[str, ...] = ()  # name and UUID of each


def look(address: str, device: str, *, patience: float = PATIENCE) -> Look:
    """Look at every worker that is there now.

    Args:
        address: of the scheduler.
        device: as ``--device`` has it.
        patience: seconds to wait for a first worker.

    Raises:
        UsageError: the cluster cannot be used as it is; the sentence says what and what to do.
    """
    with admission.connected(address) as client:
        settled = admission.settled(client, device, patience)
        here = admission.awaited(client, settled, patience)
        notes = admission.demand_same(client, here, settled)
        found = admission.surveys(client, here)
        weakest = min(found.values(), key=lambda survey: survey.tier)
        gpus = admission.gpus(client, here) if settled != "cpu" else ()
        return Look(weakest, settled, admission.size(here, settled), notes, gpus)


def judges(address: str, plan: Plan, *, patience: float = PATIENCE) -> Remote:
    """Return judges on the workers of a cluster; each worker has the plan from the start.

    Args:
        address: of the scheduler.
        plan: what is judged; it demands the tier of its settings of every worker.
        patience: seconds that the cluster may be without a worker, now and later.

    Raises:
        UsageError: the cluster cannot be used as it is; the sentence names the worker where it is one.
        TierError: a worker isolates less than the plan says.
    """
    client = admission.connect(address)
    try:
        return Remote(client, address, plan, patience)
    except BaseException:
        admission.close(client)
        raise
