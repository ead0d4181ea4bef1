"""The record of all checks with their tools and results."""

import contextlib
import datetime
import subprocess
import traceback


class Row:
    """The checks of one export by one tool."""

    def __init__(self, export, recording, tool):
        self.export, self.recording, self.tool = export, recording, tool
        # The subjects of each check, by its description.
        self.checked = {}
        self.failures = []
        self.missing = None

    def holds(self, words, condition, detail="", of=""):
        """Records a check; `detail` describes the finding if it fails."""
        self.checked.setdefault(words, []).append(of)
        if not condition:
            self.failures.append(": ".join(filter(None, [words, of, str(detail)])))

    def equal(self, words, found, expected, tolerance=0, of=""):
        """Checks that two numbers are equal."""
        self.holds(
            words, abs(found - expected) <= tolerance,
            f"{found} instead of {expected} (± {tolerance})", of)

    def agree(self, words, found, expected, tolerance, of=""):
        """Checks that two tables of numbers are equal, name by name; a missing name counts as 0."""
        worst = max(
            found.keys() | expected.keys(), default=None,
            key=lambda name: abs(found.get(name, 0) - expected.get(name, 0)))
        difference = 0 if worst is None else abs(found.get(worst, 0) - expected.get(worst, 0))
        self.holds(
            words, bool(expected) and difference <= tolerance,
            f"{worst}: {found.get(worst, 0)} instead of {expected.get(worst, 0)}"
            if worst is not None else "both are empty", f"{of} ({len(expected)})".strip())

    @property
    def words(self):
        """All checks; equal checks of several subjects are joined."""
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
    """All checks in order."""

    def __init__(self):
        self.rows = []

    @contextlib.contextmanager
    def row(self, export, recording, tool):
        """Creates a row; an exception in a check counts as a failure, and other checks continue."""
        row = Row(export, recording.name, tool)
        self.rows.append(row)
        try:
            yield row
        except Exception as error:
            traceback.print_exc()
            row.failures.append(f"exception: {type(error).__name__}: {error}")
        print(f"{row.export}, {row.recording}, {row.tool}: {row.result}", flush=True)

    def lacks(self, export, recording, tool, reason):
        """Records that a tool is not available."""
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
            "# Exports, checked with their tools", "",
            "Each export of real profiles was opened with its tool or with that tool's parser. If no "
            "registry has either, the export was checked against the documented rules of the format. "
            "The sums of a tool must equal those of the store, which are read here with SQL only.", "",
            "| command | date | commit | machine |", "|---|---|---|---|",
            f"| `{command}` | {date} | {commit or 'unknown'} | {machine} |", "",
            "| recording | command | content |", "|---|---|---|"]
        lines += [f"| {r.name} | {r.origin} | {r.summary} |" for r in recordings]
        lines += ["", "| export | recording | tool | checks | passed |", "|---|---|---|---|---|"]
        for row in self.rows:
            cells = [row.export, row.recording, row.tool, row.words, row.result]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
