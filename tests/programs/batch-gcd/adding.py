# SPDX-License-Identifier: LGPL-3.0-or-later
"""Tests additions to sets of batch-gcd: with killed processes, a full disk, several additions at
the same time, and readers during additions."""
import itertools
import os
import resource
import shlex
import signal
import subprocess
import time

from common import GROUP, dying, fail, moduli, primes, program, refused, rng, run, same, text, work, write

spare, used = primes(4200, 32), []
old = moduli(GROUP - 20, spare, used, 0)
more = moduli(60, spare, used, 0)
new = moduli(20, spare, used, 0.3)
new_file, more_file = write("new", new), write("more", more)
path, log = os.path.join(work, "set"), os.path.join(work, "log")
run("--make", path, write("old", old))
good = open(path, "rb").read()
before, after = text(new, old, path), text(new, old + more, path)


def reset():
    with open(path, "wb") as f:
        f.write(good)


def files():
    return sorted(name for name in os.listdir(work) if name.startswith("set"))


def is_added(states=(old, old + more)):
    """Checks that the set has the moduli of one of these states, and that another addition
    succeeds.  Returns true if the set has the moduli of the last state."""
    report = run("--against", path, new_file)[0]
    state = next((n for n in states if text(new, n, path) == report), None)
    if state is None:
        fail("a killed addition has left", report)
    run("--against", path, "--add", more_file)
    everything = state + [n for n in more if n not in state]
    same(run("--against", path, new_file)[0], text(new, everything, path), "the addition after a killed one")
    return state == states[-1]


# Kills an addition in the middle of a write, when half of the data is on the disk. Repeats this for
# each write of the addition.
outcomes = []
for at in itertools.count(1):
    reset()
    done = run("--against", path, "--add", more_file, status=None, env={"LD_PRELOAD": dying, "DYING_AT": str(at)})
    if done.returncode == 0:
        break
    if done.returncode != -signal.SIGKILL:
        fail("write", at, "status", done.returncode, done.stderr)
    outcomes.append(is_added())
if outcomes != sorted(outcomes) or outcomes != [False] * (len(outcomes) - 1) + [True]:
    fail("additions killed in their writes were made:", outcomes)

# Kills two additions one after the other, each within a write.
rest_file = write("rest", more[50:])
first_file = write("first", more[:50])
for first in range(1, len(outcomes) + 1):
    for second in range(1, len(outcomes) + 3):
        reset()
        for at, file in ((first, first_file), (second, rest_file)):
            run("--against", path, "--add", file, status=None, env={"LD_PRELOAD": dying, "DYING_AT": str(at)})
        is_added((old, old + more[:50], old + more[50:], old + more))

# Lets a write or a flush fail.  The set must then be as before or as after the addition, and
# another addition must succeed.
for at in itertools.count(1):
    reset()
    done = run("--against", path, "--add", more_file, status=None, env={"LD_PRELOAD": dying, "FAILING_AT": str(at)})
    if done.returncode == 0:
        break
    if done.returncode != 1 or done.stderr != f"batch-gcd: {path}: Input/output error\n":
        fail("failed write", at, "status", done.returncode, done.stderr)
    is_added()
if at != len(outcomes) + 4:
    fail("writes and flushes:", at - 1)

# Adds moduli after a reader has opened the set and before its first read.
reset()
adding = shlex.join([program, "--gmp", "--against", path, "--add", "-o", os.devnull, more_file])
same(run("--against", path, new_file, env={"LD_PRELOAD": dying, "BEFORE_READ": adding})[0], after, "an addition before the read")

# All data must be on the disk before a record is written, and each record before the next one.
reset()
run("--against", path, "--add", more_file, env={"LD_PRELOAD": dying, "DYING_LOG": log})
order = [line.split() for line in open(log)]
kinds = "".join("s" if step[0] == "s" else "r" if int(step[1]) < 4096 else "d" for step in order)
if kinds.lstrip("d") != "srsrs" or not kinds.startswith("d"):
    fail("the order of writes is", kinds)

# Kills additions at random moments.
for _ in range(12):
    reset()
    process = subprocess.Popen([program, "--gmp", "--against", path, "--add", more_file], stdout=subprocess.DEVNULL)
    time.sleep(rng.uniform(0, 0.06))
    process.kill()
    process.wait()
    is_added()

# Fills the disk at several sizes of the file.  The set must be as before, to the byte.
size = len(good)
run("--against", path, "--add", more_file)
for limit in (size, size + 1, size + 64, size + (os.path.getsize(path) - size) // 2, os.path.getsize(path) - 1):
    reset()
    refused(path, "--against", path, "--add", more_file, "-o", os.devnull, needs="File too large",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))  # noqa: B023
    if open(path, "rb").read() != good:
        fail("a full disk has changed the set, limit", limit)
refused(path + "2", "--make", path + "2", more_file, needs="File too large",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)))
if files() != ["set"]:
    fail("left over:", files())
run("--against", path, "--add", "-o", "/dev/full", more_file, status=1)
if open(path, "rb").read() != good:
    fail("an addition without its report")

# Closes standard output or standard error: the set's file could get their descriptor.
for closed in (1, 2):
    reset()
    run("--against", path, "--add", write("double", old[:30] + more), status=closed % 2, preexec_fn=lambda: os.close(closed))  # noqa: B023
    if closed == 1 and open(path, "rb").read() != good:
        fail("an addition without standard output")
    same(run("--against", path, new_file)[0], (None, before, after)[closed], f"without descriptor {closed}")
reset()

# Runs several additions at once, two of them with the same moduli, and reads the set during them.
parts = [more[0:20], more[20:40], more[40:60], more[40:60]]
adders = [subprocess.Popen([program, "--gmp", "--against", path, "--add", write(f"part{k}", part)],
                           stdout=subprocess.PIPE, text=True) for k, part in enumerate(parts)]
while any(adder.poll() is None for adder in adders):
    report = run("--against", path, new_file)[0]
    if not report.endswith(f" of {path}\n"):
        fail("a reader has found", report)
ends = [adder.communicate()[0].splitlines()[-1] for adder in adders]
if any(adder.returncode for adder in adders) or sorted(int(end.split()[1]) for end in ends) != [0, 20, 20, 20]:
    fail("several additions:", ends)
first = [int(end.split()[-3]) - 1 if "numbers" in end else 10 ** 9 for end in ends]
known = sum((parts[k] for k in sorted(range(4), key=first.__getitem__) if first[k] < 10 ** 9), list(old))
same(run("--against", path, new_file)[0], text(new, known, path), "after several additions")
