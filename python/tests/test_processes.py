# SPDX-License-Identifier: LGPL-3.0-or-later
"""Uses the module in several threads, and in processes of every start method of multiprocessing.
MPGPU_CONF selects the device."""
import multiprocessing
import os
import pickle
import random
import signal
import sys
import threading
import unittest

import mpgpu

SEED = int(os.environ.get("MPGPU_TEST_SEED", random.randrange(10**9)))
METHODS = ("fork", "spawn", "forkserver")
# Time limit of a child, which computes for a few milliseconds only.  Opening a device may take
# several seconds.
SECONDS = 60


def setUpModule():
    print("seed", SEED, file=sys.stderr)
    random.seed(SEED)


def work(batch):
    """Computes, in a worker process, with a batch that another process has sent.  Returns a
    batch, and the value of a Number as an int."""
    queue = mpgpu.Queue()
    total = queue.number(0)
    for x in batch:
        total += queue.number(x) ** 3 // 7
    return batch * batch - 5, int(total)


def fail(_):
    mpgpu.mod_inv([1], [0])


def in_child(function):
    """Calls function() in a child of fork.  Returns the child's exit status: 0 if the function
    returned true, -SIGALRM if it hung."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        status = 2
        try:
            status = 0 if function() else 1
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Processes(unittest.TestCase):
    def test_pools(self):
        lists = [[random.choice((-1, 1)) * random.getrandbits(400) for _ in range(5)] for _ in range(6)]
        wanted = [([x * x - 5 for x in values], sum(x**3 // 7 for x in values)) for values in lists]
        for method in METHODS:
            with self.subTest(method=method), multiprocessing.get_context(method).Pool(2) as pool:
                results = pool.map(work, [mpgpu.Batch(values, 7, signed=True) for values in lists])
                self.assertEqual([(batch.tolist(), total) for batch, total in results], wanted)
                self.assertEqual(mpgpu.mul([3], [-4]), [-12])  # the parent's device is as before

    def test_exceptions(self):
        """An exception in a worker process arrives in the parent with its text; so does the error
        for pickling a Number."""
        for method in METHODS:
            with self.subTest(method=method), multiprocessing.get_context(method).Pool(1) as pool:
                with self.assertRaisesRegex(ZeroDivisionError, "modulus 0 is 0"):
                    pool.map(fail, [0])
                with self.assertRaisesRegex(TypeError, r"Number cannot be copied or pickled: .*int\(x\)"):
                    pool.map(int, [mpgpu.Queue().number(3)])

    def test_inherited(self):
        """A child of fork uses the parent's Numbers and moduli, both computed and only recorded.
        The parent's batches may raise Lost in the child, but never give wrong numbers."""
        queue = mpgpu.Queue()
        known, modulus, batch = queue.number(3**5000), queue.modulus(2**3000 + 1), mpgpu.Batch([3**300] * 50)
        queue.finish()
        recorded = known * known + 7

        def child():
            right = recorded == 3**10000 + 7 and modulus.pow(known, 5) == pow(3, 25000, 2**3000 + 1)
            try:
                return right and (batch * batch)[7] == 3**600
            except mpgpu.Lost:
                return right

        for _ in range(3):
            self.assertEqual(in_child(child), 0)
        self.assertEqual(recorded - 7, 3**10000)
        self.assertEqual(modulus.sqr(known), 3**10000 % (2**3000 + 1))
        self.assertEqual((batch * batch)[7], 3**600)

    def test_fork_beside_threads(self):
        """Forks children while other threads compute, with separate objects and with the same
        objects."""
        shared, done, errors = mpgpu.Queue(), threading.Event(), []
        x, u = shared.number(7**3000), mpgpu.Batch([5**200] * 40)

        def compute(queue, y):
            try:
                while not done.is_set():
                    z = y * y + 1
                    if (z - 1) // y != y or (u * u)[3] != 5**400:
                        errors.append(y)
                    queue.finish()
            except Exception as error:
                errors.append(error)

        own = mpgpu.Queue()
        threads = [threading.Thread(target=compute, args=given) for given in ((shared, x), (own, own.number(11**2000)))]
        for thread in threads:
            thread.start()
        def right_or_lost(function):
            try:
                return function()
            except mpgpu.Lost:
                return True

        def child():
            new = mpgpu.Queue().number(3**2000) ** 2 == 3**4000 and mpgpu.mul([7], [9]) == [63]
            return new and right_or_lost(lambda: x + 1 == 7**3000 + 1) and right_or_lost(lambda: (u * u)[3] == 5**400)

        try:
            for _ in range(12):
                self.assertEqual(in_child(child), 0)
        finally:
            done.set()
            for thread in threads:
                thread.join()
        self.assertEqual(errors, [])


    def test_busy_at_fork(self):
        """If another thread held an object during the fork, its use in the child raises Lost
        instead of waiting for ever."""
        queue, batch, held, done = mpgpu.Queue(), mpgpu.Batch([3]), threading.Event(), threading.Event()
        x = queue.number(5)

        def use():
            with queue._lock, batch._lock:
                held.set()
                done.wait()

        thread = threading.Thread(target=use)
        thread.start()
        held.wait()

        def child():
            lost = 0
            for operation in (lambda: int(x), lambda: x + 1, batch.tolist, lambda: batch * 2):
                try:
                    operation()
                except mpgpu.Lost as error:
                    lost += "used it when this process was forked" in str(error)
            batch.close()
            return lost == 4 and mpgpu.Queue().number(3) * 4 == 12

        try:
            self.assertEqual(in_child(child), 0)
        finally:
            done.set()
            thread.join()
        self.assertEqual((x + 1, batch.tolist()), (6, [3]))


class Threads(unittest.TestCase):
    def in_threads(self, function, count=4):
        """Runs function(i) in `count` threads.  Raises an exception that a thread has raised."""
        errors = []

        def run(i):
            try:
                function(i)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10 * SECONDS)
            self.assertFalse(thread.is_alive())
        if errors:
            raise errors[0]

    def test_own_queues(self):
        def compute(i):
            queue, a = mpgpu.Queue(), 3 ** (500 + i)
            x = queue.number(a)
            for n in range(40):
                a, x = (a * a - n) % (7**900), (x * x - n) % (7**900)
                if n % 7 == 0:
                    self.assertEqual(x, a)
            self.assertEqual(str(x), str(a))

        self.in_threads(compute)

    def test_shared(self):
        """Several threads use the same queue, Number, batch and modulus at once, and read the same
        batch by index."""
        queue = mpgpu.Queue()
        x, m, u = queue.number(-(5**700)), mpgpu.BatchModulus(7**30, 2), mpgpu.Batch([-(3**70), 3**70], 2)

        def compute(i):
            for n in range(30):
                self.assertEqual(divmod(x + i, 10**50 + n), divmod(-(5**700) + i, 10**50 + n))
                self.assertEqual(m.mul(u, u + n)[i % 2], (-1) ** (i + 1) * 3**70 * ((-1) ** (i + 1) * 3**70 + n) % 7**30)

        self.in_threads(compute)

    def test_pickled_meanwhile(self):
        u = mpgpu.Batch([number**40 for number in range(200)])
        self.in_threads(lambda i: self.assertEqual(pickle.loads(pickle.dumps(u * (i + 1)))[9], (i + 1) * 9**40))


if __name__ == "__main__":
    unittest.main()
