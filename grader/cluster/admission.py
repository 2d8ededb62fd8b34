"""Which schedulers and workers may be used, and what they are asked before they are."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import threading
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from grader import machine, versions
from grader.cluster import hosting
from grader.errors import TierError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from grader.isolation import Survey

PATIENCE = 60.0  # seconds that a cluster may be without any worker that can judge
ANSWER_SECONDS = 30.0
LEAVE_SECONDS = 3.0
GPU = "GPU"  # the name of the resource that a worker with a GPU is started with
_SAID_ONLY = {"kernels"}  # allowed to differ: tolerances are made for it
_GUIDE = "docs/cluster.md says how"


def connect(address: str) -> Any:
    """Return a client of a scheduler.

    Raises:
        UsageError: there is none, or it must not be used.
    """
    demand_closed("the scheduler", address)
    try:
        client = _client(address)
    except ImportError as error:
        raise UsageError(
            f"--cluster needs the package distributed ({error}): python -m pip install 'tensor-grader[cluster]'"
        ) from error
    except Exception as error:  # refused, no answer, no certificate, no such name: it raises many kinds
        raise UsageError(
            f"no scheduler answers at {address} ({error}); start one, or check the address and TLS settings ({_GUIDE})"
        ) from error
    try:
        demand_closed("the scheduler", _identity(client)["address"])
    except BaseException:
        close(client)
        raise
    return client


def _client(address: str) -> Any:
    import dask
    import distributed

    # What they would say while a cluster goes away is said by the sentence that ends the command.
    for name in ("client", "batched", "comm", "core"):
        logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL)
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GiB"})  # submissions have a limit of ours
    kind: Any = distributed.Client
    client = kind.__new__(kind)
    troubles: list[Exception] = []

    def connect() -> None:
        try:
            client.__init__(address, timeout=ANSWER_SECONDS, set_as_default=False)
        except Exception as error:  # noqa: BLE001 - told by the thread that waits
            troubles.append(error)

    # Its own time limit does not hold against something that takes the connection and says nothing.
    attempt = threading.Thread(target=connect, daemon=True)
    attempt.start()
    attempt.join(1.5 * ANSWER_SECONDS)
    if attempt.is_alive():
        troubles.append(TimeoutError("something is there and does not say what a scheduler says"))
    if troubles:
        client.status = "closed"  # a client that is not complete would try for a minute to close itself
        raise troubles[0]
    return client


@contextlib.contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect for the length of a block; see `connect`."""
    client = connect(address)
    try:
        yield client
    finally:
        close(client)


def close(client: Any) -> None:
    """Leave a cluster, whatever state it is in."""
    with contextlib.suppress(Exception):
        client.close(timeout=LEAVE_SECONDS)


def demand_closed(who: str, address: str) -> None:
    """Refuse what other machines can reach without TLS.

    >>> demand_closed("the scheduler", "tls://10.0.0.7:8786")
    >>> demand_closed("the scheduler", "127.0.0.1:8786")
    >>> demand_closed("the scheduler", "tcp://10.0.0.7:8786")
    Traceback (most recent call last):
        ...
    grader.errors.UsageError: the scheduler tcp://10.0.0.7:8786 can be reached without TLS ...
    """
    scheme, _, rest = address.rpartition("://")
    if scheme == "tls":
        return
    if scheme not in ("", "tcp"):
        raise UsageError(f"{who} is at {address}: only tls:// is used, and tcp:// where it stays on this machine")
    try:
        host = urlsplit(f"//{rest}").hostname or ""
        closed = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name: of which machine, only the network knows
        closed = False
    if not closed:
        raise UsageError(
            f"{who} {address} can be reached without TLS from other machines: whoever reaches it can run programs "
            f"there and read hidden tests. Start the cluster with TLS ({_GUIDE}), or on this machine alone with "
            "--host 127.0.0.1"
        )


def workers(client: Any) -> dict[str, Any]:
    """Return what the scheduler tells of each worker, by address."""
    return dict(_identity(client)["workers"])


def suited(here: Mapping[str, Any], device: str) -> dict[str, Any]:
    """Return the workers that can judge on a device."""
    return {name: worker for name, worker in here.items() if device == "cpu" or _gpus(worker)}


def size(here: Mapping[str, Any], device: str) -> int:
    """Return how many works these workers can have in hand; one each on a GPU."""
    return max(1, sum(1 if device != "cpu" else int(worker["nthreads"]) for worker in here.values()))


def settled(client: Any, device: str, patience: float) -> str:
    """Return the device that a run uses: ``cpu`` or ``cuda:0``, the one GPU that each worker sees.

    Raises:
        UsageError: it is no device of a cluster.
    """
    if device == "auto":
        here = awaited(client, "cpu", patience)
        device = "cuda" if suited(here, "cuda") else "cpu"
    if device not in ("cpu", "cuda", "cuda:0"):
        raise UsageError(f"--device {device}: on a cluster give cpu, cuda or auto; each worker has one GPU ({_GUIDE})")
    return "cpu" if device == "cpu" else "cuda:0"


def awaited(client: Any, device: str, patience: float) -> dict[str, Any]:
    """Return the workers that can judge, waiting for a first one.

    Raises:
        UsageError: there is none.
    """
    deadline = time.monotonic() + patience
    while not (here := suited(workers(client), device)):
        if time.monotonic() > deadline:
            what = f"no worker with --resources {GPU}=1" if device != "cpu" else "no worker"
            raise UsageError(f"the cluster has {what} after {patience:.0f} s; start one ({_GUIDE})")
        time.sleep(0.1)
    return here


def demand_same(client: Any, here: Mapping[str, Any], device: str) -> tuple[str, ...]:
    """Refuse workers that are open, or are not like this machine; return what else should be said.

    Raises:
        UsageError: there is such a worker.
    """
    for name, worker in here.items():
        demand_closed("worker", name)
        if device != "cpu" and _gpus(worker) != 1:
            raise UsageError(
                f"worker {name} offers {_gpus(worker):g} GPUs; start one worker for each GPU, with "
                f"CUDA_VISIBLE_DEVICES and --resources {GPU}=1 ({_GUIDE})"
            )
    ours, notes = versions.environment(), []
    for name, theirs in asked(client, here, hosting.environment).items():
        different = [key for key in sorted(ours | theirs) if ours.get(key) != theirs.get(key)]
        told = ", ".join(f"{key} {theirs.get(key, 'none')} there, {ours.get(key, 'none')} here" for key in different)
        if set(different) - _SAID_ONLY:
            raise UsageError(f"worker {name} is not like this machine: {told}. Install the same versions on both")
        if different:
            notes.append(f"Worker {name}: {told}.")
    if device != "cpu":
        without = [name for name, found in asked(client, here, hosting.devices).items() if not found]
        if without:
            raise UsageError(f"worker {without[0]} offers a GPU, and PyTorch finds none there; grade doctor says more")
    return tuple(notes)


def gpus(client: Any, here: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what the GPUs of the workers are called, each with its UUID."""
    found = asked(client, here, hosting.devices).values()
    return tuple(sorted({machine.called(one) for devices in found for one in devices}))


def surveys(client: Any, here: Mapping[str, Any]) -> dict[str, Survey]:
    """Return how well each worker isolates student code.

    Raises:
        UsageError: none is left to tell.
    """
    found: dict[str, Survey] = asked(client, here, hosting.survey)
    if here and not found:
        raise UsageError("every worker of the cluster has ended; start it again")
    return found


def demand_tier(client: Any, here: Mapping[str, Any], tier: int) -> None:
    """Refuse workers that isolate less than a run demands.

    Raises:
        TierError: there is such a worker.
    """
    for name, survey in asked(client, here, hosting.survey).items():
        if survey.tier < tier:
            missing = "; ".join(survey.missing) or "grade doctor there says more"
            raise TierError(
                f"worker {name} isolates student code at tier {survey.tier} ({survey.words}); tier {tier} is wanted. "
                f"Missing there: {missing}. Raise its tier, or start the cluster without it"
            )


def asked(client: Any, here: Mapping[str, Any], function: Any, *args: Any) -> dict[str, Any]:
    """Run a function on workers and return what each says; one that has ended meanwhile is left out.

    Raises:
        UsageError: it cannot be run on one.
    """
    from distributed.comm.core import CommClosedError

    if not here:
        return {}
    found = {}
    for name, answer in client.run(function, *args, workers=list(here), on_error="return").items():
        if isinstance(answer, ImportError):
            raise UsageError(f"worker {name} lacks the grader ({answer}); install it there, in the same version")
        if isinstance(answer, CommClosedError):
            continue
        if isinstance(answer, Exception):
            raise UsageError(f"worker {name} cannot judge: {type(answer).__name__}: {answer}") from answer
        found[name] = answer
    return found


def _identity(client: Any) -> dict[str, Any]:
    """Return what a scheduler tells of itself; the client's own word for it leaves out workers in some versions."""
    told: dict[str, Any] = client.sync(client.scheduler.identity)
    return told


def _gpus(worker: Mapping[str, Any]) -> float:
    return float(worker["resources"].get(GPU, 0))
