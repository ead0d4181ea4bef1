"""Steps the wall clock while the harness measures (`clock.c`, preloaded): durations do not depend on it."""

import collections
import itertools
import json
import subprocess
import time

import load

#: Seconds: an hour, a year, a minute, forwards and backwards.
STEPS = [3600, -3600, 31_536_000, -31_536_000, 60, -60]
#: Seconds: half of the smallest step. A busy machine delays a launch by less.
TOLERANCE = min(map(abs, STEPS)) / 2


def is_stepped(preloaded):
    """Returns whether a program with the library sees its clock jump."""
    seen = set()
    for _ in range(20):
        text = subprocess.run([*preloaded, "date", "+%s.%N"], capture_output=True, text=True, check=True).stdout
        seen.add(abs(float(text) - time.time()) > TOLERANCE)
        time.sleep(0.013)
    return len(seen) == 2


def run(harness, ledger, options):
    load.write(harness, 60_000)
    truth, _, _ = load.median(load.measure(harness))
    path = harness.library("clock")
    found = collections.Counter()
    end = time.monotonic() + 60 * options.minutes
    for number, seconds in zip(range(options.runs), itertools.cycle(STEPS)):
        if time.monotonic() > end and number >= len(STEPS):
            break
        preloaded = ["env", f"LD_PRELOAD={path}", f"PERFKIT_STEP={seconds}"]
        if number < len(STEPS) and not is_stepped(preloaded):
            raise SystemExit(f"reliability: the clock is not stepped by {seconds} s")
        before = harness.launches()
        status, output, errors = harness.run(load.RUN, before=preloaded, limit=6 * options.limit)
        if status is None:
            kind = "hang"
        elif status != 0:
            kind = "failure"
        elif harness.launches() - before != 6:
            kind = "lost launches"
        else:
            is_right = all(abs(value - truth) < 1e9 * TOLERANCE for value in load.values(json.loads(output)))
            kind = "right" if is_right else "wrong"
        found[kind] += 1
        if kind != "right":
            ledger.note(f"steps of {seconds} s: {kind} (exit status {status})\n{errors[-300:]}")
    ledger.add(
        "runs while the wall clock jumps by 1 min, 1 h or 1 year", "0 wrong, lost, failed or hanging",
        ", ".join(f"{count} {kind}" for kind, count in sorted(found.items()))
        + f"; the store is {'sound' if harness.is_sound() else 'corrupt'}",
        set(found) == {"right"} and harness.is_sound(), found.total() >= 60)
