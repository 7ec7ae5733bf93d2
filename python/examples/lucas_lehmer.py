# SPDX-License-Identifier: LGPL-3.0-or-later
"""lucas_lehmer.py P...: tests whether 2^P - 1 is prime, for odd primes P, by the Lucas-Lehmer test.

The test starts with s = 4 and replaces s by s^2 - 2 modulo 2^P - 1, P - 2 times.  2^P - 1 is prime
if s is then 0.  All steps stay on the device."""
import sys

import mpgpu


def is_prime(p: int) -> bool:
    queue = mpgpu.Queue()
    m = queue.modulus((1 << p) - 1)  # with its reciprocal
    s = queue.number(4)
    for _ in range(p - 2):
        s = m.sqr(s) - 2
    return m.reduce(s) == 0


def main(words: list[str]) -> int:
    if not words or not all(word.isdecimal() and int(word) > 2 for word in words):
        print("Usage: lucas_lehmer.py P...   odd primes", file=sys.stderr)
        return 2
    for p in map(int, words):
        print(f"2^{p}-1 is {'a prime' if is_prime(p) else 'composite'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
