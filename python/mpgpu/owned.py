# SPDX-License-Identifier: LGPL-3.0-or-later
"""Base classes of Python objects that own an object of the library: locking, closing, no
copying."""
import contextlib
import os
import threading
import weakref

from .errors import Lost


def of_kind(x, kind):
    """Returns x.  Raises TypeError if x is not of the type `kind`: the library would use any
    pointer without a check."""
    if not isinstance(x, kind):
        raise TypeError(f"{type(x).__name__} where {kind.__name__} is needed")
    return x


class Unshared:
    """Raises TypeError for copies and pickling, because two Python objects with one handle would
    destroy it twice.  Subclasses state in `_why` what to do instead."""

    _why = ""

    def _refuse(self, *_):
        raise TypeError(f"{type(self).__name__} cannot be copied or pickled: {self._why}")

    __copy__ = __deepcopy__ = __reduce_ex__ = _refuse


_locked = weakref.WeakValueDictionary()


class Locked(Unshared):
    """An object with a lock, `_lock`.  A thread holds the lock while it uses the object.

    If another thread uses the object during a fork, the child cannot use it: no thread of the
    child would release the lock, and an operation may be half done.  Its use then raises Lost."""

    _is_lost = False

    def __new__(cls, *_, **__):
        self = super().__new__(cls)
        self._lock = threading.RLock()
        _locked[id(self)] = self
        return self

    def _check(self):
        if self._is_lost:
            raise Lost(f"{self!r}: another thread used it when this process was forked")


def _renew_locks():
    for x in list(_locked.values()):
        if x._lock.acquire(blocking=False):
            x._lock.release()
        else:
            x._lock, x._is_lost = threading.RLock(), True


os.register_at_fork(after_in_child=_renew_locks)


class Owned(Locked):
    """Owns a handle of the library.  Subclasses set `_name` for messages, and destroy the handle in
    `_release`.

    Every use locks the object.  So close() waits for an operation of another thread, and later
    operations raise ValueError."""

    _handle = None
    _name = ""

    def _release(self, handle):
        raise NotImplementedError

    def close(self):
        """Releases the memory; uses afterwards raise ValueError.  `with` closes the object at its end."""
        with self._lock:
            handle, self._handle = self._handle, None
            if handle and not self._is_lost:
                self._release(handle)

    def __del__(self):
        if self._handle:
            self.close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    @property
    def _open_handle(self):
        self._check()
        if not self._handle:
            raise ValueError(f"the {self._name} is closed")
        return self._handle


def use(operation, *given):
    """Returns operation(*given), with handles in place of Owned objects.  The objects stay locked
    during the call.

    All threads take the locks in the same order, so that no deadlock is possible."""
    owned = {id(x): x for x in given if isinstance(x, Owned)}
    with contextlib.ExitStack() as locks:
        for key in sorted(owned):
            locks.enter_context(owned[key]._lock)
        handles = [x._open_handle if isinstance(x, Owned) else x for x in given]
        try:
            return operation(*handles)
        except ValueError as error:
            raise ValueError(f"{error}: {', '.join(map(repr, owned.values()))}") from None
