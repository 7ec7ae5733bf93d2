# SPDX-License-Identifier: LGPL-3.0-or-later
"""Numbers of any length that stay on the device, and their queues."""
import contextlib
import ctypes
import threading

from .library import lib
from .limbs import Given, size, taken
from .owned import Unshared, of_kind


class Queue(Unshared):
    """Operations on its numbers are recorded and return at once; they are computed when a value is
    asked for, or by finish().  A queue is used by one thread at a time."""

    def __init__(self):
        self.handle, self._lock, self._dead = None, threading.RLock(), []
        self.handle = lib.made(lib.queue_create())

    def __del__(self):
        self._destroy_dead()
        if self.handle:
            lib.queue_destroy(self.handle)

    def use(self, operation, *given):
        """An operation on its numbers, while nobody destroys any."""
        with self._lock:
            try:
                return operation(*given)
            finally:
                self._destroy_dead()

    def give_back(self, destroy, handle):
        """The garbage collector comes in any thread: what it finds waits for the one at work."""
        self._dead.append((destroy, handle))
        if self._lock.acquire(blocking=False):
            try:
                self._destroy_dead()
            finally:
                self._lock.release()

    def _destroy_dead(self):
        with contextlib.suppress(IndexError):  # until there are none: this thread may come again
            while True:
                destroy, handle = self._dead.pop()
                destroy(handle)

    def finish(self):
        self.use(lib.queue_finish, self.handle)

    def number(self, value=0):
        return Number(self, value)

    def modulus(self, value):
        return Modulus(value if isinstance(value, Number) else self.number(value))


class Number(Unshared):
    """A signed integer.  int(x) is its value.  A copy is another number of the same queue; another
    process gets its value by int(x)."""

    def __init__(self, queue, value=0):
        self.handle, self.queue = None, queue
        handle = of_kind(queue, Queue).handle
        self.handle = lib.made(queue.use(lib.number_create, handle))
        if isinstance(value, Number):
            queue.use(lib.number_set, self.handle, value.handle)
        else:
            given = Given(value)
            queue.use(lib.number_set_mpz, self.handle, ctypes.byref(given.mpz))

    def __copy__(self):
        return Number(self.queue, self)

    def __deepcopy__(self, _):
        return self.__copy__()

    def __del__(self):
        if self.handle:
            self.queue.give_back(lib.number_destroy, self.handle)

    @property
    def on_device(self):
        """Whether its value lies there; not if it is still to be computed."""
        return bool(self.queue.use(lib.number_on_device, self.handle))

    def __int__(self):
        return taken(lambda mpz: self.queue.use(lib.number_get_mpz, mpz, self.handle))

    __index__ = __int__

    def _operand(self, value):
        return value if isinstance(value, Number) else Number(self.queue, value)

    def _result(self, operation, *operands):
        r = Number(self.queue)
        self.queue.use(operation, r.handle, *(x.handle if isinstance(x, Number) else x for x in operands))
        return r

    def __neg__(self):
        return self._result(lib.number_neg, self)

    def __add__(self, other):
        return self._result(lib.number_add, self, self._operand(other))

    def __sub__(self, other):
        return self._result(lib.number_sub, self, self._operand(other))

    def __rsub__(self, other):
        return self._operand(other) - self

    def __mul__(self, other):
        return self._result(lib.number_sqr, self) if other is self else self._result(
            lib.number_mul, self, self._operand(other)
        )

    __radd__, __rmul__ = __add__, __mul__

    def __lshift__(self, bits):
        return self._result(lib.number_mul_2exp, self, size(bits))

    def tdiv_q_2exp(self, bits):
        """self / 2^bits, rounded towards 0."""
        return self._result(lib.number_tdiv_q_2exp, self, size(bits))

    def tdiv_qr(self, divisor):
        """Quotient, rounded towards 0, and remainder, with this number's sign."""
        q, r, d = Number(self.queue), Number(self.queue), self._operand(divisor)
        self.queue.use(lib.number_tdiv_qr, q.handle, r.handle, self.handle, d.handle)
        return q, r

    def mod(self, divisor):
        """Modulo |divisor|: never negative."""
        return self._result(lib.number_mod, self, self._operand(divisor))

    def cmp(self, other):
        """-1, 0 or 1: the sign of self - other."""
        order, operand = ctypes.c_int(), self._operand(other)
        self.queue.use(lib.number_cmp, ctypes.byref(order), self.handle, operand.handle)
        return order.value

    def __eq__(self, other):
        return self.cmp(other) == 0

    def __lt__(self, other):
        return self.cmp(other) < 0

    def __le__(self, other):
        return self.cmp(other) <= 0

    def __gt__(self, other):
        return self.cmp(other) > 0

    def __ge__(self, other):
        return self.cmp(other) >= 0

    def __bool__(self):
        return self.cmp(0) != 0

    __hash__ = None


class Modulus(Unshared):
    """|m| with its reciprocal, for many reductions; the value of the number m now."""

    def __init__(self, number):
        self.handle = None
        handle, self.queue = of_kind(number, Number).handle, number.queue
        self.handle = lib.made(self.queue.use(lib.modulus_create, handle))

    def __del__(self):
        if self.handle:
            self.queue.give_back(lib.modulus_destroy, self.handle)

    def _operand(self, value):
        return value if isinstance(value, Number) else Number(self.queue, value)

    def _result(self, operation, *operands):
        r = Number(self.queue)
        handles = [x.handle if isinstance(x, Number) else x for x in operands]
        self.queue.use(operation, r.handle, *handles, self.handle)
        return r

    def reduce(self, u):
        return self._result(lib.modulus_reduce, self._operand(u))

    def mul(self, u, v):
        return self._result(lib.modulus_mul, self._operand(u), self._operand(v))

    def sqr(self, u):
        return self._result(lib.modulus_sqr, self._operand(u))

    def pow(self, u, exponent):
        """u^exponent, exponent an integer of at least 0."""
        given = Given(exponent)
        return self._result(lib.modulus_pow, self._operand(u), ctypes.byref(given.mpz))
