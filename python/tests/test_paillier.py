# SPDX-License-Identifier: LGPL-3.0-or-later
"""Compares Paillier's cryptosystem with its textbook form, computed by Python's pow, and with the module phe.  MPGPU_CONF selects the device."""
import concurrent.futures
import hashlib
import importlib.util
import math
import os
import random
import subprocess
import sys
import threading
import unittest
from pathlib import Path

import mpgpu
from mpgpu import paillier, primes

SEED = int(os.environ.get("MPGPU_TEST_SEED", random.randrange(10**9)))
HAS_DEVICE = mpgpu.wait()
HAS_PHE = importlib.util.find_spec("phe") is not None
P, Q = 2**256 - 189, 2**256 - 357
KEY = paillier.PrivateKey(P, Q, minimum=512)
PUBLIC = KEY.public
N, SQUARE = P * Q, (P * Q) ** 2
MOST = N // 3 - 1
LAMBDA = math.lcm(P - 1, Q - 1)
EDGES = [0, 1, -1, MOST, -MOST]


def setUpModule():
    print("seed", SEED, file=sys.stderr)
    random.seed(SEED)


def plaintexts(count):
    """Returns random plaintexts of all lengths; some are the largest or smallest that are allowed."""
    return [random.choice((*EDGES, random.randrange(-MOST, MOST), random.randrange(-1000, 1000))) for _ in range(count)]


def unit(modulus=SQUARE):
    """Returns a random number that is coprime to n."""
    return next(x for x in iter(lambda: random.randrange(1, modulus), None) if math.gcd(x, N) == 1)


def textbook_encrypt(m, r):
    return pow(N + 1, m, SQUARE) * pow(r, N, SQUARE) % SQUARE


def textbook_decrypt(c):
    """Decrypts modulo n^2, without Chinese remainders. Returns the plaintext modulo n."""
    return (pow(c, LAMBDA, SQUARE) - 1) // N * pow(LAMBDA, -1, N) % N


def random_of(c, p=P, q=Q):
    """Returns the random number r with which a ciphertext was computed."""
    return pow(c % (p * q), pow(p * q, -1, math.lcm(p - 1, q - 1)), p * q)


class Encryption(unittest.TestCase):
    def test_textbook(self):
        for count in (1, 2, 9):
            values, rs = plaintexts(count), [unit(N) for _ in range(count)]
            wanted = [textbook_encrypt(m, r) for m, r in zip(values, rs)]
            self.assertEqual(PUBLIC.encrypt(values, r=rs).tolist(), wanted)
            self.assertEqual(PUBLIC.encrypt(values, r=rs[0]).tolist(), [textbook_encrypt(m, rs[0]) for m in values])

    def test_edges(self):
        for key in (PUBLIC, KEY):
            c = key.encrypt(EDGES)
            self.assertEqual([textbook_decrypt(x) for x in c], [m % N for m in EDGES])
            self.assertEqual(KEY.decrypt(c), EDGES)

    def test_kinds(self):
        """encrypt() accepts plaintexts in any iterable, in a batch, or as a single integer."""
        values = [5, -7, 2**200]
        for key in (PUBLIC, KEY):
            for given in (values, tuple(values), iter(values), mpgpu.Batch(values), (mpgpu.Queue().number(x) for x in values)):
                self.assertEqual(KEY.decrypt(key.encrypt(given)), values)
            for given, wanted in ((mpgpu.Batch([5, 2**63]), [5, 2**63]), (-3, [-3]), (True, [1]), ({4: 5}, [4])):
                self.assertEqual(KEY.decrypt(key.encrypt(given)), wanted)

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")
        values = numpy.array([3, -4], dtype="i8")
        c = PUBLIC.encrypt(values)
        self.assertEqual(KEY.decrypt(c * values + values), [12, 12])
        self.assertEqual(KEY.decrypt(numpy.int64(-5) * c), [-15, 20])
        self.assertEqual(PUBLIC.ciphertexts(mpgpu.Batch(c.tolist(), 16).numpy()), c)

    def test_noise(self):
        """Each ciphertext has a new random number r.  These numbers also differ modulo each
        prime of the key."""
        c = [PUBLIC.encrypt([7] * 5), PUBLIC.encrypt([7] * 5), KEY.encrypt([7] * 5), KEY.encrypt([7] * 5)]
        c += [c[0].rerandomize(), KEY.rerandomize(c[0])]
        rs = [random_of(x) for batch in c for x in batch]
        for modulus in (N, P, Q):
            self.assertEqual(len({r % modulus for r in rs}), 30)
            self.assertTrue(all(2**128 < r % modulus < modulus - 2**128 for r in rs))
        for batch in c:
            self.assertEqual([textbook_decrypt(x) for x in batch], [7] * 5)
            self.assertEqual([textbook_encrypt(7, random_of(x)) for x in batch], batch.tolist())

    def test_known_answer(self):
        """With a key of 2048 bits, ciphertexts must have the hashes that phe 1.5.0 gave."""
        p, q = 2**1024 - 105, 2**1024 - 179
        with paillier.PrivateKey(p, q) as key:
            c = key.public.encrypt([12345678901234567890, -(5**800)], r=[3**1200, 7**700])
            texts = [hashlib.sha256(x.to_bytes(512, "big")).hexdigest() for x in c]
            self.assertEqual(texts, ["797aebb288417bda971c7a263c33be882f8bda71d7a8f53865bf21c1e9176a3f",
                                     "b5208b2aee75dc564fe9b4d24d2a6973bc276106a2693eccaece3a369a3e5460"])
            self.assertEqual(key.decrypt(c), [12345678901234567890, -(5**800)])
            own = key.encrypt([3])[0]
            self.assertEqual(own, (1 + 3 * p * q) * pow(random_of(own, p, q), p * q, (p * q) ** 2) % (p * q) ** 2)


class Decryption(unittest.TestCase):
    def test_textbook(self):
        numbers = [unit() for _ in range(9)] + [1, SQUARE - 1, N + 1, 1 + 5 * N]
        c = PUBLIC.ciphertexts(numbers)
        self.assertEqual(c.tolist(), numbers)
        self.assertEqual(KEY.raw_decrypt(c), [textbook_decrypt(x) for x in numbers])

    def test_order_of_primes(self):
        """A key with p and q exchanged decrypts the same, and belongs to the same public key."""
        numbers = [unit() for _ in range(5)]
        with paillier.PrivateKey(Q, P, minimum=512) as key:
            self.assertEqual((key.p, key.q, key.public), (Q, P, PUBLIC))
            self.assertEqual(key.raw_decrypt(PUBLIC.ciphertexts(numbers)), [textbook_decrypt(x) for x in numbers])
            self.assertEqual(KEY.decrypt(key.encrypt(EDGES)), EDGES)

    def test_lengths(self):
        """Tests keys whose n has one bit less than twice the bits of its primes, and primes whose
        lengths are no multiples of 64."""
        for bits in (100, 127, 160):
            p = next(x for x in range(2 ** (bits - 1) + 1, 2**bits, 2) if primes.is_prime(x))
            q = next(x for x in range(p + 2, 2**bits, 2) if primes.is_prime(x))
            with paillier.PrivateKey(p, q, minimum=0) as key:
                self.assertEqual(key.public.bits, 2 * bits - 1)
                values = [0, -1, 3**50, key.public.max_int, -key.public.max_int]
                for c in (key.encrypt(values), key.public.encrypt(values)):
                    self.assertEqual(key.decrypt(c), values)

    def test_overflow(self):
        for m, fits in ((MOST, True), (MOST + 1, False), (N // 2, False), (N - MOST - 1, False), (N - MOST, True)):
            c = PUBLIC.ciphertexts([textbook_encrypt(5, 2), textbook_encrypt(m, 3)])
            self.assertEqual(KEY.raw_decrypt(c), [5, m])
            if fits:
                self.assertEqual(KEY.decrypt(c), [5, m if m <= MOST else m - N])
            else:
                with self.assertRaisesRegex(OverflowError, "plaintext 1 is a number of 51[0-9] bits"):
                    KEY.decrypt(c)
        with self.assertRaisesRegex(OverflowError, "plaintext 0"):
            KEY.decrypt(KEY.encrypt([MOST]) + 1)


class Arithmetic(unittest.TestCase):
    def setUp(self):
        self.values = [random.randrange(-(2**90), 2**90) for _ in range(7)]
        self.c = KEY.encrypt(self.values)

    def test_sums(self):
        c, others = self.c, [random.randrange(-(2**90), 2**90) for _ in range(7)]
        d = KEY.encrypt(others)
        self.assertEqual((c + d).tolist(), [x * y % SQUARE for x, y in zip(c, d)])
        self.assertEqual((c + others).tolist(), [x * (1 + m * N) % SQUARE for x, m in zip(c, others)])
        for result in (c + d, c + others, others + c, c + mpgpu.Batch(others), c + iter(others)):
            self.assertEqual(KEY.decrypt(result), [x + y for x, y in zip(self.values, others)])
        for result in (c - d, c - others, c - mpgpu.Batch(others)):
            self.assertEqual(KEY.decrypt(result), [x - y for x, y in zip(self.values, others)])
        self.assertEqual(KEY.decrypt(others - c), [y - x for x, y in zip(self.values, others)])
        self.assertEqual(KEY.decrypt(-c), [-x for x in self.values])
        for k in (0, 1, -5, 2**99):
            self.assertEqual(KEY.decrypt(c + k), [x + k for x in self.values])
            self.assertEqual(KEY.decrypt(k - c), [k - x for x in self.values])

    def test_products(self):
        c = self.c
        for factors in ([0, 1, -1, 2, 2**70, -(2**65) - 1, -3], [3] * 7, [-9] * 7, [2**64 - 1] * 7):
            for result in (c * factors, factors * c, c.mul(factors, secret=False), c * mpgpu.Batch(factors)):
                self.assertEqual(result.tolist(), [pow(x, k, SQUARE) for x, k in zip(c, factors)])
                self.assertEqual(KEY.decrypt(result), [x * k for x, k in zip(self.values, factors)])
        for k in (0, 5, -7):
            self.assertEqual(KEY.decrypt(c * k), [x * k for x in self.values])
        self.assertEqual(KEY.raw_decrypt(c * -MOST), [-MOST * x % N for x in self.values])

    def test_totals(self):
        for count in range(1, 8):
            c, factors = self.c[:count], [random.randrange(-(2**40), 2**40) for _ in range(count)]
            self.assertEqual(c.sum().tolist(), [math.prod(c) % SQUARE])
            self.assertEqual(KEY.decrypt(c.sum()), [sum(self.values[:count])])
            for secret_factors in (True, False):
                total = c.dot(factors, secret_factors)
                self.assertEqual(KEY.decrypt(total), [sum(x * k for x, k in zip(self.values, factors))])
        self.assertEqual(len(c), 7)
        one = self.c[:1]
        with one.sum():
            pass
        self.assertEqual(len(one.tolist()), 1)  # the sum of a single ciphertext is a copy of it

    def test_sequence(self):
        c, numbers = self.c, self.c.tolist()
        self.assertEqual((len(c), list(c), c[2], c[-1]), (7, numbers, numbers[2], numbers[-1]))
        self.assertEqual((c[1:3].tolist(), c[::-1].tolist(), c[1:3].public), (numbers[1:3], numbers[::-1], PUBLIC))
        self.assertTrue(c == PUBLIC.ciphertexts(numbers) and c != PUBLIC.ciphertexts(numbers[:-1]) and c != KEY.encrypt(self.values))
        self.assertFalse(c == numbers)
        self.assertEqual(repr(c[:2]), f"<Ciphertexts: count 2, {PUBLIC!r}>")
        for x in (c, PUBLIC):
            self.assertEqual(isinstance(x, paillier.PublicKey), x.__hash__ is not None)

    def test_device(self):
        if not HAS_DEVICE:
            self.skipTest("no device")
        before = mpgpu.sent()
        c = PUBLIC.encrypt(range(40))
        self.assertTrue(c._batch.on_device)
        self.assertEqual(KEY.decrypt(c + c), [2 * x for x in range(40)])
        self.assertGreater(mpgpu.sent(), before + 5)


class Together(unittest.TestCase):
    def test_threads(self):
        """Several threads use the same key and the same ciphertexts at once."""
        c, results = PUBLIC.encrypt([3, -4]), []

        def work():
            for k in range(5):
                results.append(KEY.decrypt(c * 2 + KEY.encrypt([k, k])) == [6 + k, -8 + k])

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [True] * 15)

    def test_iterator(self):
        """The iterable of plaintexts may run threads that use the same key; encrypt() does not block them."""
        c = [KEY.encrypt([m]) for m in range(4)]
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            for key in (PUBLIC, KEY):
                doubled = threads.map(lambda x: KEY.decrypt(x + x)[0], c)
                encrypting = threads.submit(key.encrypt, doubled)
                self.assertEqual(KEY.decrypt(encrypting.result(timeout=300)), [0, 2, 4, 6])

    def test_fork(self):
        """A child of fork uses its parent's keys."""
        KEY.encrypt([1])
        child = os.fork()
        if child == 0:
            os._exit(0 if KEY.decrypt(PUBLIC.encrypt([7, -8])) == [7, -8] else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_interrupt(self):
        """Ctrl-C during a call raises KeyboardInterrupt; key and ciphertexts stay usable.  The test
        sends Ctrl-C again if Python ignores it in a destructor."""
        script = f"""import os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
def send(caught):
    while not caught.wait(0.2):
        os.kill(os.getpid(), signal.SIGINT)
from mpgpu import paillier
key = paillier.PrivateKey({P}, {Q}, minimum=512)
c = key.encrypt([5, -6])
for function in (lambda: key.public.encrypt([1] * {400 if HAS_DEVICE else 3000}), lambda: key.decrypt(c), lambda: key.encrypt([1] * {400 if HAS_DEVICE else 3000})):
    caught = threading.Event()
    thread = threading.Thread(target=send, args=(caught,))
    thread.start()
    try:
        while True:
            function()
    except KeyboardInterrupt:
        caught.set()
    thread.join()
    assert key.decrypt(c + 1) == [6, -5]
print("right")"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.stdout, "right\n", done.stderr)


@unittest.skipUnless(HAS_PHE, "phe is not installed")
class Phe(unittest.TestCase):
    def setUp(self):
        import phe

        self.phe = phe
        self.public = phe.PaillierPublicKey(N)
        self.private = phe.PaillierPrivateKey(self.public, P, Q)

    def test_to_phe(self):
        values = plaintexts(7)
        for c in (PUBLIC.encrypt(values), KEY.encrypt(values), PUBLIC.encrypt(values).rerandomize()):
            self.assertEqual([self.private.decrypt(self.phe.EncryptedNumber(self.public, x)) for x in c], values)
            self.assertEqual([self.private.raw_decrypt(x) for x in c], [m % N for m in values])

    def test_from_phe(self):
        values = plaintexts(7)
        numbers = [self.public.encrypt(m) for m in values]
        c = PUBLIC.ciphertexts([x.ciphertext(be_secure=False) for x in numbers])
        self.assertEqual(KEY.decrypt(c), values)
        raw = [self.public.raw_encrypt(m % N) for m in values]
        self.assertEqual(KEY.raw_decrypt(PUBLIC.ciphertexts(raw)), [m % N for m in values])

    def test_same(self):
        """With the same r, phe and this module compute the same ciphertexts, sums and products."""
        values, rs = plaintexts(5), [unit(N) for _ in range(5)]
        c = PUBLIC.encrypt(values, r=rs)
        numbers = [self.public.encrypt(m, r_value=r) for m, r in zip(values, rs)]
        self.assertEqual(c.tolist(), [x.ciphertext(be_secure=False) for x in numbers])
        self.assertEqual((c + c).tolist(), [(x + x).ciphertext(be_secure=False) for x in numbers])
        for k in (5, -7):
            self.assertEqual((c * k).tolist(), [(x * k).ciphertext(be_secure=False) for x in numbers])
        self.assertEqual(PUBLIC.max_int, self.public.max_int)

    def test_keys(self):
        """phe uses keys that this module has generated, and this module uses phe's."""
        public, private = self.phe.generate_paillier_keypair(n_length=512)
        with paillier.PrivateKey(private.p, private.q, minimum=512) as key:
            self.assertEqual(key.public.n, public.n)
            self.assertEqual(key.decrypt(key.public.ciphertexts([public.raw_encrypt(77)])), [77])
        with paillier.generate(512, minimum=512) as key:
            public = self.phe.PaillierPublicKey(key.public.n)
            private = self.phe.PaillierPrivateKey(public, key.p, key.q)
            self.assertEqual([private.raw_decrypt(c) for c in key.encrypt([5, 6])], [5, 6])


@unittest.skipIf(HAS_DEVICE, "the examples' keys of 2048 bits take a CPU's OpenCL long")
class Examples(unittest.TestCase):
    def run_example(self, name, *words):
        path = Path(__file__).parent.parent / "examples" / name
        return subprocess.run([sys.executable, str(path), *words], capture_output=True, text=True, timeout=300)

    def test_sum(self):
        lines = self.run_example("paillier_sum.py", "5").stdout.splitlines()
        self.assertEqual(len(lines), 6)
        self.assertTrue(lines[1].startswith("5 salaries encrypted, n of 2048 bits, in "))
        self.assertEqual(lines[-1], "equal to the sums of the plain numbers")

    def test_bench(self):
        done = self.run_example("paillier_bench.py", "2048", "2", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        rows = [line.split("  ")[0] for line in done.stdout.splitlines() if not line.startswith("phe or")]
        self.assertEqual(rows[1:], ["numbers a second", "encrypt", "encrypt by owner", "decrypt", "add", "mul"])

    def test_bad_words(self):
        for name, words in (("sum", []), ("sum", ["x"]), ("sum", ["0"]), ("sum", ["2", "512"]), ("bench", ["2048"]), ("bench", ["2048", "-1"])):
            done = self.run_example(f"paillier_{name}.py", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"paillier_{name}.py", done.stderr)


if __name__ == "__main__":
    unittest.main()
