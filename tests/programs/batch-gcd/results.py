# SPDX-License-Identifier: LGPL-3.0-or-later
"""Compares results of batch-gcd with the gcds of all pairs of moduli. A set that was made in steps
must give the same results as one that was made at once."""
import json
import os

from common import GROUP, distinct, expected, fail, moduli, primes, rng, run, same, text, work, write

spare, used = primes(7000, 32), []
# The old moduli fill two groups and a part of a third.  New moduli share primes with old and with
# new ones.
pool = moduli(2 * GROUP + 480, spare, used, 0.004)
new = moduli(150, spare, used, 0.1)
# Adds special moduli to the old and the new ones: equal ones, multiples, products of two moduli,
# squares, even, small, long and prime numbers.
for _ in range(10):
    n, m = rng.choice(pool), rng.choice(pool)
    new += [n, n * spare.pop(), n * m, spare.pop() ** 2, used[-1]]
    pool[rng.randrange(len(pool))] = rng.choice(new) * spare.pop()
long = 1
for _ in range(90):
    long *= spare.pop()
new += [6, 15, 2 * spare.pop(), long, long * pool[-1], long * spare.pop()]
pool[7], pool[GROUP], pool[-1] = long * spare.pop(), spare.pop() * new[0], new[1]
pool = distinct(pool)
# Adds old moduli at the ends of groups, which share a prime with a modulus of the same group or of
# another group. Also adds some of them to the new moduli, twice.
p, q = spare.pop(), spare.pop()
pool[GROUP - 1], pool[GROUP + 5], pool[2 * GROUP - 1] = 2 * p, p * spare.pop(), p * spare.pop()
pool[20], pool[21] = q * spare.pop(), q * spare.pop()
new += [pool[20], pool[GROUP - 1]] * 2 + [pool[2 * GROUP - 1], spare.pop() * spare.pop()]
pool[11] = new[-1]
# Adds old moduli that share a prime with each other, but with no new modulus. Then adds the same
# moduli to the new ones, too.
p = spare.pop()
pool[30], pool[31], pool[2 * GROUP + 30] = p * spare.pop(), p * spare.pop(), p * spare.pop()
new += [pool[30], pool[31], pool[2 * GROUP + 30], pool[31]]
pool.append(pool[3])
new.append(new[-1])
rng.shuffle(new)
old = distinct(pool)
old_file, new_file = write("old", pool), write("new", new)


def made(name, n):
    path = os.path.join(work, name)
    out, err = run("--make", path, write("part", n))
    count = len(distinct(n))
    same(out, f"added {count} moduli to {path}" + (f", numbers 1 to {count}" if count else "") + "\n", "--make")
    return path


def added(path, before, n):
    out, _ = run("--against", path, "--add", write("part", n))
    fresh = [x for x in distinct(n) if x not in before]
    summary = f"added {len(fresh)} moduli to {path}"
    if fresh:
        summary += f", numbers {len(before) + 1} to {len(before) + len(fresh)}"
    same(out.splitlines()[-1], summary, "--add")
    return before + fresh


# Made at once.
at_once = made("at-once", pool)
same(run("--against", at_once, new_file)[0], text(new, old, at_once), "text")
same(run("-t", "1", "--against", at_once, new_file)[0], text(new, old, at_once), "text of one thread")
report = json.loads(run("--json", "--against", at_once, new_file)[0])
if [report[k] for k in ("moduli", "set", "new")] != [len(new), len(old), len(set(new) - set(old))]:
    fail("JSON's counts", {k: report[k] for k in ("moduli", "set", "new")})
wanted = expected(new, old)
if [f["line"] for f in report["found"]] != list(wanted):
    fail("JSON's lines")
for f in report["found"]:
    factors, same_set, same_line, in_set, lines = wanted[f["line"]]
    partners = [("set", j, old[j - 1]) for j in in_set] + [("line", j, new[j - 1]) for j in lines]
    got = [(next(k for k in p if k != "modulus"), next(v for k, v in p.items() if k != "modulus"), int(p["modulus"], 16))
           for p in f["partners"]]
    if (got, int(f["modulus"], 16), f.get("same_in_set", 0), f.get("same_as", 0), [int(p, 16) for p in f.get("factors", [])]) != (
            partners, new[f["line"] - 1], same_set, same_line, factors or []):
        fail("JSON of line", f)

# Made in steps.
steps = made("steps", pool[:1])
known = pool[:1]
for begin, end in ((1, 2), (2, 2), (0, 7), (7, 1000), (1000, 1024), (1024, 1025), (900, 2048), (2048, 2060), (2060, len(pool))):
    known = added(steps, known, pool[begin:end])
if known != old:
    fail("the order of the moduli")
same(run("--against", steps, new_file)[0], text(new, old, steps), "text of steps")
first, second = ([line for line in run(*arguments)[0].splitlines() if line.startswith("line")]
                 for arguments in (("--against", at_once, old_file), ("--against", steps, old_file)))
same("\n".join(second), "\n".join(first), "the old moduli against themselves")
known = added(steps, known, new)
if len(known) != len(set(old) | set(new)) or added(steps, known, new) != known:
    fail("not all were added once")

# Tests small inputs: no modulus, one modulus, equal moduli, and lines that contain no modulus.
empty = made("empty", [])
same(run("--against", empty, new_file)[0], text(new, [], empty), "an empty set")
same(run("--against", at_once, os.devnull)[0], text([], old, at_once), "no new moduli")
same(run("--against", at_once, write("one", [old[5]]))[0], text([old[5]], old, at_once), "one modulus")
bad = write("bad", [0, 1])
out, err = run("--make", os.path.join(work, "unused"), bad, status=1)
if out or not err.endswith(f"{bad}: no line is a number above 1\n") or os.path.exists(os.path.join(work, "unused")):
    fail("a set of no moduli", err)
added(empty, [], [15, 15, 21])
same(run("--against", empty, "-", input="0x15\n0x23\n")[0], text([21, 35], [15, 21], empty), "standard input")
