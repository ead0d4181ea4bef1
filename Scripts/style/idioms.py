#!/usr/bin/env python3
"""Counts comments, messages and test names with an idiom of idioms.txt; fails if one kind has too many.

  idioms.py [--limit PERCENT] [--list [NAME]]   default limit: 2; --list prints the texts found
  idioms.py --self-test                         checks the counter itself
"""

import argparse
import re
import sys
from pathlib import Path

import self_test
import source_text

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def patterns(lines):
    """Returns the regular expression of each name; raises ValueError for a line without a tab."""
    found = {}
    for line in lines:
        if line.strip() and not line.startswith("#"):
            name, separator, pattern = line.rstrip("\n").partition("\t")
            if not separator:
                raise ValueError(f"idioms.txt: no tab between name and pattern: {line!r}")
            found[name] = re.compile(pattern)
    return found


def names_in(text, idioms):
    """Returns the names of the idioms that a text contains; quoted and interpolated code does not count."""
    text = re.sub(r"`[^`]*`|\\\([^()]*\)", "``", text)
    return [name for name, pattern in idioms.items() if pattern.search(text)]


def count(label, texts, idioms, shown):
    """Prints the share of texts with an idiom and returns it in percent."""
    found = [(text, names) for text in texts if (names := names_in(text.text, idioms))]
    share = 100 * len(found) / max(1, len(texts))
    print(f"idioms: {share:.1f} % of {len(texts)} {label}", file=sys.stderr)
    for text, names in found:
        if shown is not None and (shown == "" or shown in names):
            print(f"{text.place}: {text.text}\n    [{', '.join(names)}]")
    return share


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=2)
    parser.add_argument("--list", nargs="?", const="", metavar="NAME")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    idioms = patterns((HERE / "idioms.txt").open(encoding="utf-8"))
    if options.self_test:
        self_test.run(idioms, names_in)
        return 0
    sources = list(source_text.files(ROOT, ["Sources", "Benchmarks"]))
    tests = list(source_text.files(ROOT, ["Tests", "Benchmarks/Tests"]))
    worst = 0.0
    for label, reader, files in [
        ("messages", source_text.messages, sources),
        ("test names", source_text.test_names, tests),
        ("comments", source_text.comments, sources),
    ]:
        texts = [text for file in files for text in reader(*file)]
        worst = max(worst, count(label, texts, idioms, options.list))
    if worst > options.limit:
        print(
            f"idioms: more than {options.limit:g} % of one kind contain an idiom."
            " `Scripts/style/idioms.py --list` prints them; Documentation/StyleGuide.md has the remedies.",
            file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
