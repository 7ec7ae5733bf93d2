/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A simulated libcuda.so.1 for a client of tests/process/peerserve.c. It implements those CUDA
 * functions that python/mpgpu/cuda.py calls. Its device memory is host memory, and a shareable
 * handle is a file in memory. There are two devices; their UUIDs are those of peerserve.c.
 * MPGPU_TEST_CUDA_FAILS=NAME makes the function NAME fail.
 *
 * Tests read what the client has done: fake_cuda_mapped returns the number of mappings, and
 * fake_cuda_copied the number of bytes copied. fake_cuda_synchronized returns the stream that the
 * client has last waited for. fake_cuda_waited does the same, but ignores the legacy default
 * stream. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#pragma GCC visibility push(default)

enum {
    OK,
    INVALID_VALUE = 1,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    UNKNOWN = 999,
    DEVICES = 2
};

static __thread int contexts;
static int mapped;
static size_t copied;
static uintptr_t synchronized, waited;

static int fails(const char *name) {
    const char *failing = getenv("MPGPU_TEST_CUDA_FAILS");
    return failing && strcmp(failing, name) == 0;
}
#define BEGIN                                                                                      \
    if (fails(__func__))                                                                           \
    return UNKNOWN

int fake_cuda_mapped(void) {
    return mapped;
}
size_t fake_cuda_copied(void) {
    return copied;
}
uintptr_t fake_cuda_synchronized(void) {
    return synchronized;
}
uintptr_t fake_cuda_waited(void) {
    return waited;
}

int cuInit(unsigned flags) {
    BEGIN;
    return flags ? INVALID_VALUE : OK;
}
int cuDeviceGetCount(int *count) {
    BEGIN;
    *count = DEVICES;
    return OK;
}
int cuDeviceGet(int *device, int ordinal) {
    BEGIN;
    *device = ordinal;
    return ordinal >= 0 && ordinal < DEVICES ? OK : INVALID_VALUE;
}
int cuDeviceGetUuid_v2(char *uuid, int device) {
    BEGIN;
    memset(uuid, 0, 16);
    uuid[0] = (char)(device + 1);
    return OK;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
    BEGIN;
    *context = (char *)1 + device;
    return OK;
}
int cuCtxPushCurrent_v2(void *context) {
    BEGIN;
    contexts += context != NULL;
    return context ? OK : INVALID_VALUE;
}
int cuCtxPopCurrent_v2(void **context) {
    *context = NULL;
    contexts--;
    return contexts < 0 ? INVALID_CONTEXT : OK;
}
int cuCtxSynchronize(void) {
    BEGIN;
    return contexts > 0 ? OK : INVALID_CONTEXT;
}
int cuMemImportFromShareableHandle(uint64_t *memory, void *file, int kind) {
    BEGIN;
    const int copy = fcntl((int)(intptr_t)file, F_DUPFD_CLOEXEC, 0);
    *memory = (uint64_t)copy + 1;
    return copy < 0 || kind != 1 ? INVALID_HANDLE : OK;
}
int cuMemRelease(uint64_t memory) {
    BEGIN;
    return close((int)memory - 1) == 0 ? OK : INVALID_HANDLE;
}
int cuMemAddressReserve(uint64_t *at, size_t bytes, size_t alignment, uint64_t hint,
                        uint64_t flags) {
    BEGIN;
    void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *at = (uintptr_t)p;
    return p == MAP_FAILED || bytes % (2 << 20) || alignment || hint || flags ? INVALID_VALUE : OK;
}
int cuMemAddressFree(uint64_t at, size_t bytes) {
    BEGIN;
    return munmap((void *)(uintptr_t)at, bytes) == 0 ? OK : INVALID_VALUE;
}
int cuMemMap(uint64_t at, size_t bytes, size_t offset, uint64_t memory, uint64_t flags) {
    BEGIN;
    void *p = mmap((void *)(uintptr_t)at, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, (int)memory - 1,
                   (off_t)offset);
    mapped += p != MAP_FAILED;
    return p == MAP_FAILED || flags ? INVALID_VALUE : OK;
}
int cuMemUnmap(uint64_t at, size_t bytes) {
    BEGIN;
    mapped--;
    return mmap((void *)(uintptr_t)at, bytes, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED
               ? INVALID_VALUE
               : OK;
}
struct access {
    int kind, id, flags;
};
int cuMemSetAccess(uint64_t at, size_t bytes, const struct access *access, size_t count) {
    BEGIN;
    return count == 1 && access->kind == 1 && access->flags == 3 && access->id < DEVICES &&
                   mprotect((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE) == 0
               ? OK
               : INVALID_VALUE;
}

static void copy(uint64_t to, uint64_t from, size_t bytes) {
    memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    copied += bytes;
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
    BEGIN;
    copy(to, from, bytes);
    return contexts > 0 && stream == (void *)1 ? OK : INVALID_CONTEXT;
}
struct side {
    size_t x, y;
    int type;
    void *host;
    uint64_t device;
    void *array;
    size_t pitch;
};
struct copy_2d {
    struct side from, to;
    size_t width, height;
};
int cuMemcpy2DAsync_v2(const struct copy_2d *c, void *stream) {
    BEGIN;
    if (contexts <= 0 || stream != (void *)1 || c->from.type != 2 || c->to.type != 2 ||
        c->from.pitch < c->width || c->to.pitch < c->width || c->from.x || c->from.y || c->to.x ||
        c->to.y || c->width == 0 || c->height == 0)
        return INVALID_VALUE;
    for (size_t i = 0; i < c->height; i++)
        copy(c->to.device + i * c->to.pitch, c->from.device + i * c->from.pitch, c->width);
    return OK;
}
int cuStreamSynchronize(void *stream) {
    BEGIN;
    if (stream != (void *)1)
        waited = (uintptr_t)stream;
    synchronized = (uintptr_t)stream;
    return contexts > 0 ? OK : INVALID_CONTEXT;
}
int cuPointerGetAttribute(void *value, int attribute, uint64_t at) {
    BEGIN;
    *(int *)value = 0;
    return attribute == 9 && at ? OK : INVALID_VALUE;
}
int cuGetErrorName(int code, const char **name) {
    *name = code == UNKNOWN ? "CUDA_ERROR_UNKNOWN" : "CUDA_ERROR_OTHER";
    return OK;
}
