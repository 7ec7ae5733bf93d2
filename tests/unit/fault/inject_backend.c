/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The backend that makes one launch go wrong: its records of device memory and kernels. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/fault/inject_impl.h"

struct gpu_backend inject_backend;
bool inject_is_absent;
const struct gpu_backend *inject_real;
bool inject_is_cpu;
pthread_mutex_t inject_mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- devices: only one, which stays open and keeps its programs */

static int enumerate(struct gpu_caps *caps, int max) {
    int count = inject_is_absent ? 0 : inject_real->enumerate(caps, max < 1 ? max : 1);
    inject_is_cpu = count > 0 && caps[0].is_cpu;
    return count < 1 ? 0 : 1;
}

static enum gpu_status open_device(int index, gpu_device_impl **devp) {
    static gpu_device_impl *device;
    enum gpu_status status = index > 0 ? GPU_ABSENT : GPU_OK;
    if (status == GPU_OK && !device)
        status = inject_real->open(0, &device);
    *devp = device;
    return status;
}

static void close_device(gpu_device_impl *dev) {
    (void)dev;
}

/* ---- memory */

enum { MOST_MEMORY = 4096 };
static struct inject_memory memory[MOST_MEMORY];

static struct inject_memory *find(uint64_t h, const void *host) {
    for (int i = 0; i < MOST_MEMORY; i++)
        if (h ? memory[i].h == h : memory[i].bytes > 0 && memory[i].host == host)
            return &memory[i];
    return NULL;
}

struct inject_memory *inject_memory_of(gpu_mem mem) {
    return mem.h ? find(mem.h, NULL) : NULL;
}

static void note(uint64_t h, size_t bytes, void *host) {
    pthread_mutex_lock(&inject_mutex);
    for (int i = 0; i < MOST_MEMORY; i++)
        if (memory[i].bytes == 0) {
            memory[i] = (struct inject_memory){.h = h, .bytes = bytes, .host = host};
            break;
        }
    pthread_mutex_unlock(&inject_mutex);
}

static void forget(uint64_t h, const void *host) {
    pthread_mutex_lock(&inject_mutex);
    struct inject_memory *m = find(h, host);
    if (m)
        *m = (struct inject_memory){0};
    pthread_mutex_unlock(&inject_mutex);
}

static enum gpu_status alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    enum gpu_status status = inject_real->alloc(dev, bytes, memp);
    if (status == GPU_OK)
        note(memp->h, bytes, NULL);
    return status;
}

static void release(gpu_device_impl *dev, gpu_mem mem) {
    if (mem.h)
        forget(mem.h, NULL);
    inject_real->release(dev, mem);
}

static enum gpu_status host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp) {
    enum gpu_status status = inject_real->host_alloc(dev, bytes, hostp);
    if (status == GPU_OK)
        note(0, bytes, *hostp);
    return status;
}

static void host_release(gpu_device_impl *dev, void *host) {
    forget(0, host);
    inject_real->host_release(dev, host);
}

static enum gpu_status host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp) {
    enum gpu_status status = inject_real->host_view(dev, host, viewp);
    pthread_mutex_lock(&inject_mutex);
    struct inject_memory *m = find(0, host);
    if (status == GPU_OK && m)
        m->h = viewp->h;
    pthread_mutex_unlock(&inject_mutex);
    return status;
}

static enum gpu_status write_memory(gpu_queue_impl *queue, gpu_mem dst, size_t offset,
                                    const void *src, size_t bytes) {
    inject_note_write(dst);
    return inject_skips(INJECT_LOST_UPLOAD, bytes)
               ? GPU_OK
               : inject_real->write(queue, dst, offset, src, bytes);
}

static enum gpu_status read_memory(gpu_queue_impl *queue, void *dst, gpu_mem src, size_t offset,
                                   size_t bytes) {
    const enum gpu_status status = inject_note_read(queue, src, offset, bytes);
    return status != GPU_OK || inject_skips(INJECT_LOST_DOWNLOAD, bytes)
               ? status
               : inject_real->read(queue, dst, src, offset, bytes);
}

static enum gpu_status zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes) {
    return inject_skips(INJECT_LOST_ZERO, bytes) ? GPU_OK
                                                 : inject_real->zero(queue, dst, offset, bytes);
}

static void queue_close(gpu_queue_impl *queue) {
    inject_forget_queue(queue);
    inject_real->queue_close(queue);
}

/* ---- kernels */

enum { MOST_KERNELS = 1024 };
static struct inject_kernel kernels[MOST_KERNELS];

struct inject_kernel *inject_kernel_of(gpu_kernel_impl *impl) {
    int i = 0;
    while (i < MOST_KERNELS - 1 && kernels[i].impl && kernels[i].impl != impl)
        i++;
    if (kernels[i].impl != impl)
        kernels[i] = (struct inject_kernel){.impl = impl, .id = GPU_KERNELS};
    return &kernels[i];
}

static enum gpu_status kernel(gpu_device_impl *dev, enum gpu_kernel id, gpu_kernel_impl **kernelp) {
    enum gpu_status status = inject_real->kernel(dev, id, kernelp);
    if (status == GPU_OK) {
        pthread_mutex_lock(&inject_mutex);
        inject_kernel_of(*kernelp)->id = id;
        pthread_mutex_unlock(&inject_mutex);
    }
    return status;
}

void inject_use(const struct gpu_backend *real) {
    inject_real = real;
    inject_backend = *real;
    inject_backend.name = "injected";
    inject_backend.build_ahead = NULL;
    inject_backend.enumerate = enumerate;
    inject_backend.open = open_device;
    inject_backend.close = close_device;
    inject_backend.alloc = alloc;
    inject_backend.release = release;
    inject_backend.host_alloc = host_alloc;
    inject_backend.host_release = host_release;
    inject_backend.host_view = host_view;
    inject_backend.write = write_memory;
    inject_backend.read = read_memory;
    inject_backend.zero = zero;
    inject_backend.queue_close = queue_close;
    inject_backend.kernel = kernel;
    inject_backend.launch = inject_launch;
}
