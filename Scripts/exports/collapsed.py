"""Checks collapsed stacks with inferno."""

import collections
import html
import importlib.metadata
import re


def plain(name):
    """Returns a name with the characters that the format allows."""
    return re.sub(r"[\n\r]", " ", name.replace(";", ":"))


def check(ledger, recording, path):
    text = path.read_text(encoding="utf-8")
    samples = sum(count.samples for count in recording.select())
    with ledger.row("collapsed", recording, "the format's rules, checked by this script") as row:
        lines = [line.rpartition(" ") for line in text.splitlines()]
        row.holds(f"every line is a stack and a number ({len(lines)})", lines and all(
            stack and number.isdigit() and int(number) > 0 for stack, _, number in lines))
        row.holds("every stack occurs once", len({stack for stack, _, _ in lines}) == len(lines))
        row.equal("samples of running threads", sum(int(n) for _, _, n in lines), samples)
        found, expected = collections.Counter(), collections.Counter()
        for stack, _, number in lines:
            found[stack] += int(number)
        for count in recording.select():
            names = [count.thread] + [frame.name for frame in count.path]
            expected[";".join(map(plain, names))] += count.samples
        row.agree("samples of each thread and stack", found, expected, 0)
    try:
        import pyinferno
    except ImportError as error:
        return ledger.lacks("collapsed", recording, "inferno (pyinferno of PyPI)", str(error))
    version = importlib.metadata.version("pyinferno")
    with ledger.row("collapsed", recording, f"inferno (pyinferno {version})") as row:
        picture = pyinferno.flamegraph_from_lines(text.splitlines())
        boxes = [
            (html.unescape(name), int(number.replace(",", "")))
            for name, number in re.findall(r"<title>(.*?) \(([\d,]+) samples, [^<]*</title>", picture)]
        row.equal("samples in total", dict(boxes).get("all", 0), samples)
        threads = collections.Counter()
        for count in recording.select():
            threads[count.thread] += count.samples
        drawn = collections.Counter(boxes)
        missing = [pair for pair in threads.items() if pair[1] and not drawn[pair]]
        row.holds(f"a box per thread with its samples ({len(threads)})", not missing, missing)
        # inferno omits boxes of less than 0.01 % of the width.
        stacks = collections.Counter()
        for stack, _, number in lines:
            stacks[stack] += int(number)
        ran = {
            stack.rpartition(";")[2] for stack, number in stacks.items()
            if number > samples / 5000}
        names = {name for name, _ in boxes}
        row.holds(f"a box per function that ran ({len(ran)})", ran and ran <= names,
                  sorted(ran - names)[:3])
