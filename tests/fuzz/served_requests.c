/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For the fuzz targets of mpgpu-serve: a mock device in host memory, and requests made from
 * input bytes. */
#include "config.h"

#include "tests/fuzz/served_requests.h"

#include <string.h>
#include <sys/mman.h>

#include "tests/fuzz/fuzz.h"

enum { MOST_BYTES = 4 << 20, MOST_BLOCKS = 64 };

static atomic_int queues, events; /* numbers of open queues and events of the mock device */

/* ---- memory */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct block {
    char *p;
    size_t bytes;
} blocks[MOST_BLOCKS];

static bool is_any_in_use(void) {
    bool any = false;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < MOST_BLOCKS; i++)
        any = any || blocks[i].p;
    pthread_mutex_unlock(&mutex);
    return any;
}

static struct block *find_block(const char *p) {
    int i = 0;
    while (i < MOST_BLOCKS && blocks[i].p != p)
        i++;
    return i < MOST_BLOCKS ? &blocks[i] : NULL;
}

static enum gpu_status fake_alloc(gpu_device_impl *dev, size_t bytes, gpu_mem *memp) {
    (void)dev;
    pthread_mutex_lock(&mutex);
    struct block *block = bytes <= MOST_BYTES ? find_block(NULL) : NULL;
    char *p = block ? calloc(1, bytes) : NULL;
    if (p)
        *block = (struct block){p, bytes};
    pthread_mutex_unlock(&mutex);
    memp->h = (uintptr_t)p;
    return p ? GPU_OK : GPU_NOMEM;
}

static void fake_release(gpu_device_impl *dev, gpu_mem mem) {
    (void)dev;
    pthread_mutex_lock(&mutex);
    struct block *block = find_block((char *)(uintptr_t)mem.h);
    FUZZ_CHECK(block);
    free(block->p);
    block->p = NULL;
    pthread_mutex_unlock(&mutex);
}

/* Skips MADV_POPULATE_WRITE: a run touches little of a client's 24 MiB, so populating all pages
 * would only cost time. */
int __real_madvise(void *p, size_t bytes, int advice);
int __wrap_madvise(void *p, size_t bytes, int advice);
int __wrap_madvise(void *p, size_t bytes, int advice) {
    return advice == MADV_POPULATE_WRITE ? 0 : __real_madvise(p, bytes, advice);
}

static enum gpu_status fake_register(gpu_device_impl *dev, void *host, size_t bytes) {
    (void)dev, (void)bytes;
    (void)*(volatile char *)host;
    return GPU_OK;
}

static void fake_unregister(gpu_device_impl *dev, void *host) {
    (void)dev;
    (void)*(volatile char *)host;
}

static enum gpu_status fake_queue_open(gpu_device_impl *dev, gpu_queue_impl **queuep) {
    (void)dev;
    *queuep = malloc(1);
    queues++;
    return *queuep ? GPU_OK : GPU_NOMEM;
}

static void fake_queue_close(gpu_queue_impl *queue) {
    queues--;
    free(queue);
}

static enum gpu_status fake_zero(gpu_queue_impl *queue, gpu_mem dst, size_t offset, size_t bytes) {
    (void)*(volatile char *)queue;
    memset((char *)(uintptr_t)dst.h + offset, 0, bytes);
    return GPU_OK;
}

static enum gpu_status fake_copy(gpu_queue_impl *queue, gpu_mem dst, gpu_mem src, size_t bytes) {
    (void)*(volatile char *)queue;
    memcpy((char *)(uintptr_t)dst.h, (char *)(uintptr_t)src.h, bytes);
    return GPU_OK;
}

static enum gpu_status fake_record(gpu_queue_impl *queue, gpu_event_impl **eventp) {
    (void)*(volatile char *)queue;
    *eventp = malloc(1);
    events++;
    return *eventp ? GPU_OK : GPU_NOMEM;
}

static enum gpu_status fake_event_wait(gpu_event_impl *event) {
    (void)*(volatile char *)event;
    return GPU_OK;
}

static void fake_event_release(gpu_event_impl *event) {
    events--;
    free(event);
}

static const struct gpu_backend fake = {.name = "opencl",
                                        .alloc = fake_alloc,
                                        .release = fake_release,
                                        .host_register = fake_register,
                                        .host_unregister = fake_unregister,
                                        .queue_open = fake_queue_open,
                                        .queue_close = fake_queue_close,
                                        .zero = fake_zero,
                                        .copy = fake_copy,
                                        .event_record = fake_record,
                                        .event_wait = fake_event_wait,
                                        .event_release = fake_event_release};

void served_requests_prepare(void) {
    for (serve_devices = 0; serve_devices < SERVED_REQUESTS_DEVICES; serve_devices++)
        serve_device[serve_devices].dev.backend = &fake;
    serve_own_devices = serve_devices;
}

void served_requests_end(void) {
    while (serve_clients_count() > 0)
        serve_clients_watch(NULL, 0, 1);
    serve_buffers_close();
    FUZZ_CHECK(!is_any_in_use() && queues == 0 && events == 0);
}

/* ---- requests */

/* Makes a number from input bytes. `size` selects a small number or a limit that the server checks;
 * `low` is added to it. */
static uint64_t take_number(uint8_t size, uint8_t low) {
    static const uint64_t near[] = {0,
                                    100,
                                    1 << 16,
                                    SERVED_LOCKED_BYTES,
                                    SERVED_HOST_BYTES,
                                    SERVED_REGIONS,
                                    SERVED_BYTES,
                                    UINT64_MAX - 100};
    return size % 4 == 0 ? near[size / 4 % 8] + low : low % 8;
}

void served_requests_take(struct served_request *r, const uint8_t *byte) {
    r->op = byte[0] % (SERVED_OPS + 1);
    for (int i = 0; i < 3; i++)
        r->a[i] = take_number(byte[1 + 2 * i], byte[2 + 2 * i]);
}
