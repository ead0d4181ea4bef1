"""Checks Firefox profiles against the rules of the format.

Neither PyPI nor Debian has the Firefox Profiler, so this script checks the rules for version 70 in its
src/types/profile.ts and docs-developer/CHANGELOG-formats.md.
"""

import collections
import json

from recordings import own, weight

NODE_STATES = ["waiting", "runnable"]


def wrong_columns(table, indices=()):
    """Returns the columns with a wrong length or invalid indices."""
    columns = {name: value for name, value in table.items() if isinstance(value, list)}
    wrong = [name for name, column in columns.items() if len(column) != table["length"]]
    for name, limit in indices:
        if not all(i is None or -1 <= i < limit for i in columns[name]):
            wrong.append(name)
    return wrong


def check_table(row, name, table, indices=()):
    wrong = wrong_columns(table, indices)
    row.holds("columns and indices", not wrong, wrong, f"{name} ({table['length']})")


def check(ledger, recording, path):
    with ledger.row("firefox", recording, "the rules of format version 70, checked by this script") as row:
        file = json.loads(path.read_text(encoding="utf-8"))
        meta, shared, threads = file["meta"], file["shared"], file["threads"]
        row.holds("version", meta["preprocessedProfileVersion"] == 70)
        row.holds("a grey default category", any(
            c["color"] == "grey" and c["subcategories"][0] == "Other" for c in meta["categories"]))
        check_shared(row, file)
        builds = {lib["codeId"] for lib in file["libs"]} - {None}
        row.holds(
            f"build IDs of libraries ({len(builds)})",
            builds and builds <= {build for _, _, build in recording.modules}, builds)
        schemas = {schema["name"] for schema in meta["markerSchema"]}
        markers = collections.Counter()
        wrong = []
        for thread in threads:
            wrong += wrong_columns(
                thread["samples"], [("stack", shared["stackTable"]["length"])])
            wrong += wrong_columns(thread["markers"], [
                ("name", len(shared["stringArray"])), ("category", len(meta["categories"]))])
            times = thread["samples"]["time"]
            if times != sorted(times) or thread["samples"]["weightType"] != "tracing-ms":
                wrong.append(thread["name"])
            markers.update(data["type"] for data in thread["markers"]["data"])
            wrong += [start for start, end, phase in zip(*(
                thread["markers"][c] for c in ["startTime", "endTime", "phase"]))
                if (phase == 0) != (end is None) or (end is not None and end < start)]
        row.holds(f"columns, indices, times and weights of {len(threads)} threads", not wrong,
                  wrong[:3])
        row.holds("a schema for every marker", set(markers) <= schemas, markers)
        row.equal("markers of frames", markers["frame"], recording.frames)
        row.equal("markers of phases, signposts and events",
                  sum(markers.values()) - markers["frame"], recording.spans)
        ids = [(thread["pid"], thread["tid"]) for thread in threads]
        row.holds("threads have unique IDs, processes are launches",
                  len(set(ids)) == len(ids) and {pid for pid, _ in ids}
                  == {str(launch) for launch in recording.launches}, ids)
        check_times(row, recording, file)


def check_shared(row, file):
    shared = file["shared"]
    strings, stacks = len(shared["stringArray"]), shared["stackTable"]
    check_table(row, "sources", shared["sources"], [("filename", strings)])
    check_table(row, "resources", shared["resourceTable"], [("name", strings)])
    check_table(row, "functions", shared["funcTable"], [
        ("name", strings), ("resource", shared["resourceTable"]["length"]),
        ("source", shared["sources"]["length"])])
    check_table(row, "frames", shared["frameTable"], [
        ("func", shared["funcTable"]["length"]), ("lib", len(file["libs"])),
        ("category", len(file["meta"]["categories"]))])
    check_table(row, "stacks", stacks, [("frame", shared["frameTable"]["length"])])
    row.holds("every stack follows its caller", all(
        0 <= offset <= stack for stack, offset in enumerate(stacks["prefixOffset"])))


def check_times(row, recording, file):
    """Checks the time in each function for every state of the threads."""
    shared, categories = file["shared"], [c["name"] for c in file["meta"]["categories"]]
    stacks, frames, functions = (shared[t] for t in ["stackTable", "frameTable", "funcTable"])
    sums = collections.defaultdict(collections.Counter)
    deltas = collections.Counter()
    samples, early = 0, []
    for thread in file["threads"]:
        table = thread["samples"]
        samples += table["length"]
        deltas[thread["name"]] += sum(delta or 0 for delta in table.get("threadCPUDelta", []))
        nexts = table["time"][1:] + [None]
        for stack, weight_ms, time, later in zip(
                table["stack"], table["weight"], table["time"], nexts):
            state = categories[frames["category"][stacks["frame"][stack]]].lower()
            if state in NODE_STATES:
                stack -= stacks["prefixOffset"][stack]
            else:
                state = "running"
            name = shared["stringArray"][functions["name"][frames["func"][stacks["frame"][stack]]]]
            sums[state][name] += weight_ms * 1e6
            if state == "waiting" and later is not None and abs(time + weight_ms - later) > 1e-3:
                early.append((thread["name"], time, weight_ms, later))
    row.equal("samples in total", samples, recording.timeline)
    row.holds("a wait lasts until the thread's next sample", not early, early[:1])
    for state in ["running", *NODE_STATES]:
        counts = recording.select(state=state)
        if not counts:
            continue
        row.agree("self time of each function", sums[state], own(counts), samples / 2 + 1, state)
        row.equal("time in total", sum(sums[state].values()), weight(counts), samples / 2 + 1, state)
    cpu = collections.Counter()
    for count in recording.select():
        cpu[count.thread] += count.weight
    # The first sample of a thread has no previous one.
    more = {name: value for name, value in deltas.items() if value > cpu[name] * 1.02 + 2e6}
    row.holds("no thread has more CPU time between its samples than in total", not more, more)
