"""Watches the memory and descriptors of the server of `perfkit mcp`, which starts runs in a loop, and of one long run."""

import json
import os
import statistics
import subprocess
import threading
import time


#: The launches of the long run: the most of a scenario, and those of the short form.
LAUNCHES, FEW_LAUNCHES = 10_000, 300

#: The most memory in KiB that a run may keep of each launch, e.g. its metrics.
KEPT = 16


def run(harness, ledger, options):
    loop(harness, ledger, options)
    one_run(harness, ledger, options)


def facts(process):
    """Returns the memory of a process in MiB and the number of its descriptors; None after its end."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8") as file:
            memory = next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024
        return memory, len(os.listdir(f"/proc/{process}/fd"))
    except (OSError, StopIteration):
        return None


def later(values):
    """Returns the values of the second and of the last quarter; the first quarter fills caches."""
    quarter = len(values) // 4
    return values[quarter:2 * quarter], values[-quarter:]


def loop(harness, ledger, options):
    server = subprocess.Popen(
        [harness.perfkit, "mcp"], cwd=harness.folder, env=harness.environment(), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def request(number, method, parameters):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        # A server that hangs is killed, so that the wait for its answer ends.
        limit = threading.Timer(120, server.kill)
        limit.start()
        try:
            while line := server.stdout.readline():
                answer = json.loads(line)
                if answer.get("id") == number:
                    return answer
        finally:
            limit.cancel()
        raise SystemExit("reliability: the server ended, or did not answer for 120 s")

    seen, failures = [], 0
    try:
        request(0, "initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "reliability", "version": "1"}})
        end = time.monotonic() + 60 * options.minutes
        while time.monotonic() < end or len(seen) < 8:
            answer = request(len(seen) + 1, "tools/call", {"name": "run", "arguments": {"scenario": "count", "iterations": 2}})
            failures += "error" in answer or bool(answer["result"].get("isError"))
            seen.append(facts(server.pid))
        server.stdin.close()
        server.wait(timeout=30)
    finally:
        server.kill()
        server.wait()
        harness.end()
    early, late = map(statistics.median, later([memory for memory, _ in seen]))
    # A file may be open for a moment, but one that is never closed is always among them.
    before, after = map(min, later([descriptors for _, descriptors in seen]))
    ledger.add(
        "a server that starts runs in a loop", "one hour, memory and descriptors flat",
        f"{len(seen)} runs in {options.minutes:g} minutes, {failures} failed; memory {early:.1f} to {late:.1f} MiB, "
        f"descriptors {after - before:+d}", failures == 0 and late <= 1.05 * early + 1 and after <= before,
        options.minutes >= 60)


def one_run(harness, ledger, options):
    count = LAUNCHES if options.minutes >= 60 else FEW_LAUNCHES
    process = harness.start(["run", "count", "--iterations", str(count), "--no-report", "--quiet"])
    seen = []
    while process.poll() is None:
        if now := facts(process.pid):
            seen.append((harness.launches(), *now))
        # Often, so that each quarter of a short run has moments without open files.
        time.sleep(0.02)
    process.communicate()
    (begin, end), (early, late) = (later([row[0] for row in seen]), later([row[1] for row in seen]))
    before, after = map(min, later([row[2] for row in seen]))
    growth = 1024 * (statistics.median(late) - statistics.median(early)) / (statistics.median(end) - statistics.median(begin))
    ledger.add(
        f"one run of {count:,} launches", f"{LAUNCHES:,} launches, descriptors flat, <= {KEPT} KiB more memory a launch",
        f"exit status {process.returncode}, {growth:.1f} KiB more memory a launch, descriptors {after - before:+d}",
        process.returncode == 0 and after <= before and growth <= KEPT, count == LAUNCHES)
