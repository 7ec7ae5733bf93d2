# SPDX-License-Identifier: LGPL-3.0-or-later
"""Python's integers and limbs: words of 64 bits, the lowest first."""
import ctypes
import operator

from . import interrupt
from .library import Mpz, lib

LIMB_BYTES = 8
WORDS = "words of 64 bits without sign, the lowest byte first"


def limbs_of(x):
    """Limbs of |x|; 1 of 0."""
    return (x.bit_length() + 63) // 64 or 1


def size(x):
    """For a size_t, which ctypes would cut: what is longer becomes its most."""
    x = operator.index(x)
    if x < 0:
        raise ValueError(f"{x} is negative")
    return min(x, 2**64 - 1)


def _are_limbs(view):
    """Words of 64 bits without sign, the lowest byte first: ctypes says that with a <."""
    return view.itemsize == LIMB_BYTES and view.format.lstrip("@=<") in ("L", "Q")


def _rows(values):
    """Limbs a row of an array of 64-bit words with two dimensions (NumPy's, say), and its bytes; or
    None."""
    try:
        view = memoryview(values)
    except TypeError:
        return None
    if view.ndim != 2 or not _are_limbs(view):
        raise ValueError(f"an array of limbs has two dimensions and {WORDS}")
    return view.shape[1], view.tobytes()


def _longer(data, n, limbs):
    """Rows of n limbs, with zeros on top up to so many."""
    if limbs < n:
        raise ValueError(f"rows of {n} limbs where {limbs} are asked for")
    bytes_each, zeros = n * LIMB_BYTES, bytes((limbs - n) * LIMB_BYTES)
    return b"".join(data[i : i + bytes_each] + zeros for i in range(0, len(data), bytes_each))


def available_memory():
    """Returns how many bytes of memory the system can give without swapping; None if it is unknown."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(x.split()[1]) * 1024 for x in lines if x.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def _room(count, n, longest):
    """Returns zeros for so many numbers of n limbs.  Raises MemoryError, before anything is allocated,
    if they and the library's copy would not fit into memory."""
    size, available = count * n * LIMB_BYTES, available_memory()
    if available is not None and 2 * size > available:
        raise MemoryError(
            f"{count} numbers of {n} limbs each, the length of number {longest}, take {size} bytes twice; "
            f"{available} are available"
        )
    return bytearray(size)


def buffer(data):
    """Returns what ctypes passes as the address of bytes, or of a bytearray without copying it."""
    return (ctypes.c_char * len(data)).from_buffer(data) if isinstance(data, bytearray) else data


def pack(values, limbs=None):
    """How many numbers, limbs of each, and all their limbs as bytes.  Numbers are whatever
    operator.index takes; or rows of limbs."""
    rows = _rows(values)
    if rows:
        n, data = rows
        longer = limbs is not None and limbs != n
        return len(values), limbs if longer else n, _longer(data, n, limbs) if longer else data
    numbers = [operator.index(x) for x in values]
    if any(x < 0 for x in numbers):
        raise ValueError(f"number {next(i for i, x in enumerate(numbers) if x < 0)} is negative")
    longest = max(range(len(numbers)), key=lambda i: numbers[i].bit_length(), default=0)
    n = limbs or (limbs_of(numbers[longest]) if numbers else 1)
    for i, x in enumerate(numbers):
        if limbs_of(x) > n:
            raise ValueError(f"number {i} has {limbs_of(x)} limbs, more than {n}")
    data, each = _room(len(numbers), n, longest), n * LIMB_BYTES
    for i, x in enumerate(numbers):
        data[i * each : i * each + limbs_of(x) * LIMB_BYTES] = x.to_bytes(limbs_of(x) * LIMB_BYTES, "little")
    return len(numbers), n, data


def listed(values):
    """A single integer is a list of one; and what can be gone through once is a list."""
    try:
        return [operator.index(values)]  # arrays have __index__, too
    except TypeError:
        return values if hasattr(values, "__len__") else list(values)


def unpack(data, n):
    """The numbers of n limbs each."""
    size = n * LIMB_BYTES
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]


def integer(x):
    """An integer; of limbs, in an array of one dimension, the number that they make."""
    try:
        view = memoryview(x)
    except TypeError:
        return operator.index(x)
    if view.ndim == 0:  # NumPy's scalars
        return operator.index(x)
    if view.ndim != 1 or not _are_limbs(view):
        raise ValueError(f"a number of limbs is an array of one dimension, of {WORDS}")
    return int.from_bytes(view.tobytes(), "little")


class Given:
    """An mpz_t that reads a Python integer; the integer's limbs live as long as this."""

    def __init__(self, x):
        x = integer(x)
        n = (abs(x).bit_length() + 63) // 64
        self.data = abs(x).to_bytes(n * LIMB_BYTES, "little")
        self.mpz = Mpz(0, -n if x < 0 else n, ctypes.cast(self.data, ctypes.c_void_p))
        self.mpz.data = self.data  # a call that was interrupted keeps the mpz alone


def taken(fill):
    """The integer that fill() leaves in an mpz_t of GMP's."""
    mpz = Mpz()
    lib.gmp.__gmpz_init(ctypes.byref(mpz))
    try:
        fill(ctypes.byref(mpz))
        magnitude = int.from_bytes(ctypes.string_at(mpz.limbs, abs(mpz.size) * LIMB_BYTES), "little")
        return -magnitude if mpz.size < 0 else magnitude
    finally:
        interrupt.later(lib.gmp.__gmpz_clear, ctypes.byref(mpz))
