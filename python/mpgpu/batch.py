# SPDX-License-Identifier: LGPL-3.0-or-later
"""Batches: many numbers of the same length, for the same operation on all of them at once."""
import ctypes

from .library import lib
from .limbs import LIMB_BYTES, buffer, listed, pack, size, unpack
from .owned import Owned, of_kind, use


class Batch(Owned):
    """Numbers of `limbs` limbs each, not negative; from integers (int, gmpy2.mpz), or from an array
    of limbs with a row for each.  Where they lie is the library's: on the device if they are many.

    u + v and u - v are modulo 2^(64 limbs), u * v has twice as many limbs.  Threads that use the same
    batch wait for each other.  close(), or `with`, releases its memory before the garbage collector
    does.  copy.copy, copy.deepcopy and pickle copy the numbers."""

    _name = "batch"

    def __init__(self, values, limbs=None):
        count, n, data = pack(values, limbs)
        if count == 0:
            raise ValueError("no numbers")
        self._open(count, n)
        lib.batch_set(self._handle, buffer(data))

    def __copy__(self):
        return _restored(self.count, self.limbs, self.tobytes())

    def __deepcopy__(self, _):
        return self.__copy__()

    def __reduce_ex__(self, _):
        return _restored, (self.count, self.limbs, self.tobytes())

    @classmethod
    def zeros(cls, count, limbs):
        batch = cls.__new__(cls)
        batch._open(size(count), size(limbs))
        return batch

    def _open(self, count, limbs):
        self._handle = lib.made(lib.batch_create(count, limbs))
        self.count, self.limbs = count, limbs

    def _release(self, handle):
        lib.batch_destroy(handle)

    def __len__(self):
        return self.count

    @property
    def on_device(self):
        return bool(use(lib.batch_on_device, self))

    # ---- what it holds

    def tobytes(self):
        """All limbs, number by number."""
        data = ctypes.create_string_buffer(self.count * self.limbs * LIMB_BYTES)
        use(lib.batch_get, data, self)
        return data.raw

    def tolist(self):
        return unpack(self.tobytes(), self.limbs)

    def numpy(self):
        """An array of limbs, a row for each number."""
        import numpy

        return numpy.frombuffer(self.tobytes(), dtype="<u8").reshape(self.count, self.limbs)

    # ---- operations

    def _like(self, limbs):
        return Batch.zeros(self.count, limbs)

    def add(self, other, carries=False):
        """u + v; with carries the pair of that and a batch of the carries, 0 or 1."""
        return self._sum(lib.batch_add, other, carries)

    def sub(self, other, borrows=False):
        """u - v; with borrows the pair of that and a batch of the borrows, 0 or 1."""
        return self._sum(lib.batch_sub, other, borrows)

    def _sum(self, operation, other, both):
        r, cy = self._like(self.limbs), self._like(1) if both else None
        use(operation, r, cy, self, of_kind(other, Batch))
        return (r, cy) if both else r

    def mul(self, other):
        r = self._like(2 * self.limbs)
        use(lib.batch_mul, r, self, of_kind(other, Batch))
        return r

    def mullo(self, other):
        """The low limbs of the product, as many as a number has."""
        r = self._like(self.limbs)
        use(lib.batch_mullo, r, self, of_kind(other, Batch))
        return r

    def sqr(self):
        r = self._like(2 * self.limbs)
        use(lib.batch_sqr, r, self)
        return r

    def __add__(self, other):
        return self.add(other)

    def __sub__(self, other):
        return self.sub(other)

    def __mul__(self, other):
        return self.sqr() if other is self else self.mul(other)


def _restored(count, limbs, data):
    """Returns a batch of the numbers that tobytes() gave."""
    batch = Batch.zeros(count, limbs)
    lib.batch_set(batch.handle, data)
    return batch


def of_same_length(us, vs):
    """Batches of the same length."""
    us, vs = listed(us), listed(vs)
    u, v = pack(us), pack(vs)
    if u[0] != v[0]:
        raise ValueError(f"{u[0]} numbers and {v[0]}")
    n = max(u[1], v[1])
    return Batch(us, n if u[1] != n else None), Batch(vs, n if v[1] != n else None)


def mul(us, vs):
    """The products of numbers, one by one: a list of int."""
    u, v = of_same_length(us, vs)
    with u, v, u * v as r:
        return r.tolist()


def add(us, vs):
    """The sums of numbers, one by one, whatever their length: a list of int."""
    u, v = of_same_length(us, vs)
    with u, v:
        low, high = u.add(v, carries=True)
        with low, high:
            bits = 64 * low.limbs
            return [x + (c << bits) for x, c in zip(low.tolist(), high.tolist())]
