# SPDX-License-Identifier: LGPL-3.0-or-later
"""Tests mpgpu.Matrix: products compared with Python's integers, indices, copies, invalid use."""
import copy
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
