# SPDX-License-Identifier: LGPL-3.0-or-later
"""Runs one command of a part under a time limit.  Writes its log, and derives the verdict from its
exit status."""
import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field

PASS, FAIL, SKIP, CUT = "PASS", "FAIL", "SKIP", "CUT"
WORDS = {0: PASS, 77: SKIP, 124: CUT}
POLL = 0.3
ENDING = 8  # seconds that a command has to end after SIGTERM
LOG_HEAD, LOG_TAIL = 20_000, 80_000  # bytes kept of a log's beginning and end


@dataclass
class Step:
    """A command to run.  argv and env may contain {copy}, the part's copy of the bundle; {out}, a
    folder for the command's files; and {left}, the seconds that the command may take."""

    name: str
    argv: list
    env: dict = field(default_factory=dict)
    folder: str = "{copy}"
    seconds: float = 20  # expected
    most: float = 300  # limit
    # If not 0, the command works for {left} seconds: for `shrinks` seconds, or for fewer if less
    # time is left. 0 for most commands.
    shrinks: int = 0
    show: str = ""  # a file in {out} that the report prints at the end

    def may_begin(self, left):
        """Returns whether a run with `left` seconds left has enough time for the step."""
        return left >= (100 if self.shrinks else self.seconds)

    def time_in(self, limit):
        """Returns the value of {left} for a time limit: a little less, because the command must
        open a device and end."""
        return int(max(min(self.shrinks, limit - 5 * ENDING) if self.shrinks else limit - 2 * ENDING, 1))


def members(session):
    """Yields the processes of a session, including those in other process groups, such as the
    children of `timeout`."""
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
    """Kills all processes that a command has left.  Repeats this, because a process may start
    another one before it is killed."""
    for _ in range(50):
        if not list(members(session)):
            break
        send(session, signal.SIGKILL)
        time.sleep(0.02)


def kill(process):
    """Ends a command and all processes that it has started."""
    send(process.pid, signal.SIGTERM)
    try:
        process.wait(ENDING)
    except subprocess.TimeoutExpired:
        send(process.pid, signal.SIGKILL)
        process.wait()


def shorten(path):
    """Removes the middle of a log that is too long."""
    if os.path.getsize(path) <= LOG_HEAD + LOG_TAIL:
        return
    with open(path, "rb") as file:
        head = file.read(LOG_HEAD)
        file.seek(-LOG_TAIL, os.SEEK_END)
        tail = file.read()
    with open(path, "wb") as file:
        file.write(head + b"\n... left out ...\n" + tail)


def count_calls(path):
    """Returns the numbers of calls and of calls sent to the device, from the library's statistics
    or from a line of a test program."""
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
    """Waits for a process.  Returns its exit status; ends it and returns 124 after `limit` seconds,
    or when left() is 0."""
    end = time.time() + limit
    while True:
        try:
            return process.wait(POLL)
        except subprocess.TimeoutExpired:
            if time.time() >= end or left() <= 0:
                kill(process)
                return 124


def run_step(step, env, places, log, left):
    """Runs a step and writes its output to file `log`.  Returns a dictionary with the verdict.
    left() returns the remaining seconds of the run."""
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
        word = CUT  # the command found no fault, but had to work for less than step.shrinks seconds
    calls, sent = count_calls(log)
    shorten(log)
    seconds = round(time.time() - start, 1)
    return {"word": word, "status": status, "seconds": seconds, "calls": calls, "sent": sent}
