"""What was checked, with what, and what came of it."""

import contextlib
import datetime
import subprocess
import traceback


class Row:
    """The checks of one export by one tool."""

    def __init__(self, export, recording, tool):
        self.export, self.recording, self.tool = export, recording, tool
        # What each check was made of, by its words.
        self.checked = {}
        self.failures = []
        self.missing = None

    def holds(self, words, condition, detail="", of=""):
        """Notes a check of something; `detail` tells what was found where it does not hold."""
        self.checked.setdefault(words, []).append(of)
        if not condition:
            self.failures.append(": ".join(filter(None, [words, of, str(detail)])))

    def equal(self, words, found, expected, tolerance=0, of=""):
        """Notes that two numbers agree."""
        self.holds(
            words, abs(found - expected) <= tolerance,
            f"{found} in place of {expected} (+- {tolerance})", of)

    def agree(self, words, found, expected, tolerance, of=""):
        """Notes that two tables of numbers agree, name by name; what is missing counts as 0."""
        worst = max(
            found.keys() | expected.keys(), default=None,
            key=lambda name: abs(found.get(name, 0) - expected.get(name, 0)))
        difference = 0 if worst is None else abs(found.get(worst, 0) - expected.get(worst, 0))
        self.holds(
            words, bool(expected) and difference <= tolerance,
            f"{worst}: {found.get(worst, 0)} in place of {expected.get(worst, 0)}"
            if worst is not None else "there are none", f"{of} ({len(expected)})".strip())

    @property
    def words(self):
        """All checks, the same ones of several things together."""
        return "; ".join(
            f"{words}: {', '.join(of)}" if len(of) > 1 and any(of) else f"{words} {of[0]}".strip()
            for words, of in self.checked.items())

    @property
    def result(self):
        if self.missing:
            return f"not checked: {self.missing}"
        if self.failures or not self.checked:
            return "**no**: " + "; ".join(self.failures or ["nothing was checked"])
        return "yes"


class Ledger:
    """All checks, in the order in which they were made."""

    def __init__(self):
        self.rows = []

    @contextlib.contextmanager
    def row(self, export, recording, tool):
        """Makes a row; a check that breaks off has failed, and the others go on."""
        row = Row(export, recording.name, tool)
        self.rows.append(row)
        try:
            yield row
        except Exception as error:
            traceback.print_exc()
            row.failures.append(f"broke off: {type(error).__name__}: {error}")
        print(f"{row.export}, {row.recording}, {row.tool}: {row.result}", flush=True)

    def lacks(self, export, recording, tool, reason):
        """Notes that a tool is not to be had."""
        with self.row(export, recording, tool) as row:
            row.missing = reason

    @property
    def is_good(self):
        return all(row.result == "yes" or row.missing for row in self.rows)

    def write(self, path, command, recordings):
        """Writes the report as Markdown."""
        facts = recordings[0].environment
        machine = ", ".join([
            facts.get("cpu.model", "CPU unknown"), f"{facts.get('cpu.count', '?')} CPUs",
            facts.get("memory.total", "memory unknown"), facts.get("kernel", "kernel unknown"),
            facts.get("os", "system unknown")])
        commit = subprocess.run(
            ["git", "describe", "--always", "--abbrev=12", "--dirty"], capture_output=True,
            text=True).stdout.strip()
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
        lines = [
            "# The exports and the tools that they are for", "",
            "Each export of real profiles was opened with the tool that it is for, or with that "
            "tool's own parser; where neither can be had from a registry, it was held against the "
            "rules that the format documents. What a tool adds up must be what the store has, which "
            "is read here by SQL alone.", "",
            "| made by | on | commit | machine |", "|---|---|---|---|",
            f"| `{command}` | {date} | {commit or 'unknown'} | {machine} |", "",
            "| recording | made by | holds |", "|---|---|---|"]
        lines += [f"| {r.name} | {r.origin} | {r.summary} |" for r in recordings]
        lines += ["", "| export | recording | tool | checked | holds |", "|---|---|---|---|---|"]
        for row in self.rows:
            cells = [row.export, row.recording, row.tool, row.words, row.result]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
