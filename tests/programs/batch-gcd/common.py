# SPDX-License-Identifier: LGPL-3.0-or-later
"""Shared by the tests of batch-gcd's sets: generates moduli, runs the program, and computes the
output that it must print."""
import functools
import math
import os
import random
import subprocess
import sys

program, dying, work = sys.argv[1:4]
seed = int(sys.argv[4])
rng = random.Random(seed)
GROUP = 1024


def fail(*what):
    sys.exit("FAILED: " + " ".join(map(str, what)))


def primes(count, bits):
    """Returns `count` different odd numbers of `bits` bits that pass Fermat's test for primes."""
    found = set()
    while len(found) < count:
        p = rng.getrandbits(bits) | 1 | 1 << bits - 1
        if all(pow(a, p - 1, p) == 1 for a in (2, 3, 5, 7)):
            found.add(p)
    return rng.sample(sorted(found), count)


def moduli(count, spare, used, shared):
    """Returns products of two primes.  Takes the primes from the list `spare`, and appends them to
    the list `used`.  Some products share a used prime, some are equal."""
    n = []
    for _ in range(count):
        pair = [spare.pop(), spare.pop()]
        for k in range(2):
            if used and rng.random() < shared:
                pair[k] = rng.choice(used)
        used += pair
        n.append(rng.choice(n) if n and rng.random() < shared / 4 else pair[0] * pair[1])
    return n


def write(name, n):
    path = os.path.join(work, name)
    with open(path, "w") as f:
        f.writelines(f"{x:#x}\n" for x in n)
    return path


def run(*arguments, status=0, env=None, **more):
    """Runs the program with GMP.  Returns its standard output and standard error."""
    done = subprocess.run([program, "--gmp", *arguments], capture_output=True, text=True, timeout=100,
                          env={**os.environ, **(env or {})}, **more)
    if status is not None and done.returncode != status:
        fail(arguments, "exit status", done.returncode, "not", status, done.stdout[-300:], done.stderr[-300:])
    return (done.stdout, done.stderr) if status is not None else done


def refused(path, *arguments, needs="", **more):
    """Checks that the program ends with one line of error message, which names the file."""
    out, err = run(*arguments, status=1, **more)
    if out or err.count("\n") != 1 or not err.startswith(f"batch-gcd: {path}: ") or needs not in err:
        fail(arguments, "prints", repr(out), repr(err), "expected", needs)
    return err


def distinct(n):
    return list(dict.fromkeys(n))


def expected(new, old):
    return _expected(tuple(new), tuple(old))


@functools.cache
def _expected(new, old):
    """Returns the expected result, by the gcds of all pairs. The result has an entry for each line
    whose modulus has a common factor with another modulus. An entry consists of: its factors or
    None; the number of an equal modulus in the set, or 0; the line of an equal modulus, or 0; its
    partners in the set; its partners among the lines."""
    found = {}
    for i, n in enumerate(new):
        in_set = [(j + 1, m) for j, m in enumerate(old) if math.gcd(n, m) > 1]
        lines = [(j + 1, m) for j, m in enumerate(new) if j != i and math.gcd(n, m) > 1]
        if not in_set and not lines:
            continue
        others = 1
        for _, m in in_set + lines:
            others = others * m % n
        p, same_set, same_line = math.gcd(n, others), 0, 0
        for place, m in in_set + lines if p == n else []:
            g = math.gcd(n, m)
            p = g if p == n and g < n else p
        if math.gcd(n, others) == n:
            same_set = next((j for j, m in in_set if m == n), 0)
            same_line = next((j for j, m in lines if m == n), 0)
        factors = None if p == n else sorted((p, n // p))
        found[i + 1] = factors, same_set, same_line, [j for j, _ in in_set], [j for j, _ in lines]
    return found


def text(new, old, path):
    """Returns the report that the program must print for these moduli and this set."""
    lines = []
    found = expected(new, old)
    for line, (factors, same_set, same_line, in_set, others) in found.items():
        what = (f"{factors[0]:#x} {factors[1]:#x}" if factors else f"the same as set {same_set}" if same_set
                else f"the same as line {same_line}" if same_line else "divides another")
        partners = [f"set {j}" for j in in_set] + [f"line {j}" for j in others]
        partners = [p for p in partners if what != f"the same as {p}"]
        lines.append(f"line {line}: {what}" + (f" with {', '.join(partners)}" if partners else ""))
    lines.append(f"{len(found)} of {len(new)} moduli have factors in common, with each other or with {len(old)} of {path}")
    return "\n".join(lines) + "\n"


def same(got, wanted, what):
    if got != wanted:
        pairs = zip(got.splitlines(), wanted.splitlines())
        fail(what, next((f"'{g}' not '{w}'" for g, w in pairs if g != w), (len(got), len(wanted))))
