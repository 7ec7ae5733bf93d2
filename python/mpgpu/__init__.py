# SPDX-License-Identifier: LGPL-3.0-or-later
"""Big-integer arithmetic on a GPU: mpgpu-gmp's batches and device numbers.

For programs that use gmpy2, SymPy or python-flint: python -m mpgpu run script.py"""
from .batch import Batch, add, mul
from .errors import Error, Lost
from .library import lib as _lib
from .moduli import BatchModulus, gcd, mod_inv, mod_mul, mod_pow
from .numbers import Modulus, Number, Queue

__all__ = [
    "Batch",
    "BatchModulus",
    "Error",
    "Lost",
    "Modulus",
    "Number",
    "Queue",
    "add",
    "gcd",
    "mod_inv",
    "mod_mul",
    "mod_pow",
    "mul",
    "sent",
    "version",
    "wait",
]


def version():
    """The library's version."""
    return _lib.version().decode()


def wait():
    """Waits until the device is open; whether there is one."""
    return bool(_lib.wait())


def sent():
    """How many operations the device has computed in this process so far."""
    return _lib.sent()
