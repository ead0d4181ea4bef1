"""The figures of a part, the failures behind them, and the report."""

import datetime
import os
import platform
import re
import subprocess

HEAD = """# Reliability

What PerfKit lost, left behind or got wrong when it was killed, when system calls failed, when many harnesses shared a store,
in long use, on busy CPUs, with little memory, and when the clock was stepped. `Scripts/reliability` measures all parts; a failure that it finds becomes a test.

| part | command | date | commit | machine |
|---|---|---|---|---|
"""


class Ledger:
    def __init__(self, command):
        self.command = command
        self.is_good = True
        self.rows = {}
        self.part = None

    def begin(self, part):
        self.part = part
        self.rows[part] = []

    def add(self, figure, target, measured, is_good, is_long):
        """Adds a row; a fault fails the script, and a target is met if the measurement was long enough, too."""
        is_met = is_good and is_long
        self.rows[self.part].append(f"| {figure} | {target} | {measured} | {'yes' if is_met else 'no'} |")
        self.is_good = self.is_good and is_good
        state = "met" if is_met else "no fault, but too short for the target" if is_good else "FAULTS"
        print(f"{figure}: {measured} (target: {target}): {state}", flush=True)

    @staticmethod
    def note(text):
        """Prints what was seen, so that a failure can be repeated."""
        print("  " + text.replace("\n", "\n  "), flush=True)

    def write(self, path, parts):
        earlier = open(path, encoding="utf-8").read().split("\n") if os.path.exists(path) else []
        sources, figures = [], []
        for part in parts:
            if part in self.rows:
                sources.append(self.source(part))
                figures += [f"| {part} {row}" for row in self.rows[part]]
            else:
                kept = [line for line in earlier if line.startswith(f"| {part} | ")]
                sources += [line for line in kept if "`Scripts/reliability" in line]
                figures += [line for line in kept if "`Scripts/reliability" not in line]
        table = ["", "| part | figure | target | measured | met |", "|---|---|---|---|---|"]
        with open(path, "w", encoding="utf-8") as file:
            file.write(HEAD + "\n".join(sources + table + figures) + "\n")
        print(f"reliability: wrote {path}")

    def source(self, part):
        commit = git("describe", "--always", "--abbrev=12")
        # The reports of other parts are no part of the measured programs.
        if git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!Reports"):
            commit += "-dirty"
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"model name\s*: (.*)", file.read())
        machine = f"{model[1] if model else platform.machine()}, {os.cpu_count()} CPUs, {platform.release()}"
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
        return f"| {part} | `{self.command}` | {date} | {commit or 'unknown'} | {machine} |"


def git(*words):
    """Returns the output of a git command; empty if it fails."""
    return subprocess.run(["git", *words], capture_output=True, text=True).stdout.strip()
