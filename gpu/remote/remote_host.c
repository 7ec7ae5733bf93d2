/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Host memory that both sides see. */
#include "config.h"

#include "gpu/remote/remote_host.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu/error.h"
#include "gpu/remote/remote_channel.h"

enum { PAGE = 4096, MOST_BLOCKS = 256 };

/* In the order of their places. */
static __attribute__((section(".bss.large"))) struct block {
    size_t begin, end;
} blocks[MOST_BLOCKS];
static int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The first block behind which, or behind the beginning, there is room for so many bytes; *begin is
 * where.  -1 if there is none. */
static int find(size_t bytes, size_t *begin) {
    *begin = 0;
    for (int i = 0; i < count && count < MOST_BLOCKS; i++) {
        if (blocks[i].begin - *begin >= bytes)
            return i;
        *begin = blocks[i].end;
    }
    return count < MOST_BLOCKS && REMOTE_HOST_BYTES - *begin >= bytes ? count : -1;
}

static bool insert(size_t bytes, size_t *begin) {
    int i = find(bytes, begin);
    if (i < 0)
        return false;
    memmove(&blocks[i + 1], &blocks[i], (size_t)(count - i) * sizeof *blocks);
    blocks[i] = (struct block){*begin, *begin + bytes};
    count++;
    return true;
}

enum gpu_status remote_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp) {
    size_t begin, whole = (bytes + PAGE - 1) / PAGE * PAGE;
    (void)dev;
    *hostp = NULL;
    if (!remote_generation())
        return gpu_fail(GPU_FAILED, "the device's process has ended");
    pthread_mutex_lock(&mutex);
    bool done = whole >= bytes && insert(whole, &begin);
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
    int i = 0;
    while (i < count && (int64_t)blocks[i].begin != begin)
        i++;
    if (i < count) {
        madvise(host, blocks[i].end - blocks[i].begin, MADV_REMOVE);
        memmove(&blocks[i], &blocks[i + 1], (size_t)(count - i - 1) * sizeof *blocks);
        count--;
    }
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
    count = 0;
    pthread_mutex_unlock(&mutex);
}
