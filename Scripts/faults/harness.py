"""The command under test, its scenarios and its store, from outside."""

import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time
import uuid

SCENARIO = """\
scenario: count
summary: Counts to some thousands in a shell.
command: [sh, -c, "i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done"]
variants: {{ a: {{}}, b: {{}} }}
default_variant: a
iterations: {iterations}
warmup: 0
"""


class Harness:
    """Runs perfkit in a folder of its own; all its descendants carry a mark in their environment."""

    def __init__(self, programs, folder, iterations=5):
        self.perfkit = os.path.join(programs, "perfkit")
        self.folder = folder
        self.mark = str(uuid.uuid4())
        (folder / "Scenarios").mkdir(exist_ok=True)
        (folder / "Scenarios" / "count.yml").write_text(SCENARIO.format(iterations=iterations))
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self.store = folder / ".perfkit" / "perfkit.sqlite"

    def environment(self):
        return {**os.environ, "PERFKIT_RELIABILITY": self.mark, "TMPDIR": str(self.temporary)}

    def start(self, words, before=()):
        return subprocess.Popen(
            [*before, self.perfkit, *words], cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")

    def run(self, words, before=(), limit=60):
        """Returns status, output and errors; the status is None for a command that is not over in time."""
        process = self.start(words, before)
        try:
            output, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            self.end()
            process.kill()
            output, errors = process.communicate()
            return None, output, errors
        return process.returncode, output, errors

    def rows(self, query):
        """Returns the rows of a query, as another reader of the store; none without a store."""
        if not self.store.exists():
            return []
        with sqlite3.connect(f"file:{self.store}?mode=ro", uri=True, timeout=10) as store:
            return store.execute(query).fetchall()

    def library(self, name):
        """Builds a C file of this script as a library to preload, and returns its path."""
        source, path = pathlib.Path(__file__).with_name(f"{name}.c"), self.folder / f"{name}.so"
        subprocess.run(["clang", "-std=gnu17", "-O1", "-shared", "-fPIC", str(source), "-o", str(path)], check=True)
        return path

    def launches(self):
        rows = self.rows("SELECT count(*) FROM iterations")
        return rows[0][0] if rows else 0

    def last(self):
        """Returns the highest keys of launches and of runs; 0 without a store."""
        tables = ("iterations", "runs")
        return [max((key for key, in self.rows(f"SELECT key FROM {table}")), default=0) for table in tables]

    def metrics(self, launch):
        """Returns the metrics of each completed launch after one with a key."""
        values = {key: {} for key, in self.rows(
            f"SELECT key FROM iterations WHERE key > {launch} AND status = 'completed'")}
        for key, name, value in self.rows(
                f"SELECT iteration, name, value FROM metric_values JOIN metrics ON metrics.key = metric WHERE iteration > {launch}"):
            if key in values:
                values[key][name] = value
        return list(values.values())

    def warnings(self, run):
        """Returns the codes of the warnings of the runs after one with a key."""
        return {code for code, in self.rows(f"SELECT code FROM warnings WHERE run > {run}")}

    def is_sound(self):
        """Returns whether the store passes its own check."""
        return not self.store.exists() or self.run(["store", "check"])[0] == 0

    def processes(self):
        """Returns the ids of the running processes with the mark."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and self.mark.encode() in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def end(self):
        for process in self.processes():
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def survivors(self, patience):
        """Returns the processes that still run after `patience` seconds, and ends them."""
        deadline = time.monotonic() + patience
        while (found := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.02)
        names = [self.name(process) for process in found]
        self.end()
        return names

    @staticmethod
    def name(process):
        try:
            return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            return str(process)

    def leftovers(self):
        """Returns files that no finished command leaves."""
        kept = [*self.temporary.rglob("*"), *self.folder.rglob("*.part*"), *self.folder.rglob("*.tmp"),
                *self.folder.rglob("*.nosync*")]
        scratch = self.folder / ".perfkit" / "scratch"
        kept += scratch.iterdir() if scratch.exists() else []
        return sorted({str(path.relative_to(self.folder)) for path in kept})

    def sweep(self):
        """Removes the leftovers, so that each is counted once."""
        for name in reversed(self.leftovers()):
            path = self.folder / name
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
