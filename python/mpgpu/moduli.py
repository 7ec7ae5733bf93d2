# SPDX-License-Identifier: LGPL-3.0-or-later
"""Batches modulo numbers, greatest common divisors and inverses of batches."""
from .batch import Batch, of_same_length
from .library import lib
from .limbs import listed, pack
from .owned import Owned, of_kind, use


class BatchModulus(Owned):
    """What depends on moduli alone, for many operations: one modulus for all numbers of a batch, or
    one for each.  From integers, rows of limbs, or a Batch; a single integer is one for all."""

    _name = "modulus"

    def __init__(self, moduli, limbs=None):
        given = moduli if isinstance(moduli, Batch) else Batch(listed(moduli), limbs)
        self._handle = use(lib.batch_modulus_create, given)
        self.count, self.limbs = given.count, given.limbs

    def _release(self, handle):
        lib.batch_modulus_destroy(handle)

    def _result(self, operation, u, *others):
        batches = [of_kind(v, Batch) for v in (u, *others)]
        r = Batch.zeros(u.count, self.limbs)
        use(operation, r, *batches, self)
        return r

    def reduce(self, u):
        """u modulo m; u has as many limbs a number as m, or twice as many."""
        return self._result(lib.batch_mod, u)

    def add(self, u, v):
        return self._result(lib.batch_mod_add, u, v)

    def sub(self, u, v):
        return self._result(lib.batch_mod_sub, u, v)

    def mul(self, u, v):
        return self._result(lib.batch_mod_mul, u, v)

    def sqr(self, u):
        return self._result(lib.batch_mod_sqr, u)

    def inv(self, u):
        """The inverses and, of one limb, 1 where there is one; else both are 0: two batches."""
        of_kind(u, Batch)
        r, exists = Batch.zeros(u.count, self.limbs), Batch.zeros(u.count, 1)
        use(lib.batch_mod_invert, r, exists, u, self)
        return r, exists

    def pow(self, u, exponents, secret=False):
        """u^e, of one exponent for all or of one each: integers, or a Batch.  secret: the same steps
        and addresses whatever the exponents' bits; moduli have to be odd."""
        e = exponents if isinstance(exponents, Batch) else Batch(listed(exponents))
        return self._result(lib.batch_mod_pow_sec if secret else lib.batch_mod_pow, u, e)


def _modulo(operation, us, ms, *others):
    """Lists of any integers that are not negative, modulo ms: a list of int."""
    us, ms, *others = map(listed, (us, ms, *others))
    limbs = max(pack(x)[1] for x in (us, ms, *others))
    with BatchModulus(ms, limbs) as m, Batch(us, limbs) as u:
        with operation(m, u, *(Batch(x, limbs) for x in others)) as r:
            return r.tolist()


def mod_pow(us, exponents, moduli):
    """u^e modulo m of each: a list of int.  exponents and moduli: one for all, or one each."""
    return _modulo(lambda m, u: m.pow(u, exponents), us, moduli)


def mod_mul(us, vs, moduli):
    """u v modulo m of each: a list of int.  One modulus for all, or one each."""
    return _modulo(BatchModulus.mul, us, moduli, vs)


def mod_inv(us, moduli):
    """The inverse of each u modulo m, or None where there is none.  One modulus, or one each."""
    us, ms = listed(us), listed(moduli)
    limbs = max(pack(us)[1], pack(ms)[1])
    with Batch(us, limbs) as u, Batch(ms, limbs) as m:
        with Batch.zeros(u.count, limbs) as r, Batch.zeros(u.count, 1) as exists:
            use(lib.batch_mod_inv, r, exists, u, m)
            return [x if e else None for x, e in zip(r.tolist(), exists.tolist())]


def gcd(us, vs):
    """The greatest common divisors, one by one: a list of int."""
    u, v = of_same_length(us, vs)
    with u, v, Batch.zeros(u.count, u.limbs) as r:
        use(lib.batch_gcd, r, u, v)
        return r.tolist()
