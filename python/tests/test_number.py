# SPDX-License-Identifier: LGPL-3.0-or-later
"""Compares Number with int: results and exceptions must be the same.  MPGPU_CONF selects the
device."""
import contextlib
import copy
import decimal
import fractions
import math
import numbers
import operator
import os
import pickle
import random
import sys
import unittest

import mpgpu

SEED = int(os.environ.get("MPGPU_TEST_SEED", random.randrange(10**9)))
HAS_DEVICE = mpgpu.wait()
FAILURES = (ArithmeticError, TypeError, ValueError)

ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, divmod)
BITWISE = (operator.and_, operator.or_, operator.xor)
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
UNARY = (operator.neg, operator.pos, operator.invert, abs, bool, hash, int, str, round, math.floor, math.ceil, math.trunc)


def setUpModule():
    print("seed", SEED, file=sys.stderr)
    random.seed(SEED)


def runs(bits):
    """Returns long runs of ones and of zeros, with a random sign."""
    x = 0
    while x.bit_length() < bits:
        run = random.randrange(1, bits // 2 + 2)
        x = (x << run) | ((1 << run) - 1) * random.randrange(2) | 1
    return random.choice((-1, 1)) * (x >> (x.bit_length() - bits))


def edges(*lengths):
    """Returns numbers next to powers of 2, and long runs of equal bits."""
    powers = [1 << bits for bits in lengths]
    return [0, 1, -1, *(s * (p + d) for p in powers for d in (-1, 0, 1) for s in (-1, 1)), *map(runs, lengths)]


def plain(result):
    """Returns the pair of the result's type and value, with a Number counted as an int.  If the
    result is a tuple, returns a tuple of such pairs."""
    if isinstance(result, tuple):
        return tuple(map(plain, result))
    return (int, int(result)) if isinstance(result, mpgpu.Number) else (type(result), result)


def outcome(operation, *given):
    """Returns the type and value of the operation's result, or the type of its exception."""
    try:
        return plain(operation(*given))
    except FAILURES as error:
        return type(error)


class Case(unittest.TestCase):
    def setUp(self):
        self.queue = mpgpu.Queue()
        self.number = self.queue.number

    def same(self, operation, *given):
        """Replaces each subset of the integer operands by Numbers.  The outcome must always be the
        outcome with int."""
        wanted = outcome(operation, *given)
        places = [i for i, x in enumerate(given) if isinstance(x, int)]
        for chosen in range(1, 1 << len(places)):
            mixed = list(given)
            for k, i in enumerate(places):
                if chosen >> k & 1:
                    mixed[i] = self.number(given[i])
            with self.subTest(operation=operation, given=[repr(x)[:80] for x in given], chosen=chosen):
                self.assertEqual(outcome(operation, *mixed), wanted)


class Operators(Case):
    def test_pairs(self):
        samples = edges(31, 64, 300)
        for a, b in [(a, b) for a in samples for b in (0, 1, -1, random.choice(samples), random.choice(samples))]:
            for operation in (*ARITHMETIC, *BITWISE, *COMPARISONS, operator.truediv):
                self.same(operation, a, b)

    def test_single(self):
        for a in edges(1, 31, 63, 64, 65, 1000):
            for operation in UNARY:
                self.same(operation, a)
            for form in ("", "d", "x", "b", "o", "#X", "+d", "<20", "_d", ",", "e", "c", "s", "Z"):
                self.same(format, a, form)
            for operation in (hex, oct, bin, float, complex):
                self.same(operation, a)
            for digits in (-20, -3, -1, 0, 1):
                self.assertEqual(plain(round(self.number(a), digits)), plain(round(a, digits)))

    def test_shifts(self):
        for a in edges(1, 63, 64, 500):
            for bits in (0, 1, 31, 63, 64, 65, 500, 1000):
                self.same(operator.lshift, a, bits)
                self.same(operator.rshift, a, bits)
            for bits in (2**62, 2**64, 2**70):
                self.assertEqual(int(self.number(a) >> bits), a >> bits)
            for operation in (operator.lshift, operator.rshift):
                self.same(operation, a, -1)
        for bits in (2**40, 2**64, 2**70):
            self.assertEqual(int(self.number(0) << bits), 0)
            with self.assertRaisesRegex(OverflowError, f"{bits + 1} bits|too large" if bits < 2**64 else "bits"):
                self.number(1) << bits

    def test_powers(self):
        for a in edges(2, 64):
            for e in (0, 1, 2, 3, 7, 20):
                self.same(pow, a, e)
                self.same(operator.pow, a, e)
            self.same(pow, a, -1)
            self.same(pow, a, -3)
        for a in (0, 1, -1):
            for e in (2**64, 2**70 + 1):
                self.same(pow, a, e)
        with self.assertRaisesRegex(OverflowError, "a result of 1099511627776 bits"):
            self.number(3) ** 2**40

    def test_powers_modulo(self):
        """Tests pow() with three arguments.  The base is always a Number: before Python 3.14,
        pow() calls a method of the base only."""
        for a in edges(2, 64)[:12]:
            for e in (-3, -1, 0, 1, 2, 65537):
                for m in (0, 1, -1, 2, -2, 7, -9, 2**64, 2**64 + 13, -(2**64) - 13):
                    wanted = outcome(pow, a, e, m)
                    x = self.number(a)
                    for exponent in (e, self.number(e)):
                        for modulus in (m, self.number(m)):
                            with self.subTest(a=a, e=e, m=m):
                                self.assertEqual(outcome(pow, x, exponent, modulus), wanted)

    def test_kinds(self):
        """With operands that are no integers, Numbers behave as int does or raise TypeError.  They
        never return a wrong number."""
        others = (1.5, -0.0, math.inf, math.nan, 2j, True, fractions.Fraction(-7, 3), decimal.Decimal("2.5"), "3", b"3", None,
                  [3], (3,), {3: 3}, object(), 10**40 + 0.0)
        binary = (*ARITHMETIC, *BITWISE, *COMPARISONS, operator.truediv, operator.lshift, operator.rshift, pow)
        for a in (0, 5, -3, 10**40):
            x = self.number(a)
            for other in others:
                if isinstance(other, (str, bytes, list, tuple, fractions.Fraction)) and a > 9:
                    # Skips cases in which int itself fails or takes too long: a sequence repeated
                    # 10^40 times, or a Fraction raised to 10^40.
                    continue
                for operation in binary:
                    with self.subTest(operation=operation, a=a, other=other):
                        for mine, its in (((x, other), (a, other)), ((other, x), (other, a))):
                            got, wanted = outcome(operation, *mine), outcome(operation, *its)
                            self.assertEqual(repr(got), repr(wanted))

    def test_equality_never_raises(self):
        class Odd:
            def __index__(self):
                raise TypeError

        x = self.number(3)
        for other in (None, "3", b"3", [], {}, object(), type, math.nan, 3j, Odd(), mpgpu.Batch([3]), mpgpu.Queue()):
            self.assertFalse(x == other)
            self.assertTrue(x != other)
        for other in (None, "3", [], object()):
            for operation in (operator.lt, operator.le, operator.gt, operator.ge):
                with self.assertRaises(TypeError):
                    operation(x, other)

    def test_other_queues(self):
        other = mpgpu.Queue().number(-7)
        x = self.number(20)
        for operation in (*ARITHMETIC, *BITWISE, *COMPARISONS, operator.lshift, pow):
            with self.subTest(operation=operation):
                self.assertEqual(outcome(operation, x, other), outcome(operation, 20, -7))
        self.assertIs((x + other).queue, self.queue)
        self.assertEqual(self.queue.modulus(100).mul(x, other), 60)

    def test_integers_of_others(self):
        """NumPy's and gmpy2's integers are accepted on both sides of an operator, and results do
        not wrap round."""
        others = []
        with contextlib.suppress(ImportError):
            import numpy

            others += [(numpy.int64, -7), (numpy.uint64, 2**64 - 1)]
        with contextlib.suppress(ImportError):
            import gmpy2

            others += [(gmpy2.mpz, -(10**30))]
        if not others:
            self.skipTest("neither NumPy nor gmpy2 is installed")
        for kind, b in others:
            for a in (10**25, -3):
                for operation in (*ARITHMETIC[:-1], operator.eq, operator.lt, operator.ge):
                    with self.subTest(operation=operation, kind=kind, a=a):
                        self.assertEqual(operation(self.number(a), kind(b)), operation(a, b))
                        self.assertEqual(operation(kind(b), self.number(a)), operation(b, a))

    def test_hash(self):
        for a in (*edges(31, 61, 64, 500), sys.hash_info.modulus, -sys.hash_info.modulus):
            self.assertEqual(hash(self.number(a)), hash(a))
        self.assertEqual({3: "int"}[self.number(3)], "int")
        self.assertEqual(len({self.number(10**30), 10**30, self.number(10**30)}), 1)

    def test_tower(self):
        x = self.number(-12)
        self.assertIsInstance(x, numbers.Integral)
        self.assertEqual((x.real, x.imag, x.numerator, x.denominator, x.conjugate()), (-12, 0, -12, 1, -12))
        self.assertEqual(fractions.Fraction(x, self.number(8)), fractions.Fraction(-3, 2))
        self.assertEqual(math.gcd(x, 18), 6)
        self.assertEqual([*range(self.number(3))], [0, 1, 2])
        self.assertEqual("abc"[self.number(1)], "b")
        self.assertEqual(sum([self.number(2), self.number(3)], 0), 5)

    def test_methods(self):
        for a in edges(1, 8, 63, 64, 500):
            x = self.number(a)
            for name in ("bit_length", "bit_count", "as_integer_ratio", "is_integer"):
                if hasattr(int, name):
                    self.assertEqual(getattr(x, name)(), getattr(a, name)())
            self.assertEqual(x.to_bytes(70, "little", signed=True), a.to_bytes(70, "little", signed=True))
            self.assertEqual(outcome(x.to_bytes, 2, "big"), outcome(a.to_bytes, 2, "big"))

    def test_floats(self):
        """Conversions to float round half to even.  A number too large for a float raises
        OverflowError."""
        for bits in (53, 54, 60, 1023):
            for offset in (-2, -1, 0, 1, 2):
                for a in ((1 << bits) + offset, (3 << bits - 2) + offset, -(1 << bits) + offset):
                    self.same(float, a)
                    for other in (float(1 << bits), math.inf, -math.inf, math.nan, 0.5):
                        for operation in COMPARISONS:
                            x = self.number(a)
                            self.assertEqual(operation(x, other), operation(a, other))
                            self.assertEqual(operation(other, x), operation(other, a))
        for a in (2**1024, -(2**1024), 2**1024 - 2**969, 2**1024 - 2**970, 10**400):
            self.same(float, a)
            self.same(operator.truediv, a, 3)
            self.same(operator.truediv, 3, a)
            self.same(operator.truediv, a, 10**399)

    def test_text(self):
        """str() returns the decimal digits of a number of any length; int's str() has a limit."""
        a = -(7**9000)
        text = str(self.number(a))
        self.assertEqual(int(text[:1000]), -(7**9000) // 10 ** (len(text) - 1000) + 1)
        self.assertEqual(text[-1000:], str(7**9000 % 10**1000).zfill(1000))
        self.assertEqual(f"{self.number(a)}", text)
        self.assertEqual(repr(self.number(a)), f"<Number of {a.bit_length()} bits>")
        self.assertEqual(repr(self.number(-5)), "<Number -5>")
        self.assertEqual(f"{self.number(255):#06x}|{self.number(-3)!s:>5}", "0x00ff|   -3")

    def test_copies(self):
        x = self.number(3**300) * 2
        for duplicate in (copy.copy, copy.deepcopy):
            y = duplicate(x)
            self.assertIsNot(x, y)
            self.assertEqual(y, 2 * 3**300)
        self.assertEqual(copy.deepcopy({"x": [x]})["x"][0], x)
        with self.assertRaisesRegex(TypeError, r"Number cannot be copied or pickled: .*int\(x\)"):
            pickle.dumps(x)

    def test_results_are_new(self):
        """Operators such as += create a new Number and leave the old Number unchanged."""
        x = y = self.number(100)
        for operation in (operator.iadd, operator.isub, operator.imul, operator.ifloordiv, operator.imod, operator.ilshift,
                          operator.irshift, operator.iand, operator.ior, operator.ixor, operator.ipow):
            y = operation(y, 3)
            self.assertEqual(x, 100)
        self.assertIsInstance(y, mpgpu.Number)

    def test_bad_values(self):
        for value, error in ((1.5, TypeError), ("3", TypeError), (None, TypeError), ([3], TypeError), (b"abc", ValueError)):
            with self.assertRaises(error):
                self.number(value)
        for exponent in (-(2**300), -1):
            with self.assertRaisesRegex(ValueError, "is negative"):
                self.queue.modulus(7).pow(3, exponent)
        with self.assertRaisesRegex(TypeError, "int where Queue is needed"):
            mpgpu.Number(3)
        with self.assertRaisesRegex(TypeError, "int where Number is needed"):
            mpgpu.Modulus(3)


class Laws(Case):
    """Checks algebraic identities with long numbers: Numbers compute both sides, so no slow int is
    needed."""

    LENGTHS = (1, 63, 64, 65, 200, 1000, 5000)

    def drawn(self, count):
        return [self.number(runs(random.choice(self.LENGTHS))) for _ in range(count)]

    def test_division(self):
        for _ in range(25):
            x, y = self.drawn(2)
            q, r = divmod(x, y)
            self.assertEqual(x, q * y + r)
            self.assertEqual((q, r), (x // y, x % y))
            self.assertTrue(0 <= r < y if y > 0 else y < r <= 0)

    def test_rings(self):
        for _ in range(25):
            x, y, z = self.drawn(3)
            self.assertEqual((x + y) * z, x * z + y * z)
            self.assertEqual((x - y) * (x + y), x * x - y**2)
            self.assertEqual(x * (y * z), (x * y) * z)
            self.assertEqual(x - x, 0)
            self.assertEqual(-(-x), x)
            self.assertEqual(abs(x) * abs(y), abs(x * y))

    def test_bits(self):
        for _ in range(25):
            x, y, z = self.drawn(3)
            self.assertEqual(~~x, x)
            self.assertEqual(x, -(~x + 1))
            self.assertEqual(x ^ x, x & 0)
            self.assertEqual(x | ~x, -1)
            self.assertEqual(x & y, ~(~x | ~y))
            self.assertEqual(x ^ y, (x | y) & ~(x & y))
            self.assertEqual(x & (y | z), (x & y) | (x & z))

    def test_shifts(self):
        for _ in range(25):
            (x,) = self.drawn(1)
            n, m = random.randrange(300), random.randrange(300)
            self.assertEqual(x << n, x * self.number(2) ** n)
            self.assertEqual(x >> n, x // self.number(2) ** n)
            self.assertEqual(x << n >> n, x)
            self.assertEqual(x >> n >> m, x >> n + m)
            self.assertEqual((x << n) + (x << m), x * (self.number(1) << n | self.number(1) << m) if n != m else x << n + 1)

    def test_order(self):
        drawn = self.drawn(12)
        values = sorted(map(int, drawn))
        self.assertEqual([int(x) for x in sorted(drawn)], values)
        self.assertEqual((int(min(drawn)), int(max(drawn))), (values[0], values[-1]))

    def test_powers(self):
        for _ in range(8):
            x, m = self.number(runs(500)), self.number(abs(runs(600)))
            a, b = random.randrange(40), random.randrange(40)
            self.assertEqual(x**a * x**b, x ** (a + b))
            self.assertEqual(pow(x, a, m) * pow(x, b, m) % m, pow(x, a + b, m))
            if math.gcd(x, m) == 1:
                self.assertEqual(pow(x, -a, m) * pow(x, a, m) % m, 1 % m)


class OnDevice(Case):
    """The device, not the host, computes the operations, and only when a value is asked for."""

    def setUp(self):
        super().setUp()
        if not HAS_DEVICE:
            self.skipTest("no device")

    def test_operators_are_sent(self):
        a, b = runs(40000) | 1, runs(30000)
        x, y = self.number(a), self.number(b)
        # The sign of y, and mostly that of x, is not known until the device computes it.
        x, y = x + y * y, y - x * x
        a, b = a + b * b, b - a * a
        operations = {
            "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "//": lambda x, y: x // y,
            "//-": lambda x, y: -x // y, "%": lambda x, y: x % y, "%-": lambda x, y: x % -y, "divmod": lambda x, y: divmod(x, y)[0],
            "**": lambda x, y: x**3, "<<": lambda x, y: x << 77, ">>": lambda x, y: x >> 77, "~": lambda x, y: ~(x * x),
            "abs": lambda x, y: abs(x * y), "pow": lambda x, y: pow(x, 5, abs(y)), "r-": lambda x, y: 10**9000 - x,
        }
        for name, operation in operations.items():
            with self.subTest(operation=name):
                before = mpgpu.sent()
                self.assertEqual(operation(x, y), operation(a, b))
                self.assertGreater(mpgpu.sent(), before)

    def test_recorded(self):
        """If all signs follow from the operands' signs, the device computes a chain of operations
        at once, at the end."""
        a, b, d = abs(runs(20000)), abs(runs(20000)), abs(runs(10000))
        x, y, z = map(self.number, (a, b, d))
        self.queue.finish()
        before = mpgpu.sent()
        r = ((x * y + x) << 100 >> 37) // z % z + x * x
        self.assertEqual(mpgpu.sent(), before)
        self.assertEqual(r, ((a * b + a) << 100 >> 37) // d % d + a * a)
        self.assertGreater(mpgpu.sent(), before)


class Programs(Case):
    """Runs random sequences of operations in which a result may be an operand of later
    operations."""

    STEPS = 120
    OPERATIONS = (*ARITHMETIC[:-1], *BITWISE)

    def step(self, drawn):
        """Returns a random operation on two operands and a small integer, which works with int and
        with Number."""
        operation = random.choice((*self.OPERATIONS, "shift", "unary", "power", "reflected"))
        n = random.choice((0, 1, -1, 3, 64, random.randrange(-(2**70), 2**70)))
        if operation == "shift":
            by = random.randrange(200)
            return random.choice((lambda x, y: x << by, lambda x, y: x >> by))
        if operation == "unary":
            return random.choice((lambda x, y: -x, lambda x, y: ~x, lambda x, y: abs(x)))
        if operation == "power":
            return random.choice((lambda x, y: x**2, lambda x, y: pow(x, 3, y)))
        if operation == "reflected":
            operation = random.choice(self.OPERATIONS)
            return lambda x, y: operation(n, x)
        return random.choice((operation, lambda x, y: operation(x, n)))

    def test_programs(self):
        for program in range(6):
            values = [runs(random.choice((1, 64, 700))) for _ in range(4)]
            own = [self.number(x) for x in values]
            for step in range(self.STEPS):
                operation = self.step(own)
                i, j, to = (random.randrange(len(own)) for _ in range(3))
                try:
                    wanted = operation(values[i], values[j])
                except (ZeroDivisionError, ValueError) as error:
                    with self.assertRaises(type(error)):
                        operation(own[i], own[j])
                    continue
                if wanted.bit_length() > 20000:
                    wanted, operation = values[i] >> wanted.bit_length(), lambda x, y, n=wanted.bit_length(): x >> n
                values[to], own[to] = wanted, operation(own[i], own[j])
                if random.randrange(10) == 0:
                    self.assertEqual(own[to], wanted, f"program {program}, step {step}")
            self.assertEqual(own, values, f"program {program}")


if __name__ == "__main__":
    unittest.main()
