# SPDX-License-Identifier: LGPL-3.0-or-later
"""Keys of Paillier's cryptosystem: generation, copies, secrets; and wrong input.  MPGPU_CONF selects the device."""
import copy
import ctypes
import gc
import os
import pickle
import signal
import threading
import time
import unittest
from unittest import mock

import mpgpu
from mpgpu import interrupt, paillier, primes, secret

mpgpu.wait()
P, Q = 2**256 - 189, 2**256 - 357
KEY = paillier.PrivateKey(P, Q, minimum=512)
PUBLIC = KEY.public
N, SQUARE = P * Q, (P * Q) ** 2
MOST = N // 3 - 1


class WrongInput(unittest.TestCase):
    def refused(self, error, text, function, *given, **named):
        with self.assertRaisesRegex(error, text):
            function(*given, **named)

    def test_plaintexts(self):
        c = PUBLIC.encrypt([1, 2])
        calls = (PUBLIC.encrypt, KEY.encrypt, c.__add__, c.__sub__, c.__mul__, c.dot, c.__rsub__)
        for call in calls:
            for m in (MOST + 1, -MOST - 1, N, 2**2000):
                self.refused(ValueError, f"number 1 is a number of {m.bit_length()} bits: not from -max_int", call, [1, m])
            self.refused(ValueError, "no numbers", call, [])
            for wrong in (1.5, "3", None, [2]):
                self.refused(TypeError, f"number 1 is no integer: {type(wrong).__name__}", call, [1, wrong])
            self.refused(TypeError, "float", call, 1.5)
        for call in calls[2:]:
            self.refused(ValueError, "2 ciphertexts and 3 numbers", call, [1, 2, 3])
        self.refused(ValueError, "3 ciphertexts and 2 numbers", PUBLIC.encrypt([1, 2, 3]).__add__, [1, 2])
        self.refused(TypeError, "unsupported", lambda: c * c)

    def test_random_numbers(self):
        for r, text in ((0, "r 0 is 0: not coprime"), (N, "r 0 is .*: not below n"), (P, "r 0 is .*: not coprime to n"),
                        (-1, "negative"), ([2, 3 * Q], "r 1 .*coprime"), ([1, 2, 3], "2 ciphertexts and 3 numbers"), ([], "no numbers")):
            self.refused(ValueError, text, PUBLIC.encrypt, [1, 2], r=r)

    def test_ciphertexts(self):
        for c, text in ((0, "ciphertext 1 is 0: not coprime to n"), (SQUARE, "ciphertext 1 is .*1024 bits: not below n.2"),
                        (SQUARE + 1, "ciphertext 1"), (P, f"ciphertext 1 is {P}: not coprime"), (5 * Q**2, "not coprime"), (-1, "number 1 is negative"),
                        (2**2000, "number 1 has 32 limbs")):
            self.refused(ValueError, text, PUBLIC.ciphertexts, [1, c])
        self.refused(ValueError, "no numbers", PUBLIC.ciphertexts, [])
        self.refused(TypeError, "number 1 is no integer: float", PUBLIC.ciphertexts, [1, 2.0])
        self.refused(TypeError, "encrypt", paillier.Ciphertexts)

    def test_foreign(self):
        c, p = PUBLIC.encrypt([1, 2]), 2**256 - 435
        with paillier.PrivateKey(p, Q, minimum=512) as key:
            d = key.public.encrypt([1, 2])
            self.assertNotEqual(PUBLIC.ciphertexts([2]), key.public.ciphertexts([2]))
            for call in (KEY.decrypt, KEY.raw_decrypt, KEY.rerandomize, c.__add__, c.__sub__):
                self.refused(ValueError, f"{p * Q % 2**64:016x}.*, where .*{N % 2**64:016x}> is needed", call, d)
        for wrong in ([1], 5, None, mpgpu.Batch([1]), c.tolist()):
            self.refused(TypeError, f"{type(wrong).__name__} where Ciphertexts", KEY.decrypt, wrong)
        self.refused(ValueError, "2 ciphertexts and 1", c.__add__, c[:1])

    def test_keys(self):
        composite = (2**128 - 159) * (2**128 - 173)
        self.assertEqual(composite.bit_length(), 256)
        for p, q, text in ((P, P, "equal"), (P, composite, "q, a number of 256 bits, is composite"), (composite, Q, "p, .*composite"),
                           (P, 2**255 - 19, "256 bits and q 255"), (P, 97, "q has 7 bits: it must have at least 64"), (-P, -Q, "p is negative: "), (P, 2**256 - 2, "even")):
            self.refused(ValueError, text, paillier.PrivateKey, p, q, minimum=512)
        self.refused(ValueError, "at least 2048 bits", paillier.PrivateKey, P, Q)
        self.refused(ValueError, "at least 513 bits", paillier.PrivateKey, P, Q, minimum=513)
        for p in (2**63 - 25, -(2**63 - 25)):
            try:
                paillier.PrivateKey(p, Q)
            except ValueError as error:
                self.assertNotIn("9223372036854775783", str(error))
        self.refused(TypeError, "float", paillier.PrivateKey, 1.5, Q)
        for n, text in ((N, "2048 bits"), (-(2**2050), "positive"), (2**2050, "even"), ((2**1100 + 1) ** 2, "square"), (15, "n is 15")):
            self.refused(ValueError, text, paillier.PublicKey, n)
        self.refused(ValueError, "at least 128 bits", paillier.PublicKey, 15, minimum=4)
        self.refused(TypeError, "str", paillier.PublicKey, "15")

    def test_generate(self):
        for bits, text in ((2047, "2047 bits.*at least 2048"), (1024, "1024 bits"), (0, "0 bits"), (2049, "even"), (-2, "-2 bits")):
            self.refused(ValueError, text, paillier.generate, bits)
        self.refused(ValueError, "at least 128", paillier.generate, 64, minimum=64)
        self.refused(TypeError, "str", paillier.generate, "2048")


class Keys(unittest.TestCase):
    def test_generate(self):
        found = set()
        for bits in (512, 130, 128, 510):
            with paillier.generate(bits, minimum=128) as key:
                p, q = key.p, key.q
                self.assertEqual((p.bit_length(), q.bit_length(), (p * q).bit_length()), (bits // 2, bits // 2, bits))
                self.assertEqual(key.public, paillier.PublicKey(p * q, minimum=bits))
                for x in (p, q):
                    self.assertTrue(all(pow(a, x - 1, x) == 1 for a in (2, 3, 5, 7, 11, 13)))
                self.assertEqual(KEY.public.bits, 512)
                self.assertEqual(key.decrypt(key.public.encrypt([-5, 6])), [-5, 6])
                found |= {p, q}
        self.assertEqual(len(found), 8)

    def test_defaults(self):
        """generate() creates keys of 3072 bits if the length is not given."""
        with mock.patch.object(paillier, "prime_pair", side_effect=InterruptedError) as pair:
            for given, half in (((), 1536), ((2048,), 1024), ((3072,), 1536)):
                with self.assertRaises(InterruptedError):
                    paillier.generate(*given)
                pair.assert_called_with(half)

    def test_primes(self):
        """Compares the strong probable prime test with its definition: many numbers, each to one base, and one
        number to many bases."""
        def passes(n, a):
            s = (n - 1 & 1 - n).bit_length() - 1
            y = pow(a, n - 1 >> s, n)
            return y in (1, n - 1) or any(pow(y, 2**k, n) == n - 1 for k in range(1, s))

        strong = [2047, 3277, 4033, 4681, 8321, 3215031751, 341550071728321]  # composites that pass the test to base 2
        numbers = strong + [2**61 - 1, 2**31 - 1, 65537, 2**64 + 13, 3 * 2**40 + 1, 561, 41041, *range(10001, 10041, 2)]
        for a in (2, 3, 5, 61):
            self.assertEqual(primes._passing(numbers, [a] * len(numbers)), [passes(n, a) for n in numbers])
        for n in (3215031751, 65537, 2**61 - 1, 341550071728321):
            bases = list(range(2, 40))
            self.assertEqual(primes._passing([n], bases), [passes(n, a) for a in bases])
        for n, prime in ((2**521 - 1, True), (2**523 - 1, False), (4099, True), (4099 * 4111, False), (2**64, False), (5 * (2**89 - 1), False)):
            self.assertEqual(primes.is_prime(n), prime)
        candidates = [primes._candidate(40) for _ in range(50)]
        self.assertTrue(all(x % 2 == 1 and x >> 38 == 3 and all(x % d for d in range(3, 4096)) for x in candidates))

    def test_rounds(self):
        """A composite number that passes a first test to one base is still refused, by the test
        to 64 bases."""
        real = primes._passing
        one_base = mock.patch.object(primes, "_passing", side_effect=lambda numbers, bases: (
            [True] * len(bases) if len(numbers) > 1 else real(numbers, bases)))
        candidates = [P * (P - 2 * k) for k in range(primes.AT_ONCE - 1)] + [2**521 - 1]
        with one_base as passing, mock.patch.object(primes, "_candidate", side_effect=candidates):
            self.assertEqual(primes._prime(521), 2**521 - 1)
        self.assertTrue(all(len(set(call.args[1])) == 64 for call in passing.call_args_list[1:]))

    def test_difference(self):
        """If the two primes of a key are too close, others are generated."""
        drawn = iter((P, P, Q, 2**256 - 2**200 - 1))
        with mock.patch.object(primes, "_prime", side_effect=drawn):
            self.assertEqual(primes.prime_pair(256), (P, 2**256 - 2**200 - 1))

    def test_public(self):
        for key in (copy.copy(PUBLIC), copy.deepcopy(PUBLIC), pickle.loads(pickle.dumps(PUBLIC))):
            self.assertTrue(key == PUBLIC and key is not PUBLIC and hash(key) == hash(PUBLIC))
            self.assertEqual(KEY.decrypt(key.encrypt([4])), [4])
        self.assertNotEqual(PUBLIC, paillier.PublicKey(N - 2, minimum=512))
        self.assertNotEqual(PUBLIC, N)
        self.assertEqual((PUBLIC.n, PUBLIC.bits, PUBLIC.max_int), (N, 512, MOST))

    def test_copies(self):
        c = PUBLIC.encrypt([4, 5])
        numbers = c.tolist()
        copies = [copy.copy(c), copy.deepcopy(c), pickle.loads(pickle.dumps(c))]
        c[0]
        c.close()
        self.assertIn("closed", repr(c))
        for use in (lambda: c[0], lambda: c[:1]):
            self.assertRaisesRegex(ValueError, "closed", use)
        with self.assertRaisesRegex(ValueError, "closed"):
            c + 1
        for other in copies:
            self.assertEqual((other.tolist(), other.public, KEY.decrypt(other)), (numbers, PUBLIC, [4, 5]))
            with other as same:
                self.assertIs(same, other)
            self.assertRaises(ValueError, other.tolist)

    def test_private(self):
        for function in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "PrivateKey cannot be copied or pickled: make one of the same p and q"):
                function(KEY)
        key = paillier.PrivateKey(KEY.p, KEY.q, minimum=512)
        for text in (repr(key), str(key), f"{key}", repr(key._handle), repr(vars(key)), *map(repr, vars(key._handle.p).values())):
            for x in (P, Q, P - 1, P * P, Q * Q):
                self.assertNotIn(str(x)[:20], text)
                self.assertNotIn(f"{x:x}"[-16:], text)
        factors = key._handle
        arrays = [x._data for part in vars(factors).values() for x in vars(part).values() if isinstance(x, secret.Secret)]
        self.assertEqual(len(arrays), 12)
        moduli = [x for part in (factors.p, factors.q) for x in (part.modulus, part.square)]
        self.assertTrue(all(map(any, arrays)))
        key.close()
        self.assertFalse(any(map(any, arrays)))
        for function in (*(m.reduce for m in moduli), key.encrypt, key.rerandomize, key.decrypt):
            with self.assertRaisesRegex(ValueError, "closed"):
                function(PUBLIC.encrypt([1]) if function in (key.rerandomize, key.decrypt) else mpgpu.Batch([1], 8))
        with self.assertRaisesRegex(ValueError, "the private key is closed"):
            key.p
        with self.assertRaisesRegex(ValueError, "the private key is closed"):
            key.q
        self.assertEqual(repr(key), f"<PrivateKey of {PUBLIC!r}, closed>")

    def test_unfinished(self):
        """A key that cannot be finished, and one that the garbage collector destroys, leave no secrets."""
        made, real = [], secret.pack
        with mock.patch.object(secret, "pack", side_effect=lambda *given, **named: made.append(real(*given, **named)) or made[-1]):
            with mock.patch("mpgpu.remainders.Remainders", side_effect=KeyboardInterrupt):
                try:
                    paillier.PrivateKey(P, Q, minimum=512)
                except KeyboardInterrupt as error:
                    error.__traceback__ = None
            paillier.PrivateKey(P, Q, minimum=512)
        gc.collect()
        self.assertGreater(len(made), 30)
        self.assertFalse(any(any(packed.data) for packed in made))


class Secrets(unittest.TestCase):
    def calls(self, name, function):
        """Returns the arguments of each call of the library's function `name` during function()."""
        calls, real = [], getattr(mpgpu.library.lib, name)
        with mock.patch.object(mpgpu.library.lib, name, side_effect=lambda *given: calls.append(given) or real(*given)):
            function()
        return calls

    def test_constant_time(self):
        """Powers of secrets are computed in constant time, by batch_mod_pow_sec.  The exponents
        of these powers have the least possible number of limbs."""
        c = PUBLIC.encrypt([1, 2])
        for function, powers in ((lambda: PUBLIC.encrypt([1, 2]), 1), (lambda: KEY.encrypt([1, 2]), 2), (lambda: KEY.decrypt(c), 2),
                                 (c.rerandomize, 1), (lambda: c * [3, -4], 1), (lambda: c.dot([3, 4]), 1), (lambda: primes.is_prime(P), 1)):
            self.assertEqual(self.calls("batch_mod_pow", function), [])
            self.assertEqual(len(self.calls("batch_mod_pow_sec", function)), powers)
        self.assertEqual(len(self.calls("batch_mod_pow", lambda: c.mul(3, secret=False))), 1)
        limbs = mpgpu.library.lib.shared.mpgpu_batch_limbs
        limbs.restype, limbs.argtypes = ctypes.c_size_t, (ctypes.c_void_p,)
        for function in (lambda: KEY.encrypt([1]), lambda: KEY.decrypt(c)):
            lengths = []
            real = mpgpu.library.lib.batch_mod_pow_sec
            with mock.patch.object(mpgpu.library.lib, "batch_mod_pow_sec",
                                   side_effect=lambda r, u, e, m: lengths.append((limbs(u), limbs(e))) or real(r, u, e, m)):
                function()
            self.assertEqual(lengths, [(8, 4)] * 2)

    def test_overwritten(self):
        """After a call, each array that was passed to the library is zero, or has a public number: 1 or n."""
        c = PUBLIC.encrypt([1, 2])
        known = {x.to_bytes(8 * limbs, "little") * count for x in (1, N) for limbs in (8, 16) for count in (1, 2)}
        for function, least in ((lambda: PUBLIC.encrypt([5, 6]), 1), (lambda: KEY.encrypt([5, 6]), 5), (lambda: KEY.decrypt(c), 8),
                                (lambda: c * [3, 4], 1), (lambda: primes.is_prime(P), 3)):
            arrays = [bytes(data) for _, data in self.calls("batch_set", function) if isinstance(data, ctypes.Array)]
            secrets = [x for x in arrays if x not in known]
            self.assertGreaterEqual(len(secrets), least)
            self.assertFalse(any(map(any, secrets)))
        for function in (lambda: KEY.decrypt(c), lambda: primes.is_prime(P)):
            arrays = [bytes(data) for data, _ in self.calls("batch_get", function)]
            self.assertGreater(len(arrays), 0)
            self.assertFalse(any(map(any, arrays)))

    def test_interrupted(self):
        """An array is overwritten after the end of the download that fills it, also if Ctrl-C ends the wait earlier."""
        arrays = []
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
        self.addCleanup(signal.signal, signal.SIGINT, handler)

        def download(data, _):
            arrays.append(data)
            time.sleep(0.6)
            ctypes.memset(data, 1, len(data))

        with mock.patch.object(mpgpu.library.lib, "batch_get", interrupt.long(download)):
            timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            self.assertRaises(KeyboardInterrupt, secret.integers_of, mpgpu.Batch([5, 6]))
            interrupt.wait_for_interrupted()
        self.assertEqual([bytes(data) for data in arrays], [bytes(16)])


if __name__ == "__main__":
    unittest.main()
