# SPDX-License-Identifier: LGPL-3.0-or-later
"""Ctrl-C during a long call of the library: KeyboardInterrupt at once, while the call continues.

Python runs signal handlers in the main thread, and only between bytecodes.  So a thread of the module
makes the main thread's long calls, and the main thread waits for an event.  If a handler raises there,
the call continues behind it: it keeps its arguments, the next calls wait for its end, and what they
would destroy is destroyed then."""
import os
import queue
import threading


class _Call:
    def __init__(self, function, given):
        self.function, self.given, self.ended = function, given, threading.Event()
        self.result = self.error = None

    def make(self):
        try:
            self.result = self.function(*self.given)
        except BaseException as error:  # for the thread that waits
            self.error = error

    def value(self):
        if self.error is not None:
            raise self.error
        return self.result


class _Caller:
    """The thread, started by the first long call, and the call that nobody waits for."""

    def __init__(self):
        self.calls, self.left, self.later = None, None, []
        self.lock = threading.Lock()

    def work(self):
        while True:
            call = self.calls.get()
            call.make()
            with self.lock:
                later = self.later if call is self.left else []
                if call is self.left:
                    self.left, self.later = None, []
            for destroy in later:
                destroy()
            call.ended.set()

    def wait(self, call):
        try:
            call.ended.wait()
        except BaseException:
            with self.lock:
                if not call.ended.is_set():
                    self.left = call
            raise

    def make(self, call):
        if self.calls is None:
            self.calls = queue.SimpleQueue()
            threading.Thread(target=self.work, name="mpgpu", daemon=True).start()
        self.calls.put(call)
        self.wait(call)
        return call.value()


_caller = _Caller()


def _renew():
    global _caller
    _caller = _Caller()


os.register_at_fork(after_in_child=_renew)


def is_left():
    """Returns whether a call continues that was interrupted."""
    return _caller.left is not None


def settle():
    """Waits for the end of a call that was interrupted."""
    left = _caller.left
    if left is not None and threading.current_thread().name != "mpgpu":
        left.ended.wait()


def long(function):
    """Returns the function that makes the call so."""

    def made(*given):
        settle()
        if threading.current_thread() is not threading.main_thread():
            return function(*given)
        return _caller.make(_Call(function, given))

    return made


def settled(function):
    """Returns the function that waits for the end of a call that was interrupted before its own."""

    def made(*given):
        settle()
        return function(*given)

    return made


def later(destroy, *given):
    """Calls destroy(*given), after the end of a call that was interrupted."""
    with _caller.lock:
        if _caller.left is not None:
            _caller.later.append(lambda: destroy(*given))
            return 0
    return destroy(*given)
