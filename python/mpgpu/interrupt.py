# SPDX-License-Identifier: LGPL-3.0-or-later
"""Handles Ctrl-C during a long call of the library: raises KeyboardInterrupt at once, while the
call continues.

Python runs signal handlers in the main thread, and only between bytecodes. So a thread of this
module makes the long calls of the main thread, and the main thread waits. If a signal handler
raises an exception during the wait, the call continues. The call keeps its arguments alive. Later
calls, and the destruction of objects, wait until it has ended.

While a profile is recorded, the main thread makes its calls itself: the library searches the
main thread's stack for the line of the call."""
import os
import queue
import threading

from . import profile


class _Call:
    def __init__(self, function, given, undo):
        self.function, self.given, self.undo = function, given, undo
        # A lock that is held until the call ends.  A threading.Event would not be safe, because a
        # signal handler may raise an exception while the Event changes.
        self._end = threading.Lock()
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
        except BaseException as error:  # the thread that waits for the call raises the exception
            self.error = error

    def drop(self):
        """Destroys the result of the call, because no thread waits for it any more."""
        if self.undo and self.result is not None:
            self.undo(self.result)
        self.result = self.error = None

    def value(self):
        try:
            if self.error is not None:
                raise self.error
            return self.result
        finally:
            # otherwise the traceback of the exception would keep the result and the arguments alive
            self.error = self.result = None
            self.given = ()


class _Caller:
    """The thread that makes long calls for the main thread, and the unfinished call.  The first
    long call starts the thread.

    The lock is an RLock: the garbage collector may run destructors, which take the lock, in a
    thread that holds it."""

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
        """Ends a call: runs the destructors that were postponed until its end.  The call counts as
        running during that time."""
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
        """Starts the thread that makes the calls, unless it runs.  Returns False if it cannot be
        started."""
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
    """Returns True if a call that was interrupted is still running."""
    return _caller.left is not None


def wait_for_interrupted():
    """Waits for the end of an interrupted call.  In the main thread, waits for the end of any
    call: this function may run in a signal handler, while the main thread already waits for a
    call."""
    call = _caller.running if _is_main() else _caller.left
    if call is not None and threading.current_thread().name != "mpgpu":
        call.wait()


def long(function, undo=None):
    """Returns a function that makes the call in the module's thread, so that Ctrl-C can interrupt
    the wait.  If the wait is interrupted, undo(result) destroys the result."""

    def made(*given):
        wait_for_interrupted()
        return _caller.make(_Call(function, given, undo)) if _is_main() else function(*given)

    return made


def after_interrupted(function):
    """Returns a function that first waits for the end of an interrupted call, then makes its own
    call."""

    def made(*given):
        wait_for_interrupted()
        return function(*given)

    return made


def later(destroy, *given):
    """Calls destroy(*given).  If a call of the main thread is running, destroy is called after
    that call."""
    caller, work = _caller, (destroy, given)
    with caller.lock:
        if caller.running is not None or caller.left is not None:
            caller.later.append(work)
            return 0
    return destroy(*given)
