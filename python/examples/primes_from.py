# SPDX-License-Identifier: LGPL-3.0-or-later
"""primes_from.py BITS COUNT: prints COUNT numbers above 2^BITS that pass Fermat's test.

A candidate n passes if 3^(n-1) = 1 modulo n.  The device computes one power for each candidate, all
in one batch."""
import sys

import mpgpu

AT_ONCE = 500


def primes(bits: int, count: int) -> list[int]:
    found: list[int] = []
    first = 2**bits + 1
    while len(found) < count:
        candidates = mpgpu.Batch(range(first, first + 2 * AT_ONCE, 2), bits // 64 + 1)
        with mpgpu.BatchModulus(candidates) as m:
            threes = mpgpu.Batch([3] * len(candidates), m.limbs)
            powers = m.pow(threes, candidates - 1)
        found += [n for n, power in zip(candidates, powers) if power == 1]
        first += 2 * AT_ONCE
    return found[:count]


def main(words: list[str]) -> int:
    if len(words) != 2 or not all(word.isdecimal() and int(word) > 2 for word in words):
        print("Usage: primes_from.py BITS COUNT   numbers above 2", file=sys.stderr)
        return 2
    bits = int(words[0])
    for n in primes(bits, int(words[1])):
        print(f"2^{bits}+{n - 2**bits}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
