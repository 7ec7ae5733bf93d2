# SPDX-License-Identifier: LGPL-3.0-or-later
"""Tests arrays of the Python module on a GPU, with CuPy and PyTorch: round trips, streams, lifetimes,
bad arguments, a killed process, rates.  Runs all cases, prints a line for each, and exits with 1 if
one fails.

Usage: arrays.py FOLDER [CASE...]   FOLDER has .libs/libmpgpu-gmp.so.0, tools/ and python/"""
import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
import traceback

FOLDER = os.path.abspath(sys.argv[1])
os.environ.setdefault("MPGPU_LIBRARY", f"{FOLDER}/.libs/libmpgpu-gmp.so.0")
if os.path.exists(f"{FOLDER}/python/mpgpu"):
    sys.path.insert(0, f"{FOLDER}/python")

import mpgpu  # noqa: E402
from mpgpu import arrays  # noqa: E402

try:
    import cupy
except ImportError:
    cupy = None
try:
    import torch

    torch = torch if torch.cuda.is_available() else None
except ImportError:
    torch = None

CASES = []
SEED = int(os.environ.get("MPGPU_TEST_SEED", "7"))
GIB = 1 << 30
# limbs of a batch that is long enough for the library to store it on the GPU
MANY = 1 << 20
SKIP_BIG = bool(os.environ.get("MPGPU_TEST_SMALL"))


def case(function):
    CASES.append(function)
    return function


def numbers(count, limbs, signed=False):
    """Returns `count` integers: random ones, and those whose carries are likely to go wrong."""
    rng, top = random.Random(SEED), 64 * limbs - signed
    special = [0, 1, 2**top - 1, 2 ** (top - 1), 2**64 % 2**top, 2**32 - 1]
    special += [-1, -(2**top), -(2**63)] if signed else []
    values = special + [rng.getrandbits(rng.randrange(1, top + 1)) for _ in range(997)]
    return (values * (count // len(values) + 1))[:count]


def on_gpu(limbs=4):
    """Returns a batch that is stored on the GPU, and its integers."""
    values = numbers(MANY // limbs, limbs)
    batch = mpgpu.Batch(values, limbs=limbs)
    assert batch.on_device, mpgpu.device()
    return batch, values


def integers(rows, signed=False):
    """Returns the integers of a two-dimensional array in host memory."""
    return [int.from_bytes(row.tobytes(), "little", signed=signed) for row in rows]


def raises(kind, text, call, *given, **named):
    try:
        call(*given, **named)
    except kind as error:
        assert text in str(error), error
        return
    raise AssertionError(f"no {kind.__name__}")


def bit_equal(batch, array):
    return batch.tobytes() == cupy.asnumpy(cupy.ascontiguousarray(array)).tobytes()


# ---- tests that need neither CuPy nor PyTorch

PROBE = """
import ctypes, os, subprocess, sys
from ctypes import byref, c_char, c_int, c_size_t, c_uint64, c_void_p
cu, SIZE = ctypes.CDLL("libcuda.so.1"), 2 << 20

def must(code, what):
    if code:
        name = ctypes.c_char_p()
        cu.cuGetErrorName(code, byref(name))
        sys.exit(f"{what}: {name.value.decode()}")

class Properties(ctypes.Structure):
    _fields_ = [("type", c_int), ("handles", c_int), ("where", c_int), ("id", c_int), ("meta", c_void_p), ("rest", c_char * 8)]

class Access(ctypes.Structure):
    _fields_ = [("where", c_int), ("id", c_int), ("flags", c_int)]

def map_it(memory):
    at, access = c_uint64(), Access(1, 0, 3)
    must(cu.cuMemAddressReserve(byref(at), c_size_t(SIZE), c_size_t(0), c_uint64(0), c_uint64(0)), "cuMemAddressReserve")
    must(cu.cuMemMap(at, c_size_t(SIZE), c_size_t(0), memory, c_uint64(0)), "cuMemMap")
    must(cu.cuMemSetAccess(at, c_size_t(SIZE), byref(access), c_size_t(1)), "cuMemSetAccess")
    return at

def read(at):
    value = c_uint64()
    must(cu.cuMemcpyDtoH_v2(byref(value), at, c_size_t(8)), "cuMemcpyDtoH")
    return hex(value.value)

must(cu.cuInit(0), "cuInit")
context, other = c_void_p(), c_void_p()
must(cu.cuDevicePrimaryCtxRetain(byref(context), 0), "cuDevicePrimaryCtxRetain")
way, role = sys.argv[1:3]
if role == "server":
    if way == "file":
        must(cu.cuCtxCreate_v2(byref(other), 0, 0), "cuCtxCreate")
        memory, file, properties = c_uint64(), c_int(-1), Properties(1, 1, 1, 0)
        must(cu.cuMemCreate(byref(memory), c_size_t(SIZE), byref(properties), c_uint64(0)), "cuMemCreate")
        at = map_it(memory)
        must(cu.cuMemExportToShareableHandle(byref(file), memory, 1, c_uint64(0)), "cuMemExportToShareableHandle")
        os.set_inheritable(file.value, True)
        given = str(file.value)
    else:
        must(cu.cuCtxSetCurrent(context), "cuCtxSetCurrent")
        at, handle = c_uint64(), (c_char * 64)()
        must(cu.cuMemAlloc_v2(byref(at), c_size_t(SIZE)), "cuMemAlloc")
        must(cu.cuIpcGetMemHandle(handle, at), "cuIpcGetMemHandle")
        given = handle.raw.hex()
    must(cu.cuMemsetD32_v2(at, 0x1234abcd, c_size_t(SIZE // 4)), "cuMemsetD32")
    must(cu.cuCtxSynchronize(), "cuCtxSynchronize")
    if way == "file":
        must(cu.cuCtxSetCurrent(context), "cuCtxSetCurrent")
        print("in another context of the process:", read(at), flush=True)
    sys.exit(subprocess.run([sys.executable, "-c", sys.argv[3], way, "client", given], close_fds=False).returncode)
must(cu.cuCtxSetCurrent(context), "cuCtxSetCurrent")
if way == "file":
    memory = c_uint64()
    must(cu.cuMemImportFromShareableHandle(byref(memory), c_void_p(int(sys.argv[3])), 1), "cuMemImportFromShareableHandle")
    at = map_it(memory)
else:
    class Handle(ctypes.Structure):
        _fields_ = [("bytes", c_char * 64)]
    at = c_uint64()
    must(cu.cuIpcOpenMemHandle_v2(byref(at), Handle.from_buffer_copy(bytes.fromhex(sys.argv[3])), 1), "cuIpcOpenMemHandle")
print("in another process:", read(at), flush=True)
"""


@case
def driver():
    """Prints by which methods of the CUDA driver two processes can share memory.  The library needs
    the method `file`."""
    for way in ("file", "cuIpc"):
        done = subprocess.run([sys.executable, "-c", PROBE, way, "server", PROBE], capture_output=True, text=True)
        print(f"    {way}: {'works' if done.returncode == 0 else 'FAILS'}; {done.stdout} {done.stderr}".replace("\n", "; "), flush=True)
        assert done.returncode == 0 or way == "cuIpc"


@case
def protocol():
    batch, values = on_gpu()
    kind, number = batch.__dlpack_device__()
    assert (kind, number) == (2, 0), (kind, number)
    for stream in (None, -1, 1, 2, 1 << 40):
        batch.__dlpack__(stream=stream)
    raises(ValueError, "stream=0", batch.__dlpack__, stream=0)
    raises(ValueError, "stream='x'", batch.__dlpack__, stream="x")
    raises(BufferError, "copy=False", batch.__dlpack__, copy=False)
    raises(BufferError, "(10, 0)", batch.__dlpack__, dl_device=(10, 0))
    gc.collect()
    assert not arrays._exported
    interface = batch.__cuda_array_interface__
    assert interface["shape"] == (len(values), 4) and interface["typestr"] == "<u8"
    assert batch.__cuda_array_interface__["data"] == interface["data"]
    host = batch.__dlpack__(dl_device=(1, 0))
    assert "dltensor" in repr(host)


@case
def same_gpu_without_another_library():
    """Copies a batch to another batch through __cuda_array_interface__, by two copies on the GPU."""

    class Interface:
        def __init__(self, batch):
            self.batch, self.__cuda_array_interface__ = batch, batch.__cuda_array_interface__

    batch, _ = on_gpu()
    copy = mpgpu.Batch(Interface(batch))
    assert copy.on_device and copy == batch and copy is not batch
    assert (copy + 1).tolist()[:5] == [x % 2**256 for x in (batch + 1).tolist()[:5]]


# ---- CuPy


@case
def cupy_takes():
    batch, values = on_gpu()
    for array in (cupy.from_dlpack(batch), cupy.asarray(batch)):
        assert array.shape == (len(values), 4) and array.dtype == cupy.uint64
        assert integers(cupy.asnumpy(array)) == values
    array = cupy.from_dlpack(batch)
    array += 1  # changes the array, not the batch: the array is a copy
    cupy.cuda.Device().synchronize()
    assert batch.tolist() == values
    assert array.shape == batch.numpy().shape


@case
def cupy_gives():
    host = mpgpu.Batch(numbers(MANY // 8, 8), limbs=8)
    array = cupy.asarray(host.numpy())
    for batch in (mpgpu.from_dlpack(array), mpgpu.Batch(array)):
        assert batch.on_device and batch == host
    words = mpgpu.Batch(array.view(cupy.uint32))
    assert words == host
    odd = mpgpu.Batch(array.view(cupy.uint32)[:, :5])
    assert odd.limbs == 3 and odd.tolist() == [x % 2**160 for x in host.tolist()]
    longer = mpgpu.Batch(array, limbs=10)
    assert longer.limbs == 10 and longer.tolist() == host.tolist()
    signed = mpgpu.from_dlpack(array, signed=True)
    assert signed.tolist() == integers(cupy.asnumpy(array), signed=True)


@case
def cupy_signs():
    values = numbers(MANY // 4, 4, signed=True)
    batch = mpgpu.Batch(values, limbs=4)
    array = cupy.from_dlpack(batch)
    assert batch.signed and integers(cupy.asnumpy(array), signed=True) == values
    assert mpgpu.from_dlpack(array, signed=True) == batch


@case
def cupy_strides():
    array = cupy.asarray(mpgpu.Batch(numbers(MANY // 4, 4), limbs=4).numpy())
    turned = cupy.asfortranarray(array[:3000])
    for part in (array[::2], array[:, 1:3], array[5:, 2:3], array[:1], turned, turned.T[:2], array[:, ::-1],
                 array[:4000][::-1], cupy.broadcast_to(array[0], (200, 4)), array[::3, ::2]):
        assert bit_equal(mpgpu.Batch(part), part), (part.shape, part.strides)
    # Some releases of CuPy export an array with two negative strides as a copy; others cannot
    # export it.
    part = array[::-1, ::-1]
    try:
        assert bit_equal(mpgpu.Batch(part), part)
    except BufferError as error:
        assert "strides" in str(error), error


@case
def cupy_bad():
    array = cupy.zeros((1000, 4), dtype=cupy.uint64)
    raises(ValueError, "int64", mpgpu.Batch, array.astype(cupy.int64))
    raises(ValueError, "float64", mpgpu.Batch, array.astype(cupy.float64))
    raises(ValueError, "(4000,)", mpgpu.Batch, array.ravel())
    raises(ValueError, "(0, 4)", mpgpu.Batch, array[:0])
    raises(ValueError, "(1000, 0)", mpgpu.Batch, array[:, :0])
    raises(ValueError, "rows of 4 limbs", mpgpu.Batch, array, limbs=3)
    raises(ValueError, "two's complement", mpgpu.Batch, array, limbs=5, signed=True)
    raises(TypeError, "make a Batch", mpgpu.mul, array, 3)
    raises(ValueError, "one dimension", mpgpu.Queue().number, array)


@case
def cupy_small():
    """A batch below the threshold is stored on the host; an array of it can be on the GPU."""
    on_gpu()
    batch = mpgpu.Batch([1, 2**100, 3])
    assert not batch.on_device and batch.__dlpack_device__() == (1, 0)
    assert integers(cupy.asnumpy(cupy.asarray(batch))) == [1, 2**100, 3]
    assert mpgpu.Batch(cupy.asarray(batch)) == batch
    zeros = mpgpu.Batch.zeros(3, 2)
    assert integers(cupy.asnumpy(cupy.asarray(zeros))) == [0, 0, 0]


@case
def cupy_numbers():
    queue, x = mpgpu.Queue(), random.Random(SEED).getrandbits(4_000_001)
    number = queue.number(x)
    square = number * number
    array = cupy.asarray(square)
    assert array.shape == (-(-(x * x).bit_length() // 64),), array.shape
    assert int.from_bytes(cupy.asnumpy(array).tobytes(), "little") == x * x
    assert queue.number(array) == x * x and queue.number(array[::2]) != x * x
    raises(ValueError, "negative", lambda: cupy.asarray(-number).shape)
    assert int(queue.number(cupy.asarray(queue.number(0)))) == 0


@case
def streams():
    """An import waits for the work on the stream that the caller uses.  Work that the caller
    starts on this stream after an export sees the exported copy."""
    batch, values = on_gpu()
    own = cupy.cuda.Stream(non_blocking=True)
    with own:
        for i in range(20):
            array = cupy.from_dlpack(batch)
            for _ in range(50):
                array += 1
            # the test itself does not wait for the stream, so mpgpu must
            taken = mpgpu.from_dlpack(array)
            first = int.from_bytes(taken.numpy()[0].tobytes(), "little")
            assert first == sum((values[0] // 2 ** (64 * k) + 50) % 2**64 << 64 * k for k in range(4)), i
            interface = mpgpu.Batch(type("Interface", (), {"__cuda_array_interface__": array.__cuda_array_interface__})())
            assert interface == taken


@case
def threads():
    failures = []

    def work(seed):
        try:
            values = [random.Random(seed + i).getrandbits(250) for i in range(MANY // 16)]
            for _ in range(5):
                assert integers(cupy.asnumpy(cupy.from_dlpack(mpgpu.Batch(values, limbs=4)))) == values
        except BaseException:
            failures.append(traceback.format_exc())

    several = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in several:
        thread.start()
    for thread in several:
        thread.join()
    assert not failures, failures[0]


# ---- lifetimes


@case
def lifetimes():
    batch, values = on_gpu()
    array = cupy.from_dlpack(batch)
    assert len(arrays._exported) == 1
    batch.close()
    del batch
    gc.collect()
    assert integers(cupy.asnumpy(array)) == values  # the batch is deleted, but not the array
    view = array[::2]
    del array
    gc.collect()
    assert len(arrays._exported) == 1 and integers(cupy.asnumpy(view)) == values[::2]
    del view
    gc.collect()
    assert not arrays._exported
    free = cupy.cuda.runtime.memGetInfo()[0]
    big, _ = on_gpu()
    for _ in range(200):
        cupy.from_dlpack(big)
        big.__dlpack__()
    gc.collect()
    assert not arrays._exported and cupy.cuda.runtime.memGetInfo()[0] > free - (256 << 20)


@case
def closed_batch_keeps_interface():
    batch, values = on_gpu()
    array = cupy.asarray(batch)
    batch.close()
    assert integers(cupy.asnumpy(array)) == values
    raises(ValueError, "closed", batch.__dlpack__)


CHILD = """
import sys, os, cupy, mpgpu, random
mpgpu.wait()
values = [random.Random(i).getrandbits(250) for i in range(1 << 18)]
batch = mpgpu.Batch(values, limbs=4)
array = cupy.from_dlpack(batch)
print("ready", flush=True)
sys.stdin.readline()
assert int(array[5, 0]) == values[5] % 2**64
batch.close()
assert int(array[7, 0]) == values[7] % 2**64
print("done", flush=True)
"""


def child():
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    return subprocess.Popen([sys.executable, "-c", CHILD], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@case
def two_processes():
    """Two programs have arrays at the same time.  One is killed; the other's array remains."""
    first, second = child(), child()
    assert first.stdout.readline() == second.stdout.readline() == "ready\n"
    batch, values = on_gpu()
    array = cupy.from_dlpack(batch)
    first.send_signal(signal.SIGKILL)
    first.wait()
    time.sleep(1)
    # these arrays may get the memory of the program that was killed
    others = [cupy.from_dlpack(on_gpu()[0]) for _ in range(3)]
    second.stdin.write("\n")
    second.stdin.flush()
    assert second.stdout.readline() == "done\n" and second.wait() == 0
    assert integers(cupy.asnumpy(array)) == values and len(others) == 3


@case
def array_at_exit():
    """A program that ends with arrays in use ends with status 0."""
    code = "import cupy, mpgpu\nmpgpu.wait()\nb = mpgpu.Batch(list(range(1 << 20)))\na = cupy.from_dlpack(b)\nc = cupy.asarray(b)\n"
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, (done.returncode, done.stderr)


# ---- PyTorch


@case
def torch_both_ways():
    batch, values = on_gpu()
    tensor = torch.from_dlpack(batch)
    assert tensor.is_cuda and tensor.dtype == torch.uint64 and tuple(tensor.shape) == (len(values), 4)
    assert integers(tensor.cpu().view(torch.int64).numpy()) == values
    tensor = torch.as_tensor(batch, device="cuda")
    assert integers(tensor.cpu().view(torch.int64).numpy()) == values
    assert mpgpu.from_dlpack(tensor) == batch and mpgpu.from_dlpack(tensor).on_device
    assert mpgpu.Batch(tensor[::2]) == batch[::2]
    raises(ValueError, "int64", mpgpu.from_dlpack, tensor.view(torch.int64))
    own = torch.cuda.Stream()
    with torch.cuda.stream(own):
        tensor = torch.from_dlpack(batch).view(torch.int64)
        for _ in range(100):
            tensor += 1
        taken = mpgpu.from_dlpack(tensor.view(torch.uint64))
    assert taken.numpy()[0][0] == (values[0] + 100) % 2**64
    assert mpgpu.from_dlpack(tensor.cpu().view(torch.uint64)) == taken


# ---- JAX

JAX = """
import jax, mpgpu, random
jax.config.update("jax_enable_x64", True)
mpgpu.wait()
values = [random.Random(i).getrandbits(250) for i in range(1 << 18)]
batch = mpgpu.Batch(values, limbs=4)
array = jax.dlpack.from_dlpack(batch)
assert array.device.platform == "gpu" and array.dtype == "uint64", (array.device, array.dtype)
assert mpgpu.from_dlpack(array) == batch and mpgpu.from_dlpack(array).on_device
more = array + 1
assert mpgpu.from_dlpack(more).tolist()[3] == sum(((values[3] >> 64 * k) + 1) % 2**64 << 64 * k for k in range(4))
"""


@case
def jax_both_ways():
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), XLA_PYTHON_CLIENT_PREALLOCATE="false")
    done = subprocess.run([sys.executable, "-c", JAX], env=env, capture_output=True, text=True)
    if "No module named 'jax'" in done.stderr:
        print("    JAX is not installed", flush=True)
        return
    assert done.returncode == 0, done.stderr


# ---- rates


def seconds(call, times=5):
    """Returns the shortest of `times` runs, after one that is not counted."""
    call()
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


@case
def rates():
    """Prints GB/s of copies of a batch of 1 GiB to and from CuPy, compared with copies through host
    memory."""
    size = (64 << 20) if SKIP_BIG else GIB
    host = cupy.asnumpy(cupy.arange(size // 8, dtype=cupy.uint64)).reshape(-1, 32)
    array = cupy.asarray(host)
    batch = mpgpu.from_dlpack(array)
    assert bit_equal(batch, array)
    block = cupy.asarray(batch)

    def wait(f):
        def call():
            f()
            cupy.cuda.Device().synchronize()

        return call

    out = seconds(wait(lambda: cupy.from_dlpack(batch)))
    back = seconds(wait(lambda: mpgpu.from_dlpack(array)))
    host_out = seconds(wait(lambda: cupy.asarray(batch.numpy())), 2)
    host_back = seconds(wait(lambda: mpgpu.Batch(cupy.asnumpy(array))), 2)
    copy = seconds(wait(lambda: cupy.copyto(block, array)))
    for name, t in (("to CuPy", out), ("from CuPy", back), ("to CuPy through the host", host_out),
                    ("from CuPy through the host", host_back), ("CuPy's copy into a block", copy)):
        print(f"    {size >> 20} MiB {name}: {t * 1e3:.2f} ms, {size / t / 1e9:.1f} GB/s", flush=True)
    small = mpgpu.Batch(list(range(1 << 14)), limbs=4)
    tiny = seconds(wait(lambda: cupy.from_dlpack(small)) if small.on_device else (lambda: cupy.asarray(mpgpu.Batch([1]))), 20)
    print(f"    512 KiB to CuPy: {tiny * 1e6:.0f} us", flush=True)


# the last case: it ends the server of this process, too
@case
def the_server_ends():
    """After the end of the server an array stays valid, and deleting it raises no exception."""
    code = CHILD.replace('print("ready", flush=True)\nsys.stdin.readline()',
                         "import subprocess, time\nsubprocess.run([sys.argv[1], '--end'])\ntime.sleep(1)")
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    program = f"{FOLDER}/tools/mpgpu-serve"
    done = subprocess.run([sys.executable, "-c", code, program], env=env, capture_output=True, text=True)
    assert done.stdout == "done\n", (done.stdout, done.stderr)


def main():
    names = sys.argv[2:]
    print(f"{mpgpu.device() if mpgpu.wait() else 'no device'}; CuPy {cupy and cupy.__version__}; "
          f"PyTorch {torch and torch.__version__}", flush=True)
    failed = skipped = 0
    for test in CASES:
        if names and test.__name__ not in names:
            continue
        uses_torch, uses_own = test.__name__.startswith("torch"), test in (driver, protocol, same_gpu_without_another_library)
        if (torch if uses_torch else True if uses_own else cupy) is None:
            print(f"skipped {test.__name__}: no {'PyTorch' if uses_torch else 'CuPy'}", flush=True)
            skipped += 1
            continue
        start = time.time()
        try:
            test()
            gc.collect()
            print(f"ok {test.__name__} {time.time() - start:.1f} s", flush=True)
        except BaseException:
            traceback.print_exc()
            print(f"FAILED {test.__name__}", flush=True)
            failed += 1
    print(f"{len(CASES)} cases, {failed} failed, {skipped} skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
