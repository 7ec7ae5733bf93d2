# SPDX-License-Identifier: LGPL-3.0-or-later
"""Finds and loads libmpgpu-gmp.so, and declares its functions for ctypes."""
import ctypes
import os
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint, c_ulong, c_void_p
from pathlib import Path

from . import interrupt
from .errors import Lost, check

NAME = "libmpgpu-gmp.so.0"
HERE = Path(__file__).resolve().parent


class Mpz(ctypes.Structure):
    """GMP's mpz_t."""

    _fields_ = [("alloc", c_int), ("size", c_int), ("limbs", c_void_p)]


def path():
    """Returns the path of the library: MPGPU_LIBRARY if set, otherwise the package's own, otherwise
    the system's."""
    given = os.environ.get("MPGPU_LIBRARY")
    own = HERE / NAME
    return given or (str(own) if own.exists() else NAME)


class ArrayMemory(ctypes.Structure):
    """mpgpu_array_memory."""

    _fields_ = [("uuid", ctypes.c_ubyte * 16), ("address", ctypes.c_uint64), ("bytes", ctypes.c_uint64), ("file", c_int)]


_P, _Z, _INT = c_void_p, POINTER(Mpz), c_int
# The result type and the argument types of each function.  If the result type is None, the function
# returns an error code, which check() translates.
_FUNCTIONS = {
    "version": (c_char_p, ()),
    "wait": (_INT, ()),
    "sent": (c_ulong, ()),
    "error": (c_char_p, ()),
    "device": (c_char_p, (_P, c_size_t)),
    "batch_create": (_P, (c_size_t, c_size_t)),
    "batch_destroy": (_INT, (_P,)),
    "batch_on_device": (_INT, (_P,)),
    "batch_set": (None, (_P, _P)),
    "batch_get": (None, (_P, _P)),
    "batch_add": (None, (_P, _P, _P, _P)),
    "batch_sub": (None, (_P, _P, _P, _P)),
    "batch_mul": (None, (_P, _P, _P)),
    "batch_mullo": (None, (_P, _P, _P)),
    "batch_sqr": (None, (_P, _P)),
    "batch_cmp": (None, (_P, _P, _P)),
    "batch_select": (None, (_P, _P, _P, _P)),
    "batch_gcd": (None, (_P, _P, _P)),
    "batch_mod_inv": (None, (_P, _P, _P, _P)),
    "batch_mod_invert": (None, (_P, _P, _P, _P)),
    "batch_modulus_create": (_P, (_P,)),
    "batch_modulus_destroy": (_INT, (_P,)),
    "batch_mod": (None, (_P, _P, _P)),
    "batch_mod_add": (None, (_P, _P, _P, _P)),
    "batch_mod_sub": (None, (_P, _P, _P, _P)),
    "batch_mod_mul": (None, (_P, _P, _P, _P)),
    "batch_mod_sqr": (None, (_P, _P, _P)),
    "batch_mod_pow": (None, (_P, _P, _P, _P)),
    "batch_mod_pow_sec": (None, (_P, _P, _P, _P)),
    "batch_sum": (None, (_P, _P, POINTER(_P), c_uint, c_uint)),
    "array_gpu": (_INT, (c_char_p,)),
    "array_create": (_P, (c_char_p, c_size_t)),
    "array_destroy": (_INT, (_P,)),
    "array_open": (None, (POINTER(ArrayMemory), _P)),
    "batch_gpu": (_INT, (c_char_p, _P)),
    "batch_get_array": (None, (_P, _P)),
    "batch_set_array": (None, (_P, _P)),
    "number_gpu": (_INT, (c_char_p, _P)),
    "number_get_array": (None, (_P, _P)),
    "number_set_array": (None, (_P, _P, c_size_t)),
    "matrix_create": (_P, (c_size_t, c_size_t)),
    "matrix_destroy": (_INT, (_P,)),
    "matrix_limbs": (c_size_t, (_P,)),
    "matrix_on_device": (_INT, (_P,)),
    "matrix_set": (None, (_P, _P, c_size_t)),
    "matrix_get": (None, (_P, _P)),
    "matrix_mul": (None, (_P, _P, _P)),
    "matrix_det": (None, (_Z, _P, _Z)),
    "matrix_solve": (None, (_P, _Z, _P, _P, _Z)),
    "matrix_inverse": (None, (_P, _Z, _P, _Z)),
    "queue_create": (_P, ()),
    "queue_destroy": (_INT, (_P,)),
    "queue_finish": (None, (_P,)),
    "number_create": (_P, (_P,)),
    "number_destroy": (_INT, (_P,)),
    "number_set": (None, (_P, _P)),
    "number_set_mpz": (None, (_P, _Z)),
    "number_get_mpz": (None, (_Z, _P)),
    "number_get_str": (None, (POINTER(_P), _P, _INT)),
    "number_bits": (None, (POINTER(c_size_t), _P)),
    "number_sign": (None, (POINTER(_INT), _P)),
    "number_cmp": (None, (POINTER(_INT), _P, _P)),
    "number_bits_most": (c_size_t, (_P,)),
    "number_on_device": (_INT, (_P,)),
    "number_neg": (None, (_P, _P)),
    "number_add": (None, (_P, _P, _P)),
    "number_sub": (None, (_P, _P, _P)),
    "number_mul": (None, (_P, _P, _P)),
    "number_sqr": (None, (_P, _P)),
    "number_mul_2exp": (None, (_P, _P, c_size_t)),
    "number_tdiv_q_2exp": (None, (_P, _P, c_size_t)),
    "number_tdiv_qr": (None, (_P, _P, _P, _P)),
    "number_mod": (None, (_P, _P, _P)),
    "modulus_create": (_P, (_P,)),
    "modulus_destroy": (_INT, (_P,)),
    "modulus_reduce": (None, (_P, _P, _P)),
    "modulus_mul": (None, (_P, _P, _P, _P)),
    "modulus_sqr": (None, (_P, _P, _P)),
    "modulus_pow": (None, (_P, _P, _Z, _P)),
    "poly_create": (_P, (_Z,)),
    "poly_destroy": (_INT, (_P,)),
    "poly_length": (c_size_t, (_P,)),
    "poly_set_mpz": (None, (_P, _Z, c_size_t)),
    "poly_get_mpz": (None, (_Z, c_size_t, _P)),
    "poly_mul": (None, (_P, _P, _P)),
    "poly_sqr": (None, (_P, _P)),
    "poly_divrem": (None, (_P, _P, _P, _P)),
    "poly_evaluate": (None, (_Z, _P, _Z, c_size_t)),
    "poly_interpolate": (None, (_P, _Z, _Z, c_size_t)),
}


# Functions that take long, or that wait for long calls; most of batch_*, and those that create
# moduli and arrays, do so too.  The thread of interrupt.py calls them for the main thread.  Other
# functions only record or return a value.
_LONG = {
    "wait", "queue_finish", "number_get_mpz", "number_get_str", "number_bits", "number_sign", "number_cmp",
    "number_tdiv_qr", "modulus_pow", "number_get_array", "number_set_array",
    "poly_mul", "poly_sqr", "poly_divrem", "poly_evaluate", "poly_interpolate",
    "matrix_set", "matrix_get", "matrix_mul", "matrix_det", "matrix_solve", "matrix_inverse",
}


def _is_long(name):
    return name in _LONG or (name.startswith("batch_") and not name.endswith(("_create", "_destroy", "_on_device", "_gpu")))


def opened():
    """Returns the library, and whether it intercepts this process's calls of GMP.

    Uses a library that the process has already loaded, as under mpgpu-run. If two copies were
    loaded, each would intercept and count only some of the calls."""
    process = ctypes.CDLL(None)
    if hasattr(process, "mpgpu_version"):
        return process, True
    return ctypes.CDLL(path()), False


class Library:
    """The functions of the library, without the prefix `mpgpu_`.  Functions that return an error
    code raise the exception for it instead."""

    def __init__(self):
        self.shared, self.intercepts = opened()
        self.gmp = ctypes.CDLL("libgmp.so.10")
        # free() of the C library: a search in libgmp finds it too, because libgmp depends on the C
        # library
        self.free = self.gmp.free
        self.free.argtypes, self.free.restype = (_P,), None
        self.mpz_invert = interrupt.long(self.shared["__gmpz_invert"])
        for name, (result, arguments) in _FUNCTIONS.items():
            setattr(self, name, self._function(name, result, arguments))

    def _function(self, name, result, arguments):
        function = getattr(self.shared, "mpgpu_" + name)
        function.argtypes = arguments
        function.restype = result or c_int
        if name == "error":
            return function
        # these functions take long: they compute, or wait for the device
        if name.endswith(("modulus_create", "array_create")):
            def destroy(handle):
                return getattr(self.shared, f"mpgpu_{name}".replace("create", "destroy"))(handle)

            return interrupt.long(lambda *given: self.made(function(*given)), destroy)
        made = function if result else lambda *given: check(function(*given), self.error_text)
        if name.endswith("_destroy"):
            return lambda *given: interrupt.later(function, *given)
        return interrupt.long(made) if _is_long(name) else interrupt.after_interrupted(made)

    def error_text(self):
        return self.error().decode()

    def made(self, handle):
        """Returns the handle.  Raises the exception for the library's error text if the handle is
        NULL."""
        if not handle:
            text = self.error_text()
            kinds = {"memory": MemoryError, "zero": ZeroDivisionError, "lost": Lost}
            raise next((kind for word, kind in kinds.items() if word in text), ValueError)(text)
        return handle


lib = Library()
