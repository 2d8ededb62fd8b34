"""How long `grade check --watch` takes from a save to its answer, once warm: ``python benchmarks/watching.py``.

A student's answer is saved again and again as editors do it, right and wrong in turn, and the clock runs from the save
until the last line of the answer has been read. One line a problem: the median, the fastest and the slowest.
"""

from __future__ import annotations

import argparse
import contextlib
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import startup
from measuring import GRADE, environment

SPOILT = {
    "xor": ("return h, h @ v", "return h, h @ v + 1"),
    "batch_reduction": ("return eta / batch", "return eta * batch"),
}
AIM = 1 / 3  # of a second
LAST = "visible point"  # of the last line of an answer
PATIENCE = 120  # seconds, after which a watcher that says nothing is ended


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--saves", type=int, default=10, help="saves of each problem")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        course = startup.student_course(Path(folder))
        for slug in SPOILT:
            taken = answered(course, slug, asked.saves)
            print(
                f"{slug}: {1000 * statistics.median(taken):.0f} ms from save to answer, median of {len(taken)}; "
                f"{1000 * min(taken):.0f} to {1000 * max(taken):.0f} ms; aim {1000 * AIM:.0f} ms"
            )


def answered(course, slug, saves):
    """Return how long each save of a problem waited for its answer, in seconds."""
    path = course / "student_template" / f"{slug}.py"
    right = path.read_text()
    wrong = right.replace(*SPOILT[slug])
    assert wrong != right, f"what spoils {slug} is not in its reference any more"
    with watching(course, slug) as process:
        until_answered(process)
        taken = []
        for number in range(saves + 1):  # the first finds nothing warm
            time.sleep(1)  # nobody saves at once
            started = time.perf_counter()
            saved(path, right if number % 2 else wrong)
            until_answered(process)
            taken.append(time.perf_counter() - started)
    return taken[1:]


@contextlib.contextmanager
def watching(course, slug):
    command = [*GRADE, "--course", str(course), "check", slug, "--watch"]
    process = subprocess.Popen(
        command, cwd=course, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    patience = threading.Timer(PATIENCE, process.kill)
    patience.start()
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        patience.cancel()
        process.stdout.close()


def saved(path, text):
    """Write a file as editors do: beside the old one, then into its place."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text)
    beside.replace(path)


def until_answered(process):
    while LAST not in (line := process.stdout.readline()):
        if not line:
            raise SystemExit("grade check --watch has ended before it answered")


if __name__ == "__main__":
    main()
