# SPDX-License-Identifier: LGPL-3.0-or-later
"""Big-integer arithmetic on a GPU: mpgpu-gmp's batches and device numbers.

Lists of int:      mul, add, gcd, mod_mul, mod_pow, mod_inv
Arrays:            from_dlpack; batches and numbers have __dlpack__ and __cuda_array_interface__
Batch:             many numbers of one length, on the device; BatchModulus: modulo numbers
Matrix:            a matrix of signed integers; u @ v, u.det(), u.solve(v), u.inverse()
Queue, Number:     numbers of any length with int's operators; Modulus: modulo one number
Poly:              polynomials of integers, or modulo a number
The device:        device, wait, sent, enabled, version
mpgpu.paillier:    sums of encrypted integers, a module to import
Errors:            Error, Lost; else ValueError, TypeError, ZeroDivisionError, MemoryError, OverflowError

For programs that use gmpy2, SymPy or python-flint: python -m mpgpu run script.py"""
import ctypes as _ctypes

from .batch import Batch, add, from_dlpack, mul
from .errors import Error, Lost
from .library import lib as _lib
from .matrices import Matrix
from .moduli import BatchModulus, gcd, mod_inv, mod_mul, mod_pow
from .numbers import Modulus, Number, Queue
from .poly import Poly

__all__ = [
    "Batch",
    "BatchModulus",
    "Error",
    "Lost",
    "Matrix",
    "Modulus",
    "Number",
    "Poly",
    "Queue",
    "add",
    "device",
    "enabled",
    "from_dlpack",
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
    """Returns the version of the library that is loaded."""
    return _lib.version().decode()


__version__ = version()


def device():
    """Returns a line about the device in use, or the reason why no device is in use.  Opens no
    device."""
    text = _ctypes.create_string_buffer(1024)
    return _lib.device(text, len(text)).decode()


def enabled():
    """Returns whether the library intercepts this process's calls of GMP, so that gmpy2, SymPy and
    python-flint use the device: under mpgpu-run, or python -m mpgpu run."""
    return _lib.intercepts


def wait():
    """Waits until the device is open.  Returns whether there is one."""
    return bool(_lib.wait())


def sent():
    """Returns how many operations the device has computed in this process so far."""
    return _lib.sent()
