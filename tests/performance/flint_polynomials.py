# SPDX-License-Identifier: LGPL-3.0-or-later
"""Times products of polynomials by python-flint, alone and under preload, in the same run.

flint_polynomials.py RUN [PERCENT]: RUN is mpgpu-run; PERCENT scales the degrees (100). Prints a
line for each product: FLINT's best time on one thread, the best time under preload, and the
ratio. The times do not include the creation of operands. Coefficients of both results are
compared. Both runs are on one thread of FLINT's.
"""

import json
import random
import subprocess
import sys
import time

from flint import fmpz, fmpz_mod_ctx, fmpz_mod_poly_ctx, fmpz_poly, nmod_poly

PRIME = 2**61 - 1
LONG_PRIME = 2**521 - 1
RUNS = 7


def signed(rng, bits):
    """Returns a random number of `bits` bits with a random sign."""
    return rng.getrandbits(bits) * rng.choice((-1, 1))


def cases(percent):
    """Yields for each product its name and its two operands."""
    rng = random.Random(1)
    n = max(200, 20000 * percent // 100)
    u = fmpz_poly([signed(rng, 3200) for _ in range(n + 1)])
    v = fmpz_poly([signed(rng, 3200) for _ in range(n + 1)])
    yield f"fmpz_poly, degree {n}, 3200 bits", u, v
    yield f"fmpz_poly square, degree {n}, 3200 bits", u, u
    n = max(2000, 10**6 * percent // 100)
    u = nmod_poly([rng.randrange(PRIME) for _ in range(n + 1)], PRIME)
    v = nmod_poly([rng.randrange(PRIME) for _ in range(n + 1)], PRIME)
    yield f"nmod_poly, degree {n}, 2^61 - 1", u, v
    n = max(500, 10**5 * percent // 100)
    ring = fmpz_mod_poly_ctx(fmpz_mod_ctx(fmpz(LONG_PRIME)))
    u = ring([rng.randrange(LONG_PRIME) for _ in range(n + 1)])
    v = ring([rng.randrange(LONG_PRIME) for _ in range(n + 1)])
    yield f"fmpz_mod_poly, degree {n}, 2^521 - 1", u, v


def measure(percent):
    """Prints the best time of each product, and some of its coefficients modulo a prime."""
    rows = []
    for name, u, v in cases(percent):
        best = None
        for _ in range(RUNS):
            begin = time.perf_counter()
            product = u * v
            passed = time.perf_counter() - begin
            best = passed if best is None else min(best, passed)
        step = max(1, len(product) // 500)
        digest = sum(int(product[i]) * (i + 1) for i in range(0, len(product), step)) % LONG_PRIME
        rows.append((name, best, str(digest)))
    json.dump(rows, sys.stdout)


def main():
    """Measures in two processes, and prints the table."""
    if sys.argv[1] == "--measure":
        measure(int(sys.argv[2]))
        return
    percent = sys.argv[2] if len(sys.argv) > 2 else "100"
    own = [sys.executable, __file__, "--measure", percent]
    alone = json.loads(subprocess.run(own, check=True, capture_output=True).stdout)
    under = json.loads(
        subprocess.run([sys.argv[1], "--wait", *own], check=True, stdout=subprocess.PIPE).stdout
    )
    for (name, flint, digest), (_, ours, other) in zip(alone, under):
        same = "same" if digest == other else "DIFFERENT"
        print(
            f"{name:40} FLINT {1e3 * flint:9.2f} ms, ours {1e3 * ours:9.2f} ms, "
            f"{flint / ours:6.2f} times as fast, {same}",
            flush=True,
        )


main()
