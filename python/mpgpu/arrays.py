# SPDX-License-Identifier: LGPL-3.0-or-later
"""Exchanges arrays of limbs with other libraries (CuPy, PyTorch, JAX, NumPy) by DLPack and
__cuda_array_interface__, in both directions.

Each number is a row of limbs of 64 bits, the lowest limb first.  All transfers copy, because a
batch's memory belongs to the server.  For an array on a GPU, the server allocates a block of
memory on that GPU, and this process maps the block.  The GPU copies between this block and the
batch."""
import atexit
import contextlib
import ctypes
import operator
import os
import threading
from collections import namedtuple
from ctypes import POINTER, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

from . import cuda
from .errors import Error
from .library import ArrayMemory, lib
from .owned import Unshared

LIMB_BYTES = 8
CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
HOST = (CPU, 0)
_UINT = 1
_KINDS = {0: "int", _UINT: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}
_VERSION, _IS_COPIED = (1, 0), 2


# ---- dlpack.h


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
        ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16),
        ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64),
    ]


class _Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", c_void_p)]


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p),
        ("flags", c_uint64), ("tensor", _Tensor),
    ]


_NAMES = {_Managed: b"dltensor", _Versioned: b"dltensor_versioned"}
_DELETER = ctypes.CFUNCTYPE(None, c_void_p)


def _function(name, result, *arguments):
    """Returns a function of Python's C API.  ctypes holds the interpreter lock (GIL) while it
    runs."""
    function = ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))
    return function


_capsule_new = _function("PyCapsule_New", ctypes.py_object, c_void_p, c_void_p, c_void_p)
_capsule_is = _function("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
# These two functions take the address of a capsule instead of the capsule. A destructor calls them
# while Python deletes the capsule, when no new reference to it may be made.
_dead_capsule_is = _function("PyCapsule_IsValid", ctypes.c_int, c_void_p, ctypes.c_char_p)
_dead_capsule_get = _function("PyCapsule_GetPointer", c_void_p, c_void_p, ctypes.c_char_p)
_capsule_get = _function("PyCapsule_GetPointer", c_void_p, ctypes.py_object, ctypes.c_char_p)
_capsule_set_destructor = _function("PyCapsule_SetDestructor", ctypes.c_int, c_void_p, c_void_p)
_raise_pending = _function("PyErr_Occurred", c_void_p)  # after this call ctypes raises the pending exception
_keep_for_ever = _function("Py_IncRef", None, ctypes.py_object)
_memory = _function("PyMemoryView_FromMemory", ctypes.py_object, c_void_p, ctypes.c_ssize_t, ctypes.c_int)
_libc = ctypes.CDLL(None)
_libc.malloc.restype, _libc.malloc.argtypes = c_void_p, (c_size_t,)
_libc.free.restype, _libc.free.argtypes = None, (c_void_p,)


# ---- memory on a GPU


_is_ending = False


class Block:
    """Memory for `limbs` limbs on the GPU with this UUID, mapped into this process.  All CUDA
    contexts of this process can use it.  close() releases it."""

    def __init__(self, uuid, limbs):
        self.process, self.mapping, self.handle = os.getpid(), None, None
        self.ordinal = cuda.driver().device(uuid)
        try:
            self.handle = lib.array_create(uuid, limbs)
        except ValueError as error:
            raise BufferError(str(error)) from None
        memory = ArrayMemory()
        try:
            lib.array_open(ctypes.byref(memory), self.handle)
            self.address = memory.address or self._mapped(memory)
        except BaseException:
            self.close()
            raise

    def _mapped(self, memory):
        try:
            with cuda.driver().context(self.ordinal):
                self.mapping = cuda.Mapping(memory.file, memory.bytes, self.ordinal)
        finally:
            os.close(memory.file)
        return self.mapping.address

    def close(self):
        """Waits until no work of this process on the GPU uses the memory, and releases it.  In a
        child of fork, releases nothing, because the memory belongs to the parent."""
        handle, self.handle = self.handle, None
        if handle is None or self.process != os.getpid() or _is_ending:
            return
        mapping, self.mapping = self.mapping, None
        with contextlib.ExitStack() as ends:
            ends.callback(lib.array_destroy, handle)
            if mapping:
                ends.callback(mapping.close)
            ends.enter_context(cuda.driver().context(self.ordinal))
            cuda.driver().cuCtxSynchronize()

    def __del__(self):
        with contextlib.suppress(Error):  # a GPU that has failed raises an error
            self.close()


def _uuid_of(query):
    """Calls query(buffer), which writes a GPU's UUID to the buffer.  Returns the UUID; None if
    query returns 0."""
    uuid = ctypes.create_string_buffer(16)
    return uuid.raw if query(uuid) else None


# ---- exports: arrays of a batch or a number


# While a thread makes the copy of __cuda_array_interface__, this lock keeps other threads from
# making a second copy.
_making = threading.RLock()


def _renew_lock():
    """Makes a new lock in a child of fork: another thread of the parent may have held the old one."""
    global _making
    _making = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)


class Exported:
    """The methods by which other libraries get the limbs of a batch or number as an array.
    Subclasses define

    _shape()       the shape of the array; raises ValueError if the object cannot be an array
    _gpu(uuid)     sets uuid to that of the GPU with the limbs; returns 0 if they are elsewhere
    _to_host()     the limbs as a bytearray or bytes
    _to_gpu(block) copies the limbs to a Block"""

    _block = None

    def __dlpack_device__(self):
        """Returns the DLPack device of the object's limbs: (2, i) if the limbs are stored on GPU
        number i of CUDA and the library uses this GPU through CUDA; otherwise (1, 0), the CPU."""
        uuid = _uuid_of(self._gpu)
        return HOST if uuid is None else (CUDA, cuda.driver().device(uuid))

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """Returns a capsule with a copy of the limbs, for functions such as torch.from_dlpack.

        dl_device: where the copy must be, by default where the limbs are.  The copy is complete, so
        that every stream may use it.  copy=False raises BufferError."""
        device = self.__dlpack_device__() if dl_device is None else _checked_device(dl_device)
        if copy is not None and not copy:
            raise BufferError("copy=False: an array of a batch or number is always a copy")
        _check_stream(stream, device)
        shape = self._shape()
        if device == HOST:
            data = self._to_host()
            data = bytearray(data) if isinstance(data, bytes) else data
            return _capsule(data, _address(data), shape, HOST, max_version)
        block = self._new_block(cuda.driver().uuid(device[1]), shape)
        return _capsule(block, block.address, shape, device, max_version)

    def _new_block(self, uuid, shape):
        block = Block(uuid, _product(shape))
        self._to_gpu(block)
        return block

    @property
    def __cuda_array_interface__(self):
        """The CUDA array interface of a copy of the limbs.  All uses of this property share one
        copy, which stays until this object and all users are deleted.  Raises AttributeError if
        the library does not use a GPU through CUDA."""
        with _making:
            if self._block is None or self._block.process != os.getpid():
                uuid = _uuid_of(self._gpu) or _uuid_of(lib.array_gpu)
                if uuid is None:
                    raise AttributeError("__cuda_array_interface__: the library uses no GPU through CUDA now")
                self._block = self._new_block(uuid, self._shape())
        return {
            "shape": self._shape(), "typestr": "<u8", "data": (self._block.address, False), "version": 3,
            "strides": None, "stream": None,
        }


def _product(shape):
    n = 1
    for x in shape:
        n *= x
    return n


def _checked_device(device):
    try:
        kind, number = (int(x) for x in device)
    except (TypeError, ValueError):
        raise BufferError(f"dl_device={device!r} is no pair of numbers") from None
    if kind == CPU:
        return HOST
    if kind != CUDA:
        raise BufferError(f"dl_device={(kind, number)}: arrays are on CPUs, device type 1, or CUDA, type 2")
    return kind, number


def _check_stream(stream, device, least=-1):
    """Checks the argument `stream`.  It is not used further: the copy is complete when __dlpack__
    returns."""
    if stream is None:
        return
    if device == HOST:
        raise ValueError(f"stream={stream!r} for an array on the CPU")
    number = operator.index(stream) if hasattr(stream, "__index__") and not isinstance(stream, bool) else 0
    if number < least or number == 0:
        raise ValueError(f"stream={stream!r}: CUDA's streams are {'-1, ' * (least < 0)}1, 2 or an address")


def _address(data):
    return ctypes.addressof((ctypes.c_char * len(data)).from_buffer(data))


# The memory of each exported tensor, by the address of its structure.  The structure itself is from
# malloc: other libraries may use it after the end of the interpreter.
_exported = {}
_capsules = set()  # the addresses of the capsules that exist


def _from_c(work):
    """Returns a C function that calls work(address).

    A library may call the C function while a Python exception is pending. Then no Python call in
    `work` would succeed, so the C function first raises the pending exception. ctypes then prints
    that exception, and the library's caller gets SystemError instead."""

    def call(address):
        try:
            _raise_pending()
        finally:
            work(address)

    return _DELETER(call)


def _free(address):
    if _exported.pop(address, None):
        _libc.free(address)


def _free_capsule(capsule):
    """Deletes the tensor unless a library has taken it and renamed the capsule."""
    _capsules.discard(capsule)
    for name in _NAMES.values():
        if _dead_capsule_is(capsule, name):
            _free(_dead_capsule_get(capsule, name))


_delete = _from_c(_free)  # the deleter of an exported tensor; any thread may call it
_delete_capsule = _from_c(_free_capsule)  # the destructor of a capsule


@atexit.register
def _leave():
    """Prepares for the end of the interpreter, after which C must not call Python.  Tensors that
    are still in use get the C library's free as their deleter.  Destructors of capsules are
    removed.  The operating system releases the memory."""
    global _is_ending
    _is_ending = True
    while _capsules:
        _capsule_set_destructor(_capsules.pop(), None)
    for address, kept in list(_exported.items()):
        _keep_for_ever(kept)
        kind = _Versioned if getattr(kept, "is_versioned", False) else _Managed
        kind.from_address(address).deleter = ctypes.cast(_libc.free, c_void_p)


class _Host:
    """Host memory of an exported tensor."""

    def __init__(self, data):
        self.data = data


def _capsule(kept, address, shape, device, max_version):
    """Returns a capsule with a tensor at `address`.  Keeps `kept`, which owns the memory, until the
    tensor is deleted."""
    is_versioned = max_version is not None and max_version[0] >= 1
    kind = _Versioned if is_versioned else _Managed
    n = len(shape)
    place = _libc.malloc(ctypes.sizeof(kind) + 2 * n * ctypes.sizeof(c_int64))
    if not place:
        raise MemoryError("no memory for a tensor")
    sizes = (c_int64 * (2 * n)).from_address(place + ctypes.sizeof(kind))
    sizes[:] = [*shape, *(_product(shape[i + 1 :]) for i in range(n))]
    managed = kind.from_address(place)
    ctypes.memset(place, 0, ctypes.sizeof(kind))
    managed.deleter = ctypes.cast(_delete, c_void_p)
    if is_versioned:
        managed.major, managed.minor = _VERSION
        managed.flags = _IS_COPIED
    at = ctypes.addressof(sizes)
    managed.tensor = _Tensor(
        data=address, device_type=device[0], device_id=device[1], ndim=n, code=_UINT, bits=64, lanes=1,
        shape=ctypes.cast(at, POINTER(c_int64)), strides=ctypes.cast(at + n * 8, POINTER(c_int64)),
    )
    kept = kept if isinstance(kept, Block) else _Host(kept)
    kept.is_versioned = is_versioned
    _exported[place] = kept
    name = ctypes.cast(_NAMES[kind], c_void_p)
    capsule = _capsule_new(place, name, ctypes.cast(_delete_capsule, c_void_p))
    _capsules.add(id(capsule))
    if _is_ending:
        _leave()
    return capsule


# ---- imports: limbs of another library's array


class View(namedtuple("View", "address shape strides word device owner")):
    """The words of another library's array, `word` bytes each.  Strides count words.  `owner` keeps
    the memory."""

    @property
    def limbs(self):
        """The number of limbs in a row."""
        return -(-self.shape[-1] * self.word // LIMB_BYTES)

    @property
    def count(self):
        return self.shape[0] if len(self.shape) > 1 else 1

    @property
    def steps(self):
        """The strides of rows and of words."""
        return self.strides if len(self.shape) > 1 else (self.shape[0], *self.strides)

    @property
    def on_gpu(self):
        """True if the array is on a GPU."""
        return self.device[0] in (CUDA, CUDA_MANAGED)


def view(x):
    """Returns the View of another library's array; None if x is no such array."""
    if isinstance(x, (Unshared, type)):
        return None
    if hasattr(x, "__dlpack__"):
        return _of_dlpack(x)
    interface = getattr(x, "__cuda_array_interface__", None)
    return None if interface is None else _of_interface(x, interface)


def on_gpu(x):
    """Returns the View of an array on a GPU; None for everything else."""
    if isinstance(x, (Unshared, type, list, tuple)):
        return None
    if hasattr(x, "__dlpack_device__") and int(x.__dlpack_device__()[0]) in (CPU, CUDA_HOST):
        return None
    found = view(x)
    return found if found is not None and found.on_gpu else None


def _capsule_of(x, **named):
    try:
        return x.__dlpack__(max_version=_VERSION, **named)
    except TypeError:  # the library is older than DLPack 1.0
        return x.__dlpack__(**named)


def _of_dlpack(x):
    device = tuple(int(i) for i in x.__dlpack_device__()) if hasattr(x, "__dlpack_device__") else HOST
    if device[0] not in (CPU, CUDA, CUDA_HOST, CUDA_MANAGED):
        raise BufferError(f"an array on device type {device[0]}, number {device[1]}: CPUs have type 1, CUDA has 2")
    on_gpu = device[0] in (CUDA, CUDA_MANAGED)
    # LEGACY_STREAM is the stream in which cuda.copy copies.  The library that owns the array makes
    # this stream wait for its own work.
    capsule = _capsule_of(x, stream=cuda.LEGACY_STREAM) if on_gpu else _capsule_of(x)
    for kind, name in _NAMES.items():
        if _capsule_is(capsule, name):
            managed = kind.from_address(_capsule_get(capsule, name))
            if kind is _Versioned and managed.major != _VERSION[0]:
                raise BufferError(f"an array of DLPack version {managed.major}.{managed.minor}; 1.0 is known")
            return _of_tensor(managed.tensor, (x, capsule))
    raise BufferError(f"{type(x).__name__}.__dlpack__ returned a {type(capsule).__name__} without a tensor")


def _of_tensor(t, owner):
    n = t.ndim
    if t.lanes != 1:
        raise BufferError(f"an array of vectors of {t.lanes} elements")
    shape = tuple(t.shape[i] for i in range(n))
    strides = tuple(t.strides[i] for i in range(n)) if t.strides else tuple(_product(shape[i + 1 :]) for i in range(n))
    word = _word(f"{_KINDS.get(t.code, f'code {t.code} ')}{t.bits}", t.bits // 8 if t.code == _UINT else 0)
    return _sound(View((t.data or 0) + t.byte_offset, shape, strides, word, (t.device_type, t.device_id), owner))


def _word(name, size):
    if size not in (4, 8):
        raise ValueError(f"an array of {name}: limbs are uint64, or uint32 in pairs")
    return size


def _sound(v):
    if len(v.shape) not in (1, 2):
        raise ValueError(f"an array of shape {v.shape}: limbs are in one row, or in a row for each number")
    return v


def _of_interface(x, interface):
    shape, typestr = tuple(interface["shape"]), interface["typestr"]
    if interface.get("mask") is not None:
        raise BufferError("an array with a mask")
    word = _word(typestr, int(typestr[2:]) if typestr[:2] in ("<u", "|u") else 0)
    strides = interface.get("strides")
    if strides and any(s % word for s in strides):
        raise BufferError(f"strides of {tuple(strides)} bytes, not whole words of {word} bytes")
    strides = tuple(s // word for s in strides) if strides else tuple(_product(shape[i + 1 :]) for i in range(len(shape)))
    address, stream = interface["data"][0] or 0, interface.get("stream")
    number = cuda.driver().device_of(address) if address and _product(shape) else 0
    if stream is not None:
        _check_stream(stream, (CUDA, number), least=1)
        with cuda.driver().context(number):
            cuda.driver().cuStreamSynchronize(stream)
    return _sound(View(address, shape, strides, word, (CUDA, number), x))


# ---- copies of a View


def copies(shape, strides, word, row_bytes):
    """Yields the strided copies that together convert a two-dimensional array to rows of row_bytes
    bytes.

    Each copy is a tuple: offset and pitch in the result, offset and pitch in the source, width,
    height.  The height is a number of rows, and all others are in bytes.  An offset in the
    source counts from the array's first element."""
    (count, n), (down, right) = shape, strides
    right = 1 if n == 1 else right
    down = n if count == 1 else down
    if right == 1 and down == n and n * word == row_bytes:
        yield 0, count * row_bytes, 0, count * row_bytes, count * row_bytes, 1
    elif right == 1 and down >= n:
        yield 0, row_bytes, 0, down * word, n * word, count
    elif down > 0:
        for j in range(n):
            yield j * word, row_bytes, j * right * word, down * word, word, count
    elif right > 0:
        for i in range(count):
            yield i * row_bytes, word, i * down * word, right * word, word, n
    else:
        raise BufferError(f"strides {tuple(strides)} of an array on a GPU: one of them must be positive")


def to_block(v, limbs):
    """Returns a Block with the rows of a View on a GPU, extended with zeros to `limbs` limbs each."""
    driver = cuda.driver()
    block = Block(driver.uuid(v.device[1]), v.count * limbs)
    try:
        with driver.context(v.device[1]):
            for at, pitch, source, source_pitch, width, height in copies(
                (v.count, v.shape[-1]), v.steps, v.word, limbs * LIMB_BYTES
            ):
                driver.copy(block.address + at, pitch, v.address + source, source_pitch, width, height)
            driver.cuStreamSynchronize(cuda.LEGACY_STREAM)
    except BaseException:
        block.close()
        raise
    return block


def to_host(v):
    """Returns the bytes of the rows of a View in host memory."""
    count, n, (down, right), code = v.count, v.shape[-1], v.steps, {4: "I", 8: "Q"}[v.word]
    if count == 0 or n == 0:
        return b""
    ends = [(count - 1) * down, (n - 1) * right]
    low = sum(min(0, x) for x in ends)
    words = sum(max(0, x) for x in ends) - low + 1
    source = _memory(v.address + low * v.word, words * v.word, 0x100).cast(code)  # 0x100: read-only
    each = v.limbs * LIMB_BYTES // v.word
    data = bytearray(count * v.limbs * LIMB_BYTES)
    to = memoryview(data).cast(code)

    def line(at, step, length):
        if step == 0 or length == 1:
            return memoryview(bytes(source[at : at + 1]) * length).cast(code)
        end = at + length * step
        return source[at : end if end >= 0 else None : step]

    if n <= count:
        for j in range(n):
            to[j::each] = line(j * right - low, down, count)
    else:
        for i in range(count):
            to[i * each : i * each + n] = line(i * down - low, right, n)
    return bytes(data)


def refuse_odd(v, limbs, signed):
    """Raises ValueError if rows in two's complement do not have exactly `limbs` limbs."""
    if signed and limbs * LIMB_BYTES != v.shape[-1] * v.word:
        raise ValueError(
            f"rows of {v.shape[-1]} words of {8 * v.word} bits in two's complement cannot be extended to {limbs} limbs"
        )


def load(fill, v, limbs):
    """Copies the rows of a View on a GPU, extended to `limbs` limbs each, to a new block, and
    calls fill with the block's handle."""
    block = to_block(v, limbs)
    try:
        fill(block.handle)
    finally:
        block.close()
