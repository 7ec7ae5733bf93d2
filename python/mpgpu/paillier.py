# SPDX-License-Identifier: LGPL-3.0-or-later
"""Paillier's cryptosystem on a GPU: sums of encrypted integers, many ciphertexts at once.

    from mpgpu import paillier
    private = paillier.generate(2048)            # only its owner can decrypt
    public = private.public                      # everybody can encrypt
    c = public.encrypt([100, -20, 3])
    total = (c * [2, 1, 1] + 5).sum()            # computed without the private key
    private.decrypt(total)                       # [198]

Public key: n, the product of two primes p and q; g = n + 1.  Ciphertext of m: (1 + m n) r^n modulo n^2, with
a random r.  python-paillier (phe) with the same key decrypts ciphertexts of this module, and vice versa.

Plaintexts are integers from -max_int to max_int, where max_int is n // 3 - 1.  Results are
computed modulo n.  decrypt() raises OverflowError if a result is not in this range modulo n.  It
does not notice a larger result that is in the range modulo n.

What is protected: powers with a secret base or exponent (encryption, decryption, factors, tests of
candidates for primes) use the library's constant-time powers, mpgpu_batch_mod_pow_sec(3).  Arrays of
limbs that this module fills with secrets are overwritten after use, and PrivateKey.close() overwrites
the key.  The library clears its own memory and the device's if the option clear is set
(MPGPU_CONF=clear:true in the environment of the process, see mpgpu-gmp(7)).

What is not protected: Python's int and bytes cannot be overwritten.  So primes during the generation of a
key, random numbers, plaintexts, and p and q, if they are read, stay in memory until Python uses it again.
Reductions, products and conversions of integers are not constant-time.  Signs of factors, and lengths of
numbers in limbs, are not hidden.  Paillier's cryptosystem is malleable: whoever has the public key can
change a ciphertext in a way that decrypt() does not notice.  Results of + and * with plain numbers
can reveal these numbers to those who know the operands: see Ciphertexts.rerandomize()."""
import copy
import math
import operator

from .batch import Batch, _restored
from .library import lib
from .limbs import LIMB_BYTES, _integers, limbs_of, listed, shown
from .moduli import BatchModulus
from .owned import Owned, of_kind
from .primes import is_prime, prime_pair
from .remainders import Factors
from .secret import batch_of, integers_of, random_batch

__all__ = ["Ciphertexts", "PrivateKey", "PublicKey", "generate"]

MINIMUM = 2048  # bits of n
_LEAST = 128  # n never has fewer bits: if n is short, a random number may share a factor with n


def _plain(values):
    """Returns a Batch, an iterable or a single integer as a list of integers."""
    numbers = _integers(listed(values))
    if not numbers:
        raise ValueError("no numbers")
    return numbers


def _for_each(numbers, count):
    """Returns a list of `count` numbers: the numbers themselves, or copies of a single number."""
    if len(numbers) not in (1, count):
        raise ValueError(f"{count} ciphertexts and {len(numbers)} numbers")
    return numbers * (count // len(numbers))


class PublicKey:
    """The public key: encrypts integers.

    n: the product of two primes.  minimum: the least length of n in bits that is allowed; less than 2048
    is for tests.

    bits: the length of n.  max_int: the largest plaintext; -max_int is the smallest.

    Keys with the same n are equal.  copy.copy, copy.deepcopy and pickle copy the key."""

    def __init__(self, n, minimum=MINIMUM):
        n, minimum = operator.index(n), operator.index(minimum)
        least = max(minimum, _LEAST)
        if n.bit_length() < least or n < 0:
            raise ValueError(f"n is {shown(n)}: it must be positive and have at least {least} bits")
        if n % 2 == 0 or math.isqrt(n) ** 2 == n:
            raise ValueError(f"n is {shown(n)}: even or a square, so no product of two different odd primes")
        self.n, self.bits, self.max_int, self._minimum = n, n.bit_length(), n // 3 - 1, minimum
        self._half = limbs_of(n)
        self._limbs = 2 * self._half
        self._modulus, self._square = BatchModulus(n, self._limbs), BatchModulus(n * n, self._limbs)

    def __repr__(self):
        return f"<PublicKey: {self.bits} bits, n ends in {self.n % 2**64:016x}>"

    def __eq__(self, other):
        """Returns whether both are public keys with the same n."""
        return self.n == other.n if isinstance(other, PublicKey) else NotImplemented

    def __hash__(self):
        """Returns a hash of n."""
        return hash(self.n)

    def __reduce__(self):
        return PublicKey, (self.n, self._minimum)

    def encrypt(self, values, r=None):
        """Encrypts integers: a Batch, an iterable, or a single integer.  Returns their Ciphertexts.

        r: numbers coprime to n, one for each integer or one for all; use it only to reproduce
        known ciphertexts.  By default r is random.  Two ciphertexts with the same r reveal the
        difference of their plaintexts."""
        encoded = self._encoded(values)
        return self._ciphertexts(self._square.mul(encoded, self._noise(encoded.count, r)))

    def ciphertexts(self, values):
        """Returns Ciphertexts with the given values: integers, rows of limbs, or a Batch.  Raises
        ValueError unless each value is from 1 to n^2 - 1 and coprime to n."""
        batch = Batch(listed(values), self._limbs, signed=False)
        if self._square.reduce(batch) != batch:
            i = next(i for i, c in enumerate(batch) if c >= self.n**2)
            raise ValueError(f"ciphertext {i} is {shown(batch[i])}: not below n^2")
        self._coprime(batch, "ciphertext")
        return self._ciphertexts(batch)

    def _ciphertexts(self, batch):
        c = Ciphertexts.__new__(Ciphertexts)
        c.public, c._batch = self, batch
        return c

    def _coprime(self, batch, name):
        """Raises ValueError for a number that is not coprime to n."""
        rest = self._modulus.reduce(batch)
        divisors = rest._result(lib.batch_gcd, self._limbs, rest, rest._given(self.n)).tolist()
        i = next((i for i, d in enumerate(divisors) if d != 1), None)
        if i is not None:
            raise ValueError(f"{name} {i} is {shown(batch[i])}: not coprime to n")

    def _checked(self, numbers):
        """Returns the numbers, which are plaintexts or factors.  Raises ValueError if one is not
        from -max_int to max_int."""
        i = next((i for i, x in enumerate(numbers) if abs(x) > self.max_int), None)
        if i is not None:
            raise ValueError(f"number {i} is {shown(numbers[i])}: not from -max_int to max_int")
        return numbers

    def _encoded(self, values, count=None):
        """Returns a batch of 1 + m n for the plaintexts m.  These are ciphertexts without the
        random factor r^n."""
        numbers = self._checked(_plain(values))
        numbers = numbers if count is None else _for_each(numbers, count)
        return batch_of([x % self.n for x in numbers], self._half) * self.n + 1

    def _given(self, values, count):
        """Returns a batch of the numbers r that the caller of encrypt() has given.  Raises
        ValueError if one is invalid."""
        r = batch_of(_for_each(_plain(values), count), self._limbs)
        i = next((i for i, x in enumerate(r) if x >= self.n), None)
        if i is not None:
            raise ValueError(f"r {i} is {shown(r[i])}: not below n")
        self._coprime(r, "r")
        return r

    def _noise(self, count, r=None):
        """Returns a batch of the powers r^n modulo n^2.  If r is None, each r is a random number of
        twice the bits of n, reduced modulo n, so no residue is noticeably more likely."""
        r = self._modulus.reduce(random_batch(count, self._limbs)) if r is None else self._given(r, count)
        return self._square.pow(r, self.n, secret=True)

    def _decoded(self, residues):
        """Converts residues modulo n to plaintexts from -max_int to max_int."""
        return [self._signed(i, x) for i, x in enumerate(residues)]

    def _signed(self, i, x):
        if self.max_int < x < self.n - self.max_int:
            raise OverflowError(f"plaintext {i} is {shown(x)} modulo n: an overflow, not from -max_int to max_int")
        return x if x <= self.max_int else x - self.n


class Ciphertexts:
    """Encrypted integers, from PublicKey.encrypt(), PrivateKey.encrypt() or
    PublicKey.ciphertexts().  They stay on the device if they are many, and never change.

    public: their PublicKey.  c[i] is ciphertext i as int, c[i:j:k] are Ciphertexts.

    c + d and c - d are the encrypted sums and differences, element by element.  d is Ciphertexts of
    the same key and count, or integers.  c * k is the encrypted products of the plaintexts by
    integers k.  The integers are a Batch, an iterable, or one integer for all plaintexts.

    Threads that use the same object wait for each other.  close(), or `with`, releases its
    memory before the garbage collector does.  copy.copy, copy.deepcopy and pickle copy the
    ciphertexts."""

    def __init__(self):
        raise TypeError("Ciphertexts come from encrypt() and ciphertexts() of a key")

    def __repr__(self):
        return f"<Ciphertexts: count {len(self)}, {self.public!r}{'' if self._batch._handle else ', closed'}>"

    def __copy__(self):
        return self.public._ciphertexts(copy.copy(self._batch))

    def __deepcopy__(self, _):
        return self.__copy__()

    def __reduce__(self):
        return PublicKey._ciphertexts, (self.public, self._batch)

    def close(self):
        """Releases the memory; uses afterwards raise ValueError.  `with` closes the object at its end."""
        self._batch.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __len__(self):
        """Returns how many ciphertexts there are."""
        return self._batch.count

    def __iter__(self):
        """Iterates over the ciphertexts as int."""
        return iter(self._batch)

    def __getitem__(self, index):
        """c[i] is an int, c[i:j:k] are Ciphertexts. The first use downloads and caches all
        ciphertexts."""
        found = self._batch[index]
        return self.public._ciphertexts(found) if isinstance(found, Batch) else found

    def __eq__(self, other):
        """Returns whether both are the same ciphertexts of the same key.  Ciphertexts of equal
        plaintexts differ if their r differ."""
        if not isinstance(other, Ciphertexts):
            return NotImplemented
        return self.public == other.public and self._batch == other._batch

    __hash__ = None
    __array_ufunc__ = None  # NumPy's integers leave their operators to this class

    def tolist(self):
        """Returns the ciphertexts as a list of int."""
        return self._batch.tolist()

    def mul(self, factors, secret=True):
        """Returns the encrypted products of the plaintexts by integers, the factors.  secret: the
        running time does not reveal the factors' bits.  False is faster, for factors that
        everybody may know."""
        numbers = self.public._checked(_plain(factors))
        _for_each(numbers, len(self))
        longest = max(map(limbs_of, numbers))
        with batch_of(map(abs, numbers), longest) as exponents:
            bases = self._batch_by_sign([int(k < 0) for k in numbers])
            return self.public._ciphertexts(self.public._square.pow(bases, exponents, secret))

    def sum(self):
        """Returns one ciphertext: the encrypted sum of all plaintexts."""
        batch = self._batch
        while batch.count > 1:
            batch = self._halved(batch)
        return copy.copy(self) if batch is self._batch else self.public._ciphertexts(batch)

    def _halved(self, batch):
        """Multiplies each ciphertext of the batch's first half by one of the second half.
        Returns the products.  If the count is odd, the last ciphertext follows them unchanged."""
        data, limbs, half = batch.tobytes(), batch.limbs, batch.count // 2
        middle = half * limbs * LIMB_BYTES
        u, v = (_restored(half, limbs, x) for x in (data[:middle], data[middle : 2 * middle]))
        products, rest = self.public._square.mul(u, v), data[2 * middle :]
        return _restored(half + 1, limbs, products.tobytes() + rest) if rest else products

    def dot(self, factors, secret=True):
        """Returns one ciphertext: the encrypted sum of the products by integers.  secret: as for
        mul()."""
        with self.mul(factors, secret) as products:
            return products.sum()

    def rerandomize(self):
        """Returns new ciphertexts of the same plaintexts.  Without the private key, nobody can
        relate them to the old ciphertexts.  Call this for results before others get them: from
        the operands of + and *, an attacker could find the plain numbers by trying."""
        return self._times(self.public._noise(len(self)))

    def _of(self, public):
        """Returns self.  Raises ValueError if these ciphertexts belong to another key."""
        if self.public != public:
            raise ValueError(f"ciphertexts of {self.public!r}, where {public!r} is needed")
        return self

    def _times(self, batch):
        return self.public._ciphertexts(self.public._square.mul(self._batch, batch))

    def _batch_by_sign(self, signs):
        """Returns a batch of the ciphertexts. Each ciphertext whose element in `signs` is not 0 is
        replaced by its inverse modulo n^2."""
        if not any(signs):
            return self._batch
        with batch_of(_for_each(signs, len(self)), 1) as s:
            inverses = self.public._square.inv(self._batch)[0]
            return inverses._result(lib.batch_select, inverses.limbs, s, inverses, self._batch)

    def __neg__(self):
        """Returns the encryption of -m for each plaintext m."""
        return self.public._ciphertexts(self._batch_by_sign([1]))

    def __add__(self, other):
        """Returns the encrypted sums of the plaintexts and `other`."""
        if not isinstance(other, Ciphertexts):
            return self._times(self.public._encoded(other, len(self)))
        if len(self) != len(other):
            raise ValueError(f"{len(self)} ciphertexts and {len(other)}")
        return self._times(other._of(self.public)._batch)

    def __sub__(self, other):
        """Returns the encrypted differences of the plaintexts and `other`."""
        return self + (-other if isinstance(other, Ciphertexts) else [-x for x in _plain(other)])

    def __rsub__(self, other):
        """Returns the encryption of other - m for each plaintext m."""
        return -self + other

    def __mul__(self, factors):
        """Returns the encrypted products of the plaintexts by integers."""
        return NotImplemented if isinstance(factors, Ciphertexts) else self.mul(factors)

    __radd__ = __add__
    __rmul__ = __mul__


class PrivateKey(Owned):
    """The private key: decrypts ciphertexts.  It encrypts faster than the public key, by powers modulo p^2 and q^2.

    p, q: different primes of the same length.  minimum: see PublicKey.

    public: the PublicKey.  Threads that use the same key wait for each other.  close(), or `with`, overwrites
    the key; uses afterwards raise ValueError.  copy and pickle raise TypeError."""

    _name = "private key"
    _why = "make one of the same p and q"

    def __init__(self, p, q, minimum=MINIMUM):
        p, q = operator.index(p), operator.index(q)
        for name, x in (("p", p), ("q", q)):
            if x < 2 ** (_LEAST // 2 - 1):
                what = "is negative" if x < 0 else f"has {x.bit_length()} bits"
                raise ValueError(f"{name} {what}: it must have at least {_LEAST // 2} bits")
        if p == q:
            raise ValueError("p and q are equal")
        if p.bit_length() != q.bit_length():
            raise ValueError(f"p has {p.bit_length()} bits and q {q.bit_length()}: their lengths must be the same")
        public = PublicKey(p * q, minimum)
        for name, x in (("p", p), ("q", q)):
            if not is_prime(x):
                raise ValueError(f"{name}, a number of {x.bit_length()} bits, is composite")
        self._open(p, q, public)

    def _open(self, p, q, public):
        self.public = public
        self._handle = Factors(p, q, public._half)

    def _release(self, handle):
        handle.close()

    def __repr__(self):
        """Returns a text about the public key, and nothing about p and q."""
        return f"<PrivateKey of {self.public!r}{'' if self._handle else ', closed'}>"

    @property
    def p(self):
        """The prime p, as int, which cannot be overwritten."""
        with self._lock:
            return int(self._open_handle.p.prime)

    @property
    def q(self):
        """The prime q, as int, which cannot be overwritten."""
        with self._lock:
            return int(self._open_handle.q.prime)

    def encrypt(self, values):
        """Returns what public.encrypt(values) does, in less time."""
        # The key is not locked here, because the iterator `values` may wait for threads that use
        # the key.
        encoded = self.public._encoded(values)
        with self._lock:
            noise = self._open_handle.noise(encoded.count)
        return self.public._ciphertexts(self.public._square.mul(encoded, noise))

    def rerandomize(self, ciphertexts):
        """Returns what ciphertexts.rerandomize() does, in less time."""
        with self._lock:
            return self._own(ciphertexts)._times(self._open_handle.noise(len(ciphertexts)))

    def decrypt(self, ciphertexts):
        """Returns the plaintexts as a list of int, from -max_int to max_int. Raises OverflowError
        if a plaintext is outside this range."""
        return self.public._decoded(self.raw_decrypt(ciphertexts))

    def raw_decrypt(self, ciphertexts):
        """Returns the plaintexts modulo n as a list of int, from 0 to n - 1."""
        with self._lock:
            return integers_of(self._open_handle.decrypt(self._own(ciphertexts)._batch))

    def _own(self, ciphertexts):
        return of_kind(ciphertexts, Ciphertexts)._of(self.public)


def generate(bits=3072, minimum=MINIMUM):
    """Returns a new PrivateKey.

    bits: the length of n, an even number.  Primes are random numbers of the operating system (secrets) that
    pass Miller and Rabin's test to 64 random bases.
    minimum: see PublicKey."""
    bits, least = operator.index(bits), max(operator.index(minimum), _LEAST)
    if bits < least or bits % 2:
        raise ValueError(f"a key of {shown(bits)} bits: the length must be even, and at least {least}")
    p, q = prime_pair(bits // 2)
    key = PrivateKey.__new__(PrivateKey)
    key._open(p, q, PublicKey(p * q, minimum))
    return key
