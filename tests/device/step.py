# SPDX-License-Identifier: LGPL-3.0-or-later
"""One command of a part, run under a time limit: verdict by its exit status, and log."""
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field

PASS, FAIL, SKIP, CUT = "PASS", "FAIL", "SKIP", "CUT"
WORDS = {0: PASS, 77: SKIP, 124: CUT}
POLL = 0.3
ENDING = 8  # seconds for a command after SIGTERM
LOG_HEAD, LOG_TAIL = 20_000, 80_000  # bytes kept of a log


@dataclass
class Step:
    """argv and env may hold {copy}, the part's own copy of the bundle, {out}, a folder for files of the
    command, and {left}, the seconds that it has."""

    name: str
    argv: list
    env: dict = field(default_factory=dict)
    folder: str = "{copy}"
    seconds: float = 20  # expected
    most: float = 300  # limit
    shrinks: int = 0  # it works for {left} seconds; so many are enough
    show: str = ""  # a file in {out} to print at the end

    def may_begin(self, left):
        """Is there enough time for it?"""
        return left >= (100 if self.shrinks else self.seconds)

    def time_in(self, limit):
        """The {left} for a limit: less, since it has to open a device and to end."""
        return int(max(min(self.shrinks, limit - 5 * ENDING) if self.shrinks else limit - 2 * ENDING, 1))


def members(session):
    """The processes of a session, also those in process groups of their own, as `timeout` makes them."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[3] == str(session) and fields[0] != "Z":
            yield int(name)


def send(session, number):
    for process in members(session):
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def sweep(session):
    """Kill processes that a command left; some may be starting others meanwhile."""
    for _ in range(50):
        if not list(members(session)):
            break
        send(session, signal.SIGKILL)
        time.sleep(0.02)


def kill(process):
    """End a command and all that it started."""
    send(process.pid, signal.SIGTERM)
    try:
        process.wait(ENDING)
    except subprocess.TimeoutExpired:
        send(process.pid, signal.SIGKILL)
        process.wait()


def shorten(path):
    """Cut the middle out of a long log."""
    if os.path.getsize(path) <= LOG_HEAD + LOG_TAIL:
        return
    with open(path, "rb") as file:
        head = file.read(LOG_HEAD)
        file.seek(-LOG_TAIL, os.SEEK_END)
        tail = file.read()
    with open(path, "wb") as file:
        file.write(head + b"\n... left out ...\n" + tail)


def count_calls(path):
    """Calls, and calls sent: as the library's statistics say, or a line that has both."""
    calls = sent = 0
    with open(path, errors="replace") as file:
        for line in file:
            if found := re.match(r"mpgpu: +mp[fnqz]_\S+ +(\d+) +(\d+)", line):
                calls, sent = calls + int(found[1]), sent + int(found[2])
            elif found := re.match(r"(\d+) calls, (\d+) of \d+ eligible", line):
                calls, sent = int(found[1]), int(found[2])
            elif found := re.match(r"(\d+) calls computed by the device, (\d+) eligible", line):
                calls, sent = calls + int(found[2]), sent + int(found[1])
    return calls, sent


def fill(text, places):
    for name, value in places.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def wait(process, limit, left):
    """Its exit status; 124 if it was ended, after `limit` seconds or when none is left."""
    end = time.time() + limit
    while True:
        try:
            return process.wait(POLL)
        except subprocess.TimeoutExpired:
            if time.time() >= end or left() <= 0:
                kill(process)
                return 124


def run_step(step, env, places, log, left):
    """Run a step: a dictionary with the verdict; the output is in file `log`.  left() is the rest of
    the run in seconds."""
    before = max(left(), 1)
    limit = before if step.shrinks else min(before, step.most)
    os.makedirs(places["out"], exist_ok=True)
    places = dict(places, left=step.time_in(limit))
    env = dict(env, OUT=places["out"], **{k: fill(v, places) for k, v in step.env.items()})
    start = time.time()
    with open(log, "wb") as output:
        try:
            process = subprocess.Popen(
                [fill(word, places) for word in step.argv],
                cwd=fill(step.folder, places),
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            status = wait(process, limit, left)
            sweep(process.pid)
        except OSError as error:
            output.write(f"not started: {error}\n".encode())
            status = 127
    word = WORDS.get(status, FAIL)
    if word == CUT and left() > 3 * ENDING:
        word = FAIL  # over its limit
    if word == PASS and step.shrinks > places["left"]:
        word = CUT  # right so far, but too short
    calls, sent = count_calls(log)
    shorten(log)
    seconds = round(time.time() - start, 1)
    return {"word": word, "status": status, "seconds": seconds, "calls": calls, "sent": sent}
