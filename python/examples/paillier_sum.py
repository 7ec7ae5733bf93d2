# SPDX-License-Identifier: LGPL-3.0-or-later
"""paillier_sum.py PEOPLE [BITS]: adds up salaries that stay secret, by Paillier's cryptosystem.

A works council has the private key, whose modulus has BITS bits (2048).  PEOPLE employees
encrypt their salaries with the public key.  A service without any key computes three encrypted
results: the sum, the sum after a raise of 3 percent plus 50, and a sum weighted by hours of
part-time work.  The council decrypts these three results only."""
import secrets
import sys
import time

import mpgpu
from mpgpu import paillier

FULL_TIME = 40  # hours a week


def serve(salaries: paillier.Ciphertexts, hours: list[int]) -> list[paillier.Ciphertexts]:
    """Computes the three encrypted results that the service sends to the council."""
    total = salaries.sum()
    results = [total, total * 103 + 100 * 50 * len(salaries), salaries.dot(hours)]
    return [c.rerandomize() for c in results]


def report(salaries: list[int], hours: list[int], results: list[int]) -> bool:
    """Prints the decrypted results.  Returns true if the plain numbers give the same results."""
    total, raised, weighted = results
    print(f"sum of salaries             {total:15}")
    print(f"after the raise             {raised / 100:15.2f}")
    print(f"for part-time work          {weighted / FULL_TIME:15.2f}")
    plain = sum(x * h for x, h in zip(salaries, hours))
    return (total, raised, weighted) == (sum(salaries), sum(x * 103 + 5000 for x in salaries), plain)


def run(people: int, bits: int) -> bool:
    salaries = [2000 + secrets.randbelow(6000) for _ in range(people)]
    hours = [20 + secrets.randbelow(FULL_TIME - 19) for _ in range(people)]
    with paillier.generate(bits) as private:
        begin = time.monotonic()
        encrypted = private.public.encrypt(salaries)
        sent = time.monotonic()
        answers = serve(encrypted, hours)
        served = time.monotonic()
        results = [private.decrypt(c)[0] for c in answers]
    print(f"device: {mpgpu.device()}")
    print(f"{people} salaries encrypted, n of {bits} bits, in {sent - begin:.3f} s; 3 sums in {served - sent:.3f} s")
    is_right = report(salaries, hours, results)
    print("equal to the sums of the plain numbers" if is_right else "WRONG")
    return is_right


def main(words: list[str]) -> int:
    if len(words) not in (1, 2) or not all(word.isdecimal() and int(word) > 0 for word in words):
        print("Usage: paillier_sum.py PEOPLE [BITS]   BITS: even, at least 2048", file=sys.stderr)
        return 2
    bits = int(words[1]) if len(words) == 2 else 2048
    if bits < 2048 or bits % 2:
        print(f"paillier_sum.py: {bits} bits: the number must be even, and at least 2048", file=sys.stderr)
        return 2
    return 0 if run(int(words[0]), bits) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
