"""Measures while CPUs or memory are short: figures are right, or the run is marked as disturbed, and no gate on it fails."""

import collections
import contextlib
import json
import os
import pathlib
import subprocess
import time

RUN = ["run", "limited", "--no-profile", "--no-report", "--format", "json"]
GATE = ["gate", "limited", "--budgets-only"]

SCENARIO = """\
scenario: limited
summary: Works for some milliseconds, within a limit.
command: [sh, -c, "{script}"]
iterations: 6
warmup: 0
budgets:
  - wall <= {limit:.3f} ms
"""

LOOP = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"

#: Reads a file from memory, or again and again from the disk.
READS = "cat pages pages >/dev/null"

#: Bytes of the file, and of the memory that is left for it and perfkit.
PAGES, MEMORY = 256 << 20, 128 << 20

#: The folders of the kernel's control groups, versions 1 and 2, with the names of the limit of memory.
GROUPS = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")]


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


def write(harness, limit, script=LOOP):
    """Writes the scenario with a limit in milliseconds."""
    (harness.folder / "Scenarios" / "limited.yml").write_text(SCENARIO.format(limit=limit, script=script))


def measure(harness, before=()):
    status, output, errors = harness.run(RUN, before=before, limit=300)
    if status != 0:
        raise SystemExit(f"reliability: 'perfkit {' '.join(RUN)}' exits with {status}: {errors}")
    return json.loads(output)


@contextlib.contextmanager
def busy():
    """Runs endless loops, two for each CPU."""
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
    try:
        yield ()
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@contextlib.contextmanager
def group():
    """Makes a control group with little memory; None where that is not allowed."""
    for root, name in GROUPS:
        folder = pathlib.Path(root) / f"perfkit-reliability-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            if (folder / name).exists():
                (folder / name).write_text(str(MEMORY))
                yield folder
                return
        finally:
            remove(folder)
    yield None


def remove(folder):
    """Removes a control group; the last process may still be ending."""
    for _ in range(100):
        with contextlib.suppress(OSError):
            return folder.rmdir()
        time.sleep(0.02)
    raise SystemExit(f"reliability: {folder} still has processes")


@contextlib.contextmanager
def shortage(harness, folder):
    """Yields the words that begin a command in a control group, after the file has left the memory."""
    with open(harness.folder / "pages", "rb") as pages:
        os.posix_fadvise(pages.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    yield ["sh", "-c", 'echo $$ >"$0" && exec "$@"', str(folder / "cgroup.procs")]


def compare(harness, ledger, options, figure, script, load):
    """Measures a script alone, and under a load, which yields the words that begin a command."""
    write(harness, 60_000, script)
    truth, low, high = median(measure(harness))
    # The quiet program keeps this limit; only the load exceeds it.
    write(harness, 1.25 * high / 1e6, script)
    found, gates = collections.Counter(), collections.Counter()
    end = time.monotonic() + 60 * options.minutes
    while time.monotonic() < end and found.total() < options.runs:
        with load() as before:
            loaded = measure(harness, before)
            status, output, errors = harness.run(GATE, before=before, limit=300)
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
        figure, "right or marked as disturbed, no gate fails",
        ", ".join(f"{count} {kind}" for kind, count in sorted(found.items())) + "; gates: "
        + ", ".join(f"{count} {names.get(status, f'exit status {status}')}" for status, count in sorted(gates.items(), key=str)),
        not found["wrong"] and set(gates) <= set(names), found.total() >= 60)


def run(harness, ledger, options):
    compare(harness, ledger, options, "runs while other processes take all CPUs", LOOP, busy)
    with group() as folder:
        if not folder:
            ledger.note("memory is not made short: no control group can be made here")
            return
        with open(harness.folder / "pages", "wb") as pages:
            for _ in range(PAGES >> 20):
                pages.write(os.urandom(1 << 20))
            os.fsync(pages.fileno())
        compare(harness, ledger, options, "runs with half of the memory that they read", READS,
                lambda: shortage(harness, folder))
