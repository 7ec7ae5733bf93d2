# SPDX-License-Identifier: LGPL-3.0-or-later
# Prints results of gmpy2's functions for numbers of the given number of bits, and results of mpmath
# if it is installed.
import sys

import gmpy2
from gmpy2 import mpz, mpq, mpfr

n = int(sys.argv[1])  # bits

def show(name, *numbers):
    for x in numbers:
        print(name, gmpy2.num_digits(x), x % (2**61 - 1), x % (10**40 + 1))

state = gmpy2.random_state(20261121)
a = gmpy2.mpz_rrandomb(state, n)
b = gmpy2.mpz_rrandomb(state, n - n // 7)
c = gmpy2.mpz_rrandomb(state, n // 8) | 1
show("product", a * b, a * a, a * c, -a * b)
show("quotient", (a * b) // (a + 1), a % c, *divmod(a, b))
show("exact", gmpy2.divexact(a * c, c))
show("power", c ** 7, mpz(7) ** (n // 4))
show("power modulo", gmpy2.powmod(b, 65537, c * 4 + 3), gmpy2.invert(c, c * b + 1))
show("root", gmpy2.isqrt(a), gmpy2.iroot(a, 3)[0], *gmpy2.isqrt_rem(b))
show("gcd", gmpy2.gcd(c * c, c * (c + 2)), gmpy2.lcm(c, c + 2))
show("sequence", gmpy2.fac(n // 32), gmpy2.bincoef(n // 32, n // 64), gmpy2.fib(n // 4))
show("sum", a * b + c)
x = gmpy2.xmpz(a)
x *= b
x -= a
show("in place", mpz(x))
text = a.digits()
show("text", mpz(text) - a, mpz(b.digits(36), 36) - b, len(text))
q = mpq(a, c) * mpq(b, c + 2) + mpq(c, a)
show("fraction", q.numerator, q.denominator)
gmpy2.get_context().precision = n // 4
print("real", gmpy2.const_pi() * gmpy2.sqrt(mpfr(2)) / gmpy2.exp(mpfr(1)))

try:
    import mpmath
except ImportError:
    sys.exit()
assert mpmath.libmp.BACKEND == "gmpy", mpmath.libmp.BACKEND
mpmath.mp.prec = n // 4
print("mpmath", mpmath.pi * mpmath.log(3) / mpmath.sqrt(7))
