"""Lets ten harnesses measure into one store."""

import os
import threading
import time

from harness import Harness

HARNESSES = 10


def run(harness, ledger, options):
    end = time.monotonic() + 60 * options.minutes
    done, errors, lock = [], [], threading.Lock()

    def work(member):
        while time.monotonic() < end:
            status, _, text = member.run(["run", "count", "--iterations", "1", "--no-report"], limit=120)
            with lock:
                done.append(status)
                if status != 0:
                    errors.append(f"exit status {status}: {text[-300:]}")

    # Each has its mark, so that the end of a hanging one does not end the others.
    members = [Harness(os.path.dirname(harness.perfkit), harness.folder) for _ in range(HARNESSES)]
    threads = [threading.Thread(target=work, args=(member,)) for member in members]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors[:10]:
        ledger.note(error)
    stored = harness.rows("SELECT count(*) FROM runs WHERE state != 'running'")[0][0]
    lost = len(done) - len(errors) - stored
    ledger.add(
        f"{HARNESSES} harnesses on one store for {options.minutes:g} minutes", "10 minutes, 0 lost writes, 0 errors",
        f"{len(done)} runs, {lost} lost, {len(errors)} errors, the store is {'sound' if harness.is_sound() else 'corrupt'}",
        lost == 0 and not errors and harness.is_sound(), options.minutes >= 10)
