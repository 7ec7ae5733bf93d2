# SPDX-License-Identifier: LGPL-3.0-or-later
"""Tests batches as sequences, with signs, and with a single integer as an operand.  Compares random
calls of the module with int's results.  MPGPU_CONF selects the device."""
import math
import operator
import os
import pickle
import random
import sys
import unittest

import mpgpu

SEED = int(os.environ.get("MPGPU_TEST_SEED", random.randrange(10**9)))
HAS_DEVICE = mpgpu.wait()


def setUpModule():
    print("seed", SEED, file=sys.stderr)
    random.seed(SEED)


def number(bits, signed=False):
    """Returns a random number, a power of 2, all ones, or 0.  If `signed`, half of the results
    are bitwise complements, which are negative."""
    bits -= signed
    x = random.choice((random.getrandbits(bits), 1 << random.randrange(bits), (1 << bits) - 1, 0))
    return random.choice((x, ~x)) if signed else x


def wrapped(x, limbs, signed):
    """Returns x modulo 2^(64 limbs), in two's complement if `signed`."""
    modulus = 1 << 64 * limbs
    x %= modulus
    return x - modulus if signed and x >> 64 * limbs - 1 else x


class Sequences(unittest.TestCase):
    def setUp(self):
        self.values = [number(200, signed=True) for _ in range(11)]
        self.batch = mpgpu.Batch(self.values, 4)

    def test_items(self):
        u, values = self.batch, self.values
        self.assertEqual(len(u), 11)
        self.assertEqual([u[i] for i in range(-11, 11)], [values[i] for i in range(-11, 11)])
        self.assertEqual(u[mpgpu.Queue().number(3)], values[3])
        self.assertEqual(list(u), values)
        self.assertEqual(list(reversed(u)), values[::-1])
        self.assertIn(values[5], u)
        self.assertNotIn(2**190 + 12345, u)
        self.assertEqual(mpgpu.Batch(u).tolist(), values)
        for i in (11, -12, 2**64, -(2**200)):
            with self.assertRaisesRegex(IndexError, f"index {i} of 11 numbers"):
                u[i]
        for i in ("1", 1.0, None, (1, 2)):
            with self.assertRaisesRegex(TypeError, f"not {type(i).__name__}"):
                u[i]

    def test_slices(self):
        for bounds in ((2, 5), (None, None, -1), (-3, None), (1, 100, 4), (None, 1)):
            part = self.batch[slice(*bounds)]
            self.assertEqual((part.tolist(), part.limbs, part.signed), (self.values[slice(*bounds)], 4, True))
        for bounds in ((5, 5), (20, 30), (3, 1)):
            with self.assertRaisesRegex(ValueError, "no numbers in slice"):
                self.batch[slice(*bounds)]
        with self.assertRaises(ValueError):
            self.batch[::0]

    def test_immutable(self):
        with self.assertRaises(TypeError):
            self.batch[0] = 1
        with self.assertRaises(TypeError):
            hash(self.batch)

    def test_equality(self):
        u, values = self.batch, self.values
        self.assertTrue(u == u and u == mpgpu.Batch(values, 4) and u == mpgpu.Batch(values, 6))
        self.assertFalse(u != mpgpu.Batch(values, 4))
        positive = [abs(x) for x in values]
        self.assertEqual(mpgpu.Batch(positive, 4), mpgpu.Batch(positive, 4, signed=True))
        for other in (mpgpu.Batch(values[:-1], 4), mpgpu.Batch(values[:-1] + [values[-1] ^ 1 << 100], 4), mpgpu.BatchModulus(7)):
            self.assertFalse(u == other)
            self.assertTrue(u != other)
        self.assertNotEqual(mpgpu.Batch([-1]), mpgpu.Batch([2**64 - 1]))
        for other in (None, 3, "u", values, object()):
            self.assertFalse(u == other)
        with self.assertRaises(TypeError):
            u < u

    def test_downloaded_once(self):
        """Reading all numbers one by one copies the batch from the library only once."""
        u = mpgpu.Batch(range(5000))
        calls, get = [], mpgpu.library.lib.batch_get
        self.addCleanup(setattr, mpgpu.library.lib, "batch_get", get)
        mpgpu.library.lib.batch_get = lambda *given: calls.append(1) or get(*given)
        self.assertEqual([u[i] for i in range(5000)], list(range(5000)))
        self.assertEqual(len(calls), 1)

    def test_texts(self):
        self.assertEqual(repr(self.batch), "<Batch: count 11, limbs 4, signed>")
        with mpgpu.Batch([1]) as u, mpgpu.BatchModulus([3, 5]) as m:
            self.assertEqual(repr(m), "<BatchModulus: count 2, limbs 1>")
        self.assertEqual((repr(u), repr(m)), ("<Batch: count 1, limbs 1, closed>", "<BatchModulus: count 2, limbs 1, closed>"))

    def test_copies(self):
        u = pickle.loads(pickle.dumps(self.batch))
        self.assertEqual((u.tolist(), u.signed, u.limbs), (self.values, True, 4))


class Signs(unittest.TestCase):
    def test_operators(self):
        """Tests the operators with all pairs of signed and unsigned operands, and with the extreme
        numbers of two's complement."""
        for limbs in (1, 2, 7, 40):
            for signs in range(4):
                kinds = bool(signs & 1), bool(signs & 2)
                lists = [[number(64 * limbs, s) for _ in range(9)] for s in kinds]
                for values, s in zip(lists, kinds):
                    values[0] = -1 << 64 * limbs - 1 if s else (1 << 64 * limbs) - 1
                (us, vs), (u, v) = lists, (mpgpu.Batch(x, limbs, s) for x, s in zip(lists, kinds))
                signed, pairs = any(kinds), list(zip(us, vs))
                self.assertEqual((u.tolist(), v.tolist()), (us, vs))
                self.assertEqual((u * v).tolist(), [x * y for x, y in pairs])
                self.assertEqual((u * u).tolist(), [x * x for x in us])
                self.assertEqual(abs(u).tolist(), [abs(x) for x in us])
                self.assertEqual(u.mullo(v).tolist(), [wrapped(x * y, limbs, signed) for x, y in pairs])
                self.assertEqual((u * v).signed, signed)
                if kinds[0] == kinds[1]:
                    self.assertEqual((u + v).tolist(), [wrapped(x + y, limbs, signed) for x, y in pairs])
                    self.assertEqual((u - v).tolist(), [wrapped(x - y, limbs, signed) for x, y in pairs])
                else:
                    with self.assertRaisesRegex(OverflowError, f"number 0 has {64 * limbs} bits: no room for a sign"):
                        u + v
                    u, v = (mpgpu.Batch([x >> 1 for x in values], limbs, s) for values, s in zip(lists, kinds))
                    self.assertEqual((u - v).tolist(), [wrapped((x >> 1) - (y >> 1), limbs, True) for x, y in pairs])

    def test_negation(self):
        for values in ([0, 1, 2**63 - 1], [0, -1, 5, -(2**63) + 1]):
            u = -mpgpu.Batch(values, 1)
            self.assertEqual((u.tolist(), u.signed), ([-x for x in values], True))
        with self.assertRaisesRegex(OverflowError, "number 1 has 64 bits"):
            -mpgpu.Batch([1, 2**63])

    def test_integers(self):
        """An integer on either side of an operator is used as an operand for all numbers of the
        batch."""
        us = [number(128) >> 1 for _ in range(7)]
        for values in (us, [-x for x in us]):
            u = mpgpu.Batch(values, 2)
            for k in (0, 1, -1, 3, -(2**127), 2**64, 2**127 - 1, True):
                for operation in (operator.add, operator.sub, operator.mul):
                    for r, wanted in ((operation(u, k), [operation(x, k) for x in values]),
                                      (operation(k, u), [operation(k, x) for x in values])):
                        self.assertEqual(r.tolist(), [wrapped(x, r.limbs, r.signed) for x in wanted])
            self.assertEqual((u * mpgpu.Queue().number(-6)).tolist(), [-6 * x for x in values])
            self.assertEqual(u.add(5).tolist(), [wrapped(x + 5, 2, u.signed) for x in values])
            with self.assertRaisesRegex(ValueError, f"{2**128} has 3 limbs, more than 2"):
                u + 2**128
            for other in (1.5, "3", None, [1] * 7):
                for operation in (operator.add, operator.sub, operator.mul):
                    with self.assertRaises(TypeError):
                        operation(u, other)
                    with self.assertRaises(TypeError):
                        operation(other, u)
        self.assertEqual(sum(mpgpu.Batch([1, -2])), -1)

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        u = mpgpu.Batch([3, -4], 2)
        self.assertEqual((numpy.int64(-5) * u).tolist(), [-15, 20])
        self.assertEqual((u - numpy.uint8(7)).tolist(), [-4, -11])
        self.assertTrue((u.numpy() == numpy.array([[3, 0], [2**64 - 4, 2**64 - 1]], dtype="u8")).all())
        self.assertEqual(mpgpu.Batch(u.numpy(), 3, signed=True).tolist(), [3, -4])
        with self.assertRaises(TypeError):
            numpy.arange(2) * u

    def test_carries(self):
        with self.assertRaisesRegex(ValueError, "batches without signs"):
            mpgpu.Batch([-1]).add(mpgpu.Batch([1]), carries=True)

    def test_moduli(self):
        for limbs in (1, 3):
            ms = [number(64 * limbs) | 1 for _ in range(8)]
            us, vs = ([number(64 * limbs, signed=True) for _ in range(8)] for _ in range(2))
            u, v, m = mpgpu.Batch(us, limbs, True), mpgpu.Batch(vs, limbs, True), mpgpu.BatchModulus(ms, limbs)
            triples = list(zip(us, vs, ms))
            self.assertEqual(m.mul(u, v).tolist(), [x * y % z for x, y, z in triples])
            self.assertEqual(m.add(u, v).tolist(), [(x + y) % z for x, y, z in triples])
            self.assertEqual(m.sub(u, -5).tolist(), [(x + 5) % z for x, y, z in triples])
            self.assertEqual(m.reduce(u * v).tolist(), [x * y % z for x, y, z in triples])
            self.assertEqual(m.sqr(u).tolist(), [x * x % z for x, y, z in triples])
            self.assertEqual(m.pow(u, 3).tolist(), [x**3 % z for x, y, z in triples])
            r, exists = m.inv(u)
            have = [math.gcd(x, z) == 1 for x, y, z in triples]
            self.assertEqual(exists.tolist(), [int(h) for h in have])
            self.assertEqual(r.tolist(), [pow(x, -1, z) if h else 0 for (x, y, z), h in zip(triples, have)])
        with self.assertRaisesRegex(ValueError, "moduli are a batch with signs"):
            mpgpu.BatchModulus(mpgpu.Batch([-7]))
        with self.assertRaisesRegex(ValueError, "exponents are a batch with signs"):
            m.pow(u, mpgpu.Batch([-1]))
        with self.assertRaisesRegex(ValueError, "number 1 is negative"):
            m.pow(u, [1, -1])


class BadInput(unittest.TestCase):
    def test_sizes(self):
        for limbs, error, text in ((0, ValueError, "0 limbs"), (-1, ValueError, "-1 is negative"), ("3", TypeError, "str"),
                                   (2.5, TypeError, "float"), (2**70, MemoryError, "2 numbers of 18446744073709551615 limbs"),
                                   (-(10**5000), ValueError, "a number of 16610 bits is negative")):
            with self.assertRaisesRegex(error, text):
                mpgpu.Batch([1, 2], limbs)
        for count, limbs in ((0, 1), (1, 0)):
            with self.assertRaises(ValueError):
                mpgpu.Batch.zeros(count, limbs)

    def test_values(self):
        for values, i, kind in (([1, 2.5], 1, "float"), ([1, 2, "3"], 2, "str"), ([None], 0, "NoneType"), ([[1, 2], [3]], 0, "list")):
            with self.assertRaisesRegex(TypeError, f"number {i} is no integer: {kind}"):
                mpgpu.Batch(values)
        for values in (3.5, None, object()):
            with self.assertRaises(TypeError):
                mpgpu.Batch(values)
        with self.assertRaisesRegex(ValueError, "number 1 has 2 limbs, more than 1"):
            mpgpu.Batch([-(2**63), 2**63], 1)
        for us, vs in (([1, 2, 3], [1, 2]), ([1, 2], [])):
            with self.assertRaisesRegex(ValueError, f"{len(us)} numbers and {len(vs)}"):
                mpgpu.mul(us, vs)

    def test_zero_moduli(self):
        for operation, i in ((lambda: mpgpu.BatchModulus(0), 0), (lambda: mpgpu.BatchModulus([3, 0]), 1),
                             (lambda: mpgpu.mod_mul([1], [1], 0), 0), (lambda: mpgpu.mod_pow([1, 1], 1, [3, 0]), 1),
                             (lambda: mpgpu.mod_inv([-1], 0), 0), (lambda: mpgpu.mod_inv([1, 1], [1, 0]), 1)):
            with self.assertRaisesRegex(ZeroDivisionError, f"modulus {i} is 0"):
                operation()
        with self.assertRaisesRegex(ValueError, "modulus 1 is even"):
            mpgpu.BatchModulus([3, 6, 1]).pow(mpgpu.Batch([1, 1, 1]), 3, secret=True)

    def test_ragged(self):
        """Combines numbers of very different lengths, and batches whose shapes do not match.
        Results are right or an exception is raised, and the operands do not change."""
        # Exponents are even, so that no power has the highest bit of its limbs set.  Otherwise an
        # unsigned batch and a signed one would raise OverflowError.
        us = [1 << random.randrange(0, 5000, 2) for _ in range(9)] + [0, -1]
        u = mpgpu.Batch(us)
        for v in (mpgpu.Batch(us[:-1]), mpgpu.Batch(us, u.limbs + 1)):
            for operation in (operator.add, operator.sub, operator.mul):
                with self.assertRaisesRegex(ValueError, f"fit together: .*count {v.count}, limbs {v.limbs}"):
                    operation(u, v)
        with self.assertRaisesRegex(ValueError, "fit together: .*<Batch: count 2, limbs 3>.*<BatchModulus: count 1, limbs 1>"):
            mpgpu.BatchModulus(7).mul(mpgpu.Batch([1, 2], 3), mpgpu.Batch([1, 2], 3))
        self.assertEqual(u.tolist(), us)


class Lists(unittest.TestCase):
    """Compares the functions of lists with int's results, for random lengths, counts and signs."""

    def lists(self, count, bits):
        signed = random.randrange(2)
        return [random.choice((-1, 1)[not signed :]) * number(random.randrange(2, bits)) for _ in range(count)]

    def test_random(self):
        for _ in range(30):
            count, bits = random.choice((1, 2, 17, 60)), random.choice((3, 64, 65, 700, 2500))
            us, vs = self.lists(count, bits), self.lists(count, bits)
            one = random.randrange(3) == 0  # true if the second operand is a single integer
            ws = [vs[0]] * count if one else vs
            v = vs[0] if one else vs
            ms = [abs(x) or 1 for x in self.lists(count, bits)]
            m, ns = (ms[0], [ms[0]] * count) if random.randrange(2) else (ms, ms)
            es = [random.getrandbits(40) for _ in us]
            with self.subTest(count=count, bits=bits, one=one):
                self.assertEqual(mpgpu.mul(us, v), [x * y for x, y in zip(us, ws)])
                self.assertEqual(mpgpu.mul(v, us), [x * y for x, y in zip(us, ws)])
                self.assertEqual(mpgpu.add(us, v), [x + y for x, y in zip(us, ws)])
                self.assertEqual(mpgpu.gcd(us, v), [math.gcd(x, y) for x, y in zip(us, ws)])
                self.assertEqual(mpgpu.mod_mul(us, vs, m), [x * y % z for x, y, z in zip(us, vs, ns)])
                self.assertEqual(mpgpu.mod_pow(us, es, m), [pow(x, e, z) for x, e, z in zip(us, es, ns)])
                inverses = [pow(x, -1, z) if math.gcd(x, z) == 1 else None for x, z in zip(us, ns)]
                self.assertEqual(mpgpu.mod_inv(us, m), inverses)

    def test_sent(self):
        """The device, not GMP, computes signed batches, comparisons, and operations with one
        integer."""
        if not HAS_DEVICE:
            self.skipTest("no device")
        u = mpgpu.Batch([number(2000, signed=True) for _ in range(300)], 32)
        self.assertTrue(u.on_device)
        operations = {
            "*": lambda: u * u, "+": lambda: u + 5, "-": lambda: -u, "abs": lambda: abs(u), "==": lambda: u == u + 0,
            "modulo": lambda: mpgpu.BatchModulus(2**2000 - 1, 32).reduce(u),
        }
        for name, operation in operations.items():
            with self.subTest(operation=name):
                before = mpgpu.sent()
                operation()
                self.assertGreater(mpgpu.sent(), before)


if __name__ == "__main__":
    unittest.main()
