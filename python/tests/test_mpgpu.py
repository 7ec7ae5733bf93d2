# SPDX-License-Identifier: LGPL-3.0-or-later
"""Compares the module's results with those of Python's integers.  MPGPU_CONF selects the device and
the size from which it computes."""
import contextlib
import copy
import ctypes
import gc
import io
import math
import multiprocessing
import os
import pickle
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import mpgpu
from mpgpu import interrupt

SEED = int(os.environ.get("MPGPU_TEST_SEED", random.randrange(10**9)))


def setUpModule():
    print("seed", SEED, file=sys.stderr)
    random.seed(SEED)


def number(bits):
    """Returns a number of random bits, or of long runs of ones and zeros."""
    if random.randrange(2):
        return random.getrandbits(bits)
    x, at = 0, 0
    while at < bits:
        run = random.randrange(1, bits // 3 + 2)
        x |= ((1 << run) - 1) << at
        at += run + random.randrange(bits // 3 + 2)
    return x & ((1 << bits) - 1)


class Batches(unittest.TestCase):
    def test_operations(self):
        for limbs in (1, 2, 7, 40):
            for count in (1, 3, 50):
                bits = 64 * limbs
                us, vs = ([number(bits) for _ in range(count)] for _ in range(2))
                u, v = mpgpu.Batch(us, limbs), mpgpu.Batch(vs, limbs)
                pairs = list(zip(us, vs))
                self.assertEqual(u.tolist(), us)
                self.assertEqual((u * v).tolist(), [x * y for x, y in pairs])
                self.assertEqual((u * u).tolist(), [x * x for x in us])
                self.assertEqual(u.mullo(v).tolist(), [x * y % 2**bits for x, y in pairs])
                low, carries = u.add(v, carries=True)
                self.assertEqual(low.tolist(), [(x + y) % 2**bits for x, y in pairs])
                self.assertEqual(carries.tolist(), [(x + y) >> bits for x, y in pairs])
                low, borrows = u.sub(v, borrows=True)
                self.assertEqual(low.tolist(), [(x - y) % 2**bits for x, y in pairs])
                self.assertEqual(borrows.tolist(), [int(x < y) for x, y in pairs])
                self.assertEqual((u + v - v).tolist(), us)

    def test_lists(self):
        us, vs = ([number(random.randrange(1, 900)) for _ in range(30)] for _ in range(2))
        self.assertEqual(mpgpu.mul(us, vs), [x * y for x, y in zip(us, vs)])
        self.assertEqual(mpgpu.add(us, vs), [x + y for x, y in zip(us, vs)])

    def test_rows_of_limbs(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        rows = numpy.array([[1, 2], [2**64 - 1, 2**63]], dtype="u8")
        u = mpgpu.Batch(rows)
        self.assertEqual(u.tolist(), [1 + 2**65, 2**64 - 1 + 2**127])
        self.assertTrue((u.numpy() == rows).all())

    def test_arrays_of_ctypes(self):
        rows = ((ctypes.c_uint64 * 2) * 2)((1, 2), (2**64 - 1, 2**63))
        self.assertEqual(mpgpu.Batch(rows).tolist(), [1 + 2**65, 2**64 - 1 + 2**127])
        self.assertEqual(int(mpgpu.Queue().number(rows[1])), 2**64 - 1 + 2**127)
        for kind in (ctypes.c_int64, ctypes.c_uint64.__ctype_be__, ctypes.c_double):
            with self.assertRaisesRegex(ValueError, "64 bits without sign, the lowest byte first"):
                mpgpu.Batch(((kind * 2) * 2)())

    def test_what_does_not_fit(self):
        u = mpgpu.Batch([1, 2], 3)
        for other in (mpgpu.Batch([1], 3), mpgpu.Batch([1, 2], 4)):
            with self.assertRaisesRegex(ValueError, "do not fit together"):
                u * other
        with self.assertRaisesRegex(ValueError, "number 1 is negative"):
            mpgpu.Batch([1, -2], signed=False)
        with self.assertRaisesRegex(ValueError, "number 1 has 2 limbs, more than 1"):
            mpgpu.Batch([1, 2**64], 1)
        for operation in (mpgpu.Batch, lambda us: mpgpu.mul(us, us)):
            with self.assertRaisesRegex(ValueError, "no numbers"):
                operation([])
        with self.assertRaises(TypeError):
            mpgpu.Batch([1.5])
        with self.assertRaisesRegex(ValueError, "-1 is negative"):
            mpgpu.Batch.zeros(-1, 1)
        with self.assertRaises(MemoryError):
            mpgpu.Batch.zeros(2**64 + 2, 1)
        u.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            u.tolist()

    def test_copies(self):
        us = [number(300) for _ in range(9)]
        for duplicate in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
            u = mpgpu.Batch(us)
            v = duplicate(u)
            u.close()
            self.assertEqual((v.count, v.limbs, v.tolist()), (9, 5, us))
            self.assertEqual((v * v).tolist(), [x * x for x in us])

    def test_spawned(self):
        """Batches are passed to processes started by `spawn`, which do not inherit the loaded
        library."""
        us = [number(300) for _ in range(4)]
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            squares = pool.map(mpgpu.Batch.sqr, [mpgpu.Batch(us), mpgpu.Batch(us[::-1])])
        self.assertEqual([x.tolist() for x in squares], [[x * x for x in us], [x * x for x in us[::-1]]])

    def test_closed_by_another_thread(self):
        for _ in range(30):
            u, begun, results = mpgpu.Batch([number(2000) for _ in range(200)]), threading.Barrier(2), []

            def work(u=u, begun=begun, results=results):
                begun.wait()
                with contextlib.suppress(ValueError):
                    while True:
                        with u * u as r:
                            results.append(r.limbs)

            worker = threading.Thread(target=work)
            worker.start()
            begun.wait()
            while not results and worker.is_alive():
                pass
            u.close()
            worker.join()
            self.assertGreater(len(results), 0)

    def test_one_long_number(self):
        """A batch gives every number as much memory as the longest needs.  If that exceeds the
        available memory, creating the batch raises MemoryError."""
        with self.assertRaisesRegex(MemoryError, "100001 numbers of 1562501 limbs each, the length of number 100000"):
            mpgpu.Batch([1] * 100000 + [1 << 10**8])

    def test_lost(self):
        """In a child of fork, a batch is lost because its device belongs to the parent: its use
        raises Lost."""
        u = mpgpu.Batch([3] * 100)
        if not u.on_device:
            self.skipTest("no device")
        child = os.fork()
        if child == 0:
            lost = 0
            for operation in (u.tolist, u.sqr, lambda: mpgpu.BatchModulus(u)):
                try:
                    operation()
                except Exception as error:
                    lost += isinstance(error, mpgpu.Lost)
            os._exit(lost)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 3)


class Moduli(unittest.TestCase):
    def test_child(self):
        """A child of fork creates the moduli again on a device of its own: the parent's device is
        not usable there."""
        moduli = mpgpu.BatchModulus([7] * 100), mpgpu.BatchModulus(6)
        child = os.fork()
        if child == 0:
            u = mpgpu.Batch([10] * 100)
            right = moduli[0].mul(u, u).tolist() == [2] * 100 and moduli[1].pow(u, 3).tolist() == [4] * 100
            right = right and moduli[0].inv(u)[0].tolist() == [5] * 100
            os._exit(0 if right else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_operations(self):
        for limbs in (1, 3, 20):
            bits = 64 * limbs
            us, vs, ms = ([number(bits) for _ in range(20)] for _ in range(3))
            # makes the first ten moduli odd; the other ten may be even, but not 0
            ms = [m | 1 for m in ms[:10]] + [m or 6 for m in ms[10:]]
            u, v = mpgpu.Batch(us, limbs), mpgpu.Batch(vs, limbs)
            with mpgpu.BatchModulus(ms, limbs) as m:
                self.assertEqual(m.reduce(u * v).tolist(), [x * y % z for x, y, z in zip(us, vs, ms)])
                self.assertEqual(m.add(u, v).tolist(), [(x + y) % z for x, y, z in zip(us, vs, ms)])
                self.assertEqual(m.sub(u, v).tolist(), [(x - y) % z for x, y, z in zip(us, vs, ms)])
                self.assertEqual(m.mul(u, v).tolist(), [x * y % z for x, y, z in zip(us, vs, ms)])
                self.assertEqual(m.sqr(u).tolist(), [x * x % z for x, z in zip(us, ms)])
                self.assertEqual(m.pow(u, v).tolist(), [pow(x, y, z) for x, y, z in zip(us, vs, ms)])
                r, exists = m.inv(u)
                have = [math.gcd(x, z) == 1 for x, z in zip(us, ms)]
                self.assertEqual(exists.tolist(), [int(h) for h in have])
                right = [pow(x, -1, z) if h else 0 for x, z, h in zip(us, ms, have)]
                self.assertEqual(r.tolist(), right)
            odd = ms[0]
            with mpgpu.BatchModulus(odd, limbs) as m:
                self.assertEqual(m.pow(u, 65537, secret=True).tolist(), [pow(x, 65537, odd) for x in us])

    def test_lists(self):
        us, vs, ms = ([number(random.randrange(2, 700)) for _ in range(30)] for _ in range(3))
        ms = [m + 2 for m in ms]
        self.assertEqual(mpgpu.mod_pow(us, vs, ms), [pow(x, y, m) for x, y, m in zip(us, vs, ms)])
        self.assertEqual(mpgpu.mod_pow(us, 5, 10**40), [pow(x, 5, 10**40) for x in us])
        self.assertEqual(mpgpu.mod_mul(us, vs, 10**40 + 1), [x * y % (10**40 + 1) for x, y in zip(us, vs)])
        self.assertEqual(mpgpu.gcd(us, vs), [math.gcd(x, y) for x, y in zip(us, vs)])
        inverses = [pow(x, -1, m) if math.gcd(x, m) == 1 else None for x, m in zip(us, ms)]
        self.assertEqual(mpgpu.mod_inv(us, ms), inverses)

    def test_iterators(self):
        us, ms = [3, 2**200], [7, 2**70 + 1]
        self.assertEqual(mpgpu.mul(iter(us), iter(ms)), [x * m for x, m in zip(us, ms)])
        self.assertEqual(mpgpu.gcd(map(int, us), iter(ms)), [math.gcd(x, m) for x, m in zip(us, ms)])
        self.assertEqual(mpgpu.mod_mul(iter(us), iter(us), iter(ms)), [x * x % m for x, m in zip(us, ms)])
        self.assertEqual(mpgpu.mod_pow(iter(us), iter([5, 6]), iter(ms)), [pow(3, 5, 7), pow(2**200, 6, ms[1])])
        self.assertEqual(mpgpu.mod_inv(iter(us), iter(ms)), [pow(x, -1, m) for x, m in zip(us, ms)])

    def test_gmpy2(self):
        try:
            import gmpy2
        except ImportError:
            self.skipTest("gmpy2 is not installed")
        us = [gmpy2.mpz(number(500)) for _ in range(9)]
        self.assertEqual(mpgpu.mod_pow(us, gmpy2.mpz(7), gmpy2.mpz(10**30 + 57)), [pow(x, 7, 10**30 + 57) for x in us])

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        rows = numpy.array([[3, 4], [2**64 - 1, 9]], dtype="u8")
        us = [3 + (4 << 64), 2**64 - 1 + (9 << 64)]
        self.assertEqual(mpgpu.mod_pow(rows, 3, 10**30 + 57), [pow(x, 3, 10**30 + 57) for x in us])
        self.assertEqual(mpgpu.mod_pow(rows, rows, 10**60), [pow(x, x, 10**60) for x in us])  # a longer modulus
        self.assertEqual(mpgpu.mod_mul(us, us, rows[::-1]), [us[0] ** 2 % us[1], us[1] ** 2 % us[0]])
        self.assertEqual(mpgpu.mod_inv(rows[:, :1], rows[0, 1]), [3, 3])
        self.assertEqual(mpgpu.add(rows, [1, 2**200]), [us[0] + 1, us[1] + 2**200])
        with self.assertRaisesRegex(ValueError, "rows of 2 limbs where 1 are asked for"):
            mpgpu.Batch(rows, 1)
        x = mpgpu.Queue().number(rows[1])
        self.assertEqual(int(x * x), us[1] ** 2)
        self.assertEqual(int(x + rows[0, 0] - numpy.int64(-5)), us[1] + 8)

    def test_bad_input(self):
        with self.assertRaises(ZeroDivisionError):
            mpgpu.mod_pow([1], 1, 0)
        with self.assertRaises(ZeroDivisionError):
            mpgpu.mod_inv([1, 2], [3, 0])
        for exponents, moduli in (([1, -1], 5), (1, [5, -5])):
            with self.assertRaisesRegex(ValueError, "number 1 is negative"):
                mpgpu.mod_pow([1, 2], exponents, moduli)
        with self.assertRaises(ValueError):
            mpgpu.BatchModulus(6).pow(mpgpu.Batch([1]), 3, secret=True)
        m = mpgpu.BatchModulus(7)
        m.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            m.reduce(mpgpu.Batch([1]))


class Numbers(unittest.TestCase):
    def test_operations(self):
        q = mpgpu.Queue()
        for bits in (1, 64, 1000, 5000):
            a, b, c = number(bits), -number(bits), number(bits) | 1
            x, y, z = map(q.number, (a, b, c))
            self.assertEqual(int((x + y) * z - 7), (a + b) * c - 7)
            self.assertEqual(int(-x * x << 13), (-a * a) << 13)
            quotient, rest = (y * y + x).tdiv_qr(z)
            self.assertEqual(int(quotient) * c + int(rest), b * b + a)
            self.assertEqual(int(y.mod(z)), b % c)
            self.assertEqual(int((x * y).tdiv_q_2exp(9)), -(abs(a * b) >> 9))
            self.assertEqual(x.cmp(y), (a > b) - (a < b))
            self.assertTrue(x == a and not x < y or a < b)
            self.assertEqual([x > b, x >= a, a > x, b >= x], [a > b, True, False, b >= a])
            self.assertEqual([bool(x), bool(x - a)], [bool(a), False])
        q.finish()

    def test_copies(self):
        q = mpgpu.Queue()
        for duplicate in (copy.copy, copy.deepcopy):
            x = q.number(-(3**500))
            y = duplicate(x)
            del x
            self.assertEqual(int(y * 5), -5 * 3**500)

    def test_shifts(self):
        x = mpgpu.Queue().number(1000)
        for bits in (2**64 - 1, 2**64 + 1, 2**70):
            self.assertEqual(int(x.tdiv_q_2exp(bits)), 0)
            self.assertEqual(int((x - x) << bits), 0)
            with self.assertRaises(OverflowError):
                x << bits
        for shift in (x.__lshift__, x.tdiv_q_2exp):
            with self.assertRaisesRegex(ValueError, "-1 is negative"):
                shift(-1)

    def test_moduli(self):
        q = mpgpu.Queue()
        m = number(3000) | 1 << 2999 | 1
        modulus, a, b = q.modulus(m), number(3000), number(2900)
        self.assertEqual(int(modulus.mul(a, b)), a * b % m)
        self.assertEqual(int(modulus.sqr(a)), a * a % m)
        self.assertEqual(int(modulus.reduce(a * b)), a * b % m)
        self.assertEqual(int(modulus.pow(a, 65537)), pow(a, 65537, m))
        with self.assertRaises(ZeroDivisionError):
            q.number(1).mod(0)
        with self.assertRaises(ZeroDivisionError):
            q.modulus(0)


    def test_garbage_of_another_thread(self):
        """The garbage collector of another thread destroys Numbers in reference cycles while this
        thread computes."""
        q, done = mpgpu.Queue(), threading.Event()
        x = q.number(3**50000)

        def collect():
            while not done.is_set():
                gc.collect()

        collector = threading.Thread(target=collect)
        collector.start()
        try:
            for _ in range(400):
                circle = [x * x + 1]
                circle += [circle, circle[0] * circle[0]]
                del circle
                q.finish()
        finally:
            done.set()
            collector.join()
        self.assertEqual(int(x * x), 3**100000)


class Kinds(unittest.TestCase):
    def test_copies_that_are_refused(self):
        q = mpgpu.Queue()
        for x in (q, q.modulus(7), mpgpu.BatchModulus(7)):
            for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, f"{type(x).__name__} cannot be copied or pickled"):
                    duplicate(x)
        with self.assertRaisesRegex(TypeError, "Number cannot be copied or pickled"):
            pickle.dumps(q.number(7))

    def test_others_are_refused(self):
        q, u, m = mpgpu.Queue(), mpgpu.Batch([1, 2]), mpgpu.BatchModulus(7)
        x = q.number(3)
        for operation, a, b in ((u.add, m, 5.0), (u.sub, m, None), (u.mul, "5", q), (u.mullo, m, [5]), (m.reduce, m, x),
                                (m.inv, m, 5), (mpgpu.Number, u, x), (mpgpu.Modulus, q.modulus(7), u)):
            for other in (a, b):
                with self.assertRaisesRegex(TypeError, "where (Batch|Queue|Number) is needed"):
                    operation(other)
        for other in (m, 1.5):
            with self.assertRaisesRegex(TypeError, "where Batch is needed"):
                m.mul(u, other)


class Running(unittest.TestCase):
    def test_run(self):
        words = [sys.executable, "-m", "mpgpu"]
        script = "import os; print(os.environ['LD_PRELOAD'])"
        done = subprocess.run(words + ["run", "-c", script], capture_output=True, text=True, check=True)
        library = subprocess.run(words + ["library"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(done.stdout, library)
        done = subprocess.run(words + ["--help"], capture_output=True, text=True, check=True)
        self.assertIn("Usage", done.stdout)

    def test_enabled(self):
        """enabled() is true only if this process's calls of GMP are intercepted.  device() has the
        device's name once it is open."""
        script = "import mpgpu; print(mpgpu.enabled())"
        for words, text in (((), "False"), (("-m", "mpgpu", "run"), "True"), (("-m", "mpgpu", "run", "--replace"), "True")):
            done = subprocess.run([sys.executable, *words, "-c", script], capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout.strip(), text, done.stderr)
        is_open = mpgpu.wait()
        self.assertRegex(mpgpu.device(), "." if is_open else "backend:none|no device|not")
        for text in ("cuda", "opencl"):
            if text in os.environ.get("MPGPU_CONF", "") and is_open:
                self.assertIn(text, mpgpu.device())

    def test_one_library(self):
        """If LD_PRELOAD has loaded the library from another path than the module's, the module uses
        the loaded library."""
        library = subprocess.run([sys.executable, "-m", "mpgpu", "library"], capture_output=True, text=True, check=True)
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder) / Path(library.stdout.strip()).name
            shutil.copy(library.stdout.strip(), other)
            script = "import mpgpu; print(len({x.split()[-1] for x in open('/proc/self/maps') if 'libmpgpu-gmp' in x}))"
            environment = dict(os.environ, LD_PRELOAD=str(other))
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
        self.assertEqual(done.stdout, "1\n")

    def test_bad_words(self):
        for words, text in (([], "no word"), (["bogus"], "unknown word: bogus"), (["run"], "SCRIPT is missing"),
                            (["run", "--replace"], "SCRIPT is missing"), (["library", "x"], "too many: x")):
            done = subprocess.run([sys.executable, "-m", "mpgpu", *words], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(text, done.stderr)

    def test_replace(self):
        script = "import ctypes, os; ctypes.CDLL('libgmp.so.10'); print(open('/proc/self/maps').read().count('libmpgpu-gmp.so'))"
        words = [sys.executable, "-m", "mpgpu", "run", "--replace", "-c", script]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        if "not found; the program runs with GMP alone" in done.stderr:
            self.skipTest("the library has no stand-in for libgmp beside it")
        complaints = [x for x in done.stderr.splitlines() if not x.startswith("mpgpu: ") or "not found" in x]
        # permits other lines on standard error, such as statistics
        self.assertEqual(complaints, [])
        self.assertGreater(int(done.stdout), 0)
        script = "import os; print(os.environ['LD_LIBRARY_PATH'])"
        folders = subprocess.run(words[:-1] + [script], capture_output=True, text=True, check=True).stdout
        self.assertTrue(any(os.path.exists(f"{x}/libgmp.so.10") for x in folders.strip().split(":")))


class Interrupted(unittest.TestCase):
    """A signal handler raises an exception during a call of the library.  The call continues, and
    all objects stay usable."""

    class Raised(Exception):
        pass

    def raise_soon(self, seconds=0.02):
        def handler(*_):
            raise self.Raised

        before = signal.signal(signal.SIGALRM, handler)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-5))

    def interrupted(self, operate, size, prepare=lambda size: size):
        """Calls operate(prepare(size)) with growing sizes.  Returns whether the handler's exception
        arrived during one of these calls."""
        while size < 2**24:
            given = prepare(size)
            self.raise_soon()
            try:
                operate(given)
            except self.Raised:
                if interrupt.is_left():
                    return True
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            size *= 2
        return False

    def test_batches(self):
        m = 2**1024 - 105
        us = [number(1024) for _ in range(50)]
        with mpgpu.Batch([3, 5], 16) as kept:
            self.assertTrue(self.interrupted(lambda count: mpgpu.mod_pow(range(count), m - 1, m), 16))
            self.assertEqual(kept.tolist(), [3, 5])
        self.assertFalse(interrupt.is_left())
        self.assertEqual(mpgpu.mod_pow(us, 65537, m), [pow(x, 65537, m) for x in us])

    def test_moduli(self):
        """Creating a modulus takes long too.  If the creation is interrupted, the new handle is
        destroyed."""
        m = 2**1024 - 105

        def moduli(count):
            return mpgpu.Batch([m] * count, 16)

        with mock.patch.object(mpgpu.library.lib.shared, "mpgpu_batch_modulus_destroy") as destroyed:
            self.assertTrue(self.interrupted(mpgpu.BatchModulus, 16, moduli))
            self.assertEqual(moduli(2).tolist(), [m, m])
            # Each interrupted call destroys its own handle once.  More than one call may be
            # interrupted: if the signal arrives just after a call's end, interrupted() tries the
            # next size.
            handles = [call.args[0] for call in destroyed.call_args_list]
            self.assertGreaterEqual(len(handles), 1)
            self.assertEqual(len(set(handles)), len(handles))
            destroyed.reset_mock()
        self.assertEqual(mpgpu.mod_pow([3], 65537, m), [pow(3, 65537, m)])

    def test_numbers(self):
        q = mpgpu.Queue()
        x, m = q.number(3), q.modulus(2**4000 + 1)
        self.assertTrue(self.interrupted(lambda bits: int(m.pow(x, 2**bits - 1)), 64))
        self.assertEqual(int(m.pow(x, 1000)), pow(3, 1000, 2**4000 + 1))


    def test_operators(self):
        """A signal handler can interrupt each operator and conversion of Numbers; the Numbers keep
        their values."""
        q = mpgpu.Queue()

        def number(size):
            x = q.number((1 << 8 * size) // 3)
            q.finish()
            return x

        def recorded(size):
            return number(size) * q.number((1 << 8 * size) // 7)

        operations = {
            "**": (lambda x: int(x**9), number), "//": (lambda x: int(x // (x >> x.bit_length() // 2)), number), "str": (str, number),
            "==": (lambda x: x == 1, recorded), "<": (lambda x: x < 1, recorded), "int": (int, recorded),
            "bool": (bool, recorded), "bit_length": (lambda x: x.bit_length(), recorded), "-": (lambda x: x - x * x - x, recorded),
        }
        for name, (operation, prepare) in operations.items():
            with self.subTest(operation=name):
                self.assertTrue(self.interrupted(operation, 2**14, prepare))
                x = recorded(1000)
                self.assertEqual(x, ((1 << 8000) // 3) * ((1 << 8000) // 7))
                self.assertFalse(interrupt.is_left())

    def test_any_moment(self):
        """A handler raises an exception at random moments.  Afterwards all objects have their
        values, and the calls have raised no other exception."""
        hidden = mock.patch("sys.unraisablehook")  # the handler's exception in a destructor
        hidden.start()
        self.addCleanup(hidden.stop)
        q = mpgpu.Queue()
        values = [number(100000) for _ in range(3)]
        own, batch = [q.number(x) for x in values], mpgpu.Batch([x % 2**900 - 2**899 for x in values] * 20)
        x, y, z = own
        operations = (
            lambda: x * y // (z + 1), lambda: int(x + y), lambda: pow(x, 5, y | 1), lambda: x == y, lambda: str(x * z)[:9],
            lambda: divmod(-x, y + 1), lambda: batch * batch == batch.sqr(), lambda: (batch * -3)[5], lambda: abs(batch),
            lambda: mpgpu.mod_pow(values[:1], 3, 2**900 - 1), lambda: x**3 >> 7, lambda: mpgpu.BatchModulus(9, 15).reduce(batch),
        )
        interrupted = 0
        for _ in range(3000):
            try:
                self.raise_soon(random.random() * 0.01)
                try:
                    random.choice(operations)()
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except self.Raised:
                interrupted += 1
            if interrupted == 40:
                break
        self.assertEqual([int(x) for x in own], values)
        self.assertEqual(x * y + z, values[0] * values[1] + values[2])
        self.assertEqual(batch * 3, mpgpu.Batch([3 * (x % 2**900 - 2**899) for x in values] * 20, 30))
        self.assertEqual(interrupted, 40)

    def test_keyboard(self):
        """Sends SIGINT to the main thread, as Ctrl-C in a terminal does.  Other threads
        continue."""
        script = """if True:
            import mpgpu, os, signal, threading, time
            signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
            q, results = mpgpu.Queue(), []
            x = q.number(3) ** 3000000
            def other():
                results.append(int(mpgpu.Queue().number(7) ** 1000))
            def send():
                time.sleep(0.3)
                os.kill(os.getpid(), signal.SIGINT)
            threads = [threading.Thread(target=target) for target in (other, send)]
            for thread in threads: thread.start()
            try:
                while True:
                    y = x * x % (x - 1)
                    q.finish()
            except KeyboardInterrupt:
                pass
            for thread in threads: thread.join()
            assert results == [7 ** 1000]
            assert x % 10**9 == pow(3, 3000000, 10**9)
            print("right")"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.stdout, "right\n", done.stderr)


class Readme(unittest.TestCase):
    def test_blocks(self):
        """Runs the README's programs one after the other, as a reader would try them."""
        text = (Path(__file__).parent.parent / "README.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(blocks), 6)
        if mpgpu.wait():  # a CPU's OpenCL computes with a key of 2048 bits for long
            blocks = [block for block in blocks if "paillier" not in block]
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec("\n".join(blocks), {})
        lines = output.getvalue().splitlines()
        p = 2**521 - 1
        self.assertEqual(lines[0], str([pow(x, 65537, p) for x in (3, 5, 7)]))
        self.assertEqual(lines[1:3], ["[7, None] [4, 9]", "2 True True"])
        self.assertEqual(lines[3], f"{[pow(x * x, 65537, p) for x in (3, -5)]} {[pow(x, -1, p) for x in (3, -5)]}")
        t = 2**70
        self.assertEqual(lines[4], f"(2, 2) {10 - 2 * t - 2 * t * t} True True")
        self.assertRegex(lines[5], f"^0x[0-9a-f]{{38}} {(3**1000000 + 1) % 10**9} True True$")
        self.assertEqual(lines[6:8], ["True", "True 8 [432, 459]"])
        self.assertEqual(lines[8:], [] if len(blocks) == 5 else ["[13105]"])


class Examples(unittest.TestCase):
    def run_example(self, name, *words):
        path = Path(__file__).parent.parent / "examples" / name
        return subprocess.run([sys.executable, str(path), *words], capture_output=True, text=True)

    def test_lucas_lehmer(self):
        lines = self.run_example("lucas_lehmer.py", "3", "11", "127", "521", "541").stdout.splitlines()
        kinds = ["a prime", "composite", "a prime", "a prime", "composite"]
        self.assertEqual(lines, [f"2^{p}-1 is {kind}" for p, kind in zip((3, 11, 127, 521, 541), kinds)])

    def test_primes_from(self):
        for bits in (64, 100):
            lines = self.run_example("primes_from.py", str(bits), "4").stdout.splitlines()
            candidates = (k for k in range(1, 10**4, 2) if pow(3, 2**bits + k - 1, 2**bits + k) == 1)
            self.assertEqual(lines, [f"2^{bits}+{next(candidates)}" for _ in range(4)])

    def test_bad_words(self):
        for name in ("lucas_lehmer.py", "primes_from.py"):
            for words in ([], ["x"], ["2", "1"]):
                done = self.run_example(name, *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(f"Usage: {name}", done.stderr)


if __name__ == "__main__":
    unittest.main()
