"""Runs the command under strace(1), which lists or fails its system calls."""

import re

# Only the listed calls stop a thread (--seccomp-bpf), so that a command is almost as fast as alone.
FOLLOW = ["strace", "-f", "--seccomp-bpf", "-qq", "-o"]

#: The runs without a fault that show which metrics each launch has, and which warnings are usual.
USUAL_RUNS = 8

CALL = re.compile(r"^(\d+) +([a-z0-9_]+)\(")


def calls(harness, words):
    """Returns the calls of a command as pairs of thread and name."""
    log = harness.folder / "calls"
    harness.run(words, before=[*FOLLOW, str(log)])
    lines = log.read_text(errors="replace").split("\n")
    return [match.groups() for line in lines if (match := CALL.match(line))]


def run(harness, words, fault, limit):
    """Runs a command with a fault such as `read:error=EIO:when=3`; returns what `Harness.run` does."""
    call = fault.partition(":")[0]
    return harness.run(words, before=[*FOLLOW, "/dev/null", "-e", f"trace={call}", "-e", f"inject={fault}"], limit=limit)


def learn(harness, words):
    """Notes the metrics of all launches, and the codes of all warnings, of runs without a fault."""
    launch, run_key = harness.last()
    for _ in range(USUAL_RUNS):
        # A call that no verb makes, so that the run is as slow as those with a fault.
        status, _, errors = run(harness, words, "swapoff:error=EPERM", 60)
        if status != 0:
            raise SystemExit(f"reliability: 'perfkit {' '.join(words)}' exits with {status} under strace: {errors}")
    # Each run of so small a command warns that its peak memory is read while it runs.
    harness.usual_metrics = set.intersection(*map(set, harness.metrics(launch))) - {"rss.peak", "rss.mean"}
    harness.usual_warnings = harness.warnings(run_key)


def is_crash(status):
    """Returns whether a signal ended the command: bash's 128 + signal, or Python's negative signal."""
    return status < 0 or 129 <= status <= 159


def kinds(found):
    """Returns the numbers of faults by kind, in words."""
    return ", ".join(f"{count} x {kind}" for kind, count in found.items()) or "no fault"
