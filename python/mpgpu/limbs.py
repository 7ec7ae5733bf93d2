# SPDX-License-Identifier: LGPL-3.0-or-later
"""Converts between Python's integers and limbs: words of 64 bits, the lowest word first."""
import ctypes
import operator
from collections import namedtuple

from . import arrays, interrupt
from .library import Mpz, lib

LIMB_BYTES = 8
# The largest number of bits that the library permits in a result (most_bits in
# compat/number/number_operate.c).
MOST_BITS = (2**31 - 2) * 64
WORDS = "words of 64 bits without sign, the lowest byte first"


def limbs_of(x, signed=False):
    """Returns how many limbs |x| has or, if `signed`, x in two's complement.  0 has one limb."""
    bits = (x if x >= 0 else ~x).bit_length() + 1 if signed else x.bit_length()
    return (bits + 63) // 64 or 1


def shown(x):
    """Returns an integer's digits for the text of an error; for a long integer, only the number of
    its bits."""
    return str(x) if abs(x) < 2**256 else f"a number of {x.bit_length()} bits"


def size(x):
    """Converts x for a parameter of type size_t.  Larger values become the largest size_t, because
    ctypes would cut off their high bits."""
    x = operator.index(x)
    if x < 0:
        raise ValueError(f"{shown(x)} is negative")
    return min(x, 2**64 - 1)


def _are_limbs(view):
    """Returns true if the memoryview has unsigned 64-bit words in little-endian order.  ctypes
    marks this order by "<" in the format."""
    return view.itemsize == LIMB_BYTES and view.format.lstrip("@=<") in ("L", "Q")


def _rows(values, signed):
    """Reads a two-dimensional array of 64-bit words, such as NumPy's.  By DLPack, words may also
    have 32 bits.  Returns the number of rows, the limbs in a row and the bytes of the array;
    None if `values` is no array."""
    view = _view(values)
    if view is None:
        return None
    if isinstance(view, arrays.View):
        limbs = rows_of(view, None, signed)
        return view.count, limbs, arrays.to_host(view)
    if view.ndim != 2 or not _are_limbs(view):
        raise ValueError(f"an array of limbs has two dimensions and {WORDS}")
    return (*view.shape, view.tobytes())


def _view(values):
    """Returns an array in host memory as a memoryview of 64-bit words, or otherwise as an
    arrays.View.  Returns None if `values` is no array."""
    try:
        view = memoryview(values)
    except TypeError:
        view = None
    if view is not None and (_are_limbs(view) or not hasattr(values, "__dlpack__")):
        return view
    view = arrays.view(values)
    if view is not None and view.on_gpu:
        raise TypeError(f"an array of shape {view.shape} on GPU {view.device[1]}: make a Batch of it first")
    return view


def rows_of(view, limbs, signed):
    """Returns how many limbs each number has in a batch that is made from the arrays.View.
    Raises ValueError if the view is no array of rows, or a row does not fit in `limbs` limbs."""
    if len(view.shape) != 2:
        raise ValueError(f"an array of shape {view.shape}: a batch needs a row of limbs for each number")
    if 0 in view.shape:
        raise ValueError(f"no numbers in an array of shape {view.shape}")
    limbs = view.limbs if limbs is None else _checked(limbs)
    if limbs < view.limbs:
        raise ValueError(f"rows of {view.limbs} limbs where {limbs} are asked for")
    arrays.refuse_odd(view, limbs, signed)
    return limbs


def _longer(data, n, limbs, signed):
    """Extends rows of n limbs to `limbs` limbs, by zeros or by copies of the sign bit.  Returns the
    rows."""
    if limbs < n:
        raise ValueError(f"rows of {n} limbs where {limbs} are asked for")
    each, more = n * LIMB_BYTES, (limbs - n) * LIMB_BYTES
    high = (bytes(more), b"\xff" * more)
    rows = (data[i : i + each] for i in range(0, len(data), each))
    return b"".join(row + high[signed and row[-1] > 127] for row in rows)


def available_memory():
    """Returns the bytes of memory that the system can allocate without swapping; None if that is
    unknown."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(x.split()[1]) * 1024 for x in lines if x.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return None


def refuse_longer(bits):
    """Raises OverflowError or MemoryError if a result of `bits` bits cannot be stored."""
    if bits > MOST_BITS:
        raise OverflowError(f"a result of {shown(bits)} bits: a number has at most {MOST_BITS}")
    available = available_memory()
    if available is not None and bits // 4 > available:
        raise MemoryError(f"a result of {bits} bits takes {bits // 8} bytes twice; {available} are available")


def _room(count, n, longest):
    """Returns zeroed memory for `count` numbers of n limbs.  Raises MemoryError, before anything is
    allocated, if this memory and the library's copy of it would exceed the available memory."""
    size, available = count * n * LIMB_BYTES, available_memory()
    if available is not None and 2 * size > available:
        raise MemoryError(
            f"{count} numbers of {n} limbs each, the length of number {longest}, take {size} bytes twice; "
            f"{available} are available"
        )
    return bytearray(size)


def buffer(data):
    """Returns an object that ctypes passes as the address of bytes or of a bytearray; copies
    nothing."""
    return (ctypes.c_char * len(data)).from_buffer(data) if isinstance(data, bytearray) else data


# Numbers in the layout of a batch: `count` numbers of `limbs` limbs each; `data` has all limbs as
# bytes.
Packed = namedtuple("Packed", "count limbs data signed")


def _checked(limbs):
    """Checks the argument `limbs`, the length of each number, and returns it as an int or None.
    Raises ValueError if it is 0."""
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

    If `signed` is true, the numbers are in two's complement; if it is false, no number may be
    negative.  None means signed if a number is negative.  Without `limbs`, all numbers get the
    length of the longest number."""
    limbs, rows = _checked(limbs), _rows(values, bool(signed))
    if rows:
        count, n, data = rows
        longer = limbs is not None and limbs != n
        data = _longer(data, n, limbs, bool(signed)) if longer else data
        return Packed(count, limbs if longer else n, data, bool(signed))
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
    """Returns a single integer as a list of one element, and an iterator as a list."""
    try:
        # arrays with one element also have __index__, so such an array counts as an integer
        return [operator.index(values)]
    except TypeError:
        return values if hasattr(values, "__len__") or hasattr(values, "__dlpack__") else list(values)


def unpack(data, n, signed=False):
    """Returns the numbers in `data`, of n limbs each, as a list of int."""
    each = n * LIMB_BYTES
    return [int.from_bytes(data[i : i + each], "little", signed=signed) for i in range(0, len(data), each)]


def integer(x):
    """Returns x as an int.  x may also be a one-dimensional array with the limbs of a number."""
    if getattr(x, "ndim", 1) == 0:  # NumPy's scalars
        return operator.index(x)
    view = _view(x)
    if view is None:
        return operator.index(x)
    if isinstance(view, arrays.View):
        return int.from_bytes(arrays.to_host(one_row(view)), "little")
    if view.ndim == 0:
        return operator.index(x)
    if view.ndim != 1 or not _are_limbs(view):
        raise ValueError(f"a number of limbs is an array of one dimension, of {WORDS}")
    return int.from_bytes(view.tobytes(), "little")


def one_row(view):
    """Returns the arrays.View.  Raises ValueError if it has more than one dimension."""
    if len(view.shape) != 1:
        raise ValueError(f"an array of shape {view.shape}: a number of limbs has one dimension")
    return view


class Given:
    """An mpz_t whose limbs are a copy of a Python integer.  The limbs are valid as long as this
    object."""

    def __init__(self, x):
        x = integer(x)
        n = (abs(x).bit_length() + 63) // 64
        self.data = abs(x).to_bytes(n * LIMB_BYTES, "little")
        self.mpz = Mpz(0, -n if x < 0 else n, ctypes.cast(self.data, ctypes.c_void_p))
        # keeps the limbs as long as the mpz: a call that was interrupted refers to the mpz, but not
        # to this object
        self.mpz.data = self.data


def taken(fill):
    """Calls fill() with an mpz_t that GMP has initialised.  Returns the value that fill() has
    stored there, as an int."""
    mpz = Mpz()
    lib.gmp.__gmpz_init(ctypes.byref(mpz))
    try:
        fill(ctypes.byref(mpz))
        magnitude = int.from_bytes(ctypes.string_at(mpz.limbs, abs(mpz.size) * LIMB_BYTES), "little")
        return -magnitude if mpz.size < 0 else magnitude
    finally:
        interrupt.later(lib.gmp.__gmpz_clear, ctypes.byref(mpz))
