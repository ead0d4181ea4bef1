"""Checks the flame graph of HTML reports in Chromium, used as a user does."""

import re

from browser import DOWN, ENTER, ESCAPE
from flames import DIGITS, is_about, nanoseconds
from recordings import own, total, weight

ROW = 18

CANVAS = """
const canvas = document.querySelector(".flame canvas");
const rect = canvas.getBoundingClientRect();
const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
const colours = new Set();
for (let i = 0; i < pixels.length; i += 4) {
  if (pixels[i + 3] === 255) colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
}
return {x: rect.x, y: rect.y, width: rect.width, height: rect.height, colours: colours.size};
"""


class Flame:
    """The page's flame graph, scrolled to below the fixed bar at the top."""

    def __init__(self, browser):
        self.browser = browser
        browser.js("scrollTo(0, document.querySelector('.flame').getBoundingClientRect().y - 120)")

    def choose(self, control, label):
        """Selects an option by its visible text and returns whether it exists."""
        place = self.browser.js(
            "const s = document.querySelector(`.flame [data-flame=${arguments[0]}]`);"
            "const i = [...s.options].findIndex(o => o.textContent === arguments[1]);"
            "if (i < 0 || s.parentElement.hidden) return null; s.focus(); return i + 1",
            control, label)
        if place is None:
            return False
        self.browser.click(f".flame [data-flame={control}] option:nth-child({place})")
        return True

    def reset(self):
        self.browser.click(".flame [data-flame=reset]")

    @property
    def detail(self):
        return self.browser.js("return document.querySelector('.flame .detail').textContent")

    @property
    def amounts(self):
        """The name, total and self nanoseconds per launch of the selected function."""
        found = re.search(
            r"^(.*?) · (?:.* · )?total ([\d.]+ \w+) per launch, [\d.]+% · self ([\d.]+ \w+) per launch",
            self.detail)
        if not found:
            raise RuntimeError(f"cannot parse the page's text: {self.detail}")
        return found[1], nanoseconds(found[2]), nanoseconds(found[3])


def check(ledger, perfkit, recording, browser, folder):
    place = folder / recording.name.replace(", ", "-").replace(" ", "-")
    perfkit("report", recording.reference, "--report", str(place), "--quiet")
    page = next(place.rglob("*.html"))
    with ledger.row("HTML report", recording, f"Chromium {browser.version}") as row:
        browser.get(f"file://{page}")
        flame = Flame(browser)
        launches = len(recording.launches)

        def holds(words, counts):
            # The page stores weights in whole nanoseconds, at least one per row.
            amount = weight(counts) / launches
            name, shown, _ = flame.amounts
            row.holds("time per launch",
                      name == "all" and is_about(shown, amount, len(counts)),
                      f"{flame.detail}, instead of {amount} ns", words)
        holds("all", recording.select())
        canvas = browser.js(CANVAS)
        row.holds("the canvas is drawn", canvas["colours"] > 5 and canvas["height"] > 2 * ROW, canvas)
        browser.picture(place.with_suffix(".png"))
        for field, control in [("thread", "thread"), ("phase", "phase")]:
            for value in recording.values(field):
                if flame.choose(control, value):
                    holds(f"{control} {value}", recording.select(**{field: value}))
                else:
                    row.holds(f"no choice when there is only one {control}",
                              len({getattr(c, field) for c in recording.counts}) < 2, value)
                flame.reset()
        for frames, label in [("missed", "missed only"), ("on time", "on time only")]:
            if frames in recording.values("frames"):
                row.holds("a choice of", flame.choose("frames", label), of=label)
                holds(label, recording.select(frames=frames))
                flame.reset()
        for state, label in [("waiting", "waiting"), ("runnable", "runnable without a CPU")]:
            counts = recording.select(state=state)
            if weight(counts):
                row.holds("a choice of", flame.choose("state", label), of=label)
                holds(label, counts)
                flame.choose("state", "CPU time")
        flame.reset()
        check_zoom(row, recording, browser, flame)
        check_reversed(row, recording, browser, flame)
        check_search(row, recording, browser, flame)
        holds("all, after all filters", recording.select())
        row.holds("no error on the console", browser.errors() == [], "the console has errors")


def heaviest(sums):
    """Returns the largest key, or None if another one is equal to four digits."""
    (name, most), *others = sorted(sums.items(), key=lambda item: -item[1])[:2]
    return None if others and others[0][1] > most * (1 - DIGITS) else (name, most)


def check_zoom(row, recording, browser, flame):
    """Zooms in by a click on the second row and by keys, and zooms back."""
    outermost = {}
    for count in recording.select():
        key = count.path[0].key
        outermost[key] = outermost.get(key, 0) + count.weight
    first = heaviest(outermost)
    if first is None:
        return
    slack = len(recording.counts)
    for words, zoom in [("a click", lambda: click_second_row(browser)),
                        ("arrow and Enter", lambda: browser.press(DOWN, ENTER))]:
        if words != "a click":
            browser.js("document.querySelector('.flame canvas').focus()")
        zoom()
        name, shown, _ = flame.amounts
        amount = first[1] / len(recording.launches)
        row.holds("zooms into the heaviest outermost function",
                  recording.keys.get(name) == first[0] and is_about(shown, amount, slack),
                  f"{flame.detail}, instead of {first}", words)
        browser.press(ESCAPE)
        row.holds("Escape zooms back", flame.amounts[0] == "all", flame.detail)


def click_second_row(browser):
    canvas = browser.js(CANVAS)
    browser.click_at(canvas["x"] + 3, canvas["y"] + ROW * 1.5)


def check_reversed(row, recording, browser, flame):
    """Reverses the graph: the heaviest function of the second row must have the most self time."""
    most = heaviest(own(recording.select(), by="key"))
    flame.choose("order", "callees above")
    if most is not None:
        click_second_row(browser)
        name, shown, _ = flame.amounts
        row.holds("reversed, the heaviest function has the most self time",
                  recording.keys.get(name) == most[0] and is_about(
                      shown, most[1] / len(recording.launches), len(recording.counts)),
                  f"{flame.detail}, instead of {most}")
    flame.reset()


def check_search(row, recording, browser, flame):
    """Types a name: the displayed share must equal that of its samples."""
    counts = recording.select()
    names = {recording.keys[name]: name for name in own(counts)}
    # A name whose key belongs to no other name.
    term = max((item for item in own(counts, by="key").items() if sum(
        key == item[0] for key in recording.keys.values()) == 1), key=lambda item: item[1])[0]
    term = names[term]
    before = browser.js(CANVAS)["colours"]
    browser.type(".flame [data-flame=search]", term)
    found = re.search(r"([\d.]+)% of the weight matches", flame.detail)
    share = weight([
        count for count in counts if any(term.lower() in f.name.lower() for f in count.path)])
    share /= weight(counts)
    row.holds("search displays the share of the samples in or under a name",
              found and abs(float(found[1]) / 100 - share) <= 0.0005 + len(counts) * len(
                  recording.launches) / weight(counts), f"{flame.detail}, instead of {share}")
    row.holds("and marks the frames", browser.js(CANVAS)["colours"] != before, before)
    flame.reset()
