#!/usr/bin/env python3
"""Fails unless `perfkit --version` and the first heading of a version in CHANGELOG.md name the same version."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = "Sources/Programs/perfkit"


def only(pattern, texts):
    """Returns the single match of a pattern in the texts; exits with a message for none or several."""
    found = [value for text in texts for value in re.findall(pattern, text, re.MULTILINE)]
    if len(found) != 1:
        sys.exit(f"version: {len(found)} matches of {pattern!r} instead of 1")
    return found[0]


def main():
    sources = [path.read_text() for path in sorted(Path(ROOT, COMMAND).rglob("*.swift"))]
    command = only(r'^let perfkitVersion = "([^"]+)"', sources)
    heading = re.search(r"^## \[?v?(\d+\.\d+\.\d+)", Path(ROOT, "CHANGELOG.md").read_text(), re.MULTILINE)
    if not heading:
        sys.exit("version: CHANGELOG.md has no heading with a version, e.g. '## 0.1.0'")
    if command != heading.group(1):
        sys.exit(
            f"version: perfkit --version prints {command}, but the newest version in CHANGELOG.md is"
            f" {heading.group(1)}. Change one of them.")


if __name__ == "__main__":
    main()
