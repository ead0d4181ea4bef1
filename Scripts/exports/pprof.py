"""Checks pprof files with pprof and with protoc and the format's schema."""

import collections
import gzip
import re
import subprocess

from recordings import own, total, weight

# From the Debian package golang-github-google-pprof-dev.
SCHEMA = "/usr/share/gocode/src/github.com/google/pprof/proto"


def rounding(counts):
    """Returns the rounding error: pprof has whole nanoseconds, rounded once per row of the store."""
    return len(counts) / 2 + 1


def pprof(*words):
    return subprocess.run(
        ["go", "tool", "pprof", "-symbolize=none", *map(str, words)], check=True,
        capture_output=True, text=True).stdout


def table(path, *options):
    """Reads the rows of -top: self and total time of each function in nanoseconds."""
    lines = pprof(
        "-top", "-unit=ns", "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0",
        *options, path).splitlines()
    start = next((i for i, line in enumerate(lines) if line.split()[:2] == ["flat", "flat%"]),
                 len(lines))
    flat, cumulative = collections.Counter(), collections.Counter()
    for line in lines[start + 1:]:
        own, _, _, all, _, name = line.split(maxsplit=5)
        name = re.sub(r" \((partial-)?inline\)$", "", name)
        flat[name] += float(own.removesuffix("ns"))
        cumulative[name] += float(all.removesuffix("ns"))
    return {name: value for name, value in flat.items() if value}, cumulative


def check(ledger, recording, path):
    version = subprocess.run(["go", "version"], check=True, capture_output=True, text=True)
    tool = f"go tool pprof ({version.stdout.split()[2]})"
    running = recording.select()
    with ledger.row("pprof", recording, f"{tool} -top") as row:
        flat, cumulative = table(path, "-sample_index=cpu")
        tolerance = rounding(running)
        row.equal("all CPU time", sum(flat.values()), weight(running), tolerance)
        row.agree("self CPU time of each function", flat, own(running), tolerance)
        row.agree("total CPU time of each function", cumulative, total(running), tolerance)
        for field, label in [("thread", "thread"), ("phase", "phase"), ("frames", "frame")]:
            for value in recording.values(field):
                if field == "frames" and value == "none":
                    continue
                part = recording.select(**{field: value})
                flat, _ = table(
                    path, "-sample_index=cpu", f"-tagfocus={label}=^{re.escape(value)}$")
                row.agree(f"self CPU time of each function by {label}", flat, own(part),
                          rounding(part), value)
        waiting = recording.select(state="waiting")
        if waiting:
            flat, _ = table(path, "-sample_index=waiting")
            row.agree("waiting time of each function", flat, own(waiting), rounding(waiting))
    with ledger.row("pprof", recording, f"{tool} -raw, -tree") as row:
        raw = pprof("-raw", path)
        mappings = re.findall(
            r"^\d+: 0x0/0x0/0x0 (\S+) (\S*) ?((?:\[\w\w\])+)", raw.partition("\nMappings\n")[2], re.M)
        known = {build for _, _, build in recording.modules if build}
        found = {build for _, build, _ in mappings if build}
        row.holds(
            f"build IDs of mappings ({len(found)})", found and found <= known,
            f"{sorted(found - known)}")
        locations = raw.partition("\nLocations\n")[2].partition("\nMappings\n")[0]
        deeper = re.findall(r"^ {10,}\S", locations, re.M)
        inlined = {
            (frame.name, frame.line) for count in recording.counts for frame in count.path
            if frame.inlined}
        row.holds(
            f"inlined functions share a location with their container ({len(deeper)})",
            bool(deeper) == bool(inlined), f"{len(deeper)} lines for {len(inlined)} functions")
        row.holds("the tree has rows", len(pprof("-tree", path).splitlines()) > 10)
    check_schema(ledger, recording, path)


def check_schema(ledger, recording, path):
    version = subprocess.run(["protoc", "--version"], check=True, capture_output=True, text=True)
    def protoc(mode, content):
        return subprocess.run(
            ["protoc", f"--{mode}=perftools.profiles.Profile", f"--proto_path={SCHEMA}",
             f"{SCHEMA}/profile.proto"], input=content, check=True, capture_output=True).stdout

    with ledger.row("pprof", recording, f"protoc {version.stdout.split()[-1]}, pprof's proto") as row:
        content = gzip.decompress(path.read_bytes())
        text = protoc("decode", content)
        row.holds("the schema has every field", not re.search(rb"^\s*\d+[:{ ]", text, re.M))
        row.holds("decoding and encoding gives the same bytes", protoc("encode", text) == content)
        samples = re.findall(rb"^sample \{\n(.*?)^\}", text, re.M | re.S)
        values = [[int(v) for v in re.findall(rb"^  value: (-?\d+)", s, re.M)] for s in samples]
        row.equal("samples in total", sum(v[0] for v in values),
                  sum(count.samples for count in recording.counts))
        running = recording.select()
        row.equal("CPU time in total", sum(v[1] for v in values), weight(running), rounding(running))
        for kind, pattern in [("location", rb"^  location_id: (\d+)"),
                              ("function", rb"^    function_id: (\d+)"),
                              ("mapping", rb"^  mapping_id: (\d+)")]:
            ids = re.findall(rb"^%s \{\n  id: (\d+)" % kind.encode(), text, re.M)
            used = set(re.findall(pattern, text, re.M))
            row.holds(f"every used {kind} exists once ({len(ids)})",
                      len(ids) == len(set(ids)) and used and used <= set(ids))
