# SPDX-License-Identifier: LGPL-3.0-or-later
"""Crash test: random programs with random options under preload, while programs, servers, members of
a group and helpers are killed or stopped, the device is reset or hangs, disks are full and clocks
jump.  Each program that was not killed must have the output and exit status of GMP alone; a killed
one must have a beginning of that output.  Afterwards no process may stay.

Usage: crash.py BUILD_DIR [--seconds N] [--seed S] [--round I] [--backend NAME]

Round I of seed S is the same plan in every run: --round repeats it alone.  Prints each round with a
fault, and a line of counts.  Exit status 1 for a fault, and if no call was sent."""

import argparse
import glob
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# The time within which each program must end, once nothing happens to it any more.
PATIENCE = 240
FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")


class Fault(Exception):
    pass


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Programs:
    """The programs, and their outputs with GMP alone."""

    def __init__(self, build, folder):
        self.build, self.folder, self.alone = build, folder, {}
        self.served = f"{build}/tests/process/served"
        with open(f"{folder}/script.gp", "w") as file:
            file.write("print(3^40000%(10^50+151)); p=vector(60,i,7^(50*i)+i); print(vecprod(p)); print(sqrtint(10^9001));\n")

    def any(self, r):
        bits, seed = int(10 ** r.uniform(3, 6.2)), r.randrange(1, 9)
        count = max(2, min(300, int(r.uniform(0.2, 1) * 3e7 / bits)))
        digits = int(10 ** r.uniform(2, 4.5))
        choices = [
            (self.served, "products", seed, bits, count),
            (self.served, "quotients", seed, bits, max(2, count // 4)),
            (self.served, "elsewhere", seed, min(bits, 40000), 2),
            (self.served, "threads", seed, bits, max(2, count // 4), r.randrange(2, 6)),
            (self.served, "children", self.folder, 10 * seed, bits, max(2, count // 8)),
            (self.served, "fork"),
            (f"{self.build}/examples/pi", digits),
            (f"{self.build}/examples/pi-splitting", digits),
        ]
        if shutil.which("gp"):
            choices.append(("gp", "-q", "-f", f"{self.folder}/script.gp"))
        return tuple(str(word) for word in r.choice(choices))

    def right(self, command):
        if command not in self.alone:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
            if done.returncode or not done.stdout:
                raise Fault(f"{command}: exit status {done.returncode} with GMP alone: {done.stderr.decode()}")
            self.alone[command] = done.stdout
        return self.alone[command]


def any_options(r, backend):
    """Returns random options for one program. Few thresholds are above the operands' sizes; any
    other option may occur."""
    options = {
        "backend": backend,
        "open": r.choice(["wait", "wait", "now", "background"]),
        "mul": r.choice([1, 20, 100, 1000]),
        "sqr": r.choice([1, 100, 1000]),
        "mulmod": r.choice([1, 100, "auto"]),
        "add": r.choice([1, 1000, "never"]),
        "watchdog": r.choice([1, 3, 600]),
        "stats": r.choice(["text", "json"]),
        "log": r.randrange(4),
    }
    others = {
        "algorithm": ["ntt", "ssa", "block", "fft"],
        "verify": ["off", "residue", "full"],
        "dispatch": ["fixed"],
        "streams": [1, 2],
        "memory": ["1M", "64M", "1G"],
        "pool": ["off", "1M", "256M"],
        "clear": ["true"],
        "shard": [0],
        "confirm": ["true"],
    }
    for key, values in others.items():
        if r.random() < 0.25:
            options[key] = r.choice(values)
    return options


class Round:
    """One round of the test: a plan derived from the seed, the processes, and the events that
    happen to them."""

    def __init__(self, test, number):
        self.test, self.number = test, number
        self.random = r = random.Random(f"{test.seed}.{number}")
        self.folder = tempfile.mkdtemp(prefix="mpgpu-crash.", dir="/tmp")
        self.log = []
        self.server_kind = r.choice(["own", "own", "auto", "private", "off", "group"])
        if self.server_kind == "group" and not test.has_group:
            self.server_kind = "own"
        test.kinds[self.server_kind] = test.kinds.get(self.server_kind, 0) + 1
        # With server:off, PoCL runs in the program itself, and ends the program if it cannot write
        # a kernel to the cache. So the cache must not be empty then.
        self.is_cold = r.random() < 0.15 and self.server_kind != "off"
        self.has_clock = bool(FAKETIME) and r.random() < 0.2
        self.mount = None
        self.clients, self.servers, self.killed = [], [], set()
        self.count = r.randrange(1, 5)
        self.events = sorted(self.any_event() for _ in range(r.randrange(1, 6)))
        self.environment = self.make_environment()

    def any_event(self):
        r = self.random
        kinds = ["kill program", "kill server", "stop program", "stop server", "reset", "hang"]
        kinds += ["clock"] * 4 * self.has_clock + ["full disk", "kill other"] * self.is_cold
        at, kind, which, last = 2.5 * r.random() ** 2, r.choice(kinds), r.randrange(8), r.choice([0.05, 0.5, 2, 4])
        return at, kind, which, last, r.choice([-86400, -3600, -1, 2, 3600, 86400])

    def make_environment(self):
        r, folder = self.random, self.folder
        environment = dict(os.environ, XDG_RUNTIME_DIR=f"{folder}/run", FAULTYCL=folder, OPENCL_LAYERS=self.test.layer)
        os.mkdir(f"{folder}/run", 0o700)
        # the library and its helpers build kernels on a disk of random size, often too small
        if self.is_cold:
            os.mkdir(f"{folder}/cache", 0o700)
            size = r.choice(["64k", "1m", "200m"])
            if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", f"{folder}/cache"],
                              capture_output=True).returncode == 0:
                self.mount = f"{folder}/cache"
            environment.update(XDG_CACHE_HOME=f"{folder}/cache", POCL_EXTRA_BUILD_FLAGS="-cl-opt-disable")
            environment.pop("POCL_CACHE_DIR", None)
        if self.has_clock:
            self.set_clock(0)
            # libfaketime's stat() takes a lock, which libfaketime unmaps at exit. Threads that
            # still run would then fail, so its stat() is disabled.
            environment.update(FAKETIME_TIMESTAMP_FILE=f"{folder}/clock", FAKETIME_NO_CACHE="1", NO_FAKE_STAT="1",
                               FAKETIME_DONT_FAKE_MONOTONIC=r.choice("01"))
            if environment["FAKETIME_DONT_FAKE_MONOTONIC"] == "0":
                del environment["FAKETIME_DONT_FAKE_MONOTONIC"]
        return environment

    # ---- processes

    def start_server(self):
        r = self.random
        options = f"backend:{self.test.backend},log:2,watchdog:{r.choice([2, 600])}"
        environment = dict(self.environment, MPGPU_CONF=options)
        if self.has_clock:
            environment["LD_PRELOAD"] = FAKETIME[0]
        command = [f"{self.test.build}/tools/mpgpu-serve", "--foreground"]
        if self.server_kind == "group":
            environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                               OMPI_MCA_btl="self,vader", TMPDIR=self.folder)
            command = ["mpirun", "--oversubscribe", "--enable-recovery", "-n", "2",
                       f"{self.test.build}/tools/mpgpu-serve-mpi", "--foreground"]
        with open(f"{self.folder}/server.log", "wb") as log:
            self.leader = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                           start_new_session=True)
        if r.random() < 0.8:
            self.wait_for(lambda: glob.glob(f"{self.folder}/run/mpgpu/serve-*"), 15)

    def wait_for(self, condition, seconds):
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            time.sleep(0.02)
        return condition()

    def start_client(self, i):
        r = self.random
        command = self.test.programs.any(r)
        right = self.test.programs.right(command)
        options = any_options(r, self.test.backend)
        options["server"] = {"own": r.choice(["only", "auto"]), "group": "only"}.get(self.server_kind, self.server_kind)
        if self.server_kind == "group":
            options["device"] = r.choice(["all", "0", "1"])
        if r.random() < 0.2:
            options["stats_file"] = f"{self.folder}/stats"
        environment = dict(self.environment, MPGPU_CONF=",".join(f"{k}:{v}" for k, v in options.items()))
        environment["LD_PRELOAD"] = self.test.library + (" " + FAKETIME[0] if self.has_clock else "")
        # maximum size of files in bytes: writes beyond it fail, as on a full disk
        limit = r.choice([None] * 9 + [20000])
        if self.server_kind == "off":
            limit = None
        with open(f"{self.folder}/out.{i}", "wb") as out, open(f"{self.folder}/err.{i}", "wb") as err:
            process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE if limit else out, stderr=subprocess.PIPE if limit else err,
                                       preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                                       if limit else None)
        process.command, process.right, process.options, process.is_piped = command, right, environment["MPGPU_CONF"], limit
        self.clients.append(process)

    def processes(self):
        """Returns the living processes of this round: its folder is in their environment."""
        mark = f"XDG_RUNTIME_DIR={self.folder}/run".encode()
        found = []
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                if mark in read(path).split(b"\0"):
                    found.append(int(path.split("/")[2]))
            except OSError:
                pass
        return found

    def others(self, is_server):
        """Yields the round's servers; if not is_server, the processes that are neither servers nor
        programs."""
        programs = {process.pid for process in self.clients}
        for pid in sorted(set(self.processes()) - programs):
            try:
                name = read(f"/proc/{pid}/comm").decode().strip()
            except OSError:
                continue
            if name.startswith("mpgpu-serve") == is_server and name not in ("served", "mpirun"):
                yield pid

    # ---- what happens

    def send(self, pid, number):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass

    def set_clock(self, seconds):
        with open(f"{self.folder}/clock.new", "w") as file:
            file.write(f"{seconds:+d}\n")
        os.rename(f"{self.folder}/clock.new", f"{self.folder}/clock")

    def happen(self, kind, which, last, seconds):
        """Starts an event, for example kills a server. Returns the function that ends the event, or
        None."""
        if kind == "clock":
            self.test.happens(kind)
            return self.set_clock(seconds)
        if kind in ("reset", "hang"):
            self.test.happens(kind)
            path = f"{self.folder}/" + {"reset": "reset", "hang": "hangs"}[kind]
            open(path, "w").close()
            return lambda: os.path.exists(path) and os.unlink(path)
        if kind == "full disk":
            return self.fill_disk()
        return self.strike(kind, which)

    def fill_disk(self):
        if not self.mount:
            return None
        self.test.happens("full disk")
        path = f"{self.mount}/filler"
        try:
            with open(path, "wb") as file:
                file.write(bytes(1 << 28))
        except OSError:
            pass
        return lambda: os.path.exists(path) and os.unlink(path)

    def strike(self, kind, which):
        if kind.endswith("program"):
            targets = [process.pid for process in self.clients if process.poll() is None]
        else:
            targets = list(self.others(kind.endswith("server")))
        if not targets:
            return None
        pid = targets[which % len(targets)]
        self.log.append(f"{kind} {pid}")
        self.test.happens(kind)
        if kind.startswith("kill"):
            self.killed.add(pid)
            return self.send(pid, signal.SIGKILL)
        self.send(pid, signal.SIGSTOP)
        return lambda: self.send(pid, signal.SIGCONT)

    def run(self):
        if self.server_kind in ("own", "group"):
            self.start_server()
        for i in range(self.count):
            self.start_client(i)
        begin, pending = time.monotonic(), list(self.events)
        ends = []
        while pending or ends:
            now = time.monotonic() - begin
            for at, kind, which, last, seconds in [event for event in pending if event[0] <= now]:
                end = self.happen(kind, which, last, seconds)
                if end:
                    ends.append((now + last, end))
            pending = [event for event in pending if event[0] > now]
            for at, end in [e for e in ends if e[0] <= now]:
                end()
            ends = [e for e in ends if e[0] > now]
            if all(process.poll() is not None for process in self.clients) and not ends:
                break
            time.sleep(0.01)
        self.judge()

    def output(self, i, process):
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            stack = subprocess.run(["gdb", "-p", str(process.pid), "-batch", "-ex", "thread apply all bt"],
                                   capture_output=True).stdout.decode() if shutil.which("gdb") else ""
            raise Fault(f"{process.command} hangs\n{stack}")
        if not process.is_piped:
            out, err = read(f"{self.folder}/out.{i}"), read(f"{self.folder}/err.{i}")
        return out, err

    def judge(self):
        for i, process in enumerate(self.clients):
            out, err = self.output(i, process)
            what = f"{process.command} with {process.options}"
            if process.pid in self.killed and process.returncode == -signal.SIGKILL:
                self.test.count("killed")
                if not process.right.startswith(out):
                    raise Fault(f"{what}: killed, with another output")
                continue
            lines = [line for line in err.splitlines() if not line.startswith(b"mpgpu: ") or not line.isascii()]
            strange = [line for line in lines if not line.startswith(b"{") and b'"program"' not in line]
            if process.returncode or out != process.right or strange:
                output = "the same output" if out == process.right else f"ANOTHER output ({out[-200:]})"
                raise Fault(f"{what}: exit status {process.returncode}, {output}, file limit {process.is_piped}: "
                            f"{err.decode(errors='replace')[-3000:]}")
            self.test.count("right")
            self.test.sent += self.calls_sent(err.decode(errors="replace"))
        self.end()

    def calls_sent(self, err):
        sent = 0
        for line in err.splitlines():
            words = line.split()
            if len(words) > 3 and words[0] == "mpgpu:" and words[1].startswith(("mpz_", "mpn_")) and words[3].isdigit():
                sent += int(words[3])
        return sent

    def end(self):
        """Ends the servers; fails if one of this round's processes does not end."""
        for kind in ("reset", "hangs"):
            if os.path.exists(f"{self.folder}/{kind}"):
                os.unlink(f"{self.folder}/{kind}")
        for pid in self.processes():
            self.send(pid, signal.SIGCONT)
        subprocess.run([f"{self.test.build}/tools/mpgpu-serve", "--end"], env=dict(self.environment, LD_PRELOAD=""),
                       capture_output=True)
        if self.server_kind == "group":
            self.leader.terminate()
        if self.server_kind in ("own", "group"):
            try:
                self.leader.wait(60)
            except subprocess.TimeoutExpired:
                raise Fault("the server does not end")
        if not self.wait_for(lambda: not self.processes(), 40):
            names = [read(f"/proc/{pid}/cmdline").replace(b"\0", b" ").decode() for pid in self.processes()]
            raise Fault(f"processes stay: {names}")

    def clean(self):
        for pid in self.processes():
            self.send(pid, signal.SIGKILL)
        for process in self.clients + ([self.leader] if hasattr(self, "leader") else []):
            process.kill()
            process.wait()
        self.wait_for(lambda: not self.processes(), 10)
        if os.path.exists(f"{self.folder}/faults"):
            self.test.faults += os.path.getsize(f"{self.folder}/faults")
        if self.mount:
            subprocess.run(["umount", "-l", self.mount])
        shutil.rmtree(self.folder, ignore_errors=True)


class Test:
    def __init__(self, arguments):
        self.build = os.path.abspath(arguments.build)
        self.seed = arguments.seed
        self.library = f"{self.build}/.libs/libmpgpu-gmp.so.0"
        self.layer = f"{self.build}/tests/process/.libs/faultycl.so"
        self.backend = arguments.backend
        self.has_group = os.access(f"{self.build}/tools/mpgpu-serve-mpi", os.X_OK) and bool(shutil.which("mpirun"))
        self.folder = tempfile.mkdtemp(prefix="mpgpu-crash.", dir="/tmp")
        self.programs = Programs(self.build, self.folder)
        self.happened, self.outcomes, self.kinds = {}, {}, {}
        self.sent, self.faults, self.wrong = 0, 0, 0

    def happens(self, kind):
        self.happened[kind] = self.happened.get(kind, 0) + 1

    def count(self, outcome):
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1

    def run(self, number):
        one = Round(self, number)
        try:
            one.run()
        except Fault as fault:
            self.wrong += 1
            print(f"FAULT: --seed {self.seed} --round {number}: {one.server_kind} server, cold {one.is_cold}, "
                  f"clock {one.has_clock}, events {one.events}, {one.log}\n{fault}", flush=True)
            if os.path.exists(f"{one.folder}/server.log"):
                print(f"server: {read(one.folder + '/server.log').decode(errors='replace')[-3000:]}", flush=True)
        finally:
            one.clean()

    def report(self, rounds):
        print(f"seed {self.seed}: {rounds} rounds, servers {self.kinds}, programs {self.outcomes}, {self.sent} calls sent, "
              f"{self.faults} calls of the driver that failed or hung, events {self.happened}, {self.wrong} faults",
              flush=True)
        return 1 if self.wrong or not self.outcomes.get("right") or not self.sent else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--round", type=int)
    parser.add_argument("--backend", default="opencl")
    arguments = parser.parse_args()
    test = Test(arguments)
    print(f"seed {test.seed}", flush=True)
    rounds = 0
    try:
        if arguments.round is not None:
            test.run(arguments.round)
            return test.report(1)
        # On a busy machine the first rounds may end before a call is sent.
        end = time.monotonic() + arguments.seconds
        while time.monotonic() < end or (not test.sent and time.monotonic() < end + 300):
            test.run(rounds)
            rounds += 1
    finally:
        shutil.rmtree(test.folder, ignore_errors=True)
    return test.report(rounds)


sys.exit(main())
