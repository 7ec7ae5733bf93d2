# SPDX-License-Identifier: LGPL-3.0-or-later
"""Ctrl-C during a long call of the library: KeyboardInterrupt at once, while the call continues.

Python runs signal handlers in the main thread, and only between bytecodes.  So a thread of the module
makes the main thread's long calls, and the main thread waits for its end.  If a handler raises there,
the call continues: it keeps its arguments, and the next calls wait for its end.  Until then nothing is
destroyed, because handlers and the garbage collector run in the main thread during the call.

With a profile the main thread makes its calls itself: the library looks for their lines in its frames."""
import os
import queue
import threading

from . import profile


class _Call:
    def __init__(self, function, given, undo):
        self.function, self.given, self.undo = function, given, undo
        self._end = threading.Lock()  # held until the end; an Event is not safe against handlers that raise
        self._end.acquire()
        self.result = self.error = None
        self.is_begun = self.is_cancelled = self.is_ended = False

    def wait(self):
        with self._end:
            pass

    def wake(self):
        self._end.release()

    def make(self):
        try:
            self.result = self.function(*self.given)
        except BaseException as error:  # for the thread that waits
            self.error = error

    def drop(self):
        """Destroys what the call has made; nobody waits for it."""
        if self.undo and self.result is not None:
            self.undo(self.result)
        self.result = self.error = None

    def value(self):
        try:
            if self.error is not None:
                raise self.error
            return self.result
        finally:  # a traceback would keep them
            self.error = self.result = None
            self.given = ()


class _Caller:
    """The thread, started by the first long call, and the main thread's call that has not ended.

    The lock is taken in destructors, too, which the garbage collector may run inside of it."""

    def __init__(self):
        self.calls, self.running, self.left, self.later = None, None, None, []
        self.lock = threading.RLock()

    def work(self, calls):
        while True:
            call = calls.get()
            with self.lock:
                call.is_begun = not call.is_cancelled
            if call.is_begun:
                call.make()
                self.end(call)
            call.wake()
            call = None

    def end(self, call):
        """Destroys what waited for the end of the call, which counts as running meanwhile."""
        while not call.is_ended:
            with self.lock:
                later, self.later = self.later, []
                if not later:
                    was_left, call.is_ended = self.left is call, True
                    self.running = None if self.running is call else self.running
                    self.left = None if was_left else self.left
            for function, given in later:
                function(*given)
        if was_left:
            call.drop()

    def start(self):
        """Returns whether there is a thread."""
        if self.calls is None:
            calls = queue.SimpleQueue()
            try:
                threading.Thread(target=self.work, args=(calls,), name="mpgpu", daemon=True).start()
            except RuntimeError:
                return False
            self.calls = calls
        return True

    def leave(self, call):
        with self.lock:
            if not call.is_begun:
                call.is_cancelled = True
                self.running = None if self.running is call else self.running
            elif not call.is_ended:
                self.left = call
                return
        call.drop()

    def make(self, call):
        if profile.IS_ON or not self.start():
            return call.function(*call.given)
        try:
            self.running = call
            self.calls.put(call)
            call.wait()
        except BaseException:
            self.leave(call)
            raise
        return call.value()


_caller = _Caller()


def _renew():
    global _caller
    _caller = _Caller()


os.register_at_fork(after_in_child=_renew)


def _is_main():
    return threading.current_thread() is threading.main_thread()


def is_left():
    """Returns whether a call continues that was interrupted."""
    return _caller.left is not None


def settle():
    """Waits for the end of a call that was interrupted; in the main thread, where a handler may have
    interrupted this module itself, of any call that has begun."""
    call = _caller.running if _is_main() else _caller.left
    if call is not None and threading.current_thread().name != "mpgpu":
        call.wait()


def long(function, undo=None):
    """Returns the function that makes the call so.  undo(result) is called if nobody takes the result."""

    def made(*given):
        settle()
        return _caller.make(_Call(function, given, undo)) if _is_main() else function(*given)

    return made


def settled(function):
    """Returns the function that waits for the end of a call that was interrupted before its own."""

    def made(*given):
        settle()
        return function(*given)

    return made


def later(destroy, *given):
    """Calls destroy(*given), after the end of the main thread's call."""
    caller, work = _caller, (destroy, given)
    with caller.lock:
        if caller.running is not None or caller.left is not None:
            caller.later.append(work)
            return 0
    return destroy(*given)
