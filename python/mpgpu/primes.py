# SPDX-License-Identifier: LGPL-3.0-or-later
"""Random primes for keys, by Miller and Rabin's test of many numbers at once."""
import math
import secrets

from .limbs import limbs_of
from .moduli import BatchModulus
from .secret import batch_of, integers_of

ROUNDS = 64  # of Miller and Rabin's test: a composite number passes with a chance below 4^-64
AT_ONCE = 64  # candidates tested by one call
# The product of the odd primes below 4096.  Most composite candidates share a factor with it.
_SMALL = math.prod(n for n in range(3, 4096, 2) if all(n % k for k in range(3, math.isqrt(n) + 1, 2)))


def _passing(numbers, bases):
    """Returns for each odd number n whether it passes Miller and Rabin's test to the base with the
    same index.  A single number is tested to all bases.

    n - 1 = 2^s d with odd d.  n passes the test to base a if a^d is 1 or -1 modulo n, or if one
    of the next s - 1 squares is -1."""
    limbs = max(map(limbs_of, numbers))
    twos = [(n - 1 & 1 - n).bit_length() - 1 for n in numbers]
    odd = [n - 1 >> s for n, s in zip(numbers, twos)]
    with batch_of(numbers, limbs) as given, BatchModulus(given) as m, batch_of(odd, limbs) as d:
        y = m.pow(batch_of(bases, limbs), d, secret=True)
        numbers, twos = (x * (len(bases) // len(x)) for x in (numbers, twos))
        passing = [x in (1, n - 1) for x, n in zip(integers_of(y), numbers)]
        for square in range(1, max(twos)):
            y = m.sqr(y)
            found = zip(passing, integers_of(y), numbers, twos)
            passing = [passes or (x == n - 1 and square < s) for passes, x, n, s in found]
    return passing


def _base(n):
    return 2 + secrets.randbelow(n - 3)


def is_prime(n):
    """Returns whether n >= 4096 is a prime.  The number of bases, ROUNDS, determines the
    probability of an error."""
    return n & 1 == 1 and math.gcd(n, _SMALL) == 1 and all(_passing([n], [_base(n) for _ in range(ROUNDS)]))


def _candidate(bits):
    """Returns a random odd number of `bits` bits without a small factor.  Its two highest bits
    are 1, so the product of two such numbers has twice the bits."""
    while True:
        n = secrets.randbits(bits) | 3 << bits - 2 | 1
        if math.gcd(n, _SMALL) == 1:
            return n


def _prime(bits):
    while True:
        candidates = [_candidate(bits) for _ in range(AT_ONCE)]
        passing = _passing(candidates, [_base(n) for n in candidates])
        for n, passes in zip(candidates, passing):
            if passes and is_prime(n):
                return n


def prime_pair(bits):
    """Returns two random primes of `bits` bits, whose difference has at least bits - 99 bits."""
    p = _prime(bits)
    while True:
        q = _prime(bits)
        if abs(p - q) >> max(bits - 100, 0):
            return p, q
