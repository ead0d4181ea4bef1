"""Checks every export of real profiles with its tool. Called by Scripts/validate-exports."""

import argparse
import pathlib

import chrome
import collapsed
import firefox
import flames
import pages
import pprof
import speedscope
from browser import Browser
from ledger import Ledger
from recordings import Perfkit, Recording, record


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--programs", required=True)
    words.add_argument("--folder", required=True, type=pathlib.Path)
    words.add_argument("--store")
    words.add_argument("--output", required=True)
    words.add_argument("--command", required=True)
    words.add_argument("references", nargs="*")
    words = words.parse_args()
    folder = words.folder.resolve()
    perfkit = Perfkit(words.programs, words.store or folder / "perfkit.sqlite")
    if words.references:
        recordings = [
            Recording(perfkit, f"run {name}", name, "an earlier run") for name in words.references]
    else:
        recordings = record(perfkit, folder)
    ledger = Ledger()
    with Browser(folder / "chromium") as browser:
        for number, recording in enumerate(recordings):
            validate(ledger, perfkit, recording, number, recordings, browser, folder)
    ledger.write(words.output, words.command, recordings)
    return 0 if ledger.is_good else 1


def validate(ledger, perfkit, recording, number, recordings, browser, folder):
    def export(format, ending):
        return perfkit.export(recording, format, folder / f"{number}.{ending}")
    # Colours distinguish two runs of one program.
    other = next((r for r in recordings[:number] if r.modules[0] == recording.modules[0]), None)
    flames.check(ledger, perfkit, recording, browser, folder, other)
    pages.check(ledger, perfkit, recording, browser, folder)
    firefox.check(ledger, recording, export("firefox", "firefox.json"))
    pprof.check(ledger, recording, export("pprof", "pb.gz"))
    speedscope.check(ledger, recording, export("speedscope", "speedscope.json"))
    collapsed.check(ledger, recording, export("collapsed", "folded"))
    chrome.check(ledger, recording, export("chrome", "trace.json"), browser, folder)


if __name__ == "__main__":
    raise SystemExit(main())
