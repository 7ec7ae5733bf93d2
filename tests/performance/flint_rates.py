# SPDX-License-Identifier: LGPL-3.0-or-later
"""Times products of python-flint's integers by size, alone or under preload.  Prints a line for
each size: bits, the best time of a few runs, and the lowest 48 bits of the product modulo
2^521 - 1, in hexadecimal."""
import time

from flint import fmpz


def best_time(x, y, runs):
    best, product = None, None
    for _ in range(runs):
        begin = time.perf_counter()
        product = x * y
        passed = time.perf_counter() - begin
        best = passed if best is None else min(best, passed)
    return best, product


for bits in (10**6, 10**7, 10**8):
    x, y = fmpz(3) ** int(bits / 1.5849625), fmpz(7) ** int(bits / 2.8073549)
    seconds, product = best_time(x, y, 5)
    rest = int(product % (fmpz(2) ** 521 - 1))
    print(f"{bits} {1e3 * seconds:.2f} ms {rest & (1 << 48) - 1:012x}", flush=True)
