# SPDX-License-Identifier: LGPL-3.0-or-later
"""The library's codes as exceptions."""


class Error(Exception):
    """Something that the library could not do."""


class Lost(Error):
    """A batch was on a device that is gone, or another thread used an object when this process was
    forked; make it again from its numbers."""


# include/mpgpu.h's codes, from 1 on.
_CODES = (ValueError, MemoryError, Lost, ZeroDivisionError, OverflowError)


def check(code, text):
    """Raises what the code stands for, with mpgpu_error's text."""
    if code:
        known = 0 < code <= len(_CODES)
        raise (_CODES[code - 1] if known else Error)(text())
