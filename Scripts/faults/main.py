"""Runs the parts of Scripts/reliability and reports their figures."""

import argparse
import math
import pathlib
import sys
import tempfile

import clocks
import crowd
import denials
import endurance
import hub
import injection
import inputs
import kills
import load
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
    "load": load.run,
    "clocks": clocks.run,
}

#: The minutes of the long forms. Faults and denials end after their last call, load and clocks after their last run.
MINUTES = {"inputs": 30, "crowd": 10, "endurance": 60}


def main():
    words = argparse.ArgumentParser(prog="Scripts/reliability")
    words.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=", ".join(PARTS))
    words.add_argument("--long", action="store_true", help="the long forms, which meet the targets; they take hours")
    words.add_argument("--minutes", type=float, help="the time of each part but kills and hub, and of each kind of input; 1, or that of the long form")
    words.add_argument("--kills", type=int, help="the number of kills; 30, or 500 in the long form; a tenth of it for a hub's server and runners each")
    words.add_argument("--runs", type=int, help="the number of runs under each load and with clock steps; 6, or 60 in the long form")
    words.add_argument("--limit", type=float, default=10, help="seconds after which a command hangs")
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--output", help="write the table of figures to this file; rows of other parts are kept")
    words.add_argument("--programs", help=argparse.SUPPRESS)
    words.add_argument("--command", help=argparse.SUPPRESS)
    words = words.parse_args()
    words.kills = words.kills or (500 if words.long else 30)
    words.runs = words.runs or (60 if words.long else 6)
    # The target is a second, which other programs can take: a report needs an idle machine, the tests do not.
    words.patience = 1 if words.output else words.limit
    ledger = Ledger(words.command)
    minutes = words.minutes
    for part in words.parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="perfkit-reliability-") as folder:
            words.minutes = minutes or (MINUTES.get(part, math.inf) if words.long else 1)
            ledger.begin(part)
            PARTS[part](Harness(words.programs, pathlib.Path(folder)), ledger, words)
    if words.output:
        ledger.write(words.output, list(PARTS))
    return 0 if ledger.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
