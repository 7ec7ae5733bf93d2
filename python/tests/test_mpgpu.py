# SPDX-License-Identifier: LGPL-3.0-or-later
"""The module beside Python's own integers.  MPGPU_CONF tells which device, and from which size on."""
import math
import os
import random
import subprocess
import sys
import unittest

import mpgpu

SEED = int(os.environ.get("MPGPU_TEST_SEED", random.randrange(10**9)))


def setUpModule():
    print("seed", SEED, file=sys.stderr)
    random.seed(SEED)


def number(bits):
    """Random bits, or long runs of ones and of zeros."""
    if random.randrange(2):
        return random.getrandbits(bits)
    x, at = 0, 0
    while at < bits:
        run = random.randrange(1, bits // 3 + 2)
        x |= ((1 << run) - 1) << at
        at += run + random.randrange(bits // 3 + 2)
    return x & ((1 << bits) - 1)


class Batches(unittest.TestCase):
    def test_operations(self):
        for limbs in (1, 2, 7, 40):
            for count in (1, 3, 50):
                bits = 64 * limbs
                us, vs = ([number(bits) for _ in range(count)] for _ in range(2))
                u, v = mpgpu.Batch(us, limbs), mpgpu.Batch(vs, limbs)
                pairs = list(zip(us, vs))
                self.assertEqual(u.tolist(), us)
                self.assertEqual((u * v).tolist(), [x * y for x, y in pairs])
                self.assertEqual((u * u).tolist(), [x * x for x in us])
                self.assertEqual(u.mullo(v).tolist(), [x * y % 2**bits for x, y in pairs])
                low, carries = u.add(v, carries=True)
                self.assertEqual(low.tolist(), [(x + y) % 2**bits for x, y in pairs])
                self.assertEqual(carries.tolist(), [(x + y) >> bits for x, y in pairs])
                low, borrows = u.sub(v, borrows=True)
                self.assertEqual(low.tolist(), [(x - y) % 2**bits for x, y in pairs])
                self.assertEqual(borrows.tolist(), [int(x < y) for x, y in pairs])
                self.assertEqual((u + v - v).tolist(), us)

    def test_lists(self):
        us, vs = ([number(random.randrange(1, 900)) for _ in range(30)] for _ in range(2))
        self.assertEqual(mpgpu.mul(us, vs), [x * y for x, y in zip(us, vs)])
        self.assertEqual(mpgpu.add(us, vs), [x + y for x, y in zip(us, vs)])

    def test_rows_of_limbs(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        rows = numpy.array([[1, 2], [2**64 - 1, 2**63]], dtype="u8")
        u = mpgpu.Batch(rows)
        self.assertEqual(u.tolist(), [1 + 2**65, 2**64 - 1 + 2**127])
        self.assertTrue((u.numpy() == rows).all())

    def test_what_does_not_fit(self):
        u = mpgpu.Batch([1, 2], 3)
        for other in (mpgpu.Batch([1], 3), mpgpu.Batch([1, 2], 4)):
            with self.assertRaisesRegex(ValueError, "do not fit together"):
                u * other
        with self.assertRaisesRegex(ValueError, "number 1 is negative"):
            mpgpu.Batch([1, -2])
        with self.assertRaisesRegex(ValueError, "number 1 has 2 limbs, more than 1"):
            mpgpu.Batch([1, 2**64], 1)
        with self.assertRaises(ValueError):
            mpgpu.Batch([])
        with self.assertRaises(TypeError):
            mpgpu.Batch([1.5])
        u.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            u.tolist()


class Moduli(unittest.TestCase):
    def test_operations(self):
        for limbs in (1, 3, 20):
            bits = 64 * limbs
            us, vs, ms = ([number(bits) for _ in range(20)] for _ in range(3))
            ms = [m | 1 for m in ms[:10]] + [m or 6 for m in ms[10:]]  # odd ones, and any
            u, v = mpgpu.Batch(us, limbs), mpgpu.Batch(vs, limbs)
            with mpgpu.BatchModulus(ms, limbs) as m:
                self.assertEqual(m.reduce(u * v).tolist(), [x * y % z for x, y, z in zip(us, vs, ms)])
                self.assertEqual(m.add(u, v).tolist(), [(x + y) % z for x, y, z in zip(us, vs, ms)])
                self.assertEqual(m.sub(u, v).tolist(), [(x - y) % z for x, y, z in zip(us, vs, ms)])
                self.assertEqual(m.mul(u, v).tolist(), [x * y % z for x, y, z in zip(us, vs, ms)])
                self.assertEqual(m.sqr(u).tolist(), [x * x % z for x, z in zip(us, ms)])
                self.assertEqual(m.pow(u, v).tolist(), [pow(x, y, z) for x, y, z in zip(us, vs, ms)])
                r, exists = m.inv(u)
                have = [math.gcd(x, z) == 1 for x, z in zip(us, ms)]
                self.assertEqual(exists.tolist(), [int(h) for h in have])
                right = [pow(x, -1, z) if h else 0 for x, z, h in zip(us, ms, have)]
                self.assertEqual(r.tolist(), right)
            odd = ms[0]
            with mpgpu.BatchModulus(odd, limbs) as m:
                self.assertEqual(m.pow(u, 65537, secret=True).tolist(), [pow(x, 65537, odd) for x in us])

    def test_lists(self):
        us, vs, ms = ([number(random.randrange(2, 700)) for _ in range(30)] for _ in range(3))
        ms = [m + 2 for m in ms]
        self.assertEqual(mpgpu.mod_pow(us, vs, ms), [pow(x, y, m) for x, y, m in zip(us, vs, ms)])
        self.assertEqual(mpgpu.mod_pow(us, 5, 10**40), [pow(x, 5, 10**40) for x in us])
        self.assertEqual(mpgpu.mod_mul(us, vs, 10**40 + 1), [x * y % (10**40 + 1) for x, y in zip(us, vs)])
        self.assertEqual(mpgpu.gcd(us, vs), [math.gcd(x, y) for x, y in zip(us, vs)])
        inverses = [pow(x, -1, m) if math.gcd(x, m) == 1 else None for x, m in zip(us, ms)]
        self.assertEqual(mpgpu.mod_inv(us, ms), inverses)

    def test_gmpy2(self):
        try:
            import gmpy2
        except ImportError:
            self.skipTest("gmpy2 is not installed")
        us = [gmpy2.mpz(number(500)) for _ in range(9)]
        self.assertEqual(mpgpu.mod_pow(us, gmpy2.mpz(7), gmpy2.mpz(10**30 + 57)), [pow(x, 7, 10**30 + 57) for x in us])

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        rows = numpy.array([[3, 4], [2**64 - 1, 9]], dtype="u8")
        us = [3 + (4 << 64), 2**64 - 1 + (9 << 64)]
        self.assertEqual(mpgpu.mod_pow(rows, 3, 10**30 + 57), [pow(x, 3, 10**30 + 57) for x in us])
        x = mpgpu.Queue().number(rows[1])
        self.assertEqual(int(x * x), us[1] ** 2)

    def test_bad_input(self):
        with self.assertRaises(ZeroDivisionError):
            mpgpu.mod_pow([1], 1, 0)
        with self.assertRaises(ZeroDivisionError):
            mpgpu.mod_inv([1, 2], [3, 0])
        with self.assertRaisesRegex(ValueError, "negative"):
            mpgpu.mod_pow([-1], 1, 5)
        with self.assertRaises(ValueError):
            mpgpu.BatchModulus(6).pow(mpgpu.Batch([1]), 3, secret=True)
        m = mpgpu.BatchModulus(7)
        m.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            m.reduce(mpgpu.Batch([1]))


class Numbers(unittest.TestCase):
    def test_operations(self):
        q = mpgpu.Queue()
        for bits in (1, 64, 1000, 5000):
            a, b, c = number(bits), -number(bits), number(bits) | 1
            x, y, z = map(q.number, (a, b, c))
            self.assertEqual(int((x + y) * z - 7), (a + b) * c - 7)
            self.assertEqual(int(-x * x << 13), (-a * a) << 13)
            quotient, rest = (y * y + x).tdiv_qr(z)
            self.assertEqual(int(quotient) * c + int(rest), b * b + a)
            self.assertEqual(int(y.mod(z)), b % c)
            self.assertEqual(int((x * y).tdiv_q_2exp(9)), -(abs(a * b) >> 9))
            self.assertEqual(x.cmp(y), (a > b) - (a < b))
            self.assertTrue(x == a and not x < y or a < b)
        q.finish()

    def test_moduli(self):
        q = mpgpu.Queue()
        m = number(3000) | 1 << 2999 | 1
        modulus, a, b = q.modulus(m), number(3000), number(2900)
        self.assertEqual(int(modulus.mul(a, b)), a * b % m)
        self.assertEqual(int(modulus.sqr(a)), a * a % m)
        self.assertEqual(int(modulus.reduce(a * b)), a * b % m)
        self.assertEqual(int(modulus.pow(a, 65537)), pow(a, 65537, m))
        with self.assertRaises(ZeroDivisionError):
            q.number(1).mod(0)
        with self.assertRaises(ZeroDivisionError):
            q.modulus(0)


class Running(unittest.TestCase):
    def test_run(self):
        words = [sys.executable, "-m", "mpgpu"]
        script = "import os; print(os.environ['LD_PRELOAD'])"
        done = subprocess.run(words + ["run", "-c", script], capture_output=True, text=True, check=True)
        library = subprocess.run(words + ["library"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(done.stdout, library)
        self.assertEqual(subprocess.run(words, capture_output=True).returncode, 2)

    def test_replace(self):
        script = "import ctypes, os; ctypes.CDLL('libgmp.so.10'); print(open('/proc/self/maps').read().count('libmpgpu-gmp.so'))"
        words = [sys.executable, "-m", "mpgpu", "run", "--replace", "-c", script]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        if "not found; the program runs with GMP alone" in done.stderr:
            self.skipTest("the library has no stand-in for libgmp beside it")
        self.assertEqual(done.stderr, "")
        self.assertGreater(int(done.stdout), 0)
        script = "import os; print(os.environ['LD_LIBRARY_PATH'])"
        folders = subprocess.run(words[:-1] + [script], capture_output=True, text=True, check=True).stdout
        self.assertTrue(any(os.path.exists(f"{x}/libgmp.so.10") for x in folders.strip().split(":")))


if __name__ == "__main__":
    unittest.main()
