/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Keeps device memory that clients have released, for the next clients: the driver takes up to a
 * millisecond for an allocation, and the same for a release. */
#include "config.h"

#include "gpu/error.h"
#include "lib/session/session.h"
#include "tools/serve/serve.h"

enum { KEPT = 64 };

/* In bytes.  LARGEST: larger blocks are not kept.  MOST: the limit for all kept blocks together.
 * LEAST: smaller blocks are rounded up to this size. */
#define LARGEST ((uint64_t)64 << 20)
#define MOST ((uint64_t)512 << 20)
#define LEAST ((uint64_t)64 << 10)

static struct kept {
    struct serve_device *device;
    gpu_mem mem;
    uint64_t bytes, when;
} kept[KEPT];
static uint64_t all, clock_now;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Rounds up to a power of two or 1.5 times a power of two, so that few sizes suffice. */
static uint64_t round_up(uint64_t bytes) {
    uint64_t size = LEAST;
    if (bytes > LARGEST)
        return bytes;
    while (size < bytes)
        size *= 2;
    return size > LEAST && bytes <= size / 4 * 3 ? size / 4 * 3 : size;
}

static gpu_mem take_away(struct kept *k) {
    gpu_mem mem = k->mem;
    all -= k->bytes;
    *k = (struct kept){.bytes = 0};
    return mem;
}

static void release(struct kept *k) {
    const struct serve_device *d = k->device;
    gpu_release(&d->dev, take_away(k));
}

static gpu_mem take(const struct serve_device *d, uint64_t bytes) {
    gpu_mem mem = {0};
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < KEPT && !mem.h; i++)
        if (kept[i].mem.h && kept[i].device == d && kept[i].bytes == bytes)
            mem = take_away(&kept[i]);
    pthread_mutex_unlock(&mutex);
    return mem;
}

static bool drop_all(void) {
    bool any = false;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < KEPT; i++) {
        if (kept[i].mem.h) {
            release(&kept[i]);
            any = true;
        }
    }
    pthread_mutex_unlock(&mutex);
    return any;
}

static enum gpu_status alloc(const struct gpu_device *dev, uint64_t bytes, bool is_shared,
                             gpu_mem *mem) {
    if (!is_shared)
        return gpu_alloc(dev, bytes, mem);
    return dev->backend->alloc_shared
               ? dev->backend->alloc_shared(dev->impl, bytes, mem)
               : gpu_fail(GPU_ABSENT, "%s: no shared memory", dev->caps.name);
}

enum gpu_status serve_buffers_take(struct serve_device *d, uint64_t bytes, bool is_shared,
                                   gpu_mem *mem) {
    uint64_t size = is_shared ? bytes : round_up(bytes);
    *mem = is_shared ? (gpu_mem){0} : take(d, size);
    if (mem->h)
        return GPU_OK;
    enum gpu_status status = alloc(&d->dev, size, is_shared, mem);
    if (status == GPU_NOMEM && drop_all())
        status = alloc(&d->dev, size, is_shared, mem);
    if (status == GPU_NOMEM) {
        session_trim();
        status = alloc(&d->dev, size, is_shared, mem);
    }
    return status;
}

/* Returns an empty entry of the cache, or the entry that was kept longest. */
static struct kept *find_place(void) {
    struct kept *place = &kept[0];
    for (int i = 1; i < KEPT && place->mem.h; i++)
        if (!kept[i].mem.h || kept[i].when < place->when)
            place = &kept[i];
    return place;
}

void serve_buffers_put(struct serve_device *d, gpu_mem mem, uint64_t bytes, bool is_shared) {
    uint64_t size = round_up(bytes);
    if (is_shared || size > LARGEST) {
        gpu_release(&d->dev, mem);
        return;
    }
    pthread_mutex_lock(&mutex);
    struct kept *place = find_place();
    if (place->mem.h)
        release(place);
    *place = (struct kept){d, mem, size, ++clock_now};
    for (all += size; all > MOST;) {
        struct kept *oldest = place;
        for (int i = 0; i < KEPT; i++)
            if (kept[i].mem.h && kept[i].when < oldest->when)
                oldest = &kept[i];
        release(oldest);
    }
    pthread_mutex_unlock(&mutex);
}

void serve_buffers_close(void) {
    drop_all();
}
