#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Runs the tests of a bundle (`make device-bundle`) on a machine with GPUs, in parts.

run.py BUNDLE          a folder, or a .tar.xz with the folder
  --limit SECONDS      this command ends after at most this time (570)
  --total SECONDS      the tests end after at most this time (as --limit); if it is longer than
                       --limit, the tests continue after this command has ended, and the next
                       command with the same --work reports them
  --only "PATTERN .."  only these parts, in this order
  --anew               ignore results of earlier runs for these parts
  --work FOLDER        working folder (/tmp/device-run)
  --state FILE         device-run.tar.gz of an earlier run on another machine, if the file exists
  --pace X             the machine is X times as slow as expected (1)
  --gpus N             number of GPUs, instead of what nvidia-smi says
  --require-device "B" the run fails unless these backends have a device (cuda if nvidia-smi lists a
                       GPU, otherwise none)
  --list               print the parts and the seconds they may take

It prints one line per finished part, then a summary table; the exit status is 1 if a part failed.
$OUT, or the folder device-logs, gets device-run.tar.gz with logs and results.  The next run
continues from there: it runs the steps that were cut or not begun.  Parts that measure run only if
--only names them: targets, tune-*, and extra-*, the scripts in the bundle's folder extra/.  SIGTERM
to the process in FOLDER/pid ends the tests early.
"""
import argparse
import fnmatch
import os
import signal
import subprocess
import sys
import tarfile
import time

from mps import CONTROL, Service
from parts import parts_of, spread
from workspace import Workspaces, shell
from report import Report, State, line_of, table
from schedule import Scheduler
from step import FAIL

MOST_LINES = 8000  # maximum of characters printed before the summary table
BY_NAME = ("targets", "tune-*", "extra-*")  # these parts run only if --only names them


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("bundle")
    p.add_argument("--limit", type=float, default=570)
    p.add_argument("--total", type=float)
    p.add_argument("--only", default="")
    p.add_argument("--anew", action="store_true")
    p.add_argument("--work", default="/tmp/device-run")
    p.add_argument("--state")
    p.add_argument("--pace", type=float, default=1)
    p.add_argument("--gpus", type=int)
    p.add_argument("--list", action="store_true")
    p.add_argument("--require-device")
    p.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    return p.parse_args()


def matches(name, patterns):
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def wanted(parts, only):
    for pattern in only:
        if not any(fnmatch.fnmatch(part.name, pattern) for part in parts):
            sys.exit(f"run.py: no part {pattern} (--list prints them)")
    named = [p for pattern in only for p in parts if matches(p.name, [pattern])]
    return list({p.name: p for p in named}.values()) if only else [p for p in parts if not matches(p.name, BY_NAME)]


def unpack(a):
    """Unpacks the bundle and earlier results into the working folder, unless it has a bundle
    already."""
    os.makedirs(f"{a.work}/logs", exist_ok=True)
    if not os.path.isdir(f"{a.work}/bundle"):
        new = f"{a.work}/bundle.new"
        command = ["tar", "xf", a.bundle, f"--one-top-level={new}", "--strip-components=1"]
        subprocess.run(["cp", "-r", a.bundle, new] if os.path.isdir(a.bundle) else command, check=True)
        os.rename(new, f"{a.work}/bundle")
        if a.state and os.path.exists(a.state):
            subprocess.run(["tar", "xzf", a.state, "-C", a.work, "--strip-components=1"], check=True)


def gpus_of_machine():
    return len(shell("PATH=$PATH:/usr/local/nvidia/bin nvidia-smi -L 2>/dev/null").splitlines())


def count_gpus(a):
    return a.gpus or max(1, gpus_of_machine())


def missing(a, devices):
    """Returns the required backends that have no device."""
    required = a.require_device
    if required is None:
        required = "cuda" if gpus_of_machine() else ""
    return [backend for backend in required.split() if not devices.get(backend)]


def serve(a):
    """Runs the parts in a background process, until the time `a.serve`."""
    state = State(f"{a.work}/state.json")
    report = Report(f"{a.work}/lines", f"{a.work}/logs", state)
    workspaces = Workspaces(a.work)
    workspaces.make_symbolic()
    parts, gpus = wanted(list(parts_of(workspaces.bundle)), a.only.split()), count_gpus(a)
    devices = workspaces.devices()
    memory = shell("sed -n 's/^MemTotal: *//p' /proc/meminfo")
    told = "; ".join(f"{backend}: {device or 'no device'}" for backend, device in devices.items())
    report.say(f"{gpus} GPUs, {os.cpu_count()} CPUs, {memory} of memory; {told}")
    with open(f"{a.work}/missing", "w") as file:
        file.write(" ".join(missing(a, devices)))
    if a.anew:
        for part in parts:
            state.forget(part.name)
    parts = [p for p in parts if devices[p.backend]]
    service = share_gpus(parts, workspaces, report) if any(p.mps for p in parts) else None
    scheduler = Scheduler(parts, gpus, a.serve, a.pace, workspaces, state, report)
    signal.signal(signal.SIGTERM, lambda *_: scheduler.stop())
    try:
        scheduler.run()
    finally:
        os.remove(f"{a.work}/pid")
        if service:
            service.stop()


def share_gpus(parts, workspaces, report):
    """Starts the Multi-Process Service, and changes the parts that can use it so that they share
    GPUs."""
    service = Service(f"{workspaces.work}/mps", workspaces.environment("cuda", "debian"), f"{workspaces.bundle}/tests/fuzz/fuzz_calls")
    report.say(f"{CONTROL}: {service.told}")
    workspaces.service = service.env
    for part in parts if service.env else ():
        if part.mps:
            spread(part)
    return service


def is_served(work):
    """Returns whether a run is active in the working folder."""
    try:
        with open(f"{work}/pid") as file:
            os.kill(int(file.read()), 0)
        return True
    except (OSError, ValueError):
        return False


def begin_serving(a, until):
    """Starts the run in a new session, so that it continues after this command has ended."""
    with open(f"{a.work}/server.log", "a") as log:
        server = subprocess.Popen([sys.executable, os.path.abspath(__file__), *sys.argv[1:], "--serve", str(until)],
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    with open(f"{a.work}/pid", "w") as file:
        file.write(str(server.pid))
    return server


def follow(a, until, server):
    """Prints the run's new lines until the run ends or the time `until` is reached.  Returns
    whether the run has ended."""
    room, seen = MOST_LINES, 0
    if not server and os.path.exists(f"{a.work}/seen"):
        with open(f"{a.work}/seen") as file:
            seen = int(file.read())
    while True:
        over = server.poll() is not None if server else not is_served(a.work)
        if os.path.exists(f"{a.work}/lines"):
            with open(f"{a.work}/lines") as file:
                file.seek(seen)
                text = file.read()
                seen = file.tell()
            text = "".join(t for t in text.splitlines(True) if " s begin " not in t)
            sys.stdout.write(text[:room] + ("... more in the logs\n" if len(text) > room > 0 else ""))
            sys.stdout.flush()
            room = max(0, room - len(text))
        if over or time.time() >= until:
            break
        time.sleep(1)
    with open(f"{a.work}/seen", "w") as file:
        file.write(str(seen))
    return over


def collect(a):
    """Packs logs and results into $OUT/device-run.tar.gz."""
    out = os.environ.get("OUT", "device-logs")
    os.makedirs(out, exist_ok=True)
    with tarfile.open(f"{out}/device-run.tar.gz", "w:gz") as tar:
        for name in ("state.json", "lines", "server.log", "logs"):
            if os.path.exists(f"{a.work}/{name}"):
                tar.add(f"{a.work}/{name}", f"device-run/{name}")


def main():
    a = arguments()
    a.work = os.path.abspath(a.work)
    start = time.time()
    until = start + a.limit
    unpack(a)
    parts = list(parts_of(f"{a.work}/bundle"))
    if a.serve:
        return serve(a)
    if a.list:
        for p in parts:
            seconds = sum(step.seconds for step in p.steps) / p.jobs
            print(f"{p.name:26} {p.backend:6} {p.share:4} {len(p.steps):4} steps {seconds:6.0f} s")
        return 0
    parts = wanted(parts, a.only.split())
    server = None
    if not is_served(a.work):
        for name in ("lines", "seen", "missing"):
            if os.path.exists(f"{a.work}/{name}"):
                os.remove(f"{a.work}/{name}")
        server = begin_serving(a, start + (a.total or a.limit - 10))
    over = follow(a, until - 6, server)
    state = State(f"{a.work}/state.json")
    print(table(parts, state) + ("" if over else "\nthe run goes on; the same command takes it up"))
    collect(a)
    if lacking := shell(f"cat {a.work}/missing"):
        print(f"FAIL no device, but it is required: {lacking}")
        return 1
    return int(any(line_of(part, state.of(part.name)).startswith(FAIL) for part in parts))


if __name__ == "__main__":
    sys.exit(main())
