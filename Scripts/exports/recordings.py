"""Profiles to export, with their data in the store."""

import collections
import json
import pathlib
import sqlite3
import subprocess

STATES = ["running", "runnable", "waiting"]
CLASSES = ["none", "on time", "missed"]

Frame = collections.namedtuple("Frame", "name key module file line inlined")
Count = collections.namedtuple(
    "Count", "launch path thread phase frames state samples weight")


class Perfkit:
    """The command with a separate store."""

    def __init__(self, programs, store):
        self.program = str(pathlib.Path(programs) / "perfkit")
        self.store = str(store)

    def __call__(self, *words, check=True):
        return subprocess.run(
            [self.program, words[0], "--store", self.store, *words[1:]], check=check,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout

    def export(self, recording, format, path, *options):
        """Writes an export and returns its path."""
        self("export", recording.reference, "--to", format, "--output", str(path), "--quiet",
             *options)
        return path


class Recording:
    """A run with its samples, read from the documented tables of the store."""

    def __init__(self, perfkit, name, reference, origin):
        self.name, self.origin = name, origin
        shown = json.loads(perfkit("export", reference, "--to", "json", "--output", "-", "--quiet"))
        self.reference = shown["id"]
        self.environment = shown["environment"]
        self.audit = shown["profile"]
        self.subject = shown["scenario"] + (f":{shown['variant']}" if shown["variant"] else "")
        with sqlite3.connect(f"file:{perfkit.store}?mode=ro", uri=True) as store:
            self._read(store)

    def _read(self, store):
        key, = store.execute("SELECT key FROM runs WHERE id = ?", [self.reference]).fetchone()
        self.launches = [number for number, in store.execute(
            "SELECT number FROM iterations WHERE run = ? AND NOT is_warmup ORDER BY number", [key])]
        nodes = {}
        paths = []
        for node, parent, name, key_name, module, file, line, inlined, awaits in store.execute(
                "SELECT nodes.key, parent, name, stable_name, module, file, line, is_inlined, is_async "
                "FROM profile_nodes JOIN nodes ON nodes.key = profile_nodes.node "
                "JOIN functions ON functions.key = nodes.function "
                "WHERE profile_nodes.run = ? ORDER BY position", [key]):
            suffix = " (awaiting)" if awaits else ""
            frame = Frame(name + suffix, key_name + suffix, module, file, line, bool(inlined))
            # Callers precede their callees.
            nodes[node] = (nodes[parent] if parent is not None else ()) + (frame,)
            paths.append(nodes[node])
        def names(table):
            return [name for name, in store.execute(
                f"SELECT name FROM {table} WHERE run = ? ORDER BY position", [key])]
        threads, phases = names("profile_threads"), names("profile_phases")
        self.counts = [
            Count(launch, paths[node], threads[thread], phases[phase], CLASSES[frames],
                  STATES[state], samples, weight)
            for launch, node, thread, phase, frames, state, samples, weight in store.execute(
                "SELECT iteration, node, thread, phase, frame_class, state, samples, weight_ns "
                "FROM profile_counts WHERE run = ? AND state < 3 ORDER BY position", [key])]
        self.modules = store.execute(
            "SELECT name, path, build_id FROM profile_modules WHERE run = ? ORDER BY position",
            [key]).fetchall()
        self.timeline = self._number(store, "sum(samples)", "timelines WHERE run = ?", key)
        launches = "JOIN iterations ON iterations.key = iteration WHERE run = ? AND NOT is_warmup"
        self.frames = self._number(store, "sum(frames)", f"frames {launches}", key)
        self.spans = self._number(store, "sum(spans)", f"spans {launches}", key)
        self.points = self._number(store, "sum(points)", f"series {launches}", key)

    @staticmethod
    def _number(store, what, where, key):
        value, = store.execute(f"SELECT {what} FROM {where}", [key]).fetchone()
        return value or 0

    def select(self, state="running", thread=None, phase=None, frames=None, launch=None):
        """Returns the counts that match all given attributes."""
        return [
            count for count in self.counts
            if state in (None, count.state) and thread in (None, count.thread)
            and phase in (None, count.phase) and frames in (None, count.frames)
            and launch in (None, count.launch)]

    @property
    def keys(self):
        """The key of each name. Pictures merge the functions of one key."""
        return {frame.name: frame.key for count in self.counts for frame in count.path}

    def values(self, field):
        """Returns the values of a field in running samples, the most time first, without empty names."""
        sums = collections.Counter()
        for count in self.select():
            sums[getattr(count, field)] += count.weight
        return [name for name, weight in sums.most_common() if name and weight > 0]

    @property
    def summary(self):
        inlined = sum(1 for count in self.counts if any(frame.inlined for frame in count.path))
        build = self.environment.get("build.configuration")
        return ", ".join(([f"{build} build"] if build else []) + [
            f"{len(self.launches)} launches", f"{sum(c.samples for c in self.counts)} samples",
            f"{weight(self.select()) / 1e9:.3f} s of CPU time",
            f"{len({c.thread for c in self.counts})} threads",
            f"{len({c.phase for c in self.counts} - {''})} phases", f"{self.frames} frames",
            f"{self.spans} phases, signposts and events",
            f"{sum(1 for module in self.modules if module[2])} build IDs",
            f"{inlined} of {len(self.counts)} stacks with inlined functions"])


def weight(counts):
    """Returns the nanoseconds of counts."""
    return sum(count.weight for count in counts)


def own(counts, by="name"):
    """Returns the self nanoseconds of each function, by name or by key."""
    sums = collections.Counter()
    for count in counts:
        sums[getattr(count.path[-1], by)] += count.weight
    return {name: value for name, value in sums.items() if value > 0}


def total(counts):
    """Returns the total nanoseconds of each function; recursion counts once."""
    sums = collections.Counter()
    for count in counts:
        for name in {frame.name for frame in count.path}:
            sums[name] += count.weight
    return {name: value for name, value in sums.items() if value > 0}


def record(perfkit, folder):
    """Records scrolls with phases and frames, and a C program."""
    scripts = pathlib.Path(__file__).parent
    made = []
    for variant in ["naive", "optimised"]:
        words = ["run", "scroll-1000", "--variant", variant, "--quick", "--iterations", "2",
                 "--warmup", "0"]
        perfkit(*words, "--no-report", "--label", variant)
        made.append(Recording(
            perfkit, f"scroll, {variant}", f"label:{variant}", f"`perfkit {' '.join(words)}`"))
    program = folder / "program"
    subprocess.run(
        ["clang", "-O2", "-g", "-Wl,--build-id", "-o", program, scripts / "program.c", "-lpthread"],
        check=True)
    perfkit("record", "--no-report", "--label", "program", "--quiet", "--", str(program), "1")
    made.append(Recording(
        perfkit, "C program", "label:program",
        "`perfkit record` of `Scripts/exports/program.c`, 1 s per thread"))
    return made
