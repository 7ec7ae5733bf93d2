/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-serve with devices of a CPU that copy from each other, for tests without two GPUs: PoCL
 * computes in memory of the host.  Other devices are as they are. */
#include "config.h"

#include <stdlib.h>

#include "gpu/error.h"
#include "gpu/opencl_impl.h"
#include "tools/serve/serve.h"

enum { BLOCKS = 4096, ALIGNMENT = 4096 };

/* A buffer's memory. */
static struct block {
    gpu_mem mem; /* none: a free place */
    char *p;
} blocks[BLOCKS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct gpu_backend *real;

static void add(const struct block *b) {
    int i = 0;
    pthread_mutex_lock(&mutex);
    while (i < BLOCKS && blocks[i].mem.h)
        i++;
    if (i == BLOCKS)
        abort();
    blocks[i] = *b;
    pthread_mutex_unlock(&mutex);
}

/* One of nothing where there is none. */
static struct block find(gpu_mem mem, bool takes) {
    struct block found = {.p = NULL};
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < BLOCKS && !found.p; i++) {
        if (blocks[i].mem.h != mem.h || mem.h == 0)
            continue;
        found = blocks[i];
        blocks[i].mem.h = takes ? 0 : mem.h;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

/* ---- memory */

static enum gpu_status host_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    cl_int result = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    struct block b = {.p = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) & -(size_t)ALIGNMENT)};
    memp->h = 0;
    if (b.p)
        b.mem.h = (uintptr_t)opencl.create_buffer(
            dev->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, b.p, &result);
    if (result != CL_SUCCESS) {
        free(b.p);
        return gpu_fail(GPU_NOMEM, "no memory of the host");
    }
    add(&b);
    *memp = b.mem;
    return GPU_OK;
}

static void host_release(gpu_device_impl *dev, gpu_mem mem) {
    struct block b = find(mem, true);
    real->release(dev, mem);
    free(b.p);
}

static enum gpu_status host_peer_copy(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                      gpu_device_impl *from, gpu_mem src, size_t src_offset,
                                      size_t bytes) {
    struct block b = find(src, false);
    (void)from;
    return b.p ? real->write(queue, dst, offset, b.p + src_offset, bytes)
               : gpu_fail(GPU_FAILED, "memory that is not there");
}

/* ---- the devices, once they are open */

bool __real_serve_open_devices(unsigned rank);
bool __wrap_serve_open_devices(unsigned rank);

bool __wrap_serve_open_devices(unsigned rank) {
    static struct gpu_backend with_copies;
    struct gpu_device *dev = &serve_device[0].dev;
    if (!__real_serve_open_devices(rank) || !dev->caps.is_cpu)
        return serve_own_devices > 0;
    real = dev->backend;
    with_copies = *real;
    with_copies.alloc = host_alloc;
    with_copies.release = host_release;
    with_copies.peer_copy = host_peer_copy;
    for (unsigned i = 0; i < serve_own_devices; i++)
        serve_device[i].dev.backend = &with_copies;
    return true;
}
