"""The same verdicts from the workers of a real cluster, which have no course; which clusters are not used at all."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace

import pytest
from class_of_works import DEADLY, HANGS, RIGHT, alive, descendants, plan, until, work, works
from commands import SQUARES, grade_json, hand_in
from courses import tiny_course

from grader import canonical, classroom, store, versions
from grader.crew import Died
from grader.errors import TierError, UsageError
from grader.verdict import Status

if importlib.util.find_spec("distributed") is None:
    pytest.skip("distributed is not installed", allow_module_level=True)

from clusters import cluster as running

from grader import cluster
from grader.cluster import admission, hosting

SLOW = f"import time\n\ntime.sleep(0.2)\n{RIGHT}"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return plan(tmp_path_factory.mktemp("tiny"), "double", "triple")


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """Two workers: the first is started again when it is killed, the second says that it has a GPU."""
    with running(tmp_path_factory.mktemp("two"), [], ["--no-nanny", "--resources", "GPU=1"]) as started:
        with admission.connected(started.address) as client:
            client.wait_for_workers(2, timeout=120)
        yield started


@pytest.fixture
def alone(tmp_path):
    """One worker, to be lost."""
    with running(tmp_path / "alone", ["--no-nanny"]) as started:
        yield started


class Kept(list):
    def __call__(self, one, verdict):
        self.append(((one.student, one.slug), verdict))

    @property
    def once(self):
        assert max(Counter(key for key, _ in self).values()) == 1
        return dict(self)


def pids(address):
    """Return the process of each worker, by address."""
    with admission.connected(address) as client:
        return client.run(os.getpid)


def here(plan, every):
    """Return the verdicts that this machine gives."""
    with classroom.one_core():
        return {(one.student, one.slug): classroom.judge_one(*plan.of(one.slug), one.submission) for one in every}


def test_a_cluster_gives_the_verdicts_that_this_machine_gives_each_once(tiny, two):
    every = [*works(20), work("ada", "def triple(x): return 3 * x\n", slug="triple")]
    kept = Kept()
    with cluster.judges(two.address, tiny) as judges:
        assert judges.size == 2
        classroom.judge_all(tiny, every, judges, kept)
    assert kept.once == here(tiny, every)


def test_a_work_that_ends_judges_is_broken_and_ends_no_worker(tiny, two):
    before, kept = pids(two.address), Kept()
    with cluster.judges(two.address, tiny) as judges:
        classroom.judge_all(tiny, [work("bob", DEADLY), work("ada", RIGHT)], judges, kept)
    broken, right = kept.once["bob", "double"], kept.once["ada", "double"]
    assert (broken.status, right.status) == (Status.BROKEN, Status.PASSED)
    assert "the process that judges was ended by SIGKILL, 2 times" in broken.checks[0].detail
    assert pids(two.address) == before


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_worker_killed_in_the_middle_costs_no_verdict_and_no_double_and_its_successor_judges_too(tiny, two):
    victim = next(pid for pid in pids(two.address).values() if pid != two.workers[1].pid)
    every, kept, below = [work(f"s{n}", f"{SLOW}\n# {n}\n") for n in range(14)], Kept(), set()

    def keep_and_kill(one, verdict):
        kept(one, verdict)
        if len(kept) == 4:
            below.update(descendants(victim))
            os.kill(victim, signal.SIGKILL)
        if len(kept) == 8:
            until(lambda: len(now := pids(two.address)) == 2 and victim not in now.values())

    with cluster.judges(two.address, tiny) as judges:
        classroom.judge_all(tiny, every, judges, keep_and_kill)
        (successor,) = set(pids(two.address).values()) - {two.workers[1].pid}
        # It came later and has the plan all the same: the last works made it start a judge.
        futures = [judges.submit(one) for one in every[:8]]
        assert {future.result().status for future in futures} == {Status.PASSED}
        assert descendants(successor)
    assert Counter(verdict.status for verdict in kept.once.values()) == {Status.PASSED: 14}
    assert below
    until(lambda: not alive(below))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_an_interrupt_ends_what_the_workers_are_at(tmp_path, two):
    patient, below = plan(tmp_path, seconds=300), set()

    def interrupted():
        for number in range(4):
            yield work(f"s{number}", HANGS)
        below.update(until(lambda: len(found := descendants(two.workers[1].pid)) > 2 and found))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        classroom.judge_all(patient, interrupted(), cluster.judges(two.address, patient), Kept())
    until(lambda: not alive(below))


def test_the_command_keeps_the_same_run_from_a_cluster_as_from_this_machine(tmp_path, two):
    course = tiny_course(tmp_path, "double", "triple")
    students = hand_in(tmp_path / "class", ada=RIGHT, bob=SQUARES, cy="def double(x): return 1 / 0")
    arguments = ("run", students, "--seed", 7, "-o")
    there = grade_json(*arguments, tmp_path / "there", "--cluster", two.address, course=course)
    here = grade_json(*arguments, tmp_path / "here", course=course)
    assert [student["score"] for student in there["students"]] == [4, 0, 0]
    assert [student["score"] for student in here["students"]] == [4, 0, 0]
    from_the_workers, from_here = (canonical.canonical(store.read(tmp_path / name)) for name in ("there", "here"))
    assert from_the_workers == from_here


def test_works_for_a_gpu_go_only_to_workers_that_have_one(tiny, two, monkeypatch):
    monkeypatch.setattr(hosting, "devices", hosting.environment)  # these problems need none, so none is missed
    there = replace(tiny, settings=tuple(replace(one, device="cuda:0") for one in tiny.settings))
    (without,) = set(pids(two.address).values()) - {two.workers[1].pid}
    before, kept = descendants(without), Kept()
    with cluster.judges(two.address, there) as judges:
        assert judges.size == 1
        classroom.judge_all(there, works(6), judges, kept)
        assert descendants(without) == before
    assert len(kept.once) == 6


def test_a_cluster_is_looked_at(two, monkeypatch):
    seen, ours = cluster.look(two.address, "cpu"), versions.environment()
    assert (seen.device, seen.size, seen.notes) == ("cpu", 2, ())
    assert seen.survey.tier >= 1
    monkeypatch.setattr(versions, "environment", lambda: {**ours, "kernels": "other"})
    notes = cluster.look(two.address, "cpu").notes
    assert len(notes) == 2
    assert f"kernels {ours['kernels']} there, other here." in notes[0]


def test_a_worker_with_other_versions_is_refused(two, monkeypatch):
    ours = versions.environment()
    monkeypatch.setattr(versions, "environment", lambda: {**ours, "numpy": "0.9"})
    refused = rf"^worker tcp://127\.0\.0\.1:\d+ is not like this machine: numpy {ours['numpy']} there, 0\.9 here\."
    with pytest.raises(UsageError, match=refused):
        cluster.look(two.address, "cpu")


def test_a_worker_that_isolates_too_little_is_refused(tiny, two):
    strict = replace(tiny, settings=tuple(replace(one, tier=4) for one in tiny.settings))
    with pytest.raises(TierError, match=r"^worker tcp://127\.0\.0\.1:\d+ isolates .* tier 4 is wanted"):
        cluster.judges(two.address, strict)


def test_a_worker_that_says_it_has_a_gpu_and_has_none_is_refused():
    answers = {hosting.environment: versions.environment(), hosting.devices: ()}
    client = SimpleNamespace(run=lambda function, **_: {"tls://one": answers[function]})
    with pytest.raises(UsageError, match=r"^worker tls://one offers a GPU, and PyTorch finds none there"):
        admission.demand_same(client, {"tls://one": {"resources": {"GPU": 1}, "nthreads": 1}}, "cuda:0")


def test_a_device_that_no_worker_has_is_refused(two):
    with pytest.raises(UsageError, match="on a cluster give cpu, cuda or auto"):
        cluster.look(two.address, "cuda:3")


@pytest.mark.parametrize("lost", ["the scheduler", "the only worker"])
def test_a_cluster_that_goes_away_is_said_and_what_was_judged_is_kept(tiny, alone, lost):
    every, kept = [work(f"s{n}", f"{SLOW}\n# {n}\n") for n in range(8)], Kept()

    def keep_and_kill(one, verdict):
        kept(one, verdict)
        if len(kept) == 3:
            (alone.scheduler if lost == "the scheduler" else alone.workers[0]).kill()

    reason = "the connection to its scheduler is lost" if lost == "the scheduler" else "it has had no worker for 1 s"
    judges = cluster.judges(alone.address, tiny)
    judges._patience = 1
    with pytest.raises(
        UsageError, match=rf"^the cluster at {alone.address} is gone: {reason}\. What was judged is kept"
    ):
        classroom.judge_all(tiny, every, judges, keep_and_kill)
    assert 3 <= len(kept.once) < len(every)


def identified(**told):
    """Return a client of a scheduler that only tells of itself."""
    scheduler = SimpleNamespace(identity=lambda: {"address": "tcp://127.0.0.1:8786", "workers": {}, **told})
    return SimpleNamespace(scheduler=scheduler, sync=lambda function: function(), close=lambda **_: None)


@pytest.mark.parametrize(
    ("device", "sentence"),
    [
        ("cpu", "the cluster has no worker after 0 s"),
        ("cuda", "the cluster has no worker with --resources GPU=1 after"),
    ],
)
def test_a_cluster_without_a_worker_that_can_judge_is_said(monkeypatch, device, sentence):
    plain = {"resources": {}, "nthreads": 4}
    here = {} if device == "cpu" else {"tcp://127.0.0.1:4000": plain}
    monkeypatch.setattr(admission, "_client", lambda _: identified(workers=here))
    with pytest.raises(UsageError, match=sentence):
        cluster.look("tcp://127.0.0.1:8786", device, patience=0)


def test_a_work_whose_workers_die_again_and_again_is_a_suspect():
    from distributed.scheduler import KilledWorker

    remote, future, done = object.__new__(cluster.Remote), Future(), Future()
    remote._lock, remote._out = threading.Lock(), {future}
    done.set_exception(KilledWorker("judged-1", SimpleNamespace(address="tls://one:1"), 3))
    remote._arrived(None, future, done)
    with pytest.raises(Died, match=r"^the worker that judges is gone \(tls://one:1\)$"):
        future.result()


def test_no_scheduler_is_said(monkeypatch):
    monkeypatch.setattr(admission, "ANSWER_SECONDS", 0.5)
    with pytest.raises(UsageError, match=r"^no scheduler answers at tcp://127\.0\.0\.1:9 "):
        cluster.look("tcp://127.0.0.1:9", "cpu")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(UsageError, match=rf"at tcp://127\.0\.0\.1:{port} \(something is there and does not say"):
            cluster.look(f"tcp://127.0.0.1:{port}", "cpu")


def test_without_the_package_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'tensor-grader\[cluster\]'"):
        cluster.look("tcp://127.0.0.1:9", "cpu")


@pytest.mark.parametrize(
    "address",
    ["10.0.0.7:8786", "tcp://10.0.0.7:8786", "tcp://head.example:8786", "tcp://0.0.0.0:8786", "tcp://[::]:8786"],
)
def test_what_others_can_reach_without_tls_is_refused_before_anything_is_sent(monkeypatch, address):
    monkeypatch.setattr(admission, "_client", lambda *_, **__: pytest.fail("it was spoken to"))
    with pytest.raises(UsageError, match="can be reached without TLS from other machines"):
        cluster.look(address, "cpu")


@pytest.mark.parametrize("address", ["ws://127.0.0.1:80", "inproc://1/2/3", "ucx://127.0.0.1:1"])
def test_other_protocols_are_refused(address):
    with pytest.raises(UsageError, match="only tls:// is used"):
        cluster.look(address, "cpu")


def test_a_tunnel_to_an_open_scheduler_is_refused(monkeypatch):
    monkeypatch.setattr(admission, "_client", lambda _: identified(address="tcp://10.0.0.7:8786"))
    with pytest.raises(UsageError, match=r"the scheduler tcp://10\.0\.0\.7:8786 can be reached without TLS"):
        cluster.look("tcp://127.0.0.1:8786", "cpu")


@pytest.mark.parametrize(
    ("address", "gpus", "sentence"),
    [
        ("tcp://10.0.0.9:4000", 1, "worker tcp://10.0.0.9:4000 can be reached without TLS"),
        ("tls://10.0.0.9:4000", 4, "offers 4 GPUs; start one worker for each GPU"),
    ],
)
def test_a_worker_that_must_not_be_used_is_refused_before_anything_is_sent(address, gpus, sentence):
    silent = SimpleNamespace(run=lambda *_, **__: pytest.fail("it was spoken to"))
    with pytest.raises(UsageError, match=sentence):
        admission.demand_same(silent, {address: {"resources": {"GPU": gpus}, "nthreads": 1}}, "cuda:0")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (ModuleNotFoundError("No module named 'grader'"), "worker tls://one lacks the grader"),
        (ValueError("a surprise"), "worker tls://one cannot judge: ValueError: a surprise"),
    ],
)
def test_a_worker_that_cannot_be_asked_is_named(answer, sentence):
    client = SimpleNamespace(run=lambda *_, **__: {"tls://one": answer})
    with pytest.raises(UsageError, match=sentence):
        admission.asked(client, {"tls://one": {}}, hosting.environment)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="a certificate is made with openssl, which is not here")
def test_with_tls_a_cluster_is_used(tiny, tmp_path):
    import dask

    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=grader"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    named = {"ca-file": certificate, "client.cert": certificate, "client.key": key}
    files = {f"distributed.comm.tls.{name}": str(path) for name, path in named.items()}
    options = ("--protocol", "tls", "--tls-ca-file", certificate, "--tls-cert", certificate, "--tls-key", key)
    with running(tmp_path / "tls", ["--no-nanny"], tls=options) as started:
        assert started.address.startswith("tls://")
        with pytest.raises(UsageError, match=rf"no scheduler answers at {started.address} .*check .* TLS settings"):
            cluster.look(started.address, "cpu")
        kept = Kept()
        with dask.config.set(files), cluster.judges(started.address, tiny) as judges:
            classroom.judge_all(tiny, works(3), judges, kept)
    assert len(kept.once) == 3
