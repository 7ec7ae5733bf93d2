# SPDX-License-Identifier: LGPL-3.0-or-later
"""Batches modulo numbers; greatest common divisors and inverses of whole batches."""
import contextlib

from .batch import Batch, of_same_length
from .library import lib
from .limbs import listed, pack
from .owned import Owned, of_kind, use


@contextlib.contextmanager
def _zero_named(moduli):
    """Replaces a ZeroDivisionError by one whose message has the index of the modulus that is 0."""
    try:
        yield
    except ZeroDivisionError:
        raise ZeroDivisionError(f"modulus {moduli.tolist().index(0)} is 0") from None


class BatchModulus(Owned):
    """A modulus for all numbers of a batch, or a modulus for each number, with precomputed
    constants for many operations.  It is created from integers above 0, rows of limbs, or a Batch.
    A single integer is the modulus for all numbers.

    Operands are batches with the same limbs as the moduli, or an integer for all numbers.  They may
    be negative, or exceed the modulus.  Results are from 0 to m - 1."""

    _name = "modulus"
    _why = "make one of the same numbers"

    def __init__(self, moduli, limbs=None):
        given = moduli if isinstance(moduli, Batch) else Batch(listed(moduli), limbs, signed=False)
        if given.signed:
            raise ValueError("moduli are a batch with signs")
        with _zero_named(given):
            self._handle = use(lib.batch_modulus_create, given)
        self.count, self.limbs = given.count, given.limbs

    def __repr__(self):
        return f"<BatchModulus: count {self.count}, limbs {self.limbs}{'' if self._handle else ', closed'}>"

    def _release(self, handle):
        lib.batch_modulus_destroy(handle)

    def _call(self, operation, count, *batches):
        r = Batch.zeros(count, self.limbs)
        use(operation, r, *batches, self)
        return r

    def _not_negative(self, u):
        """Returns u modulo m if u is signed; otherwise u itself."""
        if not u.signed:
            return u
        signs, magnitudes = u._magnitudes()
        r, chosen = self._call(lib.batch_mod, u.count, magnitudes), Batch.zeros(u.count, self.limbs)
        negative = self._call(lib.batch_mod_sub, u.count, Batch.zeros(u.count, self.limbs), r)
        use(lib.batch_select, chosen, signs, negative, r)
        return chosen

    def _result(self, operation, u, *others):
        of_kind(u, Batch)
        operands = [self._not_negative(x) for x in (u, *(u._given(v, self.limbs) for v in others))]
        return self._call(operation, u.count, *operands)

    def reduce(self, u):
        """Returns u modulo m.  u may have up to twice the limbs of m."""
        return self._result(lib.batch_mod, u)

    def add(self, u, v):
        """Returns u + v modulo m."""
        return self._result(lib.batch_mod_add, u, v)

    def sub(self, u, v):
        """Returns u - v modulo m."""
        return self._result(lib.batch_mod_sub, u, v)

    def mul(self, u, v):
        """Returns u v modulo m."""
        return self._result(lib.batch_mod_mul, u, v)

    def sqr(self, u):
        """Returns u^2 modulo m."""
        return self._result(lib.batch_mod_sqr, u)

    def inv(self, u):
        """Returns two batches: the inverses modulo m, and a batch of one limb each that has 1 where
        the inverse exists.  If there is no inverse, both are 0."""
        u = self._not_negative(of_kind(u, Batch))
        r, exists = Batch.zeros(u.count, self.limbs), Batch.zeros(u.count, 1)
        use(lib.batch_mod_invert, r, exists, u, self)
        return r, exists

    def pow(self, u, exponents, secret=False):
        """Returns u^e modulo m, with one exponent for all numbers or one for each: integers, or a
        Batch.

        With `secret`, the steps and memory addresses do not depend on the exponents' bits; moduli
        must then be odd."""
        u = self._not_negative(of_kind(u, Batch))
        e = exponents if isinstance(exponents, Batch) else Batch(listed(exponents), signed=False)
        if e.signed:
            raise ValueError("exponents are a batch with signs")
        if not secret:
            return self._call(lib.batch_mod_pow, u.count, u, e)
        try:
            return self._call(lib.batch_mod_pow_sec, u.count, u, e)
        except ValueError:
            # 2 has an inverse only modulo odd numbers, so `odd` has 0 for each even modulus
            odd = self.inv(Batch([2] * self.count, self.limbs))[1].tolist()
            if 0 in odd:
                raise ValueError(f"modulus {odd.index(0)} is even: secret powers need odd moduli") from None
            raise


def _modulo(operation, us, ms, *others):
    """Applies an operation to lists of integers of any sign, modulo the numbers in ms.  Returns
    a list of int."""
    us, ms, *others = map(listed, (us, ms, *others))
    limbs = max(pack(x).limbs for x in (us, ms, *others))
    with BatchModulus(ms, limbs) as m, Batch(us, limbs) as u:
        with operation(m, u, *(Batch(x, limbs) for x in others)) as r:
            return r.tolist()


def mod_pow(us, exponents, moduli):
    """Returns u^e modulo m for each number, as a list of int.  The exponents must be at least 0,
    the moduli above 0.  Either may be a single integer for all numbers."""
    return _modulo(lambda m, u: m.pow(u, exponents), us, moduli)


def mod_mul(us, vs, moduli):
    """Returns u v modulo m for each pair of numbers, as a list of int.  Moduli must be above 0.  A
    single modulus applies to all pairs."""
    return _modulo(BatchModulus.mul, us, moduli, vs)


def mod_inv(us, moduli):
    """Returns the inverse of each u modulo m, as a list with None where no inverse exists.  Moduli
    must be above 0.  A single modulus applies to all numbers."""
    us, ms = listed(us), listed(moduli)
    limbs = max(pack(us).limbs, pack(ms).limbs)
    with Batch(us, limbs) as u, Batch(ms, limbs, signed=False) as m:
        signs, magnitudes = u._magnitudes()
        with Batch.zeros(u.count, limbs) as r, Batch.zeros(u.count, 1) as exists:
            with _zero_named(m):
                use(lib.batch_mod_inv, r, exists, magnitudes, m)
            inverses = [x if e else None for x, e in zip(r.tolist(), exists.tolist())]
        if not u.signed:
            return inverses
        moduli = m.tolist() * (u.count // m.count)
        return [-x % k if x and s else x for x, s, k in zip(inverses, signs.tolist(), moduli)]


def gcd(us, vs):
    """Returns the greatest common divisor of each pair of numbers, as a list of int.  A single
    integer is paired with every number of the other list."""
    u, v = (x._magnitudes()[1] for x in of_same_length(us, vs))
    with u, v, Batch.zeros(u.count, u.limbs) as r:
        use(lib.batch_gcd, r, u, v)
        return r.tolist()
