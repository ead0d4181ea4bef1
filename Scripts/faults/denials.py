"""Denies one system call after another to a whole run, as a container's filter does."""

import collections
import itertools
import random
import statistics
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


#: Metrics that are about the same in each launch, whatever the machine does meanwhile.
STEADY = ["faults.minor", "alloc.bytes"]


def fault(harness, before, truth, call, status, errors):
    """Returns the kind of fault of a run during which a call was denied, or None."""
    if status is None:
        return "hang"
    if strace.is_crash(status):
        return "crash"
    if status != 0:
        # Where the message itself cannot be written, the exit status alone reports the failure.
        return None if errors.strip() or call == "write" else "silent failure"
    launch, run = before
    if harness.last()[1] == run:
        return "lost run"
    says = errors.strip() or harness.warnings(run) - harness.usual_warnings
    for values in harness.metrics(launch):
        if values.get("alloc.count", truth["alloc.count"]) != truth["alloc.count"]:
            return "wrong alloc.count"
        for name in STEADY:
            if not truth[name] / 2 <= values.get(name, truth[name]) <= truth[name] * 2:
                return f"wrong {name}"
        if not says and (lost := harness.usual_metrics - set(values)):
            return f"loss of {min(lost)} without a warning"
    return None


def run(harness, ledger, options):
    (harness.folder / "Scenarios" / "exact.yml").write_text(SCENARIO)
    (harness.folder / "lines").write_text("".join(f"{number * 7919 % 1000}\n" for number in range(1000)))
    strace.learn(harness, RUN)
    launches = harness.metrics(0)
    counts = {values["alloc.count"] for values in launches}
    if len(counts) != 1:
        raise SystemExit(f"reliability: the runs without a denial count {counts} allocations")
    truth = {name: statistics.median(values[name] for values in launches) for name in [*STEADY, "alloc.count"]}
    calls = {call for _, call in strace.calls(harness, RUN)}
    denied = calls - NEEDED
    cases = list(itertools.product(sorted(denied), ("EPERM", "ENOSYS")))
    # The time may not suffice for all calls, so the order is random.
    random.Random(options.seed).shuffle(cases)
    end = time.monotonic() + 60 * options.minutes
    found, tried = collections.Counter(), 0
    for call, error in itertools.takewhile(lambda _: time.monotonic() < end, cases):
        tried += 1
        before = harness.last()
        status, _, errors = strace.run(harness, RUN, f"{call}:error={error}", 6 * options.limit)
        kind = fault(harness, before, truth, call, status, errors)
        harness.end()
        if kind:
            found[kind] += 1
            ledger.note(f"{call} denied with {error}: {kind} (exit status {status})\n{errors[-300:]}")
    ledger.add(
        "system calls that are denied, one at a time", "0 crashes, 0 wrong figures",
        f"{tried} of {len(cases)} denials of {len(denied)} calls, without the {len(calls & NEEDED)} that each program "
        f"needs to start: {strace.kinds(found)}", not found and tried > 0, tried == len(cases))
