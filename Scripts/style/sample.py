#!/usr/bin/env python3
"""Prints comments, messages and test names, a third of each, picked by a seeded shuffle.

  sample.py [N] [--seed S]   default: 30, 1
"""

import argparse
import random
import sys

import idioms
import source_text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", nargs="?", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.count < 1:
        parser.error("the count must be at least 1")
    kinds = [
        ("Comments", source_text.comments, ["Sources", "Benchmarks"]),
        ("Messages", source_text.messages, ["Sources", "Benchmarks"]),
        ("Test names", source_text.test_names, ["Tests", "Benchmarks/Tests"]),
    ]
    for number, (title, reader, folders) in enumerate(kinds):
        texts = [text for file in source_text.files(idioms.ROOT, folders) for text in reader(*file)]
        # The third kind gets the remainder, so that N texts are printed.
        wanted = options.count // 3 if number < 2 else options.count - 2 * (options.count // 3)
        print(f"{title} ({min(wanted, len(texts))} of {len(texts)}, seed {options.seed})")
        for text in random.Random(options.seed).sample(texts, min(wanted, len(texts))):
            print(f"  {text.place}\n      {text.text}")
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
