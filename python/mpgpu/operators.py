# SPDX-License-Identifier: LGPL-3.0-or-later
"""Creates the operators of Number from functions of two Numbers, for all operand types that int
accepts."""

import functools
import numbers
import operator


def _named(method, name, text):
    method.__name__ = method.__qualname__ = name
    method.__doc__ = text
    return method


def by_int(operation, x, other):
    """Lets Python compute the operator with the Number x as an int, if the second operand is a
    float, Fraction, Decimal or the like.  Returns NotImplemented if `other` is no number."""
    return operation(int(x), other) if isinstance(other, numbers.Number) else NotImplemented


def _number(x, other):
    return x._operand(other)


def _int(_, other):
    try:
        return operator.index(other)
    except TypeError:
        return None


def binary(operation, text, compute, takes_int=False):
    """Returns two methods: an operator, and the same operator with its operands swapped.

    compute(u, v) computes the result of two Numbers of one queue.  With `takes_int`, v may be a
    Python int instead, for operators that need its value on the host: shifts, bitwise operators, /.
    If the other operand is a number but no integer, Python computes the result from int(self).
    For other types the methods return NotImplemented."""
    name, right = operation.__name__.strip("_"), _int if takes_int else _number

    def forward(self, other):
        v = right(self, other)
        return by_int(operation, self, other) if v is None else compute(self, v)

    def reflected(self, other):
        u = self._operand(other)
        return by_int(lambda v, w: operation(w, v), self, other) if u is None else compute(u, self)

    return (
        _named(forward, f"__{name}__", f"Returns {text.format('self', 'other')}, as int does."),
        _named(reflected, f"__r{name}__", f"Returns {text.format('other', 'self')}, as int does."),
    )


def comparison(operation, sign):
    """Returns the method of a comparison.  It accepts every operand with which int can be
    compared."""

    def compare(self, other):
        v = self._operand(other)
        return by_int(operation, self, other) if v is None else operation(self.cmp(v), 0)

    return _named(compare, f"__{operation.__name__}__", f"Returns self {sign} other, as int does.")


def of_int(name):
    """Returns a method that calls int's method of the same name on the number's value."""
    function = getattr(int, name)

    @functools.wraps(function)
    def method(self, *given, **named):
        return function(int(self), *given, **named)

    return method
