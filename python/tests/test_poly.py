# SPDX-License-Identifier: LGPL-3.0-or-later
"""Compares polynomials with their definitions in Python's integers, and with python-flint's if the
module is installed."""
import importlib.util
import os
import random
import sys
import unittest

import mpgpu

SEED = int(os.environ.get("MPGPU_TEST_SEED", random.randrange(10**9)))
HAS_FLINT = importlib.util.find_spec("flint") is not None
PRIME = 2**61 - 1


def setUpModule():
    print("seed", SEED, file=sys.stderr)
    random.seed(SEED)


def trimmed(u, n=None):
    u = [x % n if n else x for x in u]
    while u and u[-1] == 0:
        u.pop()
    return u


def product(u, v):
    r = [0] * (len(u) + len(v) - 1 if u and v else 0)
    for i, x in enumerate(u):
        for j, y in enumerate(v):
            r[i + j] += x * y
    return r


def value(u, x, n):
    sum_ = 0
    for c in reversed(u):
        sum_ = (sum_ * x + c) % n
    return sum_


def some(length, bits):
    kind = random.randrange(4)
    most = 2**bits - 1
    if kind == 0:
        return [most if i % 2 else -most for i in range(length)]
    if kind == 1:
        return [-(2**bits) if random.randrange(5) else 0 for _ in range(length)]
    return [random.randrange(-most, most + 1) for _ in range(length)]


class Polynomials(unittest.TestCase):
    def moduli(self):
        return None, PRIME, 2**64, 10**30, 2**521 - 1, 1

    def test_products(self):
        for n in self.moduli():
            for lengths in ((0, 3), (1, 1), (5, 40), (33, 33), (70, 2)):
                u, v = (some(length, random.randrange(1, 200)) for length in lengths)
                x, y = mpgpu.Poly(u, n), mpgpu.Poly(v, n)
                self.assertEqual((x * y).tolist(), trimmed(product(u, v), n))
                self.assertEqual(x.sqr().tolist(), trimmed(product(u, u), n))
                self.assertEqual(x * x, x.sqr())
                self.assertEqual(x.tolist(), trimmed(u, n))
                self.assertEqual(len(x), len(trimmed(u, n)))

    def test_division(self):
        for n in self.moduli()[:-1]:
            for un, vn in ((40, 7), (9, 9), (3, 5), (30, 1), (0, 2)):
                u, v = some(un, 70), some(vn - 1, 70) + [-1]
                x, y = mpgpu.Poly(u, n), mpgpu.Poly(v, n)
                q, r = divmod(x, y)
                self.assertLess(len(r), len(y))
                left = product(q.tolist(), v)
                rest = r.tolist()
                both = [
                    (left[i] if i < len(left) else 0) + (rest[i] if i < len(rest) else 0)
                    for i in range(max(len(left), len(rest)))
                ]
                self.assertEqual(trimmed(both, n), trimmed(u, n))
                self.assertEqual((x // y, x % y), (q, r))

    def test_points(self):
        for n in (PRIME, 2**521 - 1, 1000003):
            for length, count in ((0, 3), (1, 1), (20, 33), (50, 7)):
                u = some(length, 100)
                points = random.sample(range(-(10**5), 10**5), count)
                x = mpgpu.Poly(u, n)
                values = x.evaluate(points)
                self.assertEqual(values, [value(u, p, n) for p in points])
                if len(x) <= count:
                    self.assertEqual(mpgpu.Poly.interpolate(points, values, n), x)

    def test_bad_input(self):
        for call, kind, text in (
            (lambda: mpgpu.Poly([1], 0), ZeroDivisionError, "0"),
            (lambda: mpgpu.Poly([1], -7), ValueError, "negative"),
            (lambda: mpgpu.Poly([1, "2"]), TypeError, "number 1"),
            (lambda: mpgpu.Poly([1], 5) * mpgpu.Poly([1], 7), ValueError, "moduli"),
            (lambda: mpgpu.Poly([1]) * 3, TypeError, ""),
            (lambda: divmod(mpgpu.Poly([1, 2]), mpgpu.Poly([1, 2])), ValueError, "number 1"),
            (lambda: divmod(mpgpu.Poly([1, 2], 6), mpgpu.Poly([1, 3], 6)), ValueError, "inverse"),
            (lambda: mpgpu.Poly([1, 2]) % mpgpu.Poly([]), ZeroDivisionError, "polynomial 0"),
            (lambda: mpgpu.Poly([1, 2]).evaluate([1]), ValueError, "without a modulus"),
            (lambda: mpgpu.Poly.interpolate([1, 2], [1], 7), ValueError, "2 points"),
            (lambda: mpgpu.Poly.interpolate([1, 8], [1, 2], 7), ValueError, "inverse"),
            (lambda: mpgpu.Poly.interpolate([], [], 7), ValueError, ""),
        ):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(text, str(caught.exception))
        closed = mpgpu.Poly([1])
        closed.close()
        with self.assertRaises(ValueError):
            closed.sqr()
        self.assertIn("closed", repr(closed))

    @unittest.skipUnless(HAS_FLINT, "python-flint is not installed")
    def test_like_flint(self):
        import flint

        u, v = some(300, 400), some(120, 90)
        right = flint.fmpz_poly(u) * flint.fmpz_poly(v)
        self.assertEqual((mpgpu.Poly(u) * mpgpu.Poly(v)).tolist(), trimmed([int(x) for x in right]))
        x, y = (flint.nmod_poly([c % PRIME for c in w], PRIME) for w in (u, [*v, 1]))
        q, r = divmod(x, y)
        ours = divmod(mpgpu.Poly(u, PRIME), mpgpu.Poly([*v, 1], PRIME))
        self.assertEqual([w.tolist() for w in ours], [[int(c) for c in w] for w in (q, r)])


if __name__ == "__main__":
    unittest.main()
