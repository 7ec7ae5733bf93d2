/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Host memory that both sides see. */
#include "config.h"

#include "gpu/remote/remote_host.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "gpu/error.h"
#include "gpu/host/pages.h"
#include "gpu/remote/remote_blocks.h"
#include "gpu/remote/remote_channel.h"

static __attribute__((section(".bss.large"))) struct remote_blocks blocks;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

enum gpu_status remote_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp) {
    size_t begin;
    (void)dev;
    *hostp = NULL;
    if (!remote_generation())
        return gpu_fail(GPU_FAILED, "the device's process has ended");
    pthread_mutex_lock(&mutex);
    bool done = remote_blocks_add(&blocks, bytes, REMOTE_HOST_BYTES, &begin);
    pthread_mutex_unlock(&mutex);
    if (!done)
        return gpu_fail(GPU_NOMEM, "no host memory for %zu bytes", bytes);
    *hostp = remote_memory() + begin;
    return GPU_OK;
}

/* The memory goes back to the system. */
void remote_host_release(gpu_device_impl *dev, void *host) {
    int64_t begin = remote_offset(host, 1);
    (void)dev;
    pthread_mutex_lock(&mutex);
    size_t bytes = begin < 0 ? 0 : remote_blocks_remove(&blocks, (size_t)begin);
    if (bytes > 0)
        pages_advise(host, bytes, MADV_REMOVE);
    pthread_mutex_unlock(&mutex);
}

enum gpu_status remote_host_register(gpu_device_impl *dev, void *host, size_t bytes) {
    (void)dev, (void)host, (void)bytes;
    return gpu_fail(GPU_ABSENT, "the device's process does not see memory of the program");
}

void remote_host_unregister(gpu_device_impl *dev, void *host) {
    (void)dev, (void)host;
}

enum gpu_status remote_host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp) {
    (void)dev, (void)host;
    viewp->h = 0;
    return gpu_fail(GPU_ABSENT, "kernels don't see memory of the host");
}

void remote_host_forget(void) {
    pthread_mutex_lock(&mutex);
    blocks.count = 0;
    pthread_mutex_unlock(&mutex);
}
