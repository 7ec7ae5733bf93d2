# SPDX-License-Identifier: LGPL-3.0-or-later
"""The module beside Python's own integers.  MPGPU_CONF tells which device, and from which size on."""
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
        with self.assertRaises(ValueError):
            q.modulus(0)


class Running(unittest.TestCase):
    def test_run(self):
        words = [sys.executable, "-m", "mpgpu"]
        script = "import os; print(os.environ['LD_PRELOAD'])"
        done = subprocess.run(words + ["run", "-c", script], capture_output=True, text=True, check=True)
        library = subprocess.run(words + ["library"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(done.stdout, library)
        self.assertEqual(subprocess.run(words, capture_output=True).returncode, 2)


if __name__ == "__main__":
    unittest.main()
