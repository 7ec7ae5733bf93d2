/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Host memory that both sides see.  The first bytes of region 0 are page-locked before the program
 * comes; other blocks are when they are made. */
#include "config.h"

#include "gpu/served/served_host.h"

#include <pthread.h>
#include <sys/mman.h>

#include "gpu/error.h"
#include "gpu/remote/remote_blocks.h"
#include "gpu/served/served_channel.h"

enum { MOST_REGIONS = SERVED_REGIONS };

/* Of the bytes that are locked before, and of the others. */
static __attribute__((section(".bss.large"))) struct remote_blocks locked, others;
static __attribute__((section(".bss.large"))) struct region {
    char *begin;
    size_t bytes;
    uint64_t number;
} regions[MOST_REGIONS];
static int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static enum gpu_status call(struct served_request request, uint64_t *value) {
    return served_call(served_channel_own(), &request, value);
}

#define REQUEST(name, ...) ((struct served_request){.op = SERVED_##name, .a = {__VA_ARGS__}})

/* ---- region 0 */

static bool add_block(size_t bytes, size_t *begin) {
    if (remote_blocks_add(&locked, bytes, SERVED_LOCKED_BYTES, begin))
        return true;
    bool done = remote_blocks_add(&others, bytes, SERVED_HOST_BYTES - SERVED_LOCKED_BYTES, begin);
    *begin += SERVED_LOCKED_BYTES;
    return done;
}

static size_t remove_block(size_t begin) {
    return begin < SERVED_LOCKED_BYTES ? remote_blocks_remove(&locked, begin)
                                       : remote_blocks_remove(&others, begin - SERVED_LOCKED_BYTES);
}

static size_t whole_pages(size_t bytes) {
    return (bytes + REMOTE_PAGE - 1) / REMOTE_PAGE * REMOTE_PAGE;
}

/* What cannot be page-locked serves as well, but slower. */
enum gpu_status served_host_alloc(gpu_device_impl *dev, size_t bytes, void **hostp) {
    size_t begin;
    struct served_shared *s = served_memory();
    (void)dev;
    *hostp = NULL;
    if (!s)
        return gpu_fail(GPU_FAILED, "mpgpu-serve has ended");
    pthread_mutex_lock(&mutex);
    bool done = add_block(bytes, &begin);
    pthread_mutex_unlock(&mutex);
    if (!done)
        return gpu_fail(GPU_NOMEM, "no host memory for %zu bytes", bytes);
    if (begin >= SERVED_LOCKED_BYTES)
        call(REQUEST(LOCK, 0, begin, whole_pages(bytes)), NULL);
    *hostp = served_host(s) + begin;
    return GPU_OK;
}

/* Memory that was not locked before goes back to the system. */
void served_host_release(gpu_device_impl *dev, void *host) {
    struct served_shared *s = served_memory();
    (void)dev;
    if (!s || !host)
        return;
    size_t begin = (size_t)((char *)host - served_host(s));
    served_drain();
    if (begin >= SERVED_LOCKED_BYTES)
        call(REQUEST(UNLOCK, 0, begin), NULL);
    pthread_mutex_lock(&mutex);
    size_t bytes = remove_block(begin);
    pthread_mutex_unlock(&mutex);
    if (begin >= SERVED_LOCKED_BYTES && bytes > 0)
        madvise(host, bytes, MADV_REMOVE);
}

enum gpu_status served_host_view(gpu_device_impl *dev, void *host, gpu_mem *viewp) {
    struct served_shared *s = served_memory();
    uint64_t region, offset;
    (void)dev;
    viewp->h = 0;
    if (!s || !served_host_place(host, 1, &region, &offset) || region != 0)
        return gpu_fail(GPU_ABSENT, "the server does not see this memory");
    return call(REQUEST(VIEW, offset), &viewp->h);
}

/* ---- other regions */

static const struct region *find(const char *host, size_t bytes) {
    for (int i = 0; i < count; i++) {
        size_t at = (size_t)(host - regions[i].begin);
        if (at < regions[i].bytes && bytes <= regions[i].bytes - at)
            return &regions[i];
    }
    return NULL;
}

bool served_host_place(const void *host, size_t bytes, uint64_t *region, uint64_t *offset) {
    struct served_shared *s = served_memory();
    size_t at = s ? (size_t)((const char *)host - served_host(s)) : SERVED_HOST_BYTES;
    *region = 0;
    *offset = at;
    if (at < SERVED_HOST_BYTES && bytes <= SERVED_HOST_BYTES - at)
        return true;
    pthread_mutex_lock(&mutex);
    const struct region *r = find(host, bytes);
    *region = r ? r->number : 0;
    *offset = r ? (uint64_t)((const char *)host - r->begin) : 0;
    pthread_mutex_unlock(&mutex);
    return r != NULL;
}

enum gpu_status served_host_register(gpu_device_impl *dev, void *host, size_t bytes) {
    uint64_t region, offset;
    (void)dev;
    if (!served_host_place(host, bytes, &region, &offset) || region == 0)
        return gpu_fail(GPU_ABSENT, "the server does not see memory of the program's own");
    return call(REQUEST(LOCK, region, offset, bytes), NULL);
}

void served_host_unregister(gpu_device_impl *dev, void *host) {
    uint64_t region, offset;
    (void)dev;
    if (!served_host_place(host, 1, &region, &offset) || region == 0)
        return;
    served_drain();
    call(REQUEST(UNLOCK, region, offset), NULL);
}

static bool note(char *at, size_t bytes, uint64_t number) {
    pthread_mutex_lock(&mutex);
    bool has_room = count < MOST_REGIONS;
    if (has_room)
        regions[count++] = (struct region){at, bytes, number};
    pthread_mutex_unlock(&mutex);
    return has_room;
}

static void drop(uint64_t number) {
    const struct served_request request = REQUEST(DROP, number);
    served_post(0, &request, true);
}

/* Where it fails, what lies there stays as it was: the server's memory comes last. */
bool gpu_served_map(void *at, size_t bytes) {
    uint64_t number;
    if (!served_memory() || !served_map(at, bytes, &number))
        return false;
    if (note(at, bytes, number))
        return true;
    drop(number);
    mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return false;
}

void gpu_served_unmap(void *at) {
    uint64_t number = 0;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < count && !number; i++) {
        if (regions[i].begin == (char *)at) {
            number = regions[i].number;
            regions[i] = regions[--count];
        }
    }
    pthread_mutex_unlock(&mutex);
    if (number)
        drop(number);
}

void served_host_forget(void) {
    pthread_mutex_lock(&mutex);
    locked.count = others.count = 0;
    count = 0;
    pthread_mutex_unlock(&mutex);
}
