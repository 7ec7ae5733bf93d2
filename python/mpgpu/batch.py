# SPDX-License-Identifier: LGPL-3.0-or-later
"""Batches: many numbers of the same length, on which each operation computes all results at
once."""
import ctypes
import operator

from . import arrays
from .library import lib
from .limbs import LIMB_BYTES, buffer, limbs_of, listed, pack, rows_of, shown, size, unpack
from .owned import Owned, of_kind, use


def _operator(method, text, is_reflected=False):
    """Returns an operator that calls Batch's `method`.  The operator returns NotImplemented if an
    operand is neither a Batch nor an integer."""

    def operate(self, other):
        v = self._operand(other)
        if v is None:
            return NotImplemented
        return getattr(v, method)(self) if is_reflected else getattr(self, method)(v)

    operate.__doc__ = f"Returns {text}, number by number."
    return operate


class Batch(Owned, arrays.Exported):
    """A batch of numbers of `limbs` limbs (words of 64 bits) each.  It is created from integers
    (int, gmpy2.mpz), or from an array with a row of limbs for each number: NumPy's, or an array of
    another library with DLPack or __cuda_array_interface__, on the CPU or on a GPU.  The library
    stores the numbers, on the device if they are many.

    signed: whether numbers may be negative; they are then stored in two's complement.  By default a
    batch is signed if one of the integers is negative.

    A batch is a sequence: u[i] is an int, u[i:j:k] a Batch.  u == v compares the numbers.  A batch
    never changes.

    Operands of + - * are batches with the same count and limbs, or an integer for all numbers.  u +
    v and u - v are computed modulo 2^(64 limbs); u * v is exact and has twice the limbs.  A result
    is signed if an operand is signed.

    Threads that use the same batch wait for each other.  close(), or `with`, releases the memory
    without waiting for the garbage collector.  copy.copy, copy.deepcopy and pickle copy the
    numbers."""

    _name = "batch"

    def __init__(self, values, limbs=None, signed=None):
        on_gpu = arrays.on_gpu(values)
        if on_gpu:
            self._load(on_gpu, limbs, bool(signed))
            return
        packed = pack(values, limbs, signed)
        if packed.count == 0:
            raise ValueError("no numbers")
        self._fill(packed.count, packed.limbs, packed.signed, packed.data)

    def __copy__(self):
        return _restored(self.count, self.limbs, self.tobytes(), self.signed)

    def __deepcopy__(self, _):
        return self.__copy__()

    def __reduce_ex__(self, _):
        return _restored, (self.count, self.limbs, self.tobytes(), self.signed)

    @classmethod
    def zeros(cls, count, limbs, signed=False):
        """Returns a batch of `count` zeros of `limbs` limbs."""
        batch = cls.__new__(cls)
        batch._open(size(count), size(limbs), bool(signed))
        return batch

    def _open(self, count, limbs, signed):
        self._handle = lib.made(lib.batch_create(count, limbs))
        self.count, self.limbs, self.signed, self._data = count, limbs, signed, None

    def _load(self, view, limbs, signed):
        """Fills a new batch from the rows of an array on a GPU."""
        limbs = rows_of(view, limbs, signed)
        self._open(view.count, limbs, signed)
        arrays.load(lambda array: use(lib.batch_set_array, self, array), view, limbs)

    def _fill(self, count, limbs, signed, data):
        self._open(count, limbs, signed)
        lib.batch_set(self._handle, buffer(data))

    def _release(self, handle):
        self._data = None
        lib.batch_destroy(handle)

    @property
    def on_device(self):
        """True if the numbers are stored on the device now."""
        return bool(use(lib.batch_on_device, self))

    def __repr__(self):
        """Returns a short text with the batch's sizes."""
        state = "" if self._handle else ", closed"
        return f"<Batch: count {self.count}, limbs {self.limbs}{', signed' if self.signed else ''}{state}>"

    # ---- the numbers of a batch

    def __len__(self):
        """Returns the number of elements."""
        return self.count

    def __iter__(self):
        """Iterates over the numbers as int.  Downloads all numbers first."""
        return iter(self.tolist())

    def _downloaded(self):
        """Returns the bytes of all numbers.  The first use downloads and caches them."""
        with self._lock:
            self._data = self.tobytes() if self._data is None else self._data
            return self._data

    def __getitem__(self, index):
        """Returns an int for u[i], a Batch for u[i:j:k].  The first use downloads all numbers and
        caches them."""
        data, each = self._downloaded(), self.limbs * LIMB_BYTES
        if isinstance(index, slice):
            chosen = range(self.count)[index]
            if not chosen:
                raise ValueError(f"no numbers in {index} of {self.count}")
            data = b"".join(data[i * each : (i + 1) * each] for i in chosen)
            return _restored(len(chosen), self.limbs, data, self.signed)
        try:
            i = operator.index(index)
        except TypeError:
            raise TypeError(f"an index is an integer or a slice, not {type(index).__name__}") from None
        if not -self.count <= i < self.count:
            raise IndexError(f"index {shown(i)} of {self.count} numbers")
        i %= self.count
        return int.from_bytes(data[i * each : (i + 1) * each], "little", signed=self.signed)

    def __eq__(self, other):
        """Returns whether `other` is a batch with the same numbers."""
        if not isinstance(other, Batch):
            return NotImplemented
        if self.count != other.count:
            return False
        if (self.limbs, self.signed) != (other.limbs, other.signed):
            return self.tolist() == other.tolist()
        return not any(self._result(lib.batch_cmp, 1, self, other).tobytes())

    __hash__ = None
    __array_ufunc__ = None  # NumPy's integers leave their operators to this class

    def tobytes(self):
        """Returns the limbs of all numbers, one number after the other, as bytes."""
        data = ctypes.create_string_buffer(self.count * self.limbs * LIMB_BYTES)
        use(lib.batch_get, data, self)
        return data.raw

    def tolist(self):
        """Returns the numbers as a list of int."""
        return unpack(self.tobytes(), self.limbs, self.signed)

    def numpy(self):
        """Returns a NumPy array with a row of limbs for each number.  If the batch is signed, the
        rows are in two's complement."""
        import numpy

        return numpy.frombuffer(self.tobytes(), dtype="<u8").reshape(self.count, self.limbs)

    # ---- arrays of other libraries (arrays.py)

    def _shape(self):
        return self.count, self.limbs

    def _gpu(self, uuid):
        return use(lib.batch_gpu, uuid, self)

    def _to_host(self):
        return self.tobytes()

    def _to_gpu(self, block):
        use(lib.batch_get_array, block.handle, self)

    # ---- operands

    def _like(self, limbs, signed=False):
        return Batch.zeros(self.count, limbs, signed)

    def _operand(self, other, limbs=None):
        """Returns `other` if it is a batch.  If it is an integer, returns a batch of this
        batch's count, in which each number is that integer, in `limbs` limbs.  Returns None for
        other types."""
        if isinstance(other, Batch):
            return other
        try:
            x = operator.index(other)
        except TypeError:
            return None
        limbs = limbs or self.limbs
        signed = x < 0
        if limbs_of(x, signed) > limbs:
            raise ValueError(f"{shown(x)} has {limbs_of(x, signed)} limbs, more than {limbs}")
        return _repeated([x], self.count, limbs, signed)

    def _given(self, other, limbs=None):
        """Returns the operand `other` as a batch.  Raises TypeError if it is neither a Batch nor
        an integer."""
        v = self._operand(other, limbs)
        return of_kind(other, Batch) if v is None else v

    def _result(self, operation, limbs, *operands, signed=False):
        r = self._like(limbs, signed)
        use(operation, r, *operands)
        return r

    # ---- signs of numbers in two's complement

    def _signs(self):
        """Returns a batch with 1 for each number whose highest bit is set, and 0 for each other
        number."""
        signs = self._like(1)
        use(lib.batch_add, self._like(self.limbs), signs, self, self)
        return signs

    def _negated(self, signs, signed=False):
        """Returns a batch of the numbers; negates each number whose element in `signs` is not 0."""
        negative = self._result(lib.batch_sub, self.limbs, None, self._like(self.limbs), self)
        return self._result(lib.batch_select, self.limbs, signs, negative, self, signed=signed)

    def _magnitudes(self):
        """Returns two batches.  The first has 1 for each negative number and 0 for each other
        number; the second has the absolute values."""
        if not self.signed:
            return self._like(1), self
        signs = self._signs()
        return signs, self._negated(signs)

    def _becomes_signed(self):
        """Raises OverflowError if the highest bit of a number is set: in two's complement the
        number would become negative."""
        if not self.signed:
            i = self._signs().tobytes().find(1)
            if i >= 0:
                text = f"number {i // LIMB_BYTES} has {64 * self.limbs} bits"
                raise OverflowError(f"{text}: no room for a sign in {self.limbs} limbs")

    # ---- operations

    def add(self, other, carries=False):
        """Returns u + v.  With `carries`, returns the pair of the sums and of a batch with the
        carries, 0 or 1."""
        return self._sum(lib.batch_add, other, carries)

    def sub(self, other, borrows=False):
        """Returns u - v.  With `borrows`, returns the pair of the differences and of a batch with
        the borrows, 0 or 1."""
        return self._sum(lib.batch_sub, other, borrows)

    def _sum(self, operation, other, both):
        v = self._given(other)
        signed = self.signed or v.signed
        if signed and both:
            raise ValueError("carries and borrows need batches without signs")
        if self.signed != v.signed:
            self._becomes_signed()
            v._becomes_signed()
        r, cy = self._like(self.limbs, signed), self._like(1) if both else None
        use(operation, r, cy, self, v)
        return (r, cy) if both else r

    def mul(self, other):
        """Returns the products u v; they have twice the limbs."""
        v = self._given(other)
        if self.signed or v.signed:
            return self._signed_product(v)
        if v is self:
            return self._result(lib.batch_sqr, 2 * self.limbs, self)
        return self._result(lib.batch_mul, 2 * self.limbs, self, v)

    def _signed_product(self, v):
        (s, x), (t, y) = self._magnitudes(), v._magnitudes()
        return (x.sqr() if v is self else x.mul(y))._negated(s.sub(t), signed=True)

    def mullo(self, other):
        """Returns u v modulo 2^(64 limbs)."""
        v = self._given(other)
        return self._result(lib.batch_mullo, self.limbs, self, v, signed=self.signed or v.signed)

    def sqr(self):
        """Returns the squares u^2; they have twice the limbs."""
        return self.mul(self)

    __add__ = _operator("add", "self + other, modulo 2^(64 limbs)")
    __radd__ = _operator("add", "other + self, modulo 2^(64 limbs)", is_reflected=True)
    __sub__ = _operator("sub", "self - other, modulo 2^(64 limbs)")
    __rsub__ = _operator("sub", "other - self, modulo 2^(64 limbs)", is_reflected=True)
    __mul__ = _operator("mul", "self * other, of twice the limbs")
    __rmul__ = _operator("mul", "other * self, of twice the limbs", is_reflected=True)

    def __neg__(self):
        """Returns -self, signed."""
        self._becomes_signed()
        return self._result(lib.batch_sub, self.limbs, None, self._like(self.limbs), self, signed=True)

    def __pos__(self):
        """Returns self."""
        return self

    def __abs__(self):
        """Returns a batch of the absolute values, or this batch if none of its numbers can be
        negative."""
        return self._magnitudes()[1]


def _restored(count, limbs, data, signed=False):
    """Returns a batch of the numbers whose limbs are in `data`, as tobytes() returns them."""
    batch = Batch.__new__(Batch)
    batch._fill(count, limbs, signed, data)
    return batch


def from_dlpack(array, signed=False):
    """Returns a Batch with a copy of another library's array, which has a row of limbs for each
    number.  If `signed`, the rows are in two's complement.  The array may be on the CPU or on a GPU;
    a copy on the GPU stays there."""
    if not hasattr(array, "__dlpack__"):
        raise TypeError(f"{type(array).__name__} has no method __dlpack__")
    return Batch(array, signed=signed)


def _repeated(values, count, limbs, signed):
    """Returns a batch of `count` numbers: the values, or `count` copies of a single value."""
    packed = pack(values, limbs, signed)
    if packed.count == 0:
        raise ValueError("no numbers")
    data = packed.data if packed.count == count else packed.data * count
    return _restored(count, limbs, data, signed)


def of_same_length(us, vs, more=0):
    """Returns two batches with the same count and the same limbs: the limbs of the longest
    number plus `more` limbs.  A list of one number is repeated to the length of the other list."""
    us, vs = listed(us), listed(vs)
    u, v = pack(us), pack(vs)
    if u.count != v.count and 1 not in (u.count, v.count):
        raise ValueError(f"{u.count} numbers and {v.count}")
    count, n = max(u.count, v.count), max(u.limbs, v.limbs) + more
    return _repeated(us, count, n, u.signed), _repeated(vs, count, n, v.signed)


def mul(us, vs):
    """Returns the product of each pair of numbers, as a list of int.  A single integer is
    multiplied with every number of the other list."""
    u, v = of_same_length(us, vs)
    with u, v, u * v as r:
        return r.tolist()


def add(us, vs):
    """Returns the sum of each pair of numbers, of any length, as a list of int.  A single integer
    is added to every number of the other list."""
    u, v = of_same_length(us, vs, more=1)
    with u, v, u + v as r:
        return r.tolist()
