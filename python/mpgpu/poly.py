# SPDX-License-Identifier: LGPL-3.0-or-later
"""Polynomials with integer coefficients, or with coefficients modulo n."""
import ctypes
import operator

from . import interrupt
from .library import Mpz, lib
from .limbs import LIMB_BYTES, Given, listed, pack
from .owned import Owned, of_kind, use


class _Numbers:
    """An array of mpz_t with the values of integers, for the library to read.  The limbs are valid as
    long as the array."""

    def __init__(self, values):
        packed = pack(values, signed=None)
        each, data, signed = packed.limbs * LIMB_BYTES, packed.data, packed.signed
        self.count = packed.count
        self.array = (Mpz * max(1, self.count))()
        self.array.kept = kept = []
        for i in range(self.count):
            x = int.from_bytes(data[i * each : (i + 1) * each], "little", signed=signed)
            given = Given(x)
            self.array[i] = given.mpz
            kept.append(given.data)


def _taken(count, fill):
    """Calls fill() with an array of `count` mpz_t that GMP has initialised.  Returns the values
    that fill() has stored there."""
    array = (Mpz * max(1, count))()
    for i in range(count):
        lib.gmp.__gmpz_init(ctypes.byref(array[i]))
    try:
        fill(array)
        values = []
        for x in array[:count]:
            magnitude = int.from_bytes(ctypes.string_at(x.limbs, abs(x.size) * LIMB_BYTES), "little")
            values.append(-magnitude if x.size < 0 else magnitude)
        return values
    finally:
        interrupt.later(_clear, array, count)


def _clear(array, count):
    for i in range(count):
        lib.gmp.__gmpz_clear(ctypes.byref(array[i]))


class Poly(Owned):
    """A polynomial with integer coefficients, the constant coefficient first.  If it has a modulus
    n, the coefficients are numbers modulo n.

    u * v, u.sqr(), divmod(u, v), u // v and u % v are polynomials; u and v have the same
    modulus.  With a modulus n, u.evaluate(points) returns values, and Poly.interpolate(points,
    values, n) the polynomial that has these values.  Coefficients are in host memory; the device
    computes products."""

    _name = "polynomial"
    _why = "make one of its coefficients: Poly(u.tolist(), u.modulus)"

    def __init__(self, coefficients=(), modulus=None):
        self.modulus = None if modulus is None else operator.index(modulus)
        given = None if modulus is None else Given(self.modulus)
        self._handle = lib.made(lib.poly_create(ctypes.byref(given.mpz) if given else None))
        numbers = _Numbers(listed(coefficients))
        use(lib.poly_set_mpz, self, numbers.array, numbers.count)

    def __repr__(self):
        of = "" if self.modulus is None else f", modulo a number of {self.modulus.bit_length()} bits"
        return f"<Poly: length {len(self)}{of}>" if self._handle else "<Poly: closed>"

    def _release(self, handle):
        lib.poly_destroy(handle)

    def _new(self, operation, *given):
        r = Poly((), self.modulus)
        use(operation, r, *given)
        return r

    def __len__(self):
        """Returns the degree plus 1, or 0 for the polynomial 0."""
        return use(lib.poly_length, self)

    def tolist(self):
        """Returns the coefficients, the constant one first."""
        count = len(self)
        return _taken(count, lambda array: use(lib.poly_get_mpz, array, count, self))

    def __eq__(self, other):
        if not isinstance(other, Poly):
            return NotImplemented
        return self.modulus == other.modulus and self.tolist() == other.tolist()

    __hash__ = None

    def __mul__(self, other):
        """Returns the product of two polynomials with the same modulus."""
        return self._new(lib.poly_mul, self, other) if isinstance(other, Poly) else NotImplemented

    def sqr(self):
        """Returns the square."""
        return self._new(lib.poly_sqr, self)

    def __divmod__(self, other):
        """Returns the quotient and the remainder, whose length is smaller than that of the divisor.  The
        divisor's leading coefficient is 1 or -1, or has an inverse modulo n; otherwise raises
        ValueError."""
        if not isinstance(other, Poly):
            return NotImplemented
        q, r = Poly((), self.modulus), Poly((), self.modulus)
        use(lib.poly_divrem, q, r, self, other)
        return q, r

    def __floordiv__(self, other):
        """Returns the quotient, as divmod does."""
        return self.__divmod__(other)[0] if isinstance(other, Poly) else NotImplemented

    def __mod__(self, other):
        """Returns the remainder, as divmod does."""
        return self.__divmod__(other)[1] if isinstance(other, Poly) else NotImplemented

    def evaluate(self, points):
        """Returns the values modulo n at many points."""
        x = _Numbers(listed(points))
        return _taken(x.count, lambda array: use(lib.poly_evaluate, array, self, x.array, x.count))

    @classmethod
    def interpolate(cls, points, values, modulus):
        """Returns the polynomial, of at most as many coefficients as there are points, that has these
        values modulo n.  Raises ValueError if the difference of two points has no inverse modulo n."""
        x, y, r = _Numbers(listed(points)), _Numbers(listed(values)), cls((), modulus)
        if x.count != y.count:
            raise ValueError(f"{x.count} points, but {y.count} values")
        use(lib.poly_interpolate, of_kind(r, Poly), x.array, y.array, x.count)
        return r
