# SPDX-License-Identifier: LGPL-3.0-or-later
"""Translates the error codes of the library into Python exceptions."""


class Error(Exception):
    """The library could not carry out an operation."""


class Lost(Error):
    """A batch or an object can no longer be used.  Either its device has failed, or another thread
    used the object when this process was forked.  Create it again from its numbers."""


# The exceptions for the error codes of include/mpgpu.h: the first exception is for code 1.
_CODES = (ValueError, MemoryError, Lost, ZeroDivisionError, OverflowError)


def check(code, text):
    """Raises the exception for an error code, with the text of mpgpu_error.  Returns if the code is
    0."""
    if code:
        known = 0 < code <= len(_CODES)
        raise (_CODES[code - 1] if known else Error)(text())
