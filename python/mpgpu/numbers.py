# SPDX-License-Identifier: LGPL-3.0-or-later
"""Numbers of any length that stay on the device, and queues that record operations on them."""
import contextlib
import ctypes
import numbers
import operator

from . import arrays, interrupt
from .library import lib
from .limbs import LIMB_BYTES, Given, integer, one_row, refuse_longer, shown, size, taken
from .operators import binary, by_int, comparison, of_int
from .owned import Locked, Unshared, of_kind


# calls with longer operands may take so long that Ctrl-C must be able to end the wait
LONG_BITS = 2**20


class Queue(Locked):
    """Records operations on its numbers.  The operations return at once; the device computes them
    when a value is asked for, or in finish().  Only one thread may use a queue at a time."""

    _why = "its operations belong to this process"
    _handle = None

    def __init__(self):
        self._dead = []
        self._handle = lib.made(lib.queue_create())

    def __del__(self):
        if self._handle and not self._is_lost:
            self._destroy_dead()
            lib.queue_destroy(self._handle)

    def _use(self, operation, *given):
        """Runs an operation on the queue's numbers.  Holds the queue's lock meanwhile, so that
        no other thread destroys a number.  Then destroys the numbers that were released during
        the operation."""
        with self._lock:
            self._check()
            try:
                return operation(*given)
            finally:
                self._destroy_dead()

    def _destroy_later(self, destroy, handle):
        """Destroys a released number, or leaves that to the thread that uses the queue now.  The
        garbage collector may call this function in any thread."""
        self._dead.append((destroy, handle))
        if self._lock.acquire(blocking=False):
            try:
                self._destroy_dead()
            finally:
                self._lock.release()

    def _destroy_dead(self):
        # pop() raises IndexError when the list is empty, and so ends the loop.  The length is not
        # tested before, because a nested call may empty the list at any time.
        with contextlib.suppress(IndexError):
            while True:
                destroy, handle = self._dead.pop()
                if not self._is_lost:
                    destroy(handle)

    def finish(self):
        """Computes all recorded operations and waits for them."""
        self._use(lib.queue_finish, self._handle)

    def number(self, value=0):
        """Returns a Number of this queue with the value of an integer, of a Number, or of an array
        of limbs."""
        return Number(self, value)

    def modulus(self, value):
        """Returns a Modulus of this queue with the value of an integer or of a Number."""
        return Modulus(self.number(value))


# ---- functions that compute an operator for two Numbers of one queue


def _calls(name):
    """Returns a function that computes the result of two Numbers by a call of the library."""
    operation = getattr(lib, name)
    return lambda u, v: u._result(operation, u, v)


def _mul(u, v):
    return u._result(lib.number_sqr, u) if u is v else u._result(lib.number_mul, u, v)


def _floordiv(u, v):
    if v._is_negative():
        return _floordiv(-u, -v)
    if u._is_negative():
        return ~_floordiv(~u, v)
    return u._result(lib.number_tdiv_qr, None, u, v)


def _mod(u, v):
    if v._is_negative():
        return -u._result(lib.number_mod, -u, v)
    r = u._result(lib.number_mod, u, v)
    r._is_natural = True
    return r


def _divmod(u, v):
    if v._is_negative():
        q, r = _divmod(-u, -v)
        return q, -r
    if u._is_negative():
        q, r = _divmod(~u, v)
        return ~q, v + ~r
    return u.tdiv_qr(v)


def _lshift(u, v):
    bits = size(v)
    if bits + lib.number_bits_most(u._handle) > 2**30 and u:
        refuse_longer(bits + u.bit_length())
    return u._result(lib.number_mul_2exp, u, bits)


def _rshift(u, v):
    bits = size(v)
    return ~(~u).tdiv_q_2exp(bits) if u._is_negative() else u.tdiv_q_2exp(bits)


def _by_python(operation):
    """Returns a function that takes a Number and an integer, and computes the operation on the
    host by Python's integers."""
    return lambda u, v: Number(u.queue, operation(int(u), int(v)))


def _power(u, e):
    """Returns u^e for e > 0, by repeated squaring."""
    if e * lib.number_bits_most(u._handle) > LONG_BITS:
        # bit_length() computes the queue's operations, so that `bits` is exact. The upper bound for
        # a recorded operation can be far too high: it grows even with each square of 1.
        bits = u.bit_length()
        refuse_longer(max(bits - 1, 0) * e)
    if lib.number_bits_most(u._handle) <= 1:
        return u if e % 2 else u * u
    r = u
    for bit in bin(e)[3:]:
        r = r * r
        if bit == "1":
            r = r * u
    return r


def _inverse(u, m):
    given = Given(u), Given(m)
    exists = []

    def invert(mpz):
        exists.append(lib.mpz_invert(mpz, *(ctypes.byref(x.mpz) for x in given)))

    inverse = taken(invert)
    if not exists[0]:
        raise ValueError("base is not invertible for the given modulus")
    return Number(u.queue, inverse)


def _power_modulo(u, e, m):
    if not m:
        raise ValueError("pow() 3rd argument cannot be 0")
    if e < 0:
        u, e = _inverse(u, m), -e
    r = Modulus(m).pow(u, e)
    return r % m if m._is_negative() else r


class Number(Unshared, arrays.Exported):
    """A signed integer on the device, which has int's operators and methods with int's results.

    Operands may be integers (int, bool, gmpy2.mpz, NumPy's) or Numbers.  The value of a Number of
    another queue is copied, as if it were an integer.  Results are Numbers of the same queue,
    except for those with a float.  Numbers never change, so a Number is hashable, and equal to the
    int of its value.

    + - * << ** only record the operation. // % divmod() compute the recorded operations of the
    queue if the divisor is not computed yet.  So do operations that depend on a sign that is not
    known yet.  Python computes & | ^ and / on the host.  str() has no limit on the number of
    digits; int's str() has one.

    An array of its limbs, for other libraries (DLPack, __cuda_array_interface__), exists if the number
    is not negative.

    int(x) is the value.  A copy is another Number of the same queue.  pickle raises TypeError:
    pickle int(x) instead."""

    _why = "it belongs to a Queue of this process; take int(x)"
    _handle = None

    def __init__(self, queue, value=0):
        self.queue, handle = queue, of_kind(queue, Queue)._handle
        self._handle, self._is_natural = lib.made(queue._use(lib.number_create, handle)), True
        if isinstance(value, Number) and value.queue is queue:
            self._is_natural = value._is_natural
            queue._use(lib.number_set, self._handle, value._handle)
        elif type(value) is int and not value:
            pass  # nothing to store: a new Number is 0
        elif on_gpu := arrays.on_gpu(value):
            limbs = one_row(on_gpu).limbs
            set_array = lambda array: queue._use(lib.number_set_array, self._handle, array, limbs)  # noqa: E731
            if limbs:
                arrays.load(set_array, on_gpu, limbs)
        else:
            given = Given(value)
            self._is_natural = given.mpz.size >= 0
            queue._use(lib.number_set_mpz, self._handle, ctypes.byref(given.mpz))

    def __copy__(self):
        return Number(self.queue, self)

    def __deepcopy__(self, _):
        return self.__copy__()

    def __del__(self):
        if self._handle:
            self.queue._destroy_later(lib.number_destroy, self._handle)

    @property
    def on_device(self):
        """Returns whether the value is stored on the device.  False if the number is recorded and
        not computed yet."""
        return bool(self.queue._use(lib.number_on_device, self._handle))

    # ---- arrays of other libraries (arrays.py)

    def _shape(self):
        if self._is_negative():
            raise ValueError(f"{self!r} is negative: take an array of the limbs of abs(x)")
        return (max(1, (self.bit_length() + 63) // 64),)

    def _gpu(self, uuid):
        return self.queue._use(lib.number_gpu, uuid, self._handle)

    def _to_host(self):
        return int(self).to_bytes(self._shape()[0] * LIMB_BYTES, "little")

    def _to_gpu(self, block):
        self.queue._use(lib.number_get_array, block.handle, self._handle)

    # ---- conversions to Python's types

    def __int__(self):
        """Returns the value.  If it is only recorded, computes the recorded operations of the queue
        first."""
        return taken(lambda mpz: self.queue._use(lib.number_get_mpz, mpz, self._handle))

    __index__ = __int__

    def __str__(self):
        """Returns the decimal digits, without int's limit on their number."""
        text = ctypes.c_void_p()
        try:
            self.queue._use(lib.number_get_str, ctypes.byref(text), self._handle, 10)
            return ctypes.string_at(text).decode()
        finally:
            interrupt.later(lib.free, text)

    def __repr__(self):
        """Returns a text with the digits; for a long number, only with the number of its bits."""
        bits = self.bit_length()
        return f"<Number {self}>" if bits <= 256 else f"<Number of {bits} bits>"

    def __format__(self, form):
        """Returns the text that int's format() returns.  Without a format type, or with `d`,
        returns str() of the number."""
        return str(self) if form in ("", "d") else format(int(self), form)

    def __bool__(self):
        """Returns whether the number is not 0."""
        return self._asked(lib.number_sign, ctypes.c_int()) != 0

    def bit_length(self):
        """Returns how many bits |self| has; 0 has none."""
        return self._asked(lib.number_bits, ctypes.c_size_t())

    def _asked(self, operation, answer, *others):
        self.queue._use(operation, ctypes.byref(answer), self._handle, *others)
        return answer.value

    def _is_negative(self):
        """Returns whether the number is negative. Computes the queue's operations only if the sign
        does not follow from the operands' signs."""
        if self._is_natural:
            return False
        self._is_natural = self._asked(lib.number_sign, ctypes.c_int()) >= 0
        return not self._is_natural

    # ---- operators

    def _operand(self, value):
        """Returns a Number of the same queue, or None if the value is no integer."""
        if isinstance(value, Number) and value.queue is self.queue:
            return value
        try:
            return Number(self.queue, operator.index(value))
        except TypeError:
            return None

    def _given(self, value):
        """Returns a Number of the same queue; raises TypeError if the value is no integer."""
        return value if isinstance(value, Number) and value.queue is self.queue else Number(self.queue, integer(value))

    def _result(self, operation, *operands):
        r, given = Number(self.queue), [x for x in operands if isinstance(x, Number)]
        # Calls the library.  If the queue is full, this call computes the queue's operations, which
        # takes long if operands are long.
        is_long = any(lib.number_bits_most(x._handle) > LONG_BITS for x in given)
        call = interrupt.long(operation) if is_long else operation
        self.queue._use(call, r._handle, *(x._handle if isinstance(x, Number) else x for x in operands))
        has_known_sign = operation not in (lib.number_sub, lib.number_neg)
        r._is_natural = has_known_sign and all(x._is_natural for x in given)
        return r

    __add__, __radd__ = binary(operator.add, "{} + {}", _calls("number_add"))
    __sub__, __rsub__ = binary(operator.sub, "{} - {}", _calls("number_sub"))
    __mul__, __rmul__ = binary(operator.mul, "{} * {}", _mul)
    __floordiv__, __rfloordiv__ = binary(operator.floordiv, "{} // {}", _floordiv)
    __mod__, __rmod__ = binary(operator.mod, "{} % {}", _mod)
    __divmod__, __rdivmod__ = binary(divmod, "divmod({}, {})", _divmod)
    __truediv__, __rtruediv__ = binary(operator.truediv, "the float {} / {}", lambda u, v: int(u) / int(v), True)
    __lshift__, __rlshift__ = binary(operator.lshift, "{} << {}", _lshift, True)
    __rshift__, __rrshift__ = binary(operator.rshift, "{} >> {}", _rshift, True)
    __and__, __rand__ = binary(operator.and_, "{} & {}", _by_python(operator.and_), True)
    __or__, __ror__ = binary(operator.or_, "{} | {}", _by_python(operator.or_), True)
    __xor__, __rxor__ = binary(operator.xor, "{} ^ {}", _by_python(operator.xor), True)

    __eq__ = comparison(operator.eq, "==")
    __ne__ = comparison(operator.ne, "!=")
    __lt__ = comparison(operator.lt, "<")
    __le__ = comparison(operator.le, "<=")
    __gt__ = comparison(operator.gt, ">")
    __ge__ = comparison(operator.ge, ">=")

    def __neg__(self):
        """Returns -self."""
        return self._result(lib.number_neg, self)

    def __pos__(self):
        """Returns self."""
        return self

    def __invert__(self):
        """Returns ~self, which is -self - 1."""
        return -1 - self

    def __abs__(self):
        """Returns |self|."""
        return -self if self._is_negative() else self

    def __pow__(self, exponent, modulus=None):
        """Returns self ** exponent, or pow(self, exponent, modulus), as int does."""
        try:
            e = operator.index(exponent)
        except TypeError:
            return by_int(pow, self, exponent) if modulus is None else NotImplemented
        if modulus is not None:
            m = self._operand(modulus)
            return NotImplemented if m is None else _power_modulo(self, e, m)
        if e < 0:
            return int(self) ** e
        return _power(self, e) if e else Number(self.queue, 1)

    def __rpow__(self, base, modulus=None):
        """Returns base ** self, or pow(base, self, modulus), as int does."""
        u = self._operand(base)
        return by_int(lambda e, b: b**e, self, base) if u is None else u.__pow__(self, modulus)

    def __round__(self, digits=None):
        """Returns self, or, if `digits` is negative, self rounded to a multiple of 10 **
        -digits."""
        return self if digits is None else Number(self.queue, round(int(self), digits))

    # ---- other methods that int has

    def conjugate(self):
        """Returns self."""
        return self

    __trunc__ = __floor__ = __ceil__ = conjugate
    real = property(conjugate, doc="The number itself.")
    imag = property(lambda self: 0, doc="0")
    numerator = property(__int__, doc="int(self)")
    denominator = property(lambda self: 1, doc="1")

    # ---- operations that the library has and int lacks

    def tdiv_q_2exp(self, bits):
        """Returns self / 2^bits, rounded towards 0."""
        return self._result(lib.number_tdiv_q_2exp, self, size(bits))

    def tdiv_qr(self, divisor):
        """Returns the quotient, rounded towards 0, and the remainder, which has the sign of this
        number."""
        q, r, d = Number(self.queue), Number(self.queue), self._given(divisor)
        self.queue._use(lib.number_tdiv_qr, q._handle, r._handle, self._handle, d._handle)
        r._is_natural = self._is_natural
        q._is_natural = self._is_natural and d._is_natural
        return q, r

    def mod(self, divisor):
        """Returns self modulo |divisor|.  The result is never negative."""
        r = self._result(lib.number_mod, self, self._given(divisor))
        r._is_natural = True
        return r

    def cmp(self, other):
        """Returns the sign of self - other: -1, 0 or 1."""
        return self._asked(lib.number_cmp, ctypes.c_int(), self._given(other)._handle)


for _name in ("__hash__", "__float__", "as_integer_ratio", "bit_count", "is_integer", "to_bytes"):
    if hasattr(int, _name):  # Python 3.9 lacks some of these methods
        setattr(Number, _name, of_int(_name))
numbers.Integral.register(Number)


class Modulus(Unshared):
    """The absolute value of a Number m as a modulus, with its reciprocal, for many reductions.

    Operands are Numbers or integers.  Results are Numbers of m's queue, from 0 to |m| - 1."""

    _why = "it belongs to a Queue of this process; make one of the same integer"
    _handle = None

    def __init__(self, number):
        handle, self.queue = of_kind(number, Number)._handle, number.queue
        self._handle = self.queue._use(lib.modulus_create, handle)

    def __del__(self):
        if self._handle:
            self.queue._destroy_later(lib.modulus_destroy, self._handle)

    def _result(self, operation, operands, *others):
        r = Number(self.queue)
        numbers_of_queue = [r._given(x) for x in operands]
        self.queue._use(operation, r._handle, *(x._handle for x in numbers_of_queue), *others, self._handle)
        return r

    def reduce(self, u):
        """Returns u modulo |m|."""
        return self._result(lib.modulus_reduce, [u])

    def mul(self, u, v):
        """Returns u v modulo |m|."""
        return self._result(lib.modulus_mul, [u, v])

    def sqr(self, u):
        """Returns u^2 modulo |m|."""
        return self._result(lib.modulus_sqr, [u])

    def pow(self, u, exponent):
        """Returns u^exponent modulo |m|, for an integer exponent of at least 0."""
        given = Given(exponent)
        if given.mpz.size < 0:
            raise ValueError(f"{shown(integer(exponent))} is negative")
        return self._result(lib.modulus_pow, [u], ctypes.byref(given.mpz))
