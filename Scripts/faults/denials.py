"""Denies one system call after another to a whole run, as a container's filter does."""

import collections
import itertools
import random
import time

import strace

RUN = ["run", "exact", "--allocations", "--no-report"]

SCENARIO = """\
scenario: exact
summary: Sorts lines; its allocations are the same in each launch, as its buffer does not depend on sysinfo.
command: [sort, --parallel=1, --buffer-size=1M, lines]
iterations: 2
warmup: 0
"""

#: Without these calls no program starts, so that the loader, the kernel or, for futex, glibc's abort reports the failure.
NEEDED = {"execve", "mmap", "mprotect", "brk", "openat", "read", "close", "exit_group", "exit", "rt_sigreturn", "munmap",
          "fstat", "newfstatat", "arch_prctl", "set_tid_address", "set_robust_list", "prlimit64", "rseq", "pread64", "futex"}


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
    calls = {call for _, call in strace.calls(harness, RUN)} - NEEDED
    cases = list(itertools.product(sorted(calls), ("EPERM", "ENOSYS")))
    # The time may not suffice for all calls, so the order is random.
    random.Random(options.seed).shuffle(cases)
    end = time.monotonic() + 60 * options.minutes
    found, tried = collections.Counter(), 0
    for call, error in itertools.takewhile(lambda _: time.monotonic() < end, cases):
        tried += 1
        runs = len(harness.rows("SELECT id FROM runs"))
        status, output, errors = strace.run(harness, RUN, f"{call}:error={error}", 6 * options.limit)
        fault = None
        if status is None:
            fault = "hang"
        elif strace.is_crash(status):
            fault = "crash"
        elif status != 0:
            # Where the message itself cannot be written, the exit status alone reports the failure.
            fault = None if errors.strip() or call == "write" else "silent failure"
        elif len(harness.rows("SELECT id FROM runs")) == runs:
            fault = "lost run"
        elif counts := allocations(harness):
            fault = None if set(counts) <= truth else "wrong figure"
        elif "warning" not in (output + errors).lower():
            fault = "lost figure without a warning"
        harness.survivors()
        if fault:
            found[fault] += 1
            ledger.note(f"{call} denied with {error}: {fault} (exit status {status})\n{errors[-300:]}")
    ledger.add(
        "system calls that are denied, one at a time", "0 crashes, 0 wrong figures",
        f"{tried} of {len(cases)} denials of {len(calls)} calls: {strace.kinds(found)}", not found and tried > 0,
        tried == len(cases))
