"""A grader and its zygote can share what the libraries take; children are as locked down and as ignorant as ever."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from attackers import best_layers
from courses import put

from grader.isolation import libraries, zygotes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has zygotes: not run")
ROOT = Path(__file__).parent.parent

# What runs as the grader: it is told a process and a channel, or "alone".
GRADER = """
import json, os, signal, sys
sys.path.insert(0, ROOT)
from grader.isolation import libraries, zygotes
from grader.isolation.forked import ForkLauncher
from grader.isolation.inside.lockdown.attacks import ATTACKS
from grader.isolation.profile import Layers

kind = libraries.kind(torch=False, device="cpu", hidden=("grader",), preload=())
secret = "secret-" + str(17**5)
pid, channel = map(int, sys.argv[1:])
zygotes.sow(kind, pid, channel)
PREPARE
launcher = ForkLauncher(Layers(**LAYERS))
ASK = '''
import gc, json, os, sys
texts = [str(one)[:9999] for one in gc.get_objects() if type(one) in (dict, list)]
found = {
    "grader": [name for name in sys.modules if name.split(".")[0] == "grader"],
    "secret": [text[:80] for text in texts if "secret-" + str(17**5) in text],
    "numpy": "numpy" in sys.modules,
    "environment": sorted(os.environ),
    "open": sorted(int(name) for name in range(64) if is_open(name)),
}
os.write(results, json.dumps(found).encode() + b"\\\\n")
'''
IS_OPEN = '''
import os
def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
'''

def asked():
    child = launcher.attack({"script": IS_OPEN + ASK}, memory_mib=64, kind=kind)
    said = b""
    while b"\\n" not in said and not child.ended():
        child.wait(20)
        said += child.reply()
    child.close()
    return json.loads(said)

told = asked()
told["shared"] = launcher._zygotes[kind]._process.pid == pid
os.kill(launcher._zygotes[kind]._process.pid, signal.SIGKILL)
told["after"] = asked()["numpy"]
launcher.close()
told["left"] = [name for name in (str(pid),) if os.path.exists("/proc/" + name)]
print(json.dumps(told))
"""


def grown(tmp_path, prepare="", **layers):
    offered = best_layers()
    wanted = {"namespaces": offered.namespaces, "landlock": offered.landlock, **layers}
    text = GRADER.replace("ROOT", repr(str(ROOT))).replace("LAYERS", repr(wanted)).replace("PREPARE", prepare)
    script = put(tmp_path / "grader_script.py", text)
    kind = libraries.kind(torch=False, device="cpu", hidden=("grader",), preload=())
    config = {
        "imports": kind.imports,
        "libraries": libraries.needs(kind, namespaces=True).libraries,
        "script": str(script),
        "arguments": [],
        "path": sys.path,
    }
    done = subprocess.run(
        [sys.executable, "-s", "-P", "-S", str(zygotes.INSIDE), "seedling", json.dumps(config)],
        env={**libraries.environment(cuda=False), "CLOUD_TOKEN": "x"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("layers", [{}, {"namespaces": False}], ids=["all layers", "no namespaces"])
def test_a_child_of_a_shared_process_finds_nothing_of_the_grader(tmp_path, layers):
    told = grown(tmp_path, **layers)
    assert told["shared"]
    assert told["numpy"]
    assert (told["grader"], told["secret"]) == ([], [])
    assert told["open"] == [0, 1, 2, 3, 4]
    assert told["after"], "a killed one is not replaced"
    assert told["left"] == []


def test_one_that_has_ended_before_it_was_needed_costs_nothing(tmp_path):
    told = grown(tmp_path, prepare="os.kill(pid, signal.SIGKILL); os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)")
    assert not told["shared"]
    assert told["numpy"]
    assert told["after"]
