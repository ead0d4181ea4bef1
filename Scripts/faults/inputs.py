"""Gives changed files and messages to each reader, by the tests with seeded mutations, in numbers beyond those of Scripts/test."""

import math
import os
import re
import subprocess
import time

SUITES = {
    "capture segments": "DrainFuzzTests",
    "covers (JPEG)": "MutatedJPEGTests",
    "exports of libraries (CSV)": "MutatedExportTests",
    "imported profiles": "HostileImportTests",
    "messages of workers": "MutatedMessageTests",
    "HTML reports": "MutatedPageTests",
    "results of commands and suites": "MutatedReportTests",
    "scenario files and perfkit.yml": "MutatedFilesTests",
    "evidence of comparisons": "MutatedEvidenceTests",
    "stores and baselines": "MutatedStoreTests",
}
#: The inputs of each kind that meet the target.
INPUTS = 1_000_000
# Written by Mutation.each for each of its corpora.
LINE = re.compile(r"^mutations: (\d+) inputs, longest ([0-9.]+) ms$", re.MULTILINE)


def run(harness, ledger, options):
    folder = subprocess.run(
        ["swift", "build", "--show-bin-path"], capture_output=True, text=True, check=True).stdout.strip()
    tests = f"{folder}/perfkitPackageTests.xctest"
    if not os.access(tests, os.X_OK):
        raise SystemExit(f"reliability: no tests at {tests}. Run `swift build --build-tests` first.")
    for kind, suite in SUITES.items():
        # One pass measures the pace, so that the second one takes the rest of the time, or makes the inputs of the target.
        begin = time.monotonic()
        first = attempt(tests, suite, 1)
        seconds = max(time.monotonic() - begin, 0.1)
        factor = min(int((60 * options.minutes - seconds) / seconds), math.ceil(INPUTS / max(first[1], 1)))
        code, inputs, longest, memory, text = attempt(tests, suite, factor) if factor > 1 and first[0] == 0 else first
        if code != 0:
            ledger.note(text[-2000:])
        minutes = (time.monotonic() - begin) / 60
        ledger.add(
            f"changed {kind}", f"{INPUTS:,} inputs or 30 minutes, 0 crashes, 0 over 1 s, <= 512 MiB",
            f"{inputs:,} inputs in {minutes:.1f} minutes, {'0 crashes' if code == 0 else f'status {code}'}, "
            f"longest {longest:.0f} ms, {memory:.0f} MiB",
            code == 0 and inputs > 0 and longest <= 1000 and memory <= 512, inputs >= INPUTS or minutes >= 29)


def attempt(tests, suite, factor):
    """Returns the exit status, the number of inputs, the longest in ms, the peak memory in MiB, and the output."""
    process = subprocess.Popen(
        [tests, "--testing-library", "swift-testing", "--filter", suite], text=True,
        env={**os.environ, "PERFKIT_MUTATIONS": str(factor)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    found = [(int(count), float(longest)) for count, longest in LINE.findall(text)]
    return (process.returncode, sum(count for count, _ in found), max((longest for _, longest in found), default=0),
            usage.ru_maxrss / 1024, text)
