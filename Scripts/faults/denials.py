"""Denies one system call after another to a whole run, as a container's filter does."""

import collections
import time

import strace

RUN = ["run", "exact", "--allocations", "--no-report"]

SCENARIO = """\
scenario: exact
summary: Sorts lines; its allocations are the same in each launch.
command: [sort, --parallel=1, lines]
iterations: 2
warmup: 0
"""

#: Without these calls no program starts, so that the loader or the kernel reports the failure.
NEEDED = {"execve", "mmap", "mprotect", "brk", "openat", "read", "close", "exit_group", "exit", "rt_sigreturn", "munmap",
          "fstat", "newfstatat", "arch_prctl", "set_tid_address", "set_robust_list", "prlimit64", "rseq", "pread64"}


def allocations(harness):
    """Returns the counted allocations of the latest run's launches."""
    rows = harness.rows(
        "SELECT value FROM measurements WHERE metric = 'alloc.count' AND run = "
        "(SELECT id FROM runs ORDER BY started_ms DESC LIMIT 1)")
    return [value for value, in rows]


def run(harness, ledger, options):
    (harness.folder / "Scenarios" / "exact.yml").write_text(SCENARIO)
    (harness.folder / "lines").write_text("".join(f"{number * 7919 % 1000}\n" for number in range(1000)))
    status, _, errors = harness.run(RUN)
    truth = set(allocations(harness))
    if status != 0 or len(truth) != 1:
        raise SystemExit(f"reliability: the run without a denial exits with {status}, counts {truth}: {errors}")
    calls = {call for _, call in strace.calls(harness, RUN)}
    found, tried = collections.Counter(), 0
    end = time.monotonic() + 60 * options.minutes
    for call in sorted(calls - NEEDED):
        for error in ("EPERM", "ENOSYS"):
            if time.monotonic() > end:
                break
            tried += 1
            runs = len(harness.rows("SELECT id FROM runs"))
            status, output, errors = strace.run(harness, RUN, f"{call}:error={error}", 6 * options.limit)
            fault = None
            if status is None:
                fault = "hang"
            elif strace.is_crash(status):
                fault = "crash"
            elif status == 0 and len(harness.rows("SELECT id FROM runs")) == runs:
                fault = "lost run"
            elif status == 0 and not set(allocations(harness)) <= truth:
                fault = "wrong figure"
            elif status == 0 and not allocations(harness) and "warning" not in (output + errors).lower():
                fault = "lost figure without a warning"
            elif status != 0 and not errors.strip():
                fault = "silent failure"
            harness.survivors()
            if fault:
                found[fault] += 1
                ledger.note(f"{call} denied with {error}: {fault} (exit status {status})\n{errors[-300:]}")
    ledger.add(
        "system calls that are denied, one at a time", "0 crashes, 0 wrong figures",
        f"{tried} denials of {len(calls - NEEDED)} calls: {strace.kinds(found)}", not found and tried > 0, time.monotonic() < end)
