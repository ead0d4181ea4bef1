"""Runs the parts of Scripts/reliability and reports their figures."""

import argparse
import pathlib
import sys
import tempfile

import crowd
import denials
import endurance
import hub
import injection
import inputs
import kills
from harness import Harness
from ledger import Ledger

PARTS = {
    "kills": kills.run,
    "faults": injection.run,
    "denials": denials.run,
    "inputs": inputs.run,
    "crowd": crowd.run,
    "hub": hub.run,
    "endurance": endurance.run,
}


def main():
    words = argparse.ArgumentParser(prog="Scripts/reliability")
    words.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=", ".join(PARTS))
    words.add_argument("--minutes", type=float, default=10, help="the time of each part but kills, and of each kind of input")
    words.add_argument("--kills", type=int, default=500, help="the number of kills; a tenth of it for the hub")
    words.add_argument("--limit", type=float, default=10, help="seconds after which a command hangs")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--report", action="store_true", help="write Reports/reliability.md")
    words.add_argument("--programs", help=argparse.SUPPRESS)
    words.add_argument("--command", help=argparse.SUPPRESS)
    words = words.parse_args()
    ledger = Ledger(words.command)
    for part in words.parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="perfkit-reliability-") as folder:
            ledger.begin(part)
            PARTS[part](Harness(words.programs, pathlib.Path(folder)), ledger, words)
    if words.report:
        ledger.write("Reports/reliability.md", list(PARTS))
    return 0 if ledger.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
