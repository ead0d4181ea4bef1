"""Kills the server of a hub during pushes, and runners during jobs."""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

import repository

#: Seconds; on a busy machine a living runner must not lose its job.
LEASE = 5


class Server:
    """A PostgreSQL server of Scripts/postgres, in a folder that its user can reach."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="perfkit-hub-"))
        self.folder.chmod(0o755)
        self.url = f"postgresql:///postgres?host={self.folder}/socket&user=postgres"
        self.start()

    def start(self):
        # The processes of a killed server hold its memory for some moments.
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            self.script = subprocess.Popen(
                ["Scripts/postgres", str(self.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True)
            if line := self.script.stdout.readline():
                self.process = int(line)
                return
            self.script.wait()
            time.sleep(0.2)
        raise SystemExit(f"reliability: PostgreSQL does not start again: {(self.folder / 'log').read_text()[-500:]}")

    def kill(self):
        os.kill(self.process, signal.SIGKILL)
        # A line ends the script, which keeps the folder.
        self.script.communicate("\n")

    def remove(self):
        self.script.stdin.close()
        self.script.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def run(harness, ledger, options):
    if subprocess.run(["Scripts/postgres", "--check"], stdout=subprocess.DEVNULL).returncode != 0:
        ledger.note("hub: skipped, as PostgreSQL is not installed")
        return
    server = Server()
    try:
        expect(harness, ["hub", "init", server.url])
        kills = max(options.kills // 10, 1)
        chance = random.Random(options.seed)
        kill_servers(harness, ledger, server, chance, kills)
        jobs = Jobs(harness, ledger, server)
        kill_runners(jobs, chance, kills, options.patience)
        kill_servers_of_jobs(jobs, chance, kills)
    finally:
        server.remove()


def expect(harness, words, statuses=(0,)):
    """Runs a command that must succeed, and returns its output."""
    status, output, errors = harness.run(words, limit=120)
    if status not in statuses:
        raise SystemExit(f"reliability: 'perfkit {' '.join(words)}' exits with {status}: {errors}")
    return output


def kill_servers(harness, ledger, server, chance, kills):
    push = ["hub", "push", "--all", "--hub", server.url]
    expect(harness, ["run", "count", "--iterations", "2", "--no-report"])
    began = time.monotonic()
    expect(harness, push)
    seconds, met, faults = time.monotonic() - began, 0, 0
    for _ in range(kills):
        for _ in range(3):
            expect(harness, ["run", "count", "--iterations", "2", "--no-report"])
        process = harness.start(push)
        time.sleep(chance.uniform(0, 1.5 * seconds))
        server.kill()
        errors = process.communicate(timeout=60)[1]
        met += process.returncode != 0
        server.start()
        status, _, errors_of_second = harness.run(push)
        if status != 0:
            faults += 1
            ledger.note(f"a push after a killed server exits with {status}: {errors_of_second}; the first one: {errors}")
    stored = [row[0] for row in harness.rows("SELECT id FROM runs")]
    listed = json.loads(expect(
        harness, ["hub", "list", "--limit", "1000000", "--hub", server.url, "--format", "json"]))
    found = [row["run"] for row in listed]
    lost, doubled = len(set(stored) - set(found)), len(found) - len(set(found))
    # A push of a run that the hub has with another content is refused, so nothing was written by halves.
    expect(harness, push)
    ledger.add(
        "server of a hub killed (-9) during a push", "50 kills, 0 runs lost or doubled",
        f"{kills} kills ({met} met the push at work): {lost} of {len(stored)} runs lost, {doubled} doubled, "
        f"{faults} later pushes failed", not (lost or doubled or faults), kills >= 50)


class Jobs:
    """Jobs that compare two commits, and runners that take them."""

    def __init__(self, harness, ledger, server):
        self.harness, self.ledger, self.server = harness, ledger, server
        self.repository = harness.folder / "repository"
        repository.make(self.repository)
        self.runner = [
            "runner", "--once", "--allow", str(self.repository), "--lease", f"{LEASE}s", "--hub", server.url]
        # The first job builds both revisions.
        for _ in range(2):
            self.submit()
            began = time.monotonic()
            expect(harness, self.runner, (0, 1, 3))
            self.seconds = time.monotonic() - began
        self.lost, self.doubled = 0, 0

    def submit(self):
        return expect(self.harness, [
            "hub", "submit", "diff", "HEAD~1", "HEAD", "--repository", str(self.repository), "--scenario", "work",
            "--max-pairs", "11", "--no-profile", "--hub", self.server.url]).strip()

    def end(self, job):
        """Runs runners until a job has ended, counts a fault if it is not done once, and returns its events."""
        # The next runner finds no job until the lease has ended. The record of a job is printed when it has ended.
        record = {"state": "open", "events": []}
        # A machine that is busy now needs longer than for the first jobs.
        deadline = time.monotonic() + 60 + 10 * self.seconds
        while record["state"] == "open" and time.monotonic() < deadline:
            self.harness.run(self.runner)
            output = self.harness.run(
                ["hub", "wait", job, "--max-time", "1s", "--format", "json", "--hub", self.server.url])[1]
            record = json.loads(output) if output else record
        events = [event["event"] for event in record["events"]]
        self.lost += record["state"] != "done"
        self.doubled += events.count("done") != 1
        if record["state"] != "done" or events.count("done") != 1:
            self.ledger.note(f"job {job} is {record['state']}: {events}")
        return events

    def take_counts(self):
        """Returns the faults since the last call: jobs that were lost, and jobs that were not done once."""
        counts = self.lost, self.doubled
        self.lost, self.doubled = 0, 0
        return counts


def kill_runners(jobs, chance, kills, patience):
    taken, hidden, alive = 0, 0, 0
    for _ in range(kills):
        job = jobs.submit()
        process = jobs.harness.start(jobs.runner)
        time.sleep(chance.uniform(0, jobs.seconds))
        process.kill()
        process.communicate()
        alive += len(jobs.harness.survivors(patience))
        events = jobs.end(job)
        met = events.count("taken") > 1
        taken += met
        hidden += met and "lease lost" not in events
    lost, doubled = jobs.take_counts()
    jobs.ledger.add(
        "runner killed (-9) during a job", "50 kills, 0 jobs lost or done twice, each kill in the job's record",
        f"{kills} kills ({taken} met the job at work): {lost} lost, {doubled} not done once, {hidden} kills not "
        f"recorded, {alive} processes after {patience:g} s", not (lost or doubled or hidden or alive), kills >= 50)


def kill_servers_of_jobs(jobs, chance, kills):
    met = 0
    for _ in range(kills):
        job = jobs.submit()
        process = jobs.harness.start(jobs.runner)
        time.sleep(chance.uniform(0, jobs.seconds))
        met += process.poll() is None
        jobs.server.kill()
        jobs.server.start()
        process.communicate(timeout=120)
        jobs.end(job)
    lost, doubled = jobs.take_counts()
    jobs.ledger.add(
        "server of a hub killed (-9) during a job", "50 kills, 0 jobs lost or done twice",
        f"{kills} kills ({met} met the runner at work): {lost} lost, {doubled} not done once", not (lost or doubled),
        kills >= 50)
