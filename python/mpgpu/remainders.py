# SPDX-License-Identifier: LGPL-3.0-or-later
"""Paillier's powers modulo the squares of two secret primes, and Chinese remainders."""
from .limbs import limbs_of
from .moduli import BatchModulus
from .secret import Secret, batch_of, random_batch


class Half:
    """One prime of a private key, and values computed from it."""

    def __init__(self, p, q, limbs):
        short = limbs_of(p)  # the time of a power depends on the exponent's limbs
        self.prime, self.exponent = Secret(p, short), Secret(p - 1, short)
        self.inverse = Secret(pow(p, -1, 2 ** (64 * limbs)), limbs)
        # the inverse modulo p of L(g^(p-1) modulo p^2), where g = p q + 1 and L(u) = (u - 1) / p
        self.factor = Secret(pow(-q, -1, p), limbs)
        self.modulus, self.square = (BatchModulus(batch_of([m], limbs)) for m in (p, p * p))

    def noise(self, count):
        """Returns a batch of random n-th powers modulo p^2, where n = p q.  The n-th powers
        modulo p^2 are the p-th powers, and p is half as long an exponent.  A power x^p modulo
        p^2 depends only on x modulo p, so x is a random number below p."""
        x = self.modulus.reduce(random_batch(count, self.modulus.limbs))
        return self.square.pow(x, self.prime.times(1), secret=True)

    def decrypt(self, batch):
        """Returns the plaintexts modulo p of a batch of ciphertexts c: L(c^(p-1)) / L(g^(p-1)),
        where g = n + 1, n = p q, and L(u) is the exact quotient (u - 1) / p."""
        powers = self.square.pow(self.square.reduce(batch), self.exponent.times(1), secret=True)
        inverse = self.inverse.times(batch.count)
        quotients = powers.mullo(inverse) - inverse
        return self.modulus.mul(quotients, self.factor.times(batch.count))

    def close(self):
        for x in (self.prime, self.exponent, self.inverse, self.factor, self.modulus, self.square):
            x.close()


class Remainders:
    """Computes numbers modulo a b from their residues modulo a and modulo b, for secret a and b."""

    def __init__(self, a, b, modulus, limbs):
        self.a, self.inverse, self.modulus = Secret(a, limbs), Secret(pow(a, -1, b), limbs), modulus

    def joined(self, u, v):
        """Returns the numbers, of twice the limbs, that are u modulo a and v modulo b."""
        steps = self.modulus.mul(self.modulus.sub(v, u), self.inverse.times(u.count))
        return steps * self.a.times(u.count) + u * 1

    def close(self):
        self.a.close()
        self.inverse.close()


class Factors:
    """The primes p and q of a private key, and values computed from them.  close() overwrites
    all."""

    def __init__(self, p, q, limbs):
        self.p, self.q = Half(p, q, limbs), Half(q, p, limbs)
        self.plaintexts = Remainders(p, q, self.q.modulus, limbs)
        self.powers = Remainders(p * p, q * q, self.q.square, limbs)

    def noise(self, count):
        """Returns a batch of random n-th powers modulo n^2."""
        return self.powers.joined(self.p.noise(count), self.q.noise(count))

    def decrypt(self, batch):
        """Decrypts a batch of ciphertexts; returns their plaintexts, which are below n."""
        return self.plaintexts.joined(self.p.decrypt(batch), self.q.decrypt(batch))

    def close(self):
        for x in (self.p, self.q, self.plaintexts, self.powers):
            x.close()
