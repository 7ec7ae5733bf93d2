# SPDX-License-Identifier: LGPL-3.0-or-later
"""Secret integers, in arrays that are overwritten after use."""
import secrets

from . import interrupt
from .batch import _restored
from .library import lib
from .limbs import LIMB_BYTES, buffer, pack, unpack
from .owned import use


def wipe(data):
    """Overwrites a bytearray with zeros."""
    data[:] = bytes(len(data))


def filled(data, count, limbs):
    """Returns a batch of the numbers in a bytearray, and overwrites it."""
    try:
        return _restored(count, limbs, data)
    finally:
        interrupt.later(wipe, data)


def batch_of(values, limbs):
    """Returns a batch of integers of at least 0.  Overwrites the array from which the library copies."""
    packed = pack(values, limbs, signed=False)
    return filled(packed.data, packed.count, packed.limbs)


def integers_of(batch):
    """Returns the numbers of an unsigned batch as a list of int.  Overwrites the array of the download."""
    data = bytearray(batch.count * batch.limbs * LIMB_BYTES)
    try:
        use(lib.batch_get, buffer(data), batch)
        return unpack(memoryview(data), batch.limbs)
    finally:
        interrupt.later(wipe, data)  # after Ctrl-C, waits for the end of the download


def random_batch(count, limbs):
    """Returns a batch of random numbers from the operating system."""
    return _restored(count, limbs, secrets.token_bytes(count * limbs * LIMB_BYTES))


class Secret:
    """An integer of at least 0 as `limbs` limbs.  close() and the garbage collector overwrite it."""

    _data = bytearray()

    def __init__(self, x, limbs):
        self._data, self._limbs = pack([x], limbs, signed=False).data, limbs

    def __int__(self):
        return int.from_bytes(self._data, "little")

    def times(self, count):
        """Returns a batch of `count` copies of this integer."""
        return filled(self._data * count, count, self._limbs)

    def close(self):
        wipe(self._data)

    __del__ = close
