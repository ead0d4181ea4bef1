"""Checks SVG flame graphs in Chromium, used as a user does."""

import bisect
import collections
import re

from browser import ESCAPE
from recordings import own, weight

# A box narrower than 0.3 of 1180 pixels is merged with its neighbours or omitted.
NARROWEST = 0.3 / 1180
# Pictures show four digits.
DIGITS = 5.1e-4

BOXES = """
return [...document.querySelectorAll("#frames g")].map(g => {
  const rect = g.querySelector("rect");
  return {name: g.dataset.n, x: +g.dataset.x, w: +g.dataset.w, depth: +g.dataset.d,
    shown: getComputedStyle(g).display !== "none", hit: g.classList.contains("hit"),
    width: +rect.getAttribute("width"), fill: rect.getAttribute("fill"),
    tip: g.querySelector("title").textContent};
});
"""
# Zooms into every box and returns the boxes whose visibility is wrong.
ZOOM_ALL = """
const groups = [...document.querySelectorAll("#frames g")];
const boxes = groups.map(g => ({x: +g.dataset.x, w: +g.dataset.w, depth: +g.dataset.d}));
const spans = (box, other) => {
  const middle = other.x + other.w / 2;
  return box.x < middle && middle < box.x + box.w;
};
const wrong = [];
groups.forEach((group, at) => {
  const to = boxes[at];
  group.dispatchEvent(new MouseEvent("click"));
  groups.forEach((other, i) => {
    const expected = boxes[i].depth >= to.depth ? spans(to, boxes[i]) : spans(boxes[i], to);
    if ((other.style.display !== "none") !== expected) wrong.push([at, i]);
  });
});
document.getElementById("reset").dispatchEvent(new MouseEvent("click"));
return wrong;
"""
# Searches for every name and returns the displayed number of boxes and share of the width.
SEARCH_ALL = """
const ask = window.prompt, texts = {};
for (const name of arguments[0]) {
  window.prompt = () => name;
  document.getElementById("search").dispatchEvent(new MouseEvent("click"));
  texts[name] = document.getElementById("matched").textContent;
}
window.prompt = () => "";
document.getElementById("search").dispatchEvent(new MouseEvent("click"));
window.prompt = ask;
return texts;
"""
SCALE = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def nanoseconds(text):
    """Parses a text like `1.234 ms`."""
    number, unit = text.split()
    return float(number) * SCALE[unit]


def is_about(shown, expected, more=0):
    """Returns whether a displayed number of four digits equals the expected one."""
    return abs(shown - expected) <= DIGITS * abs(expected) + more


def own_shares(boxes):
    """Returns the share of each name's width that no box above it covers."""
    rows = collections.defaultdict(list)
    for box in boxes:
        rows[box["depth"]].append(box)
    shares = collections.Counter()
    for depth, row in rows.items():
        row.sort(key=lambda box: box["x"])
        starts = [box["x"] for box in row]
        for box in row:
            shares[box["name"]] += box["w"]
        for box in rows.get(depth + 1, []):
            below = row[bisect.bisect_right(starts, box["x"] + box["w"] / 2) - 1]
            shares[below["name"]] -= box["w"]
    return shares


def by_key(sums, recording):
    """Converts sums by name to sums by key and omits boxes without a name."""
    keys, result = recording.keys, collections.Counter()
    for name, value in sums.items():
        if name:
            result[keys.get(name, name)] += value
    return result


def union(boxes):
    """Returns the share of the width that boxes cover together."""
    share, end = 0, 0
    for box in sorted(boxes, key=lambda box: box["x"]):
        share += max(0, box["x"] + box["w"] - max(end, box["x"]))
        end = max(end, box["x"] + box["w"])
    return share


def undrawn(boxes):
    """Returns the largest share of the width without a named box."""
    merged = sum(box["w"] for box in boxes if not box["name"])
    return merged + NARROWEST * len(boxes) + 1e-6 * len(boxes)


def check(ledger, perfkit, recording, browser, folder, other):
    stem = f"{folder}/{recording.name.replace(', ', '-').replace(' ', '-')}"
    tool = f"Chromium {browser.version}"

    def draw(name, *options):
        path = f"{stem}-{name}.svg"
        perfkit("flamegraph", recording.reference, "--output", path, "--quiet", *options)
        browser.get(f"file://{path}")
        return browser.js(BOXES)

    with ledger.row("flame graph (SVG)", recording, tool) as row:
        boxes = draw("flames")
        check_picture(row, recording, browser, boxes, recording.select(), "CPU time")
        check_zoom(row, browser, boxes)
        check_search(row, recording, browser, boxes)
        row.holds("no error on the console", browser.errors() == [])
        browser.picture(folder / f"{stem.rpartition('/')[2]}-flames.png")
    with ledger.row("flame graph (SVG), filtered samples", recording, tool) as row:
        check_reversed(row, recording, draw("reversed", "--reverse"))
        for thread in recording.values("thread"):
            check_picture(row, recording, browser, draw("thread", f"--thread={thread}"),
                          recording.select(thread=thread), f"thread {thread}")
        for phase in recording.values("phase"):
            check_picture(row, recording, browser, draw("phase", f"--phase={phase}"),
                          recording.select(phase=phase), f"phase {phase}")
        if "missed" in recording.values("frames"):
            check_picture(row, recording, browser, draw("missed", "--only-missed-frames"),
                          recording.select(frames="missed"), "missed frames")
        if recording.select(state="waiting"):
            check_picture(row, recording, browser, draw("waiting", "--state", "waiting"),
                          recording.select(state="waiting"), "waiting")
        row.holds("no error on the console", browser.errors() == [])
    if other:
        with ledger.row("differential flame graph (SVG)", recording, tool) as row:
            check_difference(row, recording, other, draw("change", "--against", other.reference))
            row.holds("no error on the console", browser.errors() == [])
            browser.picture(folder / f"{stem.rpartition('/')[2]}-change.png")


def check_picture(row, recording, browser, boxes, counts, words):
    """Checks the total in the picture's heading and the width of each function."""
    whole = weight(counts)
    head = browser.js("return document.querySelector('text.dim').textContent")
    found = re.search(r": ([\d.]+ \w+) per launch$", head)
    expected = whole / len(recording.launches)
    row.holds("time per launch", found and is_about(nanoseconds(found[1]), expected),
              f"{head} instead of {expected} ns", words)
    row.equal("the lowest row has the whole width",
              sum(box["w"] for box in boxes if box["depth"] == 0), 1, undrawn(boxes), words)
    shares = by_key(own_shares(boxes), recording)
    row.agree("self share of each function", shares,
              {key: value / whole for key, value in own(counts, by="key").items()}, undrawn(boxes),
              words)


def check_reversed(row, recording, boxes):
    """Checks that the first row contains the functions that ran with their self time."""
    counts = recording.select()
    first = collections.Counter()
    for box in boxes:
        if box["depth"] == 0 and box["name"]:
            first[box["name"]] += box["w"]
    row.agree("reversed: self share of each function in the first row", by_key(first, recording), {
        key: value / weight(counts) for key, value in own(counts, by="key").items()
        if value / weight(counts) >= NARROWEST}, NARROWEST + 2e-6)


def check_zoom(row, browser, boxes):
    """Clicks on a box in the middle: it must fill the width and show only its callers and callees."""
    place = max(
        (i for i, box in enumerate(boxes) if box["name"] and 0.02 < box["w"] < 0.8),
        key=lambda i: (boxes[i]["depth"] > 1, boxes[i]["w"]))
    to = boxes[place]
    browser.js("document.querySelectorAll('#frames g')[arguments[0]].id = 'chosen'", place)
    browser.click("#chosen")
    zoomed = browser.js(BOXES)

    def spans(box, other):
        return box["x"] < other["x"] + other["w"] / 2 < box["x"] + box["w"]
    expected = [
        spans(to, box) if box["depth"] >= to["depth"] else spans(box, to) for box in boxes]
    row.holds("a click on a box makes it fill the width", abs(zoomed[place]["width"] - 1179.6) < 0.01,
              zoomed[place])
    row.holds(f"and shows only its callers and callees ({sum(expected)} of {len(boxes)})",
              [box["shown"] for box in zoomed] == expected and not all(expected))
    browser.click("#reset")
    wrong = browser.js(ZOOM_ALL)
    row.holds(f"every other box zooms likewise ({len(boxes)})", wrong == [],
              f"{len(wrong)}, e.g. {[boxes[i] for i in wrong[0]] if wrong else ''}")
    row.holds("reset shows all boxes", all(
        now["shown"] and abs(now["width"] - before["width"]) < 0.1
        for now, before in zip(browser.js(BOXES), boxes)))


def check_search(row, recording, browser, boxes):
    """Presses / and types the name of the function with the most time."""
    counts = recording.select()
    term = max(own(counts, by="key").items(), key=lambda item: item[1])[0]
    term = next(box["name"] for box in boxes if recording.keys.get(box["name"]) == term).upper()
    browser.press("/")
    browser.answer(term)
    found = browser.js(BOXES)
    expected = [term.lower() in box["name"].lower() for box in boxes]
    row.holds(f"search marks the boxes whose names contain the term ({sum(expected)})",
              [box["hit"] for box in found] == expected)
    text = browser.js("return document.getElementById('matched').textContent")
    hits = [box for box, is_hit in zip(boxes, expected) if is_hit]
    row.holds("and displays their number and share", text.startswith(f"{len(hits)} match ")
              and abs(matched_share(text) - union(hits)) <= 0.00051, text)
    keys = {recording.keys[box["name"]] for box in hits}
    inside = weight([count for count in counts if any(f.key in keys for f in count.path)])
    row.equal("which equals the share of their samples", union(hits), inside / weight(counts),
              undrawn(boxes))
    browser.press(ESCAPE)
    names = sorted({box["name"] for box in boxes if box["name"]})
    wrong = {
        name: text for name, text in browser.js(SEARCH_ALL, names).items()
        if abs(matched_share(text) - union([b for b in boxes if name.lower() in b["name"].lower()])) > 0.00051}
    row.holds(f"a search for each name displays its share ({len(names)})", not wrong, wrong)
    row.holds("Escape ends the search", not any(box["hit"] for box in browser.js(BOXES)))


def matched_share(text):
    """Parses the share at the end of `3 match "draw", 12.3% of the width`."""
    return float(re.search(r", ([\d.]+)% of the width$", text)[1]) / 100


def check_difference(row, recording, other, boxes):
    """Checks tooltips and colours of a picture of two runs."""
    pattern = re.compile(r": per launch ([\d.]+ \w+) before, ([\d.]+ \w+) after, ")
    before, now, wrong = collections.Counter(), collections.Counter(), []
    for box in boxes:
        found = pattern.search(box["tip"])
        if not found:
            continue
        old, new = map(nanoseconds, found.groups())
        if box["depth"] == 0:
            before[box["name"]] += old
            now[box["name"]] += new
        hue = int(re.match(r"hsl\((\d+)", box["fill"])[1])
        # A grey box may be noise.
        if hue not in (210, 8 if new > old else 212 if new < old else 210):
            wrong.append(box)
    for words, sums, side in [("before", before, other), ("now", now, recording)]:
        outermost = collections.Counter()
        for count in side.select():
            outermost[count.path[0].name] += count.weight / len(side.launches)
        row.agree("time per launch of the lowest row", sums, outermost,
                  sum(outermost.values()) * (DIGITS + undrawn(boxes)), words)
    row.holds(f"no box has the colour of the opposite direction ({len(boxes)})",
              boxes and not wrong, wrong[:1])
