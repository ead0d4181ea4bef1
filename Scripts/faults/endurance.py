"""Lets one harness, the server of `perfkit mcp`, measure in a loop, and watches its memory and descriptors."""

import json
import os
import statistics
import subprocess
import threading
import time


def run(harness, ledger, options):
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

    memory, descriptors, failures = [], [], 0
    try:
        request(0, "initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "reliability", "version": "1"}})
        end = time.monotonic() + 60 * options.minutes
        while time.monotonic() < end or len(memory) < 8:
            answer = request(len(memory) + 1, "tools/call", {"name": "run", "arguments": {"scenario": "count", "iterations": 2}})
            failures += "error" in answer or bool(answer["result"].get("isError"))
            with open(f"/proc/{server.pid}/status", encoding="utf-8") as file:
                memory.append(next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024)
            descriptors.append(len(os.listdir(f"/proc/{server.pid}/fd")))
        server.stdin.close()
        server.wait(timeout=30)
    finally:
        server.kill()
        server.wait()
        harness.end()
    # The first quarter fills caches.
    quarter = len(memory) // 4
    early, late = statistics.median(memory[quarter:2 * quarter]), statistics.median(memory[-quarter:])
    opened = max(descriptors[-quarter:]) - max(descriptors[quarter:2 * quarter])
    ledger.add(
        "one harness that measures in a loop", "one hour, memory and descriptors flat",
        f"{len(memory)} runs in {options.minutes:g} minutes, {failures} failed; memory {early:.1f} to {late:.1f} MiB, "
        f"descriptors {opened:+d}", failures == 0 and late <= 1.05 * early + 1 and opened <= 0,
        options.minutes >= 60)
