# SPDX-License-Identifier: LGPL-3.0-or-later
"""Python's integers and limbs: words of 64 bits, the lowest first."""
import ctypes
import operator
from collections import namedtuple

from . import interrupt
from .library import Mpz, lib

LIMB_BYTES = 8
MOST_BITS = (2**31 - 2) * 64  # of an mpz_t, as the library counts
WORDS = "words of 64 bits without sign, the lowest byte first"


def limbs_of(x, signed=False):
    """Returns the limbs of |x|, or, if `signed`, of x in two's complement; 1 of 0."""
    bits = (x if x >= 0 else ~x).bit_length() + 1 if signed else x.bit_length()
    return (bits + 63) // 64 or 1


def shown(x):
    """Returns an integer's digits, or only its length if it is long, for the text of an error."""
    return str(x) if abs(x) < 2**256 else f"a number of {x.bit_length()} bits"


def size(x):
    """For a size_t, which ctypes would cut: what is longer becomes its most."""
    x = operator.index(x)
    if x < 0:
        raise ValueError(f"{shown(x)} is negative")
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


def _longer(data, n, limbs, signed):
    """Returns rows of n limbs, extended to `limbs` limbs by zeros, or by copies of the sign."""
    if limbs < n:
        raise ValueError(f"rows of {n} limbs where {limbs} are asked for")
    each, more = n * LIMB_BYTES, (limbs - n) * LIMB_BYTES
    high = (bytes(more), b"\xff" * more)
    rows = (data[i : i + each] for i in range(0, len(data), each))
    return b"".join(row + high[signed and row[-1] > 127] for row in rows)


def available_memory():
    """Returns how many bytes of memory the system can give without swapping; None if it is unknown."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(x.split()[1]) * 1024 for x in lines if x.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def refuse_longer(bits):
    """Raises OverflowError or MemoryError if a result of so many bits cannot be stored."""
    if bits > MOST_BITS:
        raise OverflowError(f"a result of {shown(bits)} bits: a number has at most {MOST_BITS}")
    available = available_memory()
    if available is not None and bits // 4 > available:
        raise MemoryError(f"a result of {bits} bits takes {bits // 8} bytes twice; {available} are available")


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


# Numbers as a batch takes them: `count` numbers of `limbs` limbs each, all limbs as bytes in `data`.
Packed = namedtuple("Packed", "count limbs data signed")


def _checked(limbs):
    """Returns a wanted length, in limbs."""
    if limbs is not None and size(limbs) == 0:
        raise ValueError("0 limbs")
    return limbs if limbs is None else size(limbs)


def _integers(values):
    numbers = []
    for x in values:
        try:
            numbers.append(operator.index(x))
        except TypeError:
            raise TypeError(f"number {len(numbers)} is no integer: {type(x).__name__}") from None
    return numbers


def pack(values, limbs=None, signed=None):
    """Returns the Packed numbers of an iterable of integers, or of an array with rows of limbs.

    Numbers are not negative, or, if `signed`, in two's complement.  None: signed if one is negative.
    Without `limbs`, a number has the limbs that the longest needs."""
    limbs, rows = _checked(limbs), _rows(values)
    if rows:
        n, data = rows
        longer = limbs is not None and limbs != n
        data = _longer(data, n, limbs, bool(signed)) if longer else data
        return Packed(len(values), limbs if longer else n, data, bool(signed))
    numbers = _integers(values)
    if signed is None:
        signed = any(x < 0 for x in numbers)
    elif not signed and any(x < 0 for x in numbers):
        raise ValueError(f"number {next(i for i, x in enumerate(numbers) if x < 0)} is negative")
    needed = [limbs_of(x, signed) for x in numbers]
    longest = max(range(len(numbers)), key=needed.__getitem__, default=None)
    n = limbs or (1 if longest is None else needed[longest])
    if longest is not None and needed[longest] > n:
        i = next(i for i, k in enumerate(needed) if k > n)
        raise ValueError(f"number {i} has {needed[i]} limbs, more than {n}")
    data, each = _room(len(numbers), n, longest), n * LIMB_BYTES
    for i, (x, k) in enumerate(zip(numbers, needed)):
        k = n if x < 0 else k
        data[i * each : i * each + k * LIMB_BYTES] = x.to_bytes(k * LIMB_BYTES, "little", signed=x < 0)
    return Packed(len(numbers), n, data, signed)


def listed(values):
    """A single integer is a list of one; and what can be gone through once is a list."""
    try:
        return [operator.index(values)]  # arrays have __index__, too
    except TypeError:
        return values if hasattr(values, "__len__") else list(values)


def unpack(data, n, signed=False):
    """Returns the numbers of n limbs each."""
    each = n * LIMB_BYTES
    return [int.from_bytes(data[i : i + each], "little", signed=signed) for i in range(0, len(data), each)]


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
