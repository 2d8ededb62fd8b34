"""The tier that a machine is found to have, and what it is told that it lacks."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from attackers import best_layers

import grader.isolation
from grader.isolation import advice, tiers
from grader.isolation.forked import ForkLauncher
from grader.isolation.inside.lockdown.attacks import ATTACKS
from grader.isolation.profile import Layers
from grader.isolation.spawn import SpawnLauncher

REFUSING = Path(__file__).with_name("refusing.py")
ROOT = Path(__file__).parent.parent
CONTAINED = dict.fromkeys(ATTACKS, "contained")
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux's")
BEST = best_layers() if sys.platform == "linux" else Layers(fork=False, namespaces=False, landlock=False)

SURVEY = "import pickle, sys\nfrom grader.isolation import survey\nsys.stdout.buffer.write(pickle.dumps(survey()))\n"


def surveyed(*, refusing: str = "", before: str = "") -> tiers.Survey:
    """What a fresh process finds on a machine that refuses these layers; `before` is run first in it."""
    command = [sys.executable, "-c", before + SURVEY]
    if refusing:
        command = [sys.executable, str(REFUSING), refusing, *command]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return pickle.loads(done.stdout)


class TestTierOf:
    @pytest.mark.parametrize(
        ("otherwise", "tier"),
        [
            ({}, 3),
            ({"stat": "open"}, 2),
            ({"stat": "open", "quota": "open"}, 2),
            *(({attack: "open"}, 1) for attack in sorted(set(ATTACKS) - {"stat", "quota"})),
            ({"fork": "not tried: no fork here"}, 1),
            ({"quota": "not tried: the attacker ended before"}, 2),
        ],
    )
    def test_one_attack_that_is_not_contained_decides(self, otherwise, tier):
        assert tiers.tier_of(CONTAINED | otherwise) == tier

    def test_no_result_at_all_is_no_isolation(self):
        assert tiers.tier_of({}) == 0

    def test_every_tier_has_words(self):
        assert sorted(tiers.WORDS) == [0, 1, 2, 3]
        assert len(set(tiers.WORDS.values())) == 4


class TestThisMachine:
    def test_the_answer_is_plain_data_and_kept(self):
        found = tiers.survey()
        assert pickle.loads(pickle.dumps(found)) == found
        assert tiers.survey() is found
        assert tiers.survey(Layers()) is found

    def test_it_says_what_it_tried_and_where(self):
        found = tiers.survey()
        assert set(found.probes) == set(ATTACKS)
        assert found.words == tiers.WORDS[found.tier]
        assert found.platform

    def test_a_low_tier_says_why(self):
        found = tiers.survey()
        assert found.tier == 3 or found.missing
        assert found.tier == 3 or "Nothing keeps student code from" in found.missing[-1]

    @ON_LINUX
    def test_every_layer_that_the_kernel_offers_is_used(self):
        found = tiers.survey()
        assert found.layers == BEST
        assert (found.landlock_abi > 0) == BEST.landlock

    @pytest.mark.skipif(not BEST.namespaces, reason="user namespaces are refused here")
    def test_with_namespaces_everything_is_contained(self):
        assert dict(tiers.survey().probes) == CONTAINED
        assert tiers.survey().tier == 3

    @ON_LINUX
    def test_wanting_no_protection_finds_tier_one(self):
        bare = Layers(namespaces=False, landlock=False, seccomp=False, rlimits=False)
        found = tiers.survey(bare)
        assert (found.tier, found.layers) == (1, bare)
        assert found.probes["read"] == "open"

    def test_fresh_interpreters_are_tier_one(self):
        found = tiers.survey(Layers(fork=False))
        assert (found.tier, found.layers.fork) == (1, False)
        assert found.probes["read"] == found.probes["write"] == found.probes["tcp"] == "open"


@ON_LINUX
class TestRefusals:
    """A machine that refuses a layer, made without any privilege."""

    @pytest.mark.skipif(not BEST.landlock, reason="Landlock is refused here")
    def test_without_user_namespaces_it_is_tier_two(self):
        found = surveyed(refusing="namespaces")
        assert (found.tier, found.layers) == (2, Layers(namespaces=False))
        assert {attack for attack, result in found.probes.items() if result != "contained"} == {"stat", "quota"}
        (sentence, *_) = found.missing
        assert "namespaces" in sentence
        assert "`" in sentence

    @pytest.mark.skipif(not BEST.landlock, reason="Landlock is refused here")
    def test_in_a_container_it_is_tier_two_and_what_is_open_is_named(self):
        found = surveyed(refusing="container")
        assert (found.tier, found.layers) == (2, Layers(namespaces=False))
        assert "at a known path, its size and its times; filling the disk: " in found.missing[-1]

    def test_without_landlock_as_well_it_is_tier_one(self):
        found = surveyed(refusing="namespaces,landlock")
        assert (found.tier, found.layers) == (1, Layers(namespaces=False, landlock=False))
        assert found.probes["read"] == "open"
        assert found.probes["tcp"] == "contained"
        assert found.landlock_abi == 0
        assert len(found.missing) == 3
        assert "reading any file of this user" in found.missing[-1]

    @pytest.mark.skipif(not BEST.namespaces, reason="user namespaces are refused here")
    def test_without_landlock_alone_namespaces_still_contain_everything(self):
        found = surveyed(refusing="landlock")
        assert (found.tier, found.layers) == (3, Layers(landlock=False))
        assert any("Landlock" in sentence for sentence in found.missing)

    def test_without_the_filter_it_is_tier_one(self):
        found = surveyed(refusing="seccomp")
        assert (found.tier, found.layers.seccomp) == (1, False)
        assert found.probes["fork"] == "open"
        assert any("System calls" in sentence for sentence in found.missing)


class TestOtherPlatforms:
    @pytest.mark.parametrize(
        "before",
        [
            "import os; del os.fork\n",
            "import os; del os.pidfd_open\n",
            "import sys; sys.modules['resource'] = None\n",
            "import sys; sys.platform = 'darwin'\n",
            "import grader.isolation.tiers as tiers; tiers._PROC = ('/no/proc',)\n",
        ],
        ids=["no fork", "no process handles", "no limits", "not Linux", "no /proc"],
    )
    def test_what_cannot_fork_spawns(self, before):
        found = surveyed(before=before)
        assert (found.tier, found.layers.fork) == (1, False)
        assert "cannot be locked down" in found.missing[0]
        assert "`" in found.missing[0]

    def test_where_no_child_starts_it_is_tier_zero(self, monkeypatch):
        monkeypatch.setattr(sys, "executable", "/no/such/python")
        found = tiers._survey.__wrapped__(Layers())
        assert (found.tier, dict(found.probes)) == (0, {})
        assert any("No child process" in sentence for sentence in found.missing)


class TestAdvice:
    def test_every_attack_has_words_for_when_it_goes_through(self):
        assert set(advice._OPEN) == set(ATTACKS)

    @pytest.mark.parametrize(
        ("switch", "value", "command"),
        [
            ("max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"),
            ("unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
            (
                "apparmor_restrict_unprivileged_userns",
                "1",
                "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
            ),
        ],
    )
    def test_the_switch_that_refuses_namespaces_is_named(self, monkeypatch, switch, value, command):
        monkeypatch.setattr(advice, "_value", lambda path: value if path.endswith(switch) else "")
        (sentence,) = advice.missing({"namespaces": "EPERM"}, landlock_abi=6)
        assert command in sentence

    def test_in_a_container_the_container_is_to_be_started_otherwise(self, monkeypatch, tmp_path):
        monkeypatch.setattr(advice, "_value", lambda _: "")
        monkeypatch.setattr(advice, "_CONTAINER_MARKS", (tmp_path,))
        (sentence,) = advice.missing({"namespaces": "EPERM"}, landlock_abi=6)
        assert "--security-opt" in sentence

    @pytest.mark.parametrize(
        ("release", "words"), [("5.10.0-28-amd64", "Linux 5.13"), ("6.8.0-41-generic", "lsm=landlock")]
    )
    def test_landlock_needs_a_newer_kernel_or_another_boot(self, monkeypatch, tmp_path, release, words):
        monkeypatch.setattr(advice.platform, "release", lambda: release)
        monkeypatch.setattr(advice, "_CONTAINER_MARKS", (tmp_path / "none",))
        (sentence,) = advice.missing({"landlock": "ENOSYS"}, landlock_abi=0)
        assert words in sentence

    @pytest.mark.parametrize(("version", "sentences"), [(0, 0), (1, 2), (4, 1), (6, 0), (7, 0)])
    def test_an_old_landlock_says_what_it_leaves_to_the_filter(self, version, sentences):
        assert len(list(advice.missing({}, landlock_abi=version))) == sentences


class TestLauncher:
    @ON_LINUX
    def test_layers_that_fork_get_the_forking_one(self):
        assert isinstance(tiers.launcher(Layers()), ForkLauncher)

    def test_others_get_fresh_interpreters(self):
        layers = tiers.survey(Layers(fork=False)).layers
        assert isinstance(tiers.launcher(layers), SpawnLauncher)

    def test_the_package_offers_the_words(self):
        assert grader.isolation.survey is tiers.survey
        assert grader.isolation.launcher is tiers.launcher
        assert grader.isolation.Survey is tiers.Survey
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            grader.isolation.nothing  # noqa: B018 - the access is the test
