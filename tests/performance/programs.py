#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-3.0-or-later
"""Times whole programs from posix_spawn to their end, alternately alone and under preload.

programs.py start BUILD_DIR [REPEATS]
    Runs a program without GMP, and one that computes a small product.  Prints for each the medians
    alone and under preload and their difference in microseconds, then the medians of page faults of
    both.
programs.py short BUILD_DIR [BACKEND [REPEATS [MOST_MS]]] [--csv FILE]
    Runs programs that compute k products of n bits: with GMP alone; under preload without a device
    (backend:none); under preload without a running server; and under preload with a running server.
    Prints a table of medians, in which ! marks times above their limit.  Omits programs that take
    GMP longer than MOST_MS (12000).  Writes the medians to FILE in the format that
    mpgpu-bench-report reads.

BUILD_DIR is a build tree, or a bundle that `make device-bundle` has made."""
import argparse
import glob
import os
import statistics
import subprocess
import sys
import tempfile
import time

PRODUCTS = (("65536", "10"), ("65536", "100"), ("1000000", "1"), ("1000000", "5"), ("1000000", "20"),
            ("1000000", "60"), ("10000000", "1"), ("10000000", "4"), ("10000000", "20"),
            ("100000000", "1"), ("100000000", "8"))
WAYS = ("gmp", "none", "cold", "warm")
LIMITS = {"none": (1.01, 0.5), "cold": (1.05, 5), "warm": (1.02, 2)}  # times GMP's time, and ms
LONG_MS, LONG_REPEATS = 1000, 3
# seconds to wait, because a server that the last program has started may still be opening its
# devices
PAUSE = 0.1
QUIET = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]


def run(command, **variables):
    """Runs a program with variables added to its environment.  Returns its milliseconds and page
    faults."""
    environment = {key: value for key, value in {**os.environ, **variables}.items() if value}
    start = time.perf_counter()
    process = os.posix_spawn(command[0], command, environment, file_actions=QUIET)
    _, status, usage = os.wait4(process, 0)
    seconds = time.perf_counter() - start
    if status:
        sys.exit(f"programs.py: {' '.join(command)} failed")
    return 1e3 * seconds, usage.ru_minflt


def start(build, options):
    library = f"{build}/.libs/libmpgpu-gmp.so.0"
    for program in "start_nothing", "products":
        command = [f"{build}/tests/performance/{program}"]
        preloads = "", library
        runs = [[run(command, LD_PRELOAD=preload) for preload in preloads] for _ in range(options.repeats + 1)]
        (alone, faults), (under, more) = ([statistics.median(x) for x in zip(*side)] for side in zip(*runs[1:]))
        print(f"{program} {1e3 * alone:.0f} {1e3 * under:.0f} {1e3 * (under - alone):.0f} {faults:.0f} {more:.0f}")


class Short:
    """Runs programs in the four ways of WAYS: with GMP alone, without a device, without a running
    server, and with one. Each way has a folder of its own for the sockets of servers."""

    def __init__(self, build, backend, folder):
        self.build, self.backend, self.folder = build, backend, folder
        for name in WAYS:
            os.mkdir(f"{folder}/{name}", 0o700)

    def run(self, way, command, more=""):
        if way == "gmp":
            return run(command, LD_PRELOAD="", MPGPU_CONF="")[0]
        backend = "none" if way == "none" else self.backend
        return run(command, LD_PRELOAD=f"{self.build}/.libs/libmpgpu-gmp.so.0",
                   MPGPU_CONF=f"backend:{backend},server:auto{more}", XDG_RUNTIME_DIR=f"{self.folder}/{way}")[0]

    def end_server(self, way):
        time.sleep(PAUSE)
        runtime = f"{self.folder}/{way}"
        if glob.glob(f"{runtime}/mpgpu/serve-*"):
            subprocess.run([f"{self.build}/tools/mpgpu-serve", "--end"], stderr=subprocess.DEVNULL, check=False,
                           env={**os.environ, "XDG_RUNTIME_DIR": runtime})

    def medians(self, command, repeats, most):
        """Returns a program's median milliseconds, for each way in which it is run (WAYS). Returns
        None if the program takes more than `most` milliseconds with GMP alone."""
        first = self.run("gmp", command)
        if first > most:
            return None
        # leaves a server running that has tested its kernels, for the way "warm"
        self.run("warm", command, ",open:wait")
        times = {way: [] for way in WAYS}
        for _ in range(min(repeats, LONG_REPEATS) if first > LONG_MS else repeats):
            for way in WAYS:
                times[way].append(self.run(way, command))
                if way == "cold":
                    self.end_server(way)
        return {way: statistics.median(times[way]) for way in WAYS}


def short_rows(programs, options):
    for bits, count in PRODUCTS:
        medians = programs.medians([f"{programs.build}/tests/performance/products", bits, count], options.repeats, options.most)
        if medians:
            yield bits, count, medians


def short(build, options):
    print("| bits | products | GMP, ms | backend:none (1.01 x) | no server runs (1.05 x + 5 ms) | "
          "a server runs (1.02 x + 2 ms) |\n| ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory(prefix="mpgpu-short.") as folder:
        programs, figures = Short(build, options.backend, folder), ["operation,bits,candidate,unit,median"]
        for bits, count, medians in short_rows(programs, options):
            marks = {way: " !" if medians[way] > factor * medians["gmp"] + ms else ""
                     for way, (factor, ms) in LIMITS.items()}
            cells = [f"{medians[way]:.1f}{marks.get(way, '')}" for way in WAYS]
            print("| " + " | ".join([bits, count, *cells]) + " |", flush=True)
            figures += [f"{count} product{'s' * (count != '1')},{bits},{way},ms,{medians[way]:.1f}" for way in WAYS]
        for way in "cold", "warm":
            programs.end_server(way)
    if options.csv:
        with open(options.csv, "w", encoding="utf-8") as file:
            print("\n".join(figures), file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(required=True, metavar="start|short")
    mode = modes.add_parser("start")
    mode.set_defaults(measure=start)
    mode.add_argument("build")
    mode.add_argument("repeats", type=int, nargs="?", default=300)
    mode = modes.add_parser("short")
    mode.set_defaults(measure=short)
    mode.add_argument("build")
    mode.add_argument("backend", nargs="?", default="auto")
    mode.add_argument("repeats", type=int, nargs="?", default=11)
    mode.add_argument("most", type=float, nargs="?", default=12000)
    mode.add_argument("--csv")
    options = parser.parse_args()
    options.measure(os.path.realpath(options.build), options)


if __name__ == "__main__":
    main()
