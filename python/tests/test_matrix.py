# SPDX-License-Identifier: LGPL-3.0-or-later
"""Tests mpgpu.Matrix: products, determinants and solutions compared with Python's integers and
fractions, and with FLINT's; indices, copies, invalid use."""
import copy
import fractions
import math
import pickle
import random
import unittest

import mpgpu
from mpgpu import Matrix


def product(u, v):
    columns = list(zip(*v))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in u]


def entry(kind, bits):
    return {
        "random": random.randrange(-(2**bits) + 1, 2**bits),
        "ones": 2**bits - 1,
        "lowest": -(2**bits),
        "zero": 0,
    }[kind]


def rows(kind, m, n, bits):
    return [[entry(kind, bits) for _ in range(n)] for _ in range(m)]


class Products(unittest.TestCase):
    def compare(self, u, v):
        got = Matrix(u) @ Matrix(v)
        self.assertEqual(got.tolist(), product(u, v))
        self.assertEqual(got.shape, (len(u), len(v[0])))

    def test_shapes(self):
        for m, k, n in ((1, 1, 1), (1, 5, 1), (7, 1, 3), (7, 5, 3), (33, 34, 2)):
            for kind in ("random", "ones", "lowest", "zero"):
                self.compare(rows(kind, m, k, 200), rows(kind, k, n, 63))

    def test_long(self):
        self.compare(rows("lowest", 2, 2, 20000), rows("random", 2, 1, 9000))

    def test_chain(self):
        """A product may be both factors of the next product."""
        u = rows("random", 4, 4, 90)
        got, right = Matrix(u), u
        for _ in range(3):
            got, right = got @ got, product(right, right)
        self.assertEqual(got.tolist(), right)

    def test_empty(self):
        self.assertEqual((Matrix([], shape=(0, 3)) @ Matrix.zeros(3, 2)).tolist(), [])
        self.assertEqual((Matrix([[], []]) @ Matrix([], shape=(0, 2))).tolist(), [[0, 0], [0, 0]])

    def test_large_is_on_device(self):
        u = Matrix(rows("random", 40, 40, 1000))
        if not mpgpu.wait():
            self.skipTest(mpgpu.device())
        before = mpgpu.sent()
        v = u @ u
        self.assertEqual(v.on_device, u.on_device)
        self.assertEqual(mpgpu.sent() > before, v.on_device)


def eliminated(u, v):
    """Returns the determinant of u, and the fractions x with u x = v, or None if there are none."""
    n, det = len(u), fractions.Fraction(1)
    work = [[fractions.Fraction(x) for x in [*a, *b]] for a, b in zip(u, v)]
    for k in range(n):
        i = next((i for i in range(k, n) if work[i][k]), None)
        if i is None:
            return 0, None
        if i != k:
            work[i], work[k], det = work[k], work[i], -det
        det *= work[k][k]
        work[k] = [x / work[k][k] for x in work[k]]
        for i in range(n):
            if i != k:
                work[i] = [x - work[i][k] * y for x, y in zip(work[i], work[k])]
    return int(det), [row[n:] for row in work]


class Systems(unittest.TestCase):
    def compare(self, u, v):
        det, x = eliminated(u, v)
        self.assertEqual(Matrix(u).det(), det)
        self.assertEqual(Matrix(u).det(10**9 + 6), det % (10**9 + 6))
        if x is None:
            with self.assertRaisesRegex(ZeroDivisionError, f"{len(u)} x {len(u)} entries is 0"):
                Matrix(u).solve(Matrix(v))
            return
        got, d = Matrix(u).solve(Matrix(v))
        self.assertEqual(d, math.lcm(*(y.denominator for row in x for y in row)))
        self.assertEqual(got.tolist(), [[y * d for y in row] for row in x])
        m = next(m for m in range(10**20, 10**21) if math.gcd(det, m) == 1)
        got = Matrix(u).solve(Matrix(v), m).tolist()
        self.assertEqual(got, [[y.numerator * pow(y.denominator, -1, m) % m for y in row] for row in x])

    def test_kinds(self):
        for n in (1, 2, 3, 6):
            for kind in ("random", "ones", "lowest", "zero"):
                self.compare(rows(kind, n, n, 70), rows("random", n, 2, 40))

    def test_inverse(self):
        u = Matrix([[2, 1], [3, 1]])
        self.assertEqual(u.inverse(), (Matrix([[-1, 1], [3, -2]]), 1))
        self.assertEqual(u.inverse(6).tolist(), [[5, 1], [3, 4]])
        n, d = Matrix([[0, 4], [2, 0]]).inverse()
        self.assertEqual((n.tolist(), d), ([[0, 2], [1, 0]], 4))

    def test_empty(self):
        self.assertEqual(Matrix([], shape=(0, 0)).det(), 1)
        self.assertEqual(Matrix([], shape=(0, 0)).solve(Matrix([], shape=(0, 2)))[0].shape, (0, 2))

    def test_flint(self):
        try:
            import flint
        except ImportError:
            self.skipTest("no module flint: pip install python-flint")
        for n, bits in ((1, 5000), (8, 64), (24, 300), (40, 30)):
            u, v = rows("random", n, n, bits), rows("random", n, 1, bits)
            self.assertEqual(Matrix(u).det(), int(flint.fmpz_mat(u).det()))
            got, d = Matrix(u).solve(Matrix(v))
            right = flint.fmpq_mat(flint.fmpz_mat(u)).solve(flint.fmpq_mat(flint.fmpz_mat(v)))
            self.assertEqual([flint.fmpq(got[i, 0], d) for i in range(n)], [right[i, 0] for i in range(n)])
            got, d = Matrix(u).inverse()
            right = flint.fmpz_mat(u).inv()
            self.assertEqual([flint.fmpq(x, d) for row in got.tolist() for x in row], right.entries())

    def test_invalid(self):
        wide, two = Matrix([[1, 2, 3], [4, 5, 6]]), Matrix([[1, 2], [3, 4]])
        with self.assertRaisesRegex(ValueError, "2 x 3 entries has no determinant"):
            wide.det()
        with self.assertRaisesRegex(ValueError, "a right side of 3 x 1"):
            two.solve(Matrix([[1], [2], [3]]))
        with self.assertRaisesRegex(ZeroDivisionError, "the common factor 2 with the modulus"):
            two.inverse(4)
        with self.assertRaisesRegex(ZeroDivisionError, "modulus of a matrix is 0"):
            two.det(0)
        with self.assertRaisesRegex(ValueError, "modulus of a matrix is negative"):
            two.solve(two, -5)
        with self.assertRaises(TypeError):
            two.solve([[1], [2]])


class Use(unittest.TestCase):
    def test_entries(self):
        u = Matrix([[1, -2, 3], [4, 5, -(2**70)]])
        self.assertEqual(u[0, 1], -2)
        self.assertEqual(u[-1, -1], -(2**70))
        for index in ((2, 0), (0, 3), (-3, 0)):
            with self.assertRaisesRegex(IndexError, f"index {index[0]}, {index[1]} of a matrix of 2 x 3"):
                u[index]
        with self.assertRaisesRegex(TypeError, "a row and a column, not 1"):
            u[1]

    def test_copies(self):
        u = Matrix([[1, -(2**64)], [0, 7]])
        for v in (copy.copy(u), copy.deepcopy(u), pickle.loads(pickle.dumps(u))):
            self.assertEqual(u, v)
            self.assertIsNot(u, v)
        self.assertNotEqual(u, Matrix([[1, 2]]))
        self.assertNotEqual(u, 3)

    def test_invalid(self):
        u = Matrix([[1, 2, 3], [4, 5, 6]])
        for call, kind, text in (
            (lambda: Matrix([[1, 2], [3]]), ValueError, "row 1 has 1 entries, row 0 has 2"),
            (lambda: Matrix([[1, "x"]]), TypeError, "number 1 is no integer: str"),
            (lambda: Matrix([[1]], shape=(2, 1)), ValueError, r"1 rows of 1 entries for a matrix of shape \(2, 1\)"),
            (lambda: u @ u, ValueError, "a matrix of 2 x 3 entries times one of 2 x 3"),
            (lambda: u @ [[1]], TypeError, "unsupported operand"),
            (lambda: u.mul(3), TypeError, "int where Matrix is needed"),
            (lambda: Matrix.zeros(-1, 2), ValueError, "-1 is negative"),
            (lambda: Matrix.zeros(2**40, 2), ValueError, "1099511627776 x 2 entries: the most rows"),
        ):
            with self.assertRaisesRegex(kind, text):
                call()
        with self.assertRaisesRegex(TypeError, "unhashable"):
            hash(u)

    def test_closed(self):
        with Matrix([[1]]) as u:
            self.assertEqual(repr(u), "<Matrix: 1 x 1>")
        self.assertEqual(repr(u), "<Matrix: 1 x 1, closed>")
        with self.assertRaisesRegex(ValueError, "the matrix is closed"):
            u @ u


if __name__ == "__main__":
    unittest.main()
