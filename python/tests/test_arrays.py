# SPDX-License-Identifier: LGPL-3.0-or-later
"""Tests arrays of other libraries by DLPack on the CPU, with NumPy, JAX and PyTorch where
installed.  Arrays that this file defines also break DLPack's rules.

If MPGPU_TEST_FAKE_CUDA is set, arrays "on the GPU" are tested too: the server is then
tests/process/peerserve.c, and libcuda.so.1 is tests/process/fakecuda.c."""
import ctypes
import gc
import os
import random
import subprocess
import sys
import threading
import unittest
import weakref

import mpgpu
from mpgpu import arrays, cuda

try:
    import numpy
except ImportError:
    numpy = None
try:
    import jax

    jax.config.update("jax_enable_x64", True)
except ImportError:
    jax = None
try:
    import torch
except ImportError:
    torch = None

SEED = int(os.environ.get("MPGPU_TEST_SEED", random.randrange(10**9)))
FAKE = os.environ.get("MPGPU_TEST_FAKE_CUDA")


def setUpModule():
    print("seed", SEED, file=sys.stderr)
    random.seed(SEED)


def numbers(count, limbs, signed=False):
    top = 64 * limbs - signed
    special = [0, 1, 2**top - 1, 2 ** (top - 1), 2**63, 2**32 - 1] + ([-1, -(2**top), -(2**63)] if signed else [])
    return [x if x < 2**top else 7 for x in special][:count] + [
        random.getrandbits(random.randrange(1, top + 1)) for _ in range(count - len(special))
    ]


class Foreign:
    """An array of another library, with words of `word` bytes in host memory, which it declares to be
    memory of `device`.  Element (i, j) is words[offset + i * strides[0] + j * strides[1]]."""

    def __init__(self, words, shape, strides=None, offset=0, word=8, device=(1, 0), code=1, lanes=1, version=(1, 0),
                 byte_offset=0, flags=1, bits=None):
        self.data = bytearray(b"".join(x.to_bytes(word, "little") for x in words) + bytes(byte_offset))
        self.shape, self.strides, self.word, self.device, self.version = tuple(shape), strides, word, device, version
        self.code, self.lanes, self.bits, self.flags = code, lanes, bits or 8 * word, flags
        start = arrays._address(self.data) if self.data else 0
        self.byte_offset, self.address = byte_offset, start - byte_offset + offset * word
        self.deleted, self.asked, self.alive = 0, [], {}

    def rows(self):
        """Returns the array's elements as a list of rows."""
        down, right = self.strides or (self.shape[1], 1)
        at = (self.address + self.byte_offset - arrays._address(self.data)) // self.word
        words = [int.from_bytes(self.data[i : i + self.word], "little") for i in range(0, len(self.data), self.word)]
        return [[words[at + i * down + j * right] for j in range(self.shape[1])] for i in range(self.shape[0])]

    def is_on_host(self):
        return self.device[0] in (1, 3) and not hasattr(self, "__cuda_array_interface__")

    def integers(self):
        return [sum(x << 8 * self.word * k for k, x in enumerate(row)) for row in self.rows()]


class WithDLPack(Foreign):
    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked.append((stream, max_version))
        kind = arrays._Versioned if max_version and self.version else arrays._Managed
        managed, n = kind(), len(self.shape)
        sizes = (ctypes.c_int64 * max(1, n))(*self.shape)
        strides = (ctypes.c_int64 * n)(*self.strides) if self.strides else None
        at = ctypes.addressof(managed)

        def delete(address):
            assert address == at
            self.deleted += 1
            self.alive.pop(at)

        deleter = arrays._DELETER(delete)
        managed.tensor = arrays._Tensor(
            self.address, *self.device, n, self.code, self.bits, self.lanes, sizes,
            strides or ctypes.POINTER(ctypes.c_int64)(), self.byte_offset,
        )
        managed.deleter = ctypes.cast(deleter, ctypes.c_void_p)
        if kind is arrays._Versioned:
            managed.major, managed.minor = self.version
            managed.flags = self.flags
        name = arrays._NAMES[kind]

        def destroy(capsule):
            if arrays._dead_capsule_is(capsule, name):
                deleter(at)

        destructor = arrays._DELETER(destroy)
        self.alive[at] = managed, sizes, strides, deleter, destructor
        KEPT.append((deleter, destructor))
        return arrays._capsule_new(at, ctypes.cast(name, ctypes.c_void_p), ctypes.cast(destructor, ctypes.c_void_p))


KEPT = []  # callbacks that C calls even while Python deletes the objects that own them


class Old(WithDLPack):
    """An array whose __dlpack__ has the arguments that it had before DLPack 1.0."""

    def __dlpack__(self, stream=None):
        return super().__dlpack__(stream=stream)


class WithInterface(Foreign):
    stream = None
    mask = None

    @property
    def __cuda_array_interface__(self):
        strides = self.strides and tuple(s * self.word for s in self.strides)
        return {"shape": self.shape, "typestr": f"<u{self.word}", "data": (self.address + self.byte_offset, True), "version": 3,
                "strides": strides, "stream": self.stream, "mask": self.mask}


STRIDES = (  # the shape, strides and offset of each array, made from 60 words
    ((6, 10), None, 0), ((6, 10), (10, 1), 0), ((3, 10), (20, 1), 10), ((6, 3), (10, 1), 4), ((6, 5), (10, 2), 0),
    ((10, 6), (1, 10), 0), ((6, 10), (10, -1), 9), ((6, 10), (-10, 1), 50), ((1, 10), (-3, 1), 0), ((6, 1), (10, 77), 3),
    ((4, 10), (0, 1), 20), ((6, 4), (10, 0), 2), ((1, 1), (1, 1), 59), ((50, 10), (1, 1), 0), ((2, 5), (-10, 2), 30),
)


class Out(unittest.TestCase):
    """Tests exports of batches and numbers as arrays in host memory."""

    def read(self, x, **named):
        """Exports x as a capsule. Returns the shape, words and flags of its tensor; the flags are None before
        DLPack 1.0."""
        capsule = x.__dlpack__(**named)
        kind = arrays._Versioned if "versioned" in repr(capsule) else arrays._Managed
        managed = kind.from_address(arrays._capsule_get(capsule, arrays._NAMES[kind]))
        t = managed.tensor
        shape = tuple(t.shape[i] for i in range(t.ndim))
        self.assertEqual((t.code, t.bits, t.lanes, t.byte_offset), (1, 64, 1, 0))
        self.assertEqual([t.strides[i] for i in range(t.ndim)], [shape[1], 1] if t.ndim == 2 else [1])
        count = shape[0] * (shape[1] if t.ndim == 2 else 1)
        words = list((ctypes.c_uint64 * count).from_address(t.data))
        return shape, words, (managed.flags, managed.major) if kind is arrays._Versioned else None, (t.device_type, t.device_id)

    def test_capsules(self):
        values = numbers(50, 3)
        batch = mpgpu.Batch(values, limbs=3)
        words = [x >> 64 * k & 2**64 - 1 for x in values for k in range(3)]
        cpu = {"dl_device": (1, 0)}
        for named, flags in (({}, None), ({"max_version": (0, 8)}, None), ({"max_version": (1, 0)}, (2, 1)),
                             ({"max_version": (2, 3)}, (2, 1)), ({"copy": True}, None)):
            self.assertEqual(self.read(batch, **cpu, **named), ((50, 3), words, flags, (1, 0)))
        self.assertFalse(arrays._exported)
        signed = mpgpu.Batch([-1, 5], limbs=2)
        self.assertEqual(self.read(signed, **cpu)[1], [2**64 - 1, 2**64 - 1, 5, 0])

    def test_numbers(self):
        queue = mpgpu.Queue()
        for x in (0, 1, 2**64 - 1, 2**64, random.getrandbits(10_000)):
            number = queue.number(x) * 3
            wanted = [3 * x >> 64 * k & 2**64 - 1 for k in range(max(1, (3 * x).bit_length() + 63) // 64 or 1)]
            self.assertEqual(self.read(number, dl_device=(1, 0))[:2], ((len(wanted),), wanted))
        with self.assertRaisesRegex(ValueError, "Number -15.* is negative"):
            (queue.number(5) * -3).__dlpack__(dl_device=(1, 0))

    def test_deleters(self):
        batch = mpgpu.Batch([1, 2])
        capsule = batch.__dlpack__(dl_device=(1, 0))
        (address,) = arrays._exported
        kept = weakref.ref(arrays._exported[address])
        name = ctypes.create_string_buffer(b"used_dltensor")
        rename = arrays._function("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_void_p)
        rename(capsule, ctypes.addressof(name))
        del capsule  # keeps the tensor: the new name means that a library has taken it
        self.assertIn(address, arrays._exported)
        batch.close()
        managed = arrays._Managed.from_address(address)
        thread = threading.Thread(target=arrays._DELETER(managed.deleter), args=(address,))
        thread.start()
        thread.join()
        self.assertFalse(arrays._exported)
        self.assertIsNone(kept())

    def test_capsule_in_an_exception(self):
        """If a capsule is deleted because of an exception, its tensor is deleted too, and Python
        still shows the exception."""
        batch, shown = mpgpu.Batch([1, 2]), []
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        sys.unraisablehook = lambda args: shown.append(args.exc_type)
        with self.assertRaises((TypeError, SystemError)) as raised:
            int(batch.__dlpack__(dl_device=(1, 0)))
        self.assertFalse(arrays._exported)
        self.assertIn(TypeError, [*shown, raised.exception.__class__])

    def test_bad(self):
        batch = mpgpu.Batch([1, 2])
        for named, kind, text in (
            ({"copy": False}, BufferError, "copy=False"), ({"dl_device": (10, 3)}, BufferError, r"\(10, 3\)"),
            ({"dl_device": 5}, BufferError, "dl_device=5"), ({"dl_device": (1, 0), "stream": 3}, ValueError, "stream=3"),
        ):
            with self.subTest(named), self.assertRaisesRegex(kind, text):
                batch.__dlpack__(**named)
        batch.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            batch.__dlpack__(dl_device=(1, 0))

    @unittest.skipUnless(numpy, "NumPy is not installed")
    def test_numpy(self):
        values = numbers(40, 5)
        batch = mpgpu.Batch(values, limbs=5)
        array = numpy.from_dlpack(batch) if batch.__dlpack_device__()[0] == 1 else numpy.from_dlpack(batch, device="cpu")
        self.assertTrue((array == batch.numpy()).all())
        batch.close()
        self.assertEqual(mpgpu.from_dlpack(array).tolist(), values)
        view = array[::-2, 1:4]
        del array
        gc.collect()
        self.assertEqual(mpgpu.from_dlpack(view).tolist(), [x >> 64 & 2**192 - 1 for x in values][::-2])
        self.assertEqual(len(arrays._exported), 1)
        del view
        gc.collect()
        self.assertFalse(arrays._exported)
        frozen = numpy.ones((2, 2), dtype=numpy.uint64)
        frozen.flags.writeable = False
        self.assertEqual(mpgpu.from_dlpack(frozen).tolist(), [2**64 + 1] * 2)

    @unittest.skipUnless(jax and not FAKE, "JAX is not installed, or has no such GPU")
    def test_jax(self):
        values = numbers(40, 5)
        batch = mpgpu.Batch(values, limbs=5)
        array = jax.dlpack.from_dlpack(batch)
        self.assertEqual(mpgpu.from_dlpack(array).tolist(), values)
        self.assertEqual(mpgpu.Batch(array * 1).tolist(), values)
        self.assertEqual(mpgpu.from_dlpack(array[::2]).tolist(), values[::2])
        with self.assertRaisesRegex(ValueError, "int32"):
            mpgpu.from_dlpack(jax.numpy.ones((3, 3), dtype="int32"))

    @unittest.skipUnless(torch and not FAKE, "PyTorch is not installed, or has no such GPU")
    def test_torch(self):
        values = numbers(40, 5)
        batch = mpgpu.Batch(values, limbs=5)
        tensor = torch.from_dlpack(batch)
        self.assertEqual(mpgpu.from_dlpack(tensor).tolist(), values)
        self.assertEqual(mpgpu.Batch(tensor[::2, :3]).tolist(), [x % 2**192 for x in values[::2]])
        with self.assertRaisesRegex(ValueError, "int64"):
            mpgpu.Batch(tensor.view(torch.int64))

    @unittest.skipUnless(numpy, "NumPy is not installed")
    def test_end(self):
        """A program that ends while arrays and capsules are in use ends without a message."""
        code = "import numpy, mpgpu, sys\nb = mpgpu.Batch([1, 2])\na = numpy.from_dlpack(b, device='cpu')\nsys.keep = a, b.__dlpack__(dl_device=(1, 0))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        lines = [x for x in done.stderr.splitlines() if not x.startswith("mpgpu:")]
        self.assertEqual((done.returncode, lines), (0, []))


class In(unittest.TestCase):
    """Tests imports of other libraries' arrays, in host memory and on the GPU of the fake driver."""

    sources = ((WithDLPack, {}), (WithDLPack, {"version": None}), (Old, {}), (WithDLPack, {"byte_offset": 40}),
               (WithDLPack, {"device": (3, 0)}))

    def test_strides(self):
        for kind, named in self.sources:
            for word in (8, 4):
                words = [random.getrandbits(8 * word) for _ in range(60)]
                for shape, strides, offset in STRIDES:
                    with self.subTest(kind=kind, named=named, word=word, shape=shape, strides=strides):
                        x = kind(words, shape, strides, offset, word, **named)
                        batch = mpgpu.Batch(x)
                        self.assertEqual(batch.limbs, -(-shape[1] * word // 8))
                        self.assertEqual(batch.tolist(), x.integers())
                        self.assertFalse(batch.signed)
                        del batch
                        self.assertEqual(x.deleted, len(x.asked))

    def test_signs_and_lengths(self):
        for kind, named in self.sources:
            x = kind([2**64 - 1] * 8, (4, 2), **named)
            self.assertEqual(mpgpu.Batch(x, signed=True).tolist(), [-1] * 4)
            self.assertEqual(mpgpu.Batch(x, limbs=5).tolist(), [2**128 - 1] * 4)
            with self.assertRaisesRegex(ValueError, "rows of 2 limbs where 1 are"):
                mpgpu.Batch(x, limbs=1)
            odd = kind([2**32 - 1] * 9, (3, 3), word=4, **named)
            self.assertEqual(mpgpu.Batch(odd).tolist(), [2**96 - 1] * 3)
            for signed, limbs in ((x, 3), (odd, None)):
                if limbs and x.is_on_host():
                    self.assertEqual(mpgpu.Batch(x, limbs=limbs, signed=True).tolist(), [-1] * 4)
                    continue
                with self.assertRaisesRegex(ValueError, "two's complement cannot be extended"):
                    mpgpu.Batch(signed, limbs=limbs, signed=True)

    def test_numbers(self):
        queue = mpgpu.Queue()
        for kind, named in self.sources:
            for word in (4, 8):
                words = [random.getrandbits(8 * word) for _ in range(31)]
                value = sum(x << 8 * word * k for k, x in enumerate(words))
                self.assertEqual(queue.number(kind(words, (31,), word=word, **named)), value)
                every = sum(x << 8 * word * k for k, x in enumerate(words[1::3]))
                self.assertEqual(queue.number(kind(words, (10,), (3,), 1, word, **named)), every)
                self.assertEqual(queue.number(kind(words, (0,), word=word, **named)), 0)
            with self.assertRaisesRegex(ValueError, r"\(1, 31\)"):
                queue.number(kind([1] * 31, (1, 31), **named))

    def test_bad(self):
        for kind, named in self.sources:
            for text, changes, shape in (
                (r"\(4,\)", {}, (4,)), (r"\(0, 4\)", {}, (0, 4)), (r"\(4, 0\)", {}, (4, 0)), (r"\(1, 2, 2\)", {}, (1, 2, 2)),
            ):
                with self.subTest(text), self.assertRaisesRegex(ValueError, text):
                    mpgpu.Batch(kind([1] * 4, shape, **named, **changes))
        for kind, text, changes in (
            (ValueError, "int64", {"code": 0}), (ValueError, "float64", {"code": 2}), (ValueError, "uint16", {"bits": 16}),
            (ValueError, "code 9 64", {"code": 9}), (BufferError, "2 elements", {"lanes": 2}),
            (BufferError, "device type 10, number 3", {"device": (10, 3)}), (BufferError, "version 7.5", {"version": (7, 5)}),
        ):
            x = WithDLPack([1] * 4, (2, 2), **changes)
            with self.subTest(text), self.assertRaisesRegex(kind, text):
                mpgpu.Batch(x)
            gc.collect()
            self.assertEqual(x.deleted, len(x.asked))
        with self.assertRaisesRegex(TypeError, "list has no method __dlpack__"):
            mpgpu.from_dlpack([1, 2])

    def test_lists(self):
        """The module's functions that take lists, such as mul, also accept arrays in host memory."""
        x = WithDLPack(range(1, 9), (4, 2))
        self.assertEqual(mpgpu.mul(x, 3), [3 * v for v in x.integers()])
        batch = mpgpu.Batch([-5, 7])
        self.assertEqual(mpgpu.Batch(batch).tolist(), [-5, 7])  # signs are kept
        self.assertEqual(mpgpu.Batch([mpgpu.Queue().number(-3)]).tolist(), [-3])


@unittest.skipUnless(FAKE, "MPGPU_TEST_FAKE_CUDA is not set")
class OnGPU(In):
    """Runs the tests of class In with arrays on the fake GPU, and tests exports of batches to that GPU."""

    sources = ((WithDLPack, {"device": (2, 0)}), (WithDLPack, {"device": (13, 0), "version": None}),
               (Old, {"device": (2, 0), "byte_offset": 40}), (WithInterface, {}), (WithInterface, {"byte_offset": 16}))

    @classmethod
    def setUpClass(cls):
        mpgpu.wait()
        cls.driver = ctypes.CDLL("libcuda.so.1")
        cls.driver.fake_cuda_copied.restype = ctypes.c_size_t
        cls.driver.fake_cuda_synchronized.restype = ctypes.c_size_t

    def setUp(self):
        gc.collect()
        self.assertEqual(self.driver.fake_cuda_mapped(), 0)

    def tearDown(self):
        gc.collect()
        self.assertEqual(self.driver.fake_cuda_mapped(), 0)
        self.assertFalse(arrays._exported)

    def test_lists(self):
        x = WithDLPack(range(1, 9), (4, 2), device=(2, 0))
        with self.assertRaisesRegex(TypeError, r"\(4, 2\) on GPU 0: make a Batch"):
            mpgpu.mul(x, 3)

    def test_stays_on_the_gpu(self):
        x = WithDLPack(range(100), (50, 2), device=(2, 0))
        before = self.driver.fake_cuda_copied()
        batch = mpgpu.Batch(x)
        self.assertTrue(batch.on_device)
        self.assertEqual(self.driver.fake_cuda_copied() - before, 800)
        self.assertEqual(x.asked, [(1, (1, 0))])  # stream 1 is the legacy default stream
        self.assertEqual(self.driver.fake_cuda_synchronized(), 1)
        self.assertEqual(batch.tolist(), x.integers())
        self.assertEqual((batch + 1).tolist(), [v + 1 for v in x.integers()])

    def test_out(self):
        for values, limbs in ((numbers(50, 3), 3), (numbers(50, 2, True), 2), ([5], 1)):
            batch = mpgpu.Batch(values, limbs=limbs)
            self.assertTrue(batch.on_device)
            self.assertEqual(batch.__dlpack_device__(), (2, 0))
            for named in ({}, {"max_version": (1, 0)}, {"stream": 1}, {"stream": -1}, {"stream": 2**40}):
                shape, words, _, device = Out.read(self, batch, **named)
                self.assertEqual((shape, device), ((len(values), limbs), (2, 0)))
                self.assertEqual(words, [x >> 64 * k & 2**64 - 1 for x in values for k in range(limbs)])
            for stream in (0, -2, "x", True):
                with self.assertRaisesRegex(ValueError, "stream="):
                    batch.__dlpack__(stream=stream)

    def test_interface(self):
        batch = mpgpu.Batch(numbers(50, 3), limbs=3)
        interface = batch.__cuda_array_interface__
        self.assertEqual(interface, batch.__cuda_array_interface__)
        self.assertEqual((interface["shape"], interface["typestr"]), ((50, 3), "<u8"))
        words = bytes((ctypes.c_char * 1200).from_address(interface["data"][0]))
        self.assertEqual(words, batch.tobytes())
        self.assertEqual(mpgpu.Batch(type("Interface", (), {"__cuda_array_interface__": interface})()), batch)
        batch.close()
        self.assertEqual(bytes((ctypes.c_char * 1200).from_address(interface["data"][0])), words)

    def test_stream_of_interface(self):
        x = WithInterface([1] * 4, (2, 2))
        x.stream = 0x7000
        mpgpu.Batch(x)
        self.assertEqual(self.driver.fake_cuda_waited(), 0x7000)
        for x.stream in (0, -1):
            with self.assertRaisesRegex(ValueError, f"stream={x.stream}: CUDA's streams are 1, 2"):
                mpgpu.Batch(x)
        x.stream, x.mask = None, x
        with self.assertRaisesRegex(BufferError, "mask"):
            mpgpu.Batch(x)

    def test_host_and_zeros(self):
        """Exports a batch of zeros, and a batch in host memory, as arrays on the GPU."""
        for batch in (mpgpu.Batch.zeros(3, 2), mpgpu.Batch([1, 2, 3])):
            self.assertEqual(Out.read(self, batch, dl_device=(2, 0))[1], [x >> 64 * k for x in batch.tolist() for k in range(batch.limbs)])
            self.assertEqual(len(bytes(batch.__dlpack__(dl_device=(1, 0)) and b"")), 0)

    def test_number_out(self):
        queue = mpgpu.Queue()
        for x in (0, 5, random.getrandbits(200_000)):
            number = queue.number(x) * queue.number(2**65 + 1)
            interface = number.__cuda_array_interface__
            n = interface["shape"][0]
            data = bytes((ctypes.c_char * (8 * n)).from_address(interface["data"][0]))
            self.assertEqual(int.from_bytes(data, "little"), x * (2**65 + 1))
            self.assertEqual(queue.number(type("Interface", (), {"__cuda_array_interface__": interface})()), number)
        negative = queue.number(-3)
        with self.assertRaisesRegex(ValueError, "negative"):
            negative.__cuda_array_interface__

    def test_other_gpu(self):
        """Exports and imports on a GPU that the library does not use raise BufferError."""
        batch = mpgpu.Batch(numbers(50, 3), limbs=3)
        with self.assertRaisesRegex(BufferError, "does not use this GPU"):
            batch.__dlpack__(dl_device=(2, 1))
        with self.assertRaisesRegex(BufferError, "does not use this GPU"):
            mpgpu.Batch(WithDLPack([1] * 4, (2, 2), device=(2, 1)))

    def test_negative_strides(self):
        with self.assertRaisesRegex(BufferError, r"strides \(-2, -1\)"):
            mpgpu.Batch(WithDLPack(range(60), (3, 2), (-2, -1), 30, device=(2, 0)))

    def test_failing_driver(self):
        """If a function of the driver fails, the call raises its error, and nothing stays mapped."""
        x, batch = WithDLPack(range(60), (6, 5), (10, 1), device=(2, 0)), mpgpu.Batch(numbers(50, 3), limbs=3)
        later = ("cuCtxPopCurrent_v2", "cuGetErrorName", "cuInit", "cuPointerGetAttribute", "cuDevicePrimaryCtxRetain")
        for name in cuda._FUNCTIONS:
            # not tested: `later`, and functions after whose failure memory stays until the end
            if name in later or name in ("cuMemUnmap", "cuMemAddressFree", "cuMemRelease", "cuMemcpyDtoDAsync_v2"):
                continue
            os.environ["MPGPU_TEST_CUDA_FAILS"] = name
            setenv(name)
            failures, files = 0, len(os.listdir("/proc/self/fd"))
            for call in (lambda: mpgpu.Batch(x), batch.__dlpack__):
                try:
                    call()
                except mpgpu.Error as error:
                    self.assertRegex(str(error), rf"{name}: CUDA_ERROR_UNKNOWN \(999\)")
                    failures += 1
            setenv("")
            gc.collect()
            self.assertGreater(failures, 0, name)
            self.assertEqual(len(os.listdir("/proc/self/fd")), files, name)

    @unittest.skipUnless(os.environ.get("MPGPU_TEST_LIMIT"), "MPGPU_TEST_LIMIT is not set")
    def test_limit(self):
        """The option `memory`, here MPGPU_TEST_LIMIT bytes, also limits the memory of arrays, until
        they are deleted."""
        batch, most = mpgpu.Batch([1, 2, 3]), int(os.environ["MPGPU_TEST_LIMIT"]) >> 21
        for _ in range(2 * most):
            batch.__dlpack__()
        capsules = []
        with self.assertRaises((MemoryError, mpgpu.Error)):
            for _ in range(most + 1):
                capsules.append(batch.__dlpack__())
        self.assertGreater(len(capsules), most // 2)
        del capsules
        gc.collect()
        batch.__dlpack__()

    def test_fork(self):
        """A child of fork may delete the parent's arrays: the parent's memory does not change."""
        batch = mpgpu.Batch(numbers(50, 3), limbs=3)
        capsule = batch.__dlpack__()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                del capsule
                gc.collect()
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        managed = arrays._Managed.from_address(arrays._capsule_get(capsule, b"dltensor"))
        self.assertEqual(bytes((ctypes.c_char * 1200).from_address(managed.tensor.data)), batch.tobytes())

    def test_busy_at_fork(self):
        """A child of fork can make arrays, even if another thread of the parent was making one."""
        inside, leave = threading.Event(), threading.Event()

        def make():
            with arrays._making:
                inside.set()
                leave.wait()

        thread = threading.Thread(target=make)
        thread.start()
        inside.wait()
        child = os.fork()
        if child == 0:
            os._exit(0 if arrays._making.acquire(timeout=10) else 1)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        leave.set()
        thread.join()
        self.assertEqual(status, 0)

    def test_threads(self):
        failures = []

        def work(seed):
            try:
                values = [random.Random(seed + i).getrandbits(190) for i in range(500)]
                for _ in range(20):
                    batch = mpgpu.Batch(values, limbs=3)
                    copy = mpgpu.Batch(type("Interface", (), {"__cuda_array_interface__": batch.__cuda_array_interface__})())
                    assert copy.tolist() == values
                    batch.__dlpack__()
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertFalse(failures)


def setenv(name):
    """Sets MPGPU_TEST_CUDA_FAILS in C's environment, which the fake driver reads."""
    ctypes.CDLL(None).setenv(b"MPGPU_TEST_CUDA_FAILS", name.encode(), 1)


if __name__ == "__main__":
    unittest.main()
