"""Measures while other processes take all CPUs: figures are right, or the run is marked as disturbed."""

import collections
import json
import os
import subprocess
import time

RUN = ["run", "limited", "--no-profile", "--no-report", "--format", "json"]
GATE = ["gate", "limited", "--budgets-only"]

SCENARIO = """\
scenario: limited
summary: Counts to some thousands in a shell, within a limit.
command: [sh, -c, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"]
iterations: 6
warmup: 0
budgets:
  - wall <= {limit:.3f} ms
"""


def wall(run):
    return next(metric for metric in run["metrics"] if metric["name"] == "wall")


def median(run):
    """Returns the median of the wall time with its interval, in ns."""
    return tuple(wall(run)[key] for key in ("median", "median_low", "median_high"))


def values(run):
    """Returns the wall times of all measured launches, in ns."""
    return wall(run)["values"]


def is_marked(run):
    return any("disturbed" in warning["message"] for warning in run["warnings"])


def measure(harness):
    status, output, errors = harness.run(RUN, limit=300)
    if status != 0:
        raise SystemExit(f"reliability: 'perfkit {' '.join(RUN)}' exits with {status}: {errors}")
    return json.loads(output)


class Load:
    """Endless loops, two for each CPU."""

    def __enter__(self):
        self.loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]

    def __exit__(self, *_):
        for loop in self.loops:
            loop.kill()
            loop.wait()


def run(harness, ledger, options):
    scenario = harness.folder / "Scenarios" / "limited.yml"
    scenario.write_text(SCENARIO.format(limit=60_000))
    quiet = measure(harness)
    truth, low, high = median(quiet)
    # The quiet program keeps this limit; only the load exceeds it.
    scenario.write_text(SCENARIO.format(limit=1.25 * high / 1e6))
    found, gates = collections.Counter(), collections.Counter()
    end = time.monotonic() + 60 * options.minutes
    while time.monotonic() < end and found.total() < options.runs:
        with Load():
            loaded = measure(harness)
            status, output, errors = harness.run(GATE, limit=300)
        value, least, most = median(loaded)
        is_right = least <= high and low <= most
        kind = "right" if is_right else "marked as disturbed" if is_marked(loaded) else "wrong"
        found[kind] += 1
        gates[status] += 1
        if kind == "wrong" or status not in (0, 3):
            ledger.note(
                f"{kind}, {value / truth:.2f} times the quiet time; the gate exits with {status}\n"
                f"{output[-500:]}{errors[-500:]}")
    names = {0: "passed", 3: "inconclusive"}
    ledger.add(
        "runs while other processes take all CPUs",
        "right or marked as disturbed, no gate fails",
        ", ".join(f"{count} {kind}" for kind, count in sorted(found.items())) + "; gates: "
        + ", ".join(f"{count} {names.get(status, f'exit status {status}')}" for status, count in sorted(gates.items(), key=str)),
        not found["wrong"] and set(gates) <= set(names), found.total() >= 60)
