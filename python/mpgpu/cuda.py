# SPDX-License-Identifier: LGPL-3.0-or-later
"""Maps memory of the server's GPU into this process, and copies on the GPU, by the CUDA driver. The
first request for an array on a GPU loads the driver."""
import ctypes
import functools
from ctypes import POINTER, byref, c_char, c_int, c_size_t, c_uint, c_ulonglong, c_void_p

from .errors import Error

# values of cuda.h
_HANDLE_FILE = 1
_LOCATION_DEVICE = 1
_READ_WRITE = 3
_MEMORY_DEVICE = 2
_POINTER_ORDINAL = 9
LEGACY_STREAM = 1


class _Location(ctypes.Structure):
    _fields_ = [("type", c_int), ("id", c_int)]


class _Access(ctypes.Structure):
    _fields_ = [("location", _Location), ("flags", c_int)]


class _Copy2D(ctypes.Structure):
    """CUDA_MEMCPY2D."""

    _fields_ = [
        (f"{side}_{name}", kind)
        for side in ("src", "dst")
        for name, kind in (
            ("x", c_size_t),
            ("y", c_size_t),
            ("type", c_int),
            ("host", c_void_p),
            ("device", c_ulonglong),
            ("array", c_void_p),
            ("pitch", c_size_t),
        )
    ] + [("width", c_size_t), ("height", c_size_t)]


_FUNCTIONS = {
    "cuInit": (c_uint,),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetUuid_v2": (c_char * 16, c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(c_void_p), c_int),
    "cuCtxPushCurrent_v2": (c_void_p,),
    "cuCtxPopCurrent_v2": (POINTER(c_void_p),),
    "cuCtxSynchronize": (),
    "cuMemImportFromShareableHandle": (POINTER(c_ulonglong), c_void_p, c_int),
    "cuMemAddressReserve": (POINTER(c_ulonglong), c_size_t, c_size_t, c_ulonglong, c_ulonglong),
    "cuMemAddressFree": (c_ulonglong, c_size_t),
    "cuMemMap": (c_ulonglong, c_size_t, c_size_t, c_ulonglong, c_ulonglong),
    "cuMemUnmap": (c_ulonglong, c_size_t),
    "cuMemSetAccess": (c_ulonglong, c_size_t, POINTER(_Access), c_size_t),
    "cuMemRelease": (c_ulonglong,),
    "cuMemcpyDtoDAsync_v2": (c_ulonglong, c_ulonglong, c_size_t, c_void_p),
    "cuMemcpy2DAsync_v2": (POINTER(_Copy2D), c_void_p),
    "cuStreamSynchronize": (c_void_p,),
    "cuPointerGetAttribute": (c_void_p, c_int, c_ulonglong),
    "cuGetErrorName": (c_int, POINTER(ctypes.c_char_p)),
}


class Driver:
    """The functions of the CUDA driver that _FUNCTIONS lists, as methods of the same names.  They
    raise Error on failure."""

    def __init__(self):
        try:
            self._library = ctypes.CDLL("libcuda.so.1")
            functions = {name: getattr(self._library, name) for name in _FUNCTIONS}
        except (OSError, AttributeError) as error:
            raise BufferError(f"an array on a GPU needs the CUDA driver: {error}") from None
        for name, function in functions.items():
            function.argtypes, function.restype = _FUNCTIONS[name], c_int
            setattr(self, name, self._checked(name, function))
        self.cuInit(0)
        self._contexts = {}

    def _checked(self, name, function):
        def call(*given):
            code = function(*given)
            if code:
                text = ctypes.c_char_p()
                self._library.cuGetErrorName(code, byref(text))
                raise Error(f"{name}: {(text.value or b'unknown error').decode()} ({code})")

        return call

    def device(self, uuid):
        """Returns the number, from 0, of the GPU with this UUID in this process.  Raises BufferError
        if this process does not see the GPU."""
        count = c_int()
        self.cuDeviceGetCount(byref(count))
        for i in range(count.value):
            if self.uuid(i) == uuid:
                return i
        raise BufferError(f"this process does not see the GPU {uuid.hex()} of the library")

    def uuid(self, ordinal):
        device, found = c_int(), (c_char * 16)()
        self.cuDeviceGet(byref(device), ordinal)
        self.cuDeviceGetUuid_v2(found, device)
        return found.raw

    def device_of(self, address):
        """Returns the number of the GPU that has the memory at `address`."""
        ordinal = c_int()
        self.cuPointerGetAttribute(byref(ordinal), _POINTER_ORDINAL, address)
        return ordinal.value

    def context(self, ordinal):
        """Returns a context manager, in which the primary context of the GPU is the current one.
        This process keeps the primary context until its end; CuPy, PyTorch and JAX use the same."""
        if ordinal not in self._contexts:
            context, device = c_void_p(), c_int()
            self.cuDeviceGet(byref(device), ordinal)
            self.cuDevicePrimaryCtxRetain(byref(context), device)
            self._contexts[ordinal] = context
        return _Current(self, self._contexts[ordinal])

    def copy(self, to, to_pitch, source, source_pitch, width, height):
        """Copies `height` rows of `width` bytes on the GPU, in the legacy default stream.  A pitch is
        the distance between two rows in bytes."""
        if height == 1:
            self.cuMemcpyDtoDAsync_v2(to, source, width, LEGACY_STREAM)
            return
        copy = _Copy2D(
            src_type=_MEMORY_DEVICE, src_device=source, src_pitch=source_pitch,
            dst_type=_MEMORY_DEVICE, dst_device=to, dst_pitch=to_pitch, width=width, height=height,
        )
        self.cuMemcpy2DAsync_v2(byref(copy), LEGACY_STREAM)


class _Current:
    def __init__(self, driver, context):
        self.driver, self.context = driver, context

    def __enter__(self):
        self.driver.cuCtxPushCurrent_v2(self.context)

    def __exit__(self, *_):
        self.driver.cuCtxPopCurrent_v2(byref(c_void_p()))


@functools.lru_cache(maxsize=None)
def driver():
    """Loads the driver at the first call."""
    return Driver()


class Mapping:
    """Memory of another process that is mapped into this one.  close() unmaps it."""

    def __init__(self, file, size, ordinal):
        """Maps the descriptor `file`, which the caller closes."""
        cuda, self.size, self.address = driver(), size, 0
        memory = c_ulonglong()
        cuda.cuMemImportFromShareableHandle(byref(memory), file, _HANDLE_FILE)
        try:
            self._map(cuda, memory, ordinal)
        finally:
            # the mapping keeps the memory allocated
            cuda.cuMemRelease(memory)

    def _map(self, cuda, memory, ordinal):
        address = c_ulonglong()
        access = _Access(_Location(_LOCATION_DEVICE, ordinal), _READ_WRITE)
        cuda.cuMemAddressReserve(byref(address), self.size, 0, 0, 0)
        try:
            cuda.cuMemMap(address, self.size, 0, memory, 0)
            try:
                cuda.cuMemSetAccess(address, self.size, byref(access), 1)
            except BaseException:
                cuda.cuMemUnmap(address, self.size)
                raise
        except BaseException:
            cuda.cuMemAddressFree(address, self.size)
            raise
        self.address = address.value

    def close(self):
        """Unmaps the memory.  The caller has waited for the GPU's work on it."""
        address, self.address = self.address, 0
        if address:
            driver().cuMemUnmap(address, self.size)
            driver().cuMemAddressFree(address, self.size)
