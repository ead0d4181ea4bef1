"""Gives changed files and messages to each reader, by the tests with seeded mutations, in numbers beyond those of Scripts/test."""

import concurrent.futures
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
#: The most seconds of one pass.
SECONDS = 300
# Written by Mutation.each for each of its corpora.
LINE = re.compile(r"^mutations: (\d+) inputs, longest ([0-9.]+) ms$", re.MULTILINE)


def run(harness, ledger, options):
    folder = os.environ.get("PERFKIT_TESTS") or subprocess.run(
        ["swift", "build", "--show-bin-path"], capture_output=True, text=True, check=True).stdout.strip()
    tests = f"{folder}/perfkitPackageTests.xctest"
    if not os.access(tests, os.X_OK):
        raise SystemExit(f"reliability: no tests at {tests}. Run `swift build --build-tests` first.")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda suite: measure(tests, suite, 60 * options.minutes), SUITES.values())
        for kind, (code, inputs, least, longest, memory, text, minutes) in zip(SUITES, results):
            if code != 0:
                ledger.note(text[-2000:])
            ledger.add(
                f"changed {kind}", f"{INPUTS:,} inputs or 30 minutes, 0 crashes, 0 over 1 s, <= 512 MiB",
                f"{inputs:,} inputs ({least:,} or more of each corpus) in {minutes:.1f} minutes, "
                f"{'0 crashes' if code == 0 else f'status {code}'}, longest {longest:.0f} ms, {memory:.0f} MiB",
                code == 0 and inputs > 0 and longest <= 1000 and memory <= 512, inputs >= INPUTS or minutes >= 29)


def measure(tests, suite, seconds):
    """Returns what `attempt` does of passes with other inputs each, and their minutes."""
    begin = time.monotonic()
    factor, number, inputs, least, longest, memory = 1, 0, 0, 0, 0, 0
    while True:
        start = time.monotonic()
        code, counts, most, peak, text = attempt(tests, suite, factor, number)
        found = sum(counts)
        inputs, least = inputs + found, least + min(counts, default=0)
        number, longest, memory = number + 1, max(longest, most), max(memory, peak)
        now = time.monotonic()
        # The next pass takes the rest of the time, but not so long that a wrong estimate of its pace matters.
        rest = min(begin + seconds - now, SECONDS)
        factor = min(int(factor * rest / max(now - start, 0.1)), math.ceil(factor * (INPUTS - inputs) / max(found, 1)))
        if code != 0 or factor < 1:
            return code, inputs, least, longest, memory, text, (now - begin) / 60


def attempt(tests, suite, factor, number):
    """Returns the exit status, the inputs of each corpus, the longest in ms, the peak memory in MiB, and the output."""
    process = subprocess.Popen(
        [tests, "--testing-library", "swift-testing", "--filter", suite], text=True,
        env={**os.environ, "PERFKIT_MUTATIONS": str(factor), "PERFKIT_MUTATION_PASS": str(number)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    found = [(int(count), float(longest)) for count, longest in LINE.findall(text)]
    return (process.returncode, [count for count, _ in found], max((longest for _, longest in found), default=0),
            usage.ru_maxrss / 1024, text)
