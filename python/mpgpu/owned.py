# SPDX-License-Identifier: LGPL-3.0-or-later
"""What belongs to a Python object until it is closed."""


def handle_of(x, kind):
    """The library's object behind x, which has to be of that kind: it follows any pointer."""
    if not isinstance(x, kind):
        raise TypeError(f"{type(x).__name__} where {kind.__name__} is needed")
    return x.handle


class Owned:
    """Holds an object of the library's; classes name it, and release it."""

    _handle = None
    _name = ""

    def _release(self, handle):
        raise NotImplementedError

    def close(self):
        handle, self._handle = self._handle, None
        if handle:
            self._release(handle)

    def __del__(self):
        self.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    @property
    def handle(self):
        if not self._handle:
            raise ValueError(f"the {self._name} is closed")
        return self._handle
