"""Lets system calls of a small run, a comparison and an import fail, one call at a time (strace(1), --inject), and lets all
writes be short (`short.c`, preloaded)."""

import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import threading
import time

import strace
from harness import Harness

#: The calls and the errors with which they can fail on a real machine. Not EINTR of futex: a wake never has it, and glibc aborts.
FAULTS = [
    ("pwrite64", "ENOSPC"), ("pwrite64", "EIO"), ("write", "ENOSPC"), ("write", "EINTR"), ("ftruncate", "ENOSPC"),
    ("fdatasync", "EIO"), ("fsync", "EIO"), ("pread64", "EIO"), ("read", "EIO"), ("read", "EINTR"),
    ("openat", "EMFILE"), ("openat", "ENOSPC"), ("mkdir", "ENOSPC"), ("socketpair", "EMFILE"),
    ("memfd_create", "EMFILE"), ("mmap", "ENOMEM"), ("clone3", "EAGAIN"), ("clone", "EAGAIN"), ("vfork", "EAGAIN"),
    ("poll", "EINTR"), ("wait4", "EINTR"), ("renameat2", "ENOSPC"), ("rename", "ENOSPC"),
]

#: The first numbers that fail, if not 1: the loader does not check its first mmap, and crashes.
FIRST = {"mmap": 2}
#: Seconds after which a process that a verb started is left. On a busy machine it needs some to end.
PATIENCE = 10

VERBS = {
    "run": ["run", "count", "--iterations", "2", "--no-report"],
    # One pair, as each pair repeats the calls of the first. The run takes a profile.
    "diff": ["diff", "--scenario", "count", "--variant", "a", "--variant", "b", "--max-time", "1ms", "--no-report",
             "--no-profile", "--format", "json"],
    "import": ["store", "import", "other.sqlite"],
}


def counts(harness, verb):
    """Returns how often one thread makes each call, at most, and the seconds of the verb under strace."""
    reset(harness)
    most = collections.Counter()
    begin = time.monotonic()
    calls = strace.calls(harness, VERBS[verb])
    seconds = time.monotonic() - begin
    for (_, call), count in collections.Counter(calls).items():
        most[call] = max(most[call], count)
    return most, seconds


def remove_store(harness):
    for end in ("", "-wal", "-shm"):
        pathlib.Path(f"{harness.store}{end}").unlink(missing_ok=True)


def reset(harness):
    """Makes the store one of a single run: without the run to import, and without a comparison to continue."""
    remove_store(harness)
    shutil.copyfile(harness.folder / "base.sqlite", harness.store)


def attempt(harness, limit, verb, call, error, number):
    """Runs a verb whose call with a number fails; returns the kind of fault that the harness shows, or None."""
    reset(harness)
    before = harness.last()
    result = strace.run(harness, VERBS[verb], f"{call}:error={error}:when={number}", limit)
    # Where the message itself cannot be written, the exit status alone reports the failure.
    return fault(harness, verb, before, *result, is_mute=call == "write")


def fault(harness, verb, before, status, output, errors, is_mute=False):
    """Returns the kind of fault of a verb, before which the highest keys of the store were known, or None."""
    if status is None:
        return "hang"
    if strace.is_crash(status):
        return "crash"
    if harness.survivors(PATIENCE):
        return "process left"
    if not harness.is_sound():
        return "corrupt store"
    if status not in (0, 1, 3):
        return None if errors.strip() or is_mute else "silent failure"
    launch, run = before
    if errors.strip() or harness.warnings(run) - harness.usual_warnings:
        return None
    stored = harness.rows(f"SELECT count(*) FROM iterations WHERE key > {launch}")[0][0]
    expected = 2
    if verb == "diff":
        document = json.loads(output)
        expected *= document["pairs"] * document["launches_per_pair"]
    if stored < expected:
        return "silent loss of launches"
    lost = [harness.usual_metrics - set(values) for values in harness.metrics(launch)]
    return f"silent loss of {min(set().union(*lost))}" if any(lost) else None


def shorten(harness, ledger, limit):
    """Runs each verb while larger writes are short, which is no failure."""
    preloaded = ["env", f"LD_PRELOAD={harness.library('short')}"]
    trial = "import os; print(os.write(os.open('/dev/null', os.O_WRONLY), bytes(4096)))"
    text = subprocess.run([*preloaded, "python3", "-c", trial], capture_output=True, text=True, check=True).stdout
    if text != "2048\n":
        raise SystemExit(f"reliability: a write of 4,096 bytes writes {text}")
    found = collections.Counter()
    for verb in VERBS:
        reset(harness)
        before = harness.last()
        result = harness.run(VERBS[verb], before=preloaded, limit=6 * limit)
        kind = fault(harness, verb, before, *result) or (None if result[0] in (0, 1, 3) else "failure")
        if kind:
            found[kind] += 1
            ledger.note(f"{verb}: short writes: {kind} (exit status {result[0]})\n{result[2][-300:]}")
    ledger.add(
        "all writes of more than 512 bytes write half", "0 failures, 0 silent losses",
        f"{len(VERBS)} verbs: {strace.kinds(found)}", not found, True)


def prepare(harness):
    """Makes a store, one of another run to import, and the knowledge of what a run without a fault stores."""
    def run(*words):
        status, _, errors = harness.run(words)
        if status != 0:
            raise SystemExit(f"reliability: 'perfkit {' '.join(words)}' exits with {status}: {errors}")

    run(*VERBS["run"])
    run("store", "export", "other.sqlite")
    usual = harness.metrics(0)
    remove_store(harness)
    run(*VERBS["run"])
    run("store", "export", "base.sqlite")
    strace.learn(harness, VERBS["run"])
    harness.usual_metrics &= set.intersection(*map(set, usual))


def run(harness, ledger, options):
    prepare(harness)
    shorten(harness, ledger, options.limit)
    chance = random.Random(options.seed)
    cases, normal = [], {}
    for verb in VERBS:
        most, normal[verb] = counts(harness, verb)
        cases += [
            (verb, call, error, number)
            for call, error in FAULTS for number in range(FIRST.get(call, 1), most[call] + 1)]
    totals = collections.Counter(verb for verb, _, _, _ in cases)
    # The time may not suffice for all calls, so the order is random.
    chance.shuffle(cases)
    end = time.monotonic() + 60 * options.minutes
    # Each thread has a store of its own.
    own = threading.local()

    def begin(numbers=itertools.count()):
        folder = harness.folder / f"thread{next(numbers)}"
        folder.mkdir()
        own.harness = Harness(options.programs, folder)
        prepare(own.harness)

    def measure(case):
        """Returns whether there was time for a case, and the kind of its fault or None."""
        if time.monotonic() >= end:
            return False, None
        # A comparison takes seconds under strace, and more beside other programs.
        kind = attempt(own.harness, options.limit + 2 * normal[case[0]], *case)
        if kind:
            own.harness.end()
        return True, kind

    found, tried = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count(), initializer=begin) as pool:
        for (verb, call, error, number), (is_tried, kind) in zip(cases, pool.map(measure, cases)):
            tried[verb] += is_tried
            if kind:
                found[kind] += 1
                ledger.note(f"{verb}: call {call} number {number} with {error}: {kind}")
    numbers = ", ".join(f"{tried[verb]} of {totals[verb]} of {verb}" for verb in VERBS)
    ledger.add(
        "system calls that fail, one at a time", "0 silent losses, 0 hangs over 10 s",
        f"calls tried: {numbers}; a verb hangs after {options.limit:g} s and twice its time: {strace.kinds(found)}",
        not found and any(tried.values()), tried.total() == len(cases))
