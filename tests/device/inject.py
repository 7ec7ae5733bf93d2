#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Injects faults into all operations of tests/unit/fault/test_inject, several operations at a time,
and prints tables of the outcomes by kind and by operation.

inject.py TREE         a build tree, or a bundle (`make device-bundle`)
  --backends "A B"     cuda, opencl (cuda opencl); a backend without a device here is left out
  --seconds N          ends after at most N seconds (180); the backends get equal times
  --jobs N             operations at a time (all CPUs but one)
  --faults N           at most N faults for each operation and kind (as many as fit in the time)
  --first N            number of the first fault of each kind (0), to inject other faults
  --only "PATTERN .."  only these operations

On CUDA, it uses NVIDIA's Multi-Process Service if that is installed and helps, except for wrong
constants: a kernel that accesses foreign memory would end all processes of the service.  An operation
that fails under the service runs again without it, with all kinds of faults.  $OUT, or the folder
inject-out, gets inject.csv with a line for each operation and kind, inject.md with the tables, and a
log for each operation. The exit status is 1 if an operation failed, or gave a wrong result without
an error."""
import argparse
import csv
import fnmatch
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from mps import Service
from workspace import TOOLS, shell
from step import kill, sweep

OUTCOMES = ("injected", "no effect", "found", "lost", "ended", "silent")
TITLES = ("injected", "no effect", "found", "lost with a code", "process ended", "silent")
GRACE = 15  # seconds that an operation may take to end after its time is up
MANY = 10**6
# On CUDA, this part of the time is for other faults, under the Multi-Process Service. The rest is
# for wrong constants, without the service.
CONSTANTS_BEGIN = 0.7


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("tree", type=os.path.abspath)
    p.add_argument("--backends", default="cuda opencl")
    p.add_argument("--seconds", type=float, default=180)
    p.add_argument("--jobs", type=int, default=max(1, os.cpu_count() - 1))
    p.add_argument("--faults", type=int, default=MANY)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--only", default="*")
    return p.parse_args()


def environment(tree, out, backend):
    """Returns the environment variables for test_inject.  It reads options from a new folder,
    and so not from the user's files."""
    env = {k: v for k, v in os.environ.items() if k not in ("MPGPU_CONF", "LD_PRELOAD")}
    env["PATH"] = f"{env.get('PATH', '/usr/bin:/bin')}:{TOOLS}"
    if os.path.isdir(f"{tree}/libgmp-debian"):  # a bundle
        env["LD_LIBRARY_PATH"] = f"{tree}/lib:{env.get('LD_LIBRARY_PATH', '')}"
        ask = f". {tree}/tests/support/nvidia_opencl.sh; nvidia_opencl_only {out}/nvidia {tree}/tools/mpgpu-info; echo $OCL_ICD_VENDORS"
        vendors = shell(ask, env)
        if vendors:
            env["OCL_ICD_VENDORS"] = vendors
            env["OCL_ICD_FILENAMES"] = shell(f"cat {vendors}/*.icd")
    env["XDG_CONFIG_HOME"] = f"{out}/home"
    env["MPGPU_TEST_BACKENDS"] = backend
    return env


def device(tree, env):
    """Returns the name of the backend's first device, "" without one."""
    ask = f"{tree}/tools/mpgpu-info | sed -n '/^backend {env['MPGPU_TEST_BACKENDS']}:/{{n;s/^ *0: //p;}}'"
    return shell(ask, dict(env, MPGPU_CONF="backend:none"))


class Campaign:
    def __init__(self, a, out):
        self.a, self.out = a, out
        self.rows, self.failed, self.again = [], [], []
        self.lock, self.waiting = threading.Lock(), 0

    def run(self, backend, env, operation, until, is_shared):
        """Runs an operation, and adds its rows.  If there are none and other processes shared the
        context of the GPU, adds the operation to `again`."""
        with self.lock:
            seconds = (until - time.time()) * self.a.jobs / max(self.waiting, self.a.jobs) - 2
            self.waiting -= 1
        if time.time() >= until:
            self.failed.append(f"{backend} {operation}: no time")
            return
        env = dict(env, MPGPU_TEST_OPERATION=operation, MPGPU_TEST_FAULTS=str(self.a.faults),
                   MPGPU_TEST_FIRST=str(self.a.first), MPGPU_TEST_UNTIL=str(int(until)),
                   MPGPU_TEST_SECONDS=str(max(1, int(seconds))))
        name = f"{self.out}/{backend}-{operation}{env.get('MPGPU_TEST_KIND', '')}.log"
        with open(name, "wb") as log:
            process = subprocess.Popen([f"{self.a.tree}/tests/unit/fault/test_inject"], env=env, stdout=log,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                status = process.wait(max(1, until - time.time()) + GRACE)
            except subprocess.TimeoutExpired:
                kill(process)
                status = "no end"
            sweep(process.pid)
        rows = []
        with open(name, errors="replace") as log:
            for line in log:
                field = line.split()
                if len(field) == 9 and field[0] == operation and field[1].isdigit():
                    rows.append([backend, operation, field[2], *map(int, field[3:])])
        self.rows += rows
        if is_shared and not rows:
            self.again.append(operation)
        elif status != 0 or (not rows and "MPGPU_TEST_KIND" not in env):
            self.failed.append(f"{backend} {operation}: {len(rows)} kinds, exit status {status}: {name}")

    def backend(self, backend, env, operations, until, is_shared=False):
        again, self.again, self.waiting = self.again, [], len(operations)
        with ThreadPoolExecutor(self.a.jobs) as pool:
            for operation in operations:
                own = {k: v for k, v in env.items() if k != "MPGPU_TEST_KIND"} if operation in again else env
                pool.submit(self.run, backend, own, operation, until, is_shared)

    def table(self, column, title):
        """Returns the lines of a Markdown table: the sums of all rows that have the same name in
        a column."""
        sums = {}
        for row in self.rows:
            sums.setdefault(row[column], Counter()).update(dict(zip(OUTCOMES, row[3:])))
        sums["sum"] = sum(sums.values(), Counter())
        lines = [f"| {title} | {' | '.join(TITLES)} |", "|" + " --- |" * (len(TITLES) + 1)]
        return lines + [f"| {name} | " + " | ".join(f"{s[o]:,}" for o in OUTCOMES) + " |" for name, s in sums.items()]


def find_operations(a):
    names = shell(f"{a.tree}/tests/unit/fault/test_inject --list", environment(a.tree, a.tree, "none"))
    names = list(dict.fromkeys(line.split()[0] for line in names.splitlines()))
    return [n for n in names if any(fnmatch.fnmatch(n, pattern) for pattern in a.only.split())]


def main():
    a = arguments()
    end = time.time() + a.seconds - GRACE
    out = os.path.abspath(os.environ.get("OUT", "inject-out"))
    os.makedirs(f"{out}/home/mpgpu-gmp", exist_ok=True)
    with open(f"{out}/home/mpgpu-gmp/mpgpu.conf", "w") as options:
        options.write("server:off\n")
    campaign, operations = Campaign(a, out), find_operations(a)
    if not operations:
        sys.exit(f"inject.py: no operation matches {a.only}")
    wanted = [(b, environment(a.tree, out, b)) for b in a.backends.split()]
    wanted = [(b, env, name) for b, env in wanted if (name := device(a.tree, env))]
    if not wanted:
        sys.exit(f"inject.py: no device of {a.backends}")
    for i, (backend, env, name) in enumerate(wanted):
        start = time.time()
        until = start + (end - start) / (len(wanted) - i)
        service = Service(f"{out}/mps", env, f"{a.tree}/tests/fuzz/fuzz_calls") if backend == "cuda" else None
        if service:
            print(f"Multi-Process Service: {service.told}", flush=True)
        if service and service.env:
            shared = dict(env, **service.env, MPGPU_TEST_KIND="!constant")
            campaign.backend(backend, shared, operations, start + CONSTANTS_BEGIN * (until - start), is_shared=True)
            service.stop()
            env["MPGPU_TEST_KIND"] = "constant"
        campaign.backend(backend, env, operations, until)
        print(f"{backend}: {name}: {time.time() - start:.0f} s", flush=True)
    with open(f"{out}/inject.csv", "w", newline="") as file:
        csv.writer(file).writerows([["backend", "operation", "kind", *OUTCOMES], *campaign.rows])
    lines = [*campaign.table(0, "backend"), "", *campaign.table(2, "kind"), "", *campaign.table(1, "operation")]
    with open(f"{out}/inject.md", "w") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(lines))
    for line in campaign.failed:
        print(f"FAILED: {line}")
    return 1 if campaign.failed else 0


if __name__ == "__main__":
    sys.exit(main())
