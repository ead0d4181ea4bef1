"""Kills the harness at random moments of its verbs."""

import pathlib
import random
import re
import time

import repository

#: The verbs; NUMBER is the number of the kill, as exports do not replace files.
VERBS = {
    "run": "run count --verbose --no-report",
    "run of a worker": "run editions --verbose --no-report",
    "run with a report": "run count --verbose --report Reports",
    "chart": "chart latest --kind metrics --output chart.svg",
    "report": "report latest --report Reports",
    "diff": "diff --scenario count --variant a --variant b --max-time 3s --no-report",
    "diff of revisions": "diff HEAD~1 HEAD --scenario work --max-pairs 11 --no-report",
    "gate": "gate count --against baseline:gated",
    "gate of revisions": "gate work --against HEAD~1 --max-time 5s",
    "bisect": "bisect HEAD~1 HEAD --scenario work --metric cpu.total --max-pairs 11",
    "try": "try --scenario work --because tried --max-pairs 20",
    "record": "record --no-report -- sort --parallel=1 lines",
    "store export": "store export export-NUMBER.sqlite",
    "store import": "store import other.sqlite",
    "store backup": "store backup backup-NUMBER.sqlite",
    "store prune": "store prune --keep 20",
    "store vacuum": "store vacuum",
    "baseline save": "baseline save base latest",
    "decide": "decide latest --keep --because tried",
}

#: What the verbs need to have happened before.
PREPARATION = ["run count --no-report", "baseline save gated latest", VERBS["diff"], "store export other.sqlite"]

WORKER = """\
scenario: editions
summary: Finds the best editions of books in a database.
workload: book.editions
worker: {worker}
parameters: {{ works: 100, editions: 4, books: 20, scrolls: 20 }}
iterations: 5
warmup: 0
"""

#: How often a kill that came after the end of its verb is repeated.
ATTEMPTS = 5

#: A launch that `--verbose` reports.
REPORTED = re.compile(r": (launch|warm-up) \d+ completed")


def words(verb, number):
    return verb.replace("NUMBER", str(number)).split()


def prepare(harness, chance):
    repository.make(harness.folder)
    # A change that is not committed, to try.
    (harness.folder / "work.sh").write_text(repository.FILES["work.sh"].replace("2000", "2002"))
    worker = pathlib.Path(harness.perfkit).with_name("BookWorkloads")
    (harness.folder / "Scenarios" / "editions.yml").write_text(WORKER.format(worker=worker))
    lines = (f"{chance.random()}\n" for _ in range(50_000))
    (harness.folder / "lines").write_text("".join(lines))
    for verb in PREPARATION:
        status, _, errors = harness.run(words(verb, 0))
        if status not in (0, 1, 3):
            raise SystemExit(f"reliability: 'perfkit {verb}' exits with {status}: {errors}")


def durations(harness):
    """Returns the seconds that each verb takes when it is not killed."""
    result = {}
    for name, verb in VERBS.items():
        began = time.monotonic()
        status, _, errors = harness.run(words(verb, "first"))
        result[name] = time.monotonic() - began
        if status not in (0, 1, 3):
            raise SystemExit(f"reliability: 'perfkit {verb}' exits with {status}: {errors}")
    return result


def run(harness, ledger, options):
    chance = random.Random(options.seed)
    prepare(harness, chance)
    seconds = durations(harness)
    left = f"processes after {options.patience:g} s"
    faults = dict.fromkeys(
        ("launches lost", "corrupt stores", left, "files after the next start", "later runs that fail"), 0)

    def fault(kind, name, text):
        faults[kind] += 1
        ledger.note(f"{name}: {kind}: {text}")

    running = 0
    for number in range(options.kills):
        name = list(VERBS)[number % len(VERBS)]
        for attempt in range(ATTEMPTS):
            before = harness.launches()
            process = harness.start(words(VERBS[name], f"{number}-{attempt}"))
            time.sleep(chance.uniform(0, seconds[name]))
            process.kill()
            errors = process.communicate()[1]
            if process.returncode == -9:
                running += 1
                break
            # The machine has become faster since the verb was timed.
            seconds[name] *= 0.8
        if alive := harness.survivors(options.patience):
            fault(left, name, alive)
        if not harness.is_sound():
            fault("corrupt stores", name, harness.run(["store", "check"])[1])
        stored, reported = harness.launches() - before, len(REPORTED.findall(errors))
        # Pruning removes launches, and reports none.
        if reported and stored < reported:
            fault("launches lost", name, f"{reported} were reported, {stored} are stored")
        # The next start removes the files of a killed command; a copy in the folder removes the parts of all copies.
        status, _, errors = harness.run(words("run count --iterations 1 --no-report", number))
        if status != 0:
            fault("later runs that fail", name, f"exit status {status}: {errors}")
        status, _, errors = harness.run(words(VERBS["store export"], "next"))
        if status != 0:
            fault("later runs that fail", "store export", f"exit status {status}: {errors}")
        if rest := harness.leftovers():
            fault("files after the next start", name, rest)
            harness.sweep()
        for path in harness.folder.glob("*-*.sqlite"):
            path.unlink()
    counts = ", ".join(f"{count} {kind}" for kind, count in faults.items())
    ledger.add(
        "kill -9 at random moments", "500 kills, all 0",
        f"{options.kills} kills over {len(VERBS)} verbs ({running} met the verb at work): {counts}",
        # A kill after the end of its verb proves nothing.
        not any(faults.values()) and 2 * running > options.kills, options.kills >= 500)
