# SPDX-License-Identifier: LGPL-3.0-or-later
"""Matrices of signed integers, whose products and determinants the device computes."""
import ctypes
import operator

from .library import lib
from .limbs import LIMB_BYTES, Given, buffer, pack, size, taken, unpack
from .owned import Owned, of_kind, use


class Matrix(Owned):
    """A matrix of signed integers.  It is created from a sequence of rows, each a sequence of
    integers (int, gmpy2.mpz).  All rows have the same length.  `shape` is required only for a
    matrix without rows, such as Matrix([], shape=(0, 3)).

    u @ v is the product; u.det(), u.solve(v) and u.inverse() compute over the integers and
    fractions, or modulo any number.  u[i, j] is an int, u == v compares the entries.  A matrix never
    changes.

    The device stores and computes large matrices.  All entries take the memory of the longest
    one.  Threads that use the same matrix wait for each other.  close(), or `with`, releases the
    memory without waiting for the garbage collector.  copy.copy, copy.deepcopy and pickle copy the
    entries."""

    _name = "matrix"

    def __init__(self, rows, shape=None):
        rows = [list(row) for row in rows]
        columns = len(rows[0]) if rows else 0
        for i, row in enumerate(rows):
            if len(row) != columns:
                raise ValueError(f"row {i} has {len(row)} entries, row 0 has {columns}")
        if shape is None:
            shape = len(rows), columns
        elif tuple(shape) != (len(rows), columns) and (rows or 0 not in tuple(shape)):
            raise ValueError(f"{len(rows)} rows of {columns} entries for a matrix of shape {tuple(shape)}")
        packed = pack((x for row in rows for x in row), None, True)
        self._fill(*shape, packed.limbs, packed.data)

    def _open(self, rows, columns):
        self._handle = lib.made(lib.matrix_create(size(rows), size(columns)))
        self.shape = operator.index(rows), operator.index(columns)
        self._data = None

    def _fill(self, rows, columns, limbs, data):
        self._open(rows, columns)
        lib.matrix_set(self._handle, buffer(data), limbs)

    def _release(self, handle):
        self._data = None
        lib.matrix_destroy(handle)

    def __copy__(self):
        data, limbs = self._downloaded()
        return _restored(*self.shape, limbs, data)

    def __deepcopy__(self, _):
        return self.__copy__()

    def __reduce_ex__(self, _):
        data, limbs = self._downloaded()
        return _restored, (*self.shape, limbs, data)

    @classmethod
    def zeros(cls, rows, columns):
        """Returns a matrix of zeros."""
        matrix = cls.__new__(cls)
        matrix._open(rows, columns)
        return matrix

    @property
    def on_device(self):
        """True if the entries are stored on the device now."""
        return bool(use(lib.matrix_on_device, self))

    def __repr__(self):
        """Returns a short text with the matrix's sizes."""
        return f"<Matrix: {self.shape[0]} x {self.shape[1]}{'' if self._handle else ', closed'}>"

    def _downloaded(self):
        """Returns the bytes of all entries, and the number of limbs of an entry.  The first use
        downloads and caches them."""
        with self._lock:
            if self._data is None:
                limbs = use(lib.matrix_limbs, self)
                data = ctypes.create_string_buffer(self.shape[0] * self.shape[1] * limbs * LIMB_BYTES)
                use(lib.matrix_get, data, self)
                self._data = data.raw, limbs
            return self._data

    def __getitem__(self, index):
        """Returns the entry of row i and column j as an int, for u[i, j].  The first use downloads
        all entries and caches them."""
        try:
            i, j = map(operator.index, index)
        except (TypeError, ValueError):
            raise TypeError(f"an index of a matrix is a row and a column, not {index!r}") from None
        rows, columns = self.shape
        if not (-rows <= i < rows and -columns <= j < columns):
            raise IndexError(f"index {i}, {j} of a matrix of {rows} x {columns}")
        data, limbs = self._downloaded()
        at = (i % rows * columns + j % columns) * limbs * LIMB_BYTES
        return int.from_bytes(data[at : at + limbs * LIMB_BYTES], "little", signed=True)

    def tolist(self):
        """Returns the rows as lists of int."""
        data, limbs = self._downloaded()
        rows, columns = self.shape
        entries = unpack(data, limbs, True)
        return [entries[i * columns : (i + 1) * columns] for i in range(rows)]

    def __eq__(self, other):
        """Returns whether `other` is a matrix with the same entries."""
        if not isinstance(other, Matrix):
            return NotImplemented
        return self.shape == other.shape and self.tolist() == other.tolist()

    __hash__ = None
    __array_ufunc__ = None  # NumPy's arrays leave their operators to this class

    def mul(self, other):
        """Returns the product of this matrix and `other`, which has as many rows as this has
        columns."""
        of_kind(other, Matrix)
        result = Matrix.zeros(self.shape[0], other.shape[1])
        use(lib.matrix_mul, result, self, other)
        return result

    def __matmul__(self, other):
        """Returns the product."""
        return self.mul(other) if isinstance(other, Matrix) else NotImplemented

    def det(self, modulus=None):
        """Returns the determinant of a square matrix as an int, exactly or modulo a positive integer."""
        given = _modulus(modulus)
        return taken(lambda r: use(lib.matrix_det, r, self, given))

    def solve(self, other, modulus=None):
        """Solves u x = other for a square matrix u.  Returns a matrix n and the least positive int d for
        which x = n / d; with a modulus, returns the matrix x modulo it.

        Raises ZeroDivisionError if the determinant is 0, or has a common factor with the modulus."""
        of_kind(other, Matrix)
        return self._solved(other.shape, lib.matrix_solve, (self, other), modulus)

    def inverse(self, modulus=None):
        """Returns a matrix n and the least positive int d for which n / d is the inverse; with a modulus,
        returns the inverse modulo it.  Raises the errors of solve()."""
        return self._solved(self.shape, lib.matrix_inverse, (self,), modulus)

    def _solved(self, shape, operation, operands, modulus):
        result, given = Matrix.zeros(*shape), _modulus(modulus)
        d = taken(lambda r: use(operation, result, r, *operands, given))
        return (result, d) if modulus is None else result


def _modulus(modulus):
    """Returns a pointer to an mpz_t with the value of `modulus`, or None if `modulus` is None.
    The pointer keeps the limbs alive."""
    return None if modulus is None else ctypes.pointer(Given(modulus).mpz)


def _restored(rows, columns, limbs, data):
    matrix = Matrix.__new__(Matrix)
    matrix._fill(rows, columns, limbs, data)
    return matrix
