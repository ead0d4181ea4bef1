"""Checks speedscope files against the rules of the format.

Neither PyPI nor Debian has speedscope or its schema, so this script checks the rules in its
file-format-spec.ts and the assumptions of its importer.
"""

import collections
import json

from recordings import own, weight

UNITS = {"none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_frame(frame):
    return (
        isinstance(frame, dict) and isinstance(frame.get("name"), str)
        and isinstance(frame.get("file", ""), str) and is_number(frame.get("line", 0))
        and is_number(frame.get("col", 0)) and frame.keys() <= {"name", "file", "line", "col"})


def is_sampled(view, frames):
    """Returns whether a view is a valid SampledProfile for a number of frames."""
    return (
        view.keys()
        == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
        and view["type"] == "sampled" and isinstance(view["name"], str) and view["unit"] in UNITS
        and is_number(view["startValue"]) and is_number(view["endValue"])
        and view["endValue"] >= view["startValue"] and len(view["samples"]) == len(view["weights"])
        and all(is_number(value) and value >= 0 for value in view["weights"])
        and all(isinstance(i, int) and 0 <= i < frames for stack in view["samples"] for i in stack))


def check(ledger, recording, path):
    with ledger.row("speedscope", recording, "the rules of file-format-spec.ts, checked by this script") as row:
        file = json.loads(path.read_text(encoding="utf-8"))
        row.holds("the schema's name", file.get("$schema")
                  == "https://www.speedscope.app/file-format-schema.json")
        row.holds("no unknown member", file.keys() <= {
            "$schema", "shared", "profiles", "name", "activeProfileIndex", "exporter"})
        frames = file["shared"]["frames"]
        row.holds(f"frames ({len(frames)})", frames and all(map(is_frame, frames)))
        views = file["profiles"]
        row.holds(f"views with stacks and weights ({len(views)})",
                  views and all(is_sampled(view, len(frames)) for view in views))
        row.holds("the first displayed view exists",
                  0 <= file["activeProfileIndex"] < len(views))
        running = recording.select()
        expected = {view["name"]: recording.select(thread=view["name"]) for view in views}
        if len(views) > 1:
            expected["all threads"] = running
        row.holds(f"a view per thread ({len(recording.values('thread'))})",
                  set(recording.values("thread")) <= expected.keys())
        for view in views:
            counts = expected[view["name"]]
            sums = collections.Counter()
            for stack, value in zip(view["samples"], view["weights"]):
                sums[frames[stack[-1]]["name"]] += value
            row.agree("self CPU time of each function", sums, own(counts), 1, view["name"])
            row.equal("CPU time", view["endValue"], weight(counts), 1, view["name"])
