# SPDX-License-Identifier: LGPL-3.0-or-later
"""Stores the results of steps in a file, and prints them as lines and tables."""
import json
import os
import threading
import time
from collections import Counter

from step import CUT, FAIL, PASS, SKIP

# failures printed for each part, lines printed for each failure, and characters printed of each
# line
TOLD, LINES, WIDTH = 3, 7, 150
SHOWN = 3500  # characters printed of a file that a step shows


class State:
    """The results of all parts and steps, including those of earlier runs, in a JSON file."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.results = {}
        if os.path.exists(path):
            with open(path) as file:
                self.results = json.load(file)

    def put(self, part, step, result):
        with self.lock:
            self.results.setdefault(part, {})[step] = result
            with open(self.path + ".new", "w") as file:
                json.dump(self.results, file, indent=0)
            os.replace(self.path + ".new", self.path)

    def of(self, part):
        with self.lock:
            return dict(self.results.get(part, {}))

    def is_done(self, part, step):
        return self.of(part).get(step, {}).get("word") in (PASS, FAIL, SKIP)

    def forget(self, part):
        with self.lock:
            self.results.pop(part, None)


def line_of(part, results):
    """Returns one line about a part: how many steps passed or failed, calls, and seconds."""
    of = [results[s.name] for s in part.steps if s.name in results]
    count = Counter(r["word"] for r in of)
    missing = len(part.steps) - len(of)
    word = FAIL if count[FAIL] else "PART" if count[CUT] or missing else PASS if count[PASS] else SKIP
    word = "-" if not of else word
    text = f"{count[PASS]} passed"
    others = ((count[FAIL], "FAILED"), (count[SKIP], "skipped"), (count[CUT], "cut"), (missing, "not begun"))
    for number, what in others:
        text += f", {number} {what}" if number else ""
    calls, sent = sum(r["calls"] for r in of), sum(r["sent"] for r in of)
    text += f"; {calls} calls, {sent} sent" if calls else ""
    return f"{word:4} {part.name:26} {text}; {sum(r['seconds'] for r in of):.0f} s"


def table(parts, state):
    lines = [line_of(part, state.of(part.name)) for part in parts]
    count = Counter(line.split()[0] for line in lines)
    total = ", ".join(f"{count[word]} {what}" for word, what in
                      ((PASS, "passed"), (FAIL, "FAILED"), ("PART", "in part"), (SKIP, "skipped"), ("-", "not begun")))
    return "\n".join([*lines, f"parts: {total}"])


class Report:
    """Appends lines to a file when parts begin and end."""

    def __init__(self, path, logs, state):
        self.path, self.logs, self.state = path, logs, state
        self.start = time.time()
        self.lock = threading.Lock()
        self.told = set()  # failures

    def say(self, text):
        with self.lock, open(self.path, "a") as file:
            file.write(text.rstrip("\n") + "\n")

    def clock(self):
        return f"{time.time() - self.start:4.0f} s"

    def begun(self, part, gpu):
        self.say(f"{self.clock()} begin {part.name}" + ("" if gpu is None else f" on GPU {gpu}"))

    def ended(self, part, gpu, seconds):
        results = self.state.of(part.name)
        lines = [f"{self.clock()} {line_of(part, results)}"]
        names = [s.name for s in part.steps if s.name in results]
        skipped = [n for n in names if results[n]["word"] == SKIP]
        if skipped:
            lines.append("    skipped: " + " ".join(skipped)[:WIDTH])
        bad = [n for n in names if results[n]["word"] in (FAIL, CUT) and (part.name, n) not in self.told]
        for name in sorted(bad, key=lambda n: results[n]["word"] == CUT)[:TOLD]:
            self.told.add((part.name, name))
            r = results[name]
            lines.append(f"    {r['word']} {name}, status {r['status']}, {r['seconds']} s:")
            lines += self.tail(f"{self.logs}/{part.name}/{name}.log")
        if len(bad) > TOLD:
            lines.append(f"    and {len(bad) - TOLD} more: {' '.join(bad)}"[:WIDTH])
        self.say("\n".join(lines + self.shown(part, results)))

    def tail(self, log):
        with open(log, errors="replace") as file:
            return [f"        {line.rstrip()}"[:WIDTH] for line in file.readlines()[-LINES:]]

    def shown(self, part, results):
        """Returns the lines of the files that the part's steps want to be shown."""
        lines = []
        for step in part.steps:
            path = f"{self.logs}/{part.name}/{step.name}.out/{step.show}"
            if step.show and step.name in results and os.path.exists(path):
                with open(path, errors="replace") as file:
                    lines += file.read(SHOWN).splitlines()
        return lines
