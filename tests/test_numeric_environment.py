"""What a child computes does not depend on its being locked down, nor on whoever was judged before."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from attackers import NO_NAMESPACES, best_layers
from carrying import same
from children import PORTABLE, source
from fuzzing import disturbing

from grader.errors import IsolationError, StudentFault
from grader.isolation import libraries, numerics, tiers
from grader.isolation.inside import kernels
from grader.isolation.profile import Profile
from grader.isolation.worker import Worker

FOLDER = Path(__file__).parent / "fuzzing"
OPERATIONS = (FOLDER / "operations.py").read_text(encoding="utf-8")
SURROUNDINGS = (FOLDER / "surroundings.py").read_text(encoding="utf-8")
LONG = os.environ.get("ATTACKS") == "all"
LINUX = sys.platform == "linux"
BEST = best_layers() if LINUX else PORTABLE
PAIRS = 50
# Run without any lockdown, by the same interpreter in the same environment.
UNISOLATED = """
import sys
sys.path += {paths!r}
import numpy as np
if {torch}:
    import torch
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
space = {{}}
exec(compile(sys.stdin.read(), "operations.py", "exec"), space)
np.savez(sys.stdout.buffer, **space[{function!r}]())
"""

needs_fork = pytest.mark.skipif(not LINUX, reason="children are forked on Linux only: not run")
needs_x86 = pytest.mark.skipif(
    numerics.environment().get("ATEN_CPU_CAPABILITY", "default") == "default",
    reason="this processor leaves torch one set of kernels: not run",
)
every_kind = pytest.mark.parametrize(
    "layers",
    [
        pytest.param(BEST, id="strongest"),
        pytest.param(NO_NAMESPACES, id="without namespaces", marks=needs_fork),
        pytest.param(PORTABLE, id="spawned"),
    ],
)
forked_kinds = pytest.mark.parametrize(
    "layers",
    [
        pytest.param(BEST, id="strongest", marks=needs_fork),
        pytest.param(NO_NAMESPACES, id="without namespaces", marks=needs_fork),
    ],
)


@pytest.fixture(scope="module")
def launchers():
    """One launcher a kind for all tests."""
    with contextlib.ExitStack() as stack:
        yield functools.cache(lambda layers: stack.enter_context(contextlib.closing(tiers.launcher(layers))))


@functools.cache
def unisolated(function, *changed):
    """Return what a function of `operations` computes outside of any child."""
    paths = [path for path in sys.path if path.endswith("-packages")]
    script = UNISOLATED.format(paths=paths, torch=function == "with_torch", function=function)
    done = subprocess.run(
        [sys.executable, "-s", "-P", "-S", "-c", script],
        input=OPERATIONS.encode(),
        stdout=subprocess.PIPE,
        env=libraries.environment(cuda=False) | dict(changed),
        check=True,
    )
    with np.load(io.BytesIO(done.stdout)) as file:
        return {name: file[name] for name in file.files}


def computed(launcher, function, *, torch=False):
    """Return what a function of `operations` computes in a child."""
    with Worker(launcher, source(OPERATIONS, slug="operations"), Profile(torch=torch)) as worker:
        worker.begin(120.0)
        return worker.call((function,), (), {}, tensors=False)


def differing(one, other):
    """Return the names of the results that are not the same bits."""
    assert one.keys() == other.keys()
    return [name for name in one if not same(np.asarray(one[name]), np.asarray(other[name]))]


class TestBits:
    @every_kind
    def test_numpy_computes_the_same_bits_as_outside(self, launchers, layers):
        assert differing(computed(launchers(layers), "with_numpy"), unisolated("with_numpy")) == []

    @pytest.mark.torch
    @every_kind
    def test_torch_computes_the_same_bits_as_outside(self, launchers, layers):
        if layers != BEST and not LONG:
            pytest.skip("two more imports of torch: in the long form only, ATTACKS=all")
        inside = computed(launchers(layers), "with_torch", torch=True)
        assert differing(inside, unisolated("with_torch")) == []

    @needs_x86
    def test_numpys_kernels_show_in_its_bits(self):
        """The control: with other kernels some of the same results differ, so that equal ones mean something."""
        dispatched = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
        if not dispatched:
            pytest.skip("numpy has one set of kernels here: not run")
        other = unisolated("with_numpy", ("NPY_DISABLE_CPU_FEATURES", " ".join(dispatched)))
        assert differing(other, unisolated("with_numpy"))

    @needs_x86
    @pytest.mark.torch
    def test_torchs_kernels_show_in_its_bits(self):
        """The control, for torch."""
        other = unisolated("with_torch", ("ATEN_CPU_CAPABILITY", "default"))
        assert differing(other, unisolated("with_torch"))

    @pytest.mark.torch
    @needs_fork
    def test_where_numbers_lie_in_memory_changes_no_bit_of_a_product(self, launchers):
        first, *others = computed(launchers(BEST), "wherever_it_lies", torch=True)
        assert all(same(first, other) for other in others)


class TestKernels:
    @needs_fork
    @pytest.mark.torch
    def test_a_child_computes_with_the_kernels_that_a_run_is_stored_with(self, launchers):
        """What `numerics.kernels` says without asking torch is what the libraries in a child have chosen."""
        text = Path(kernels.__file__).read_text(encoding="utf-8")
        with Worker(launchers(BEST), source(text, slug="asked"), Profile(torch=True)) as worker:
            worker.begin(20.0)
            inside = worker.call(("used",), (), {}, tensors=False)
        assert set(inside) >= {"numpy", "torch"}
        told = numerics.kernels()
        assert {name: told.get(name, choice) for name, choice in inside.items()} == inside

    def test_other_kernels_than_pinned_are_an_error_that_names_them(self):
        numerics.check(numerics.kernels())
        with pytest.raises(IsolationError, match="numpy computes with the kernels 'none'"):
            numerics.check({"numpy": "none"})

    @needs_fork
    def test_a_zygote_whose_children_compute_with_others_starts_none(self, monkeypatch):
        monkeypatch.setattr(numerics, "kernels", lambda: {"numpy": "those of another machine"})
        with contextlib.closing(tiers.launcher(BEST)) as launcher:
            for _ in range(2):
                with pytest.raises(IsolationError, match="those of another machine"):
                    launcher.start(Profile())

    def test_a_choice_of_the_person_who_grades_reaches_children(self, monkeypatch):
        for name in numerics.CHOICES:
            monkeypatch.delenv(name, raising=False)
        assert numerics.environment()["MKL_CBWR"] == "AUTO"
        assert "OPENBLAS_CORETYPE" not in numerics.environment()
        for name in numerics.CHOICES:
            monkeypatch.setenv(name, "chosen")
        assert {name: numerics.environment()[name] for name in numerics.CHOICES} == dict.fromkeys(
            numerics.CHOICES, "chosen"
        )
        assert numerics.kernels()["torch"] == "chosen"
        assert libraries.environment(cuda=False).items() >= numerics.environment().items()

    @pytest.mark.torch
    def test_torchs_own_choice_is_what_is_pinned(self, monkeypatch):
        """Pinning guards against a hidden /proc/cpuinfo; it does not make torch slower."""
        monkeypatch.delenv("ATEN_CPU_CAPABILITY", raising=False)
        pinned = numerics.environment().get("ATEN_CPU_CAPABILITY")
        if pinned is None:
            pytest.skip("nothing is pinned on this processor: not run")
        ask = "import torch; print(torch.backends.cpu.get_cpu_capability().lower())"
        done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == pinned


class Recorder:
    """A launcher whose children's bytes are kept: all that they sent and printed."""

    def __init__(self, launcher):
        self._launcher = launcher
        self.layers = launcher.layers
        self.said = []

    def start(self, profile):
        child = self._launcher.start(profile)
        folder = child._folder.encode() or b"no folder"
        for name in ("reply", "output"):
            take = getattr(child, name)

            def kept(take=take, name=name):
                data = take()
                if data:
                    self.said.append((name, data.replace(folder, b"F" * len(folder))))
                return data

            setattr(child, name, kept)
        return child

    def close(self):
        """Leave the launcher to its owner."""

    def bytes(self):
        """Return what was said by channel, in whatever pieces it came."""
        return {name: b"".join(data for other, data in self.said if other == name) for name in ("reply", "output")}


def judged(launcher, text, calls, profile, monkeypatch):
    """Return every byte that came of a submission, its calls made one after another."""
    counter = iter(range(10**9))
    recorder = Recorder(launcher)
    with monkeypatch.context() as patched:  # the nonces alone would differ
        patched.setattr(os, "urandom", lambda count: next(counter).to_bytes(count, "little"))
        with Worker(recorder, source(text, slug="xor"), profile) as worker:
            for call in calls:
                with contextlib.suppress(StudentFault):
                    worker.begin(20.0)
                    worker.call((call,), (), {}, tensors=False)
            worker.output()
    return recorder.bytes()


class TestAfterOthers:
    OBSERVERS = (("process",), ("interpreter",), ("drawn", "drawn"), ("failed", "process"), ("interpreter", "drawn"))

    @forked_kinds
    def test_a_then_b_is_b_alone_byte_for_byte(self, layers, launchers, monkeypatch):
        """B, judged first by a launcher of its own, says the same bytes after any A, and after any number of them."""
        chosen = random.Random(20)
        with contextlib.closing(tiers.launcher(layers)) as fresh:
            alone = {calls: judged(fresh, SURROUNDINGS, calls, Profile(), monkeypatch) for calls in self.OBSERVERS}
        assert all(said["reply"] for said in alone.values())
        for number in range(PAIRS):
            name = chosen.choice(sorted(disturbing.PLAIN))
            calls = chosen.choice(self.OBSERVERS)
            judged(launchers(layers), disturbing.PLAIN[name], ("f",), Profile(), monkeypatch)
            after = judged(launchers(layers), SURROUNDINGS, calls, Profile(), monkeypatch)
            assert after == alone[calls], f"{calls} after {name!r}, pair {number}"

    @pytest.mark.torch
    @needs_fork
    def test_torch_too_starts_afresh(self, launchers, monkeypatch):
        profile = Profile(torch=True)
        calls = ("torchs", "drawn", "interpreter")
        alone = judged(launchers(BEST), SURROUNDINGS, calls, profile, monkeypatch)
        for name, text in disturbing.TORCH.items():
            judged(launchers(BEST), text, ("f",), profile, monkeypatch)
            assert judged(launchers(BEST), SURROUNDINGS, calls, profile, monkeypatch) == alone, name

    @needs_fork
    def test_what_is_changed_would_be_seen(self, launchers, monkeypatch):
        """The control: what disturbs, put before the observer in one file, changes what is said."""
        unseen = []
        for name in ("seeds", "numpy's settings", "the environment", "files", "descriptors", "the interpreter"):
            changed = source(disturbing.PLAIN[name]).main.cells[0]
            text = SURROUNDINGS + "\n" + changed
            said = [
                judged(launchers(BEST), before, ("f", call), Profile(), monkeypatch)
                for before in (SURROUNDINGS + "\ndef f(): pass\n", text)
                for call in ("process", "interpreter", "drawn")
            ]
            if said[:3] == said[3:]:
                unseen.append(name)
        assert unseen == []
