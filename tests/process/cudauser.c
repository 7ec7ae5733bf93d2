/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A GMP program for test_deviceusers.sh that also uses CUDA's driver API, in the same thread and
 * on the same device. It checks that its context stays current, its device memory is unchanged
 * and a stream capture ends normally. It may reset the primary context between products. Exit
 * status 77: no CUDA here. */
#include <dlfcn.h>
#include <stdint.h>

#include "tests/support/products.h"

enum { BYTES = 1 << 20 };

typedef int result;
typedef void *context;

static void *driver;

/* Looks up a function of the CUDA driver and calls it; the program fails if the call does not
 * succeed. */
#define CALL(name, types, ...)                                                                     \
    do {                                                                                           \
        result(*function) types = (result(*) types)dlsym(driver, name);                            \
        if (!function || function(__VA_ARGS__) != 0)                                               \
            fail(name);                                                                            \
    } while (0)

static unsigned char sent[BYTES], back[BYTES];

static uint64_t fill(void) {
    uint64_t memory;
    for (int i = 0; i < BYTES; i++)
        sent[i] = (unsigned char)(i * 37 + (i >> 9));
    CALL("cuMemAlloc_v2", (uint64_t *, size_t), &memory, BYTES);
    CALL("cuMemcpyHtoD_v2", (uint64_t, const void *, size_t), memory, sent, BYTES);
    return memory;
}

static void check(uint64_t memory, context own) {
    context now;
    CALL("cuCtxGetCurrent", (context *), &now);
    if (now != own)
        fail("another context is current");
    memset(back, 0, BYTES);
    CALL("cuMemcpyDtoH_v2", (void *, uint64_t, size_t), back, memory, BYTES);
    CALL("cuCtxSynchronize", (void), );
    if (memcmp(sent, back, BYTES) != 0)
        fail("memory on the device has changed");
}

static void products(uint64_t memory, context own) {
    for (int i = 0; i < 20; i++) {
        multiply(100000);
        check(memory, own);
    }
}

/* Computes products while a stream is captured, in the mode that forbids unsafe CUDA calls to
 * all threads of the process. */
static void capture(void) {
    enum { NON_BLOCKING = 1, GLOBAL = 0 };
    void *stream, *graph;
    CALL("cuStreamCreate", (void **, unsigned), &stream, NON_BLOCKING);
    CALL("cuStreamBeginCapture_v2", (void *, int), stream, GLOBAL);
    for (int i = 0; i < 5; i++)
        multiply(100000);
    CALL("cuStreamEndCapture", (void *, void **), stream, &graph);
    CALL("cuGraphDestroy", (void *), graph);
    CALL("cuStreamDestroy_v2", (void *), stream);
}

int main(void) {
    int device, count = 0;
    context own;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    result (*init)(unsigned) = driver ? (result(*)(unsigned))dlsym(driver, "cuInit") : NULL;
    if (!init || init(0) != 0)
        return 77;
    CALL("cuDeviceGetCount", (int *), &count);
    if (count == 0)
        return 77;
    CALL("cuDeviceGet", (int *, int), &device, 0);
    CALL("cuCtxCreate_v2", (context *, unsigned, int), &own, 0, device);
    uint64_t memory = fill();
    products(memory, own);
    puts("a context of its own: as it was");
    capture();
    puts("a capture: to its end");
    CALL("cuMemFree_v2", (uint64_t), memory);
    CALL("cuCtxDestroy_v2", (context), own);

    CALL("cuDevicePrimaryCtxRetain", (context *, int), &own, device);
    CALL("cuCtxSetCurrent", (context), own);
    memory = fill();
    products(memory, own);
    puts("the primary context: as it was");
    fflush(stdout);
    CALL("cuDevicePrimaryCtxReset_v2", (int), device);
    for (int i = 0; i < 5; i++)
        multiply(100000);
    puts("products after its reset");
    return 0;
}
