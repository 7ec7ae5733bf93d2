/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory shared by the server and a client.  The server creates all of this memory, and seals it so
 * that no process can make it shorter. */
#define _GNU_SOURCE 1 /* memfd_create, F_ADD_SEALS */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/host/pages.h"
#include "lib/memory/segments.h"
#include "tools/serve/serve.h"

enum { PAGE = 4096, AWAIT_US = 200 };
#define MOST_ADDRESSES ((uint64_t)1 << 46)

static _Atomic uint64_t all_regions; /* bytes */

/* Returns true if host memory must be page-locked for the first device.  Other devices get locked
 * memory only if the backend supports that.  A CPU device needs no locking. */
static bool locks(void) {
    return serve_own_devices > 0 && !serve_device[0].dev.caps.is_cpu;
}

enum gpu_status serve_memory_lock_pages(char *p, size_t bytes) {
    const struct gpu_device *dev = &serve_device[0].dev;
    if (serve_idle_is_closed())
        return GPU_ABSENT;
    return locks() ? dev->backend->host_register(dev->impl, p, bytes) : GPU_OK;
}

static void unlock_pages(char *p) {
    if (locks() && !serve_idle_is_closed())
        serve_device[0].dev.backend->host_unregister(serve_device[0].dev.impl, p);
}

/* Maps the file at the first multiple of SEGMENT_BYTES in {p, bytes + SEGMENT_BYTES}, and unmaps
 * the rest.  So segments of the client's memory pool are aligned alike here and in the client.
 * Then server and client split copies at the same places (pinned_piece). */
static void *map_aligned(char *p, size_t bytes, int file) {
    char *at = (char *)(((uintptr_t)p + SEGMENT_BYTES - 1) & ~(uintptr_t)(SEGMENT_BYTES - 1));
    char *end = at + bytes, *all_end = p + bytes + SEGMENT_BYTES;
    if (at > p)
        munmap(p, (size_t)(at - p));
    if (all_end > end)
        munmap(end, (size_t)(all_end - end));
    void *mapped =
        mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0);
    if (mapped == MAP_FAILED)
        munmap(at, bytes);
    return mapped;
}

void *serve_memory_make(size_t bytes, int *file) {
    *file = memfd_create("mpgpu-serve", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    char *p = MAP_FAILED;
    if (*file >= 0 && ftruncate(*file, (off_t)bytes) == 0 &&
        fcntl(*file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        p = mmap(NULL, bytes + SEGMENT_BYTES, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED)
        p = map_aligned(p, bytes, *file);
    if (p == MAP_FAILED && *file >= 0)
        close(*file);
    return p;
}

void serve_memory_release_spare(struct served_shared *shared, bool is_locked) {
    if (is_locked)
        unlock_pages(served_host(shared));
    serve_memory_release(shared);
}

void serve_memory_release(struct served_shared *shared) {
    munmap(shared, SERVED_BYTES);
}

/* ---- regions */

char *serve_memory_at(const struct serve_client *c, uint64_t region, uint64_t offset,
                      uint64_t bytes) {
    if (region >= SERVED_REGIONS || !c->region[region].begin)
        return NULL;
    const struct serve_region *r = &c->region[region];
    return offset <= r->bytes && bytes <= r->bytes - offset ? r->begin + offset : NULL;
}

/* Returns true if `bytes` is no size of a region, or the regions of all clients would be too large.
 * The limit protects the address space only: the kernel allocates pages when a client touches
 * them. */
static bool is_too_much(uint64_t bytes) {
    return bytes == 0 || bytes > SERVED_REGION_BYTES || bytes % PAGE ||
           atomic_load(&all_regions) + bytes > MOST_ADDRESSES;
}

static uint64_t find_number(const struct serve_client *c) {
    uint64_t i = 1;
    while (i < SERVED_REGIONS && c->region[i].begin)
        i++;
    return i;
}

int serve_memory_region(struct serve_client *c, uint64_t bytes, uint64_t *number) {
    int file;
    void *p = is_too_much(bytes) ? MAP_FAILED : serve_spares_region(bytes, &file);
    if (p == MAP_FAILED)
        return -1;
    pthread_rwlock_wrlock(&c->lock);
    *number = find_number(c);
    if (*number < SERVED_REGIONS) {
        c->region[*number] = (struct serve_region){p, bytes};
        atomic_fetch_add(&all_regions, bytes);
    }
    pthread_rwlock_unlock(&c->lock);
    if (*number < SERVED_REGIONS)
        return file;
    munmap(p, bytes);
    close(file);
    return -1;
}

/* Returns the number of the region that contains {p, bytes}, and sets the offset; SERVED_REGIONS if
 * there is none. */
static uint64_t find_region(const struct serve_client *c, const void *p, size_t bytes,
                            uint64_t *offset) {
    for (uint64_t i = 0; i < SERVED_REGIONS; i++) {
        const struct serve_region *r = &c->region[i];
        *offset = (uint64_t)((uintptr_t)p - (uintptr_t)r->begin);
        if (r->begin && *offset < r->bytes && bytes <= r->bytes - *offset)
            return i;
    }
    return SERVED_REGIONS;
}

/* ---- page-locking */

static uint32_t find_lock(const struct serve_client *c, uint64_t region, uint64_t offset) {
    uint32_t i = 0;
    while (i < c->locks && (c->locked[i].region != region || c->locked[i].offset != offset))
        i++;
    return i;
}

/* Page-locks the range of the entry of c->locked with this region and offset.  Other threads that
 * need the range wait until the entry's is_ready is set. */
static enum gpu_status lock_entry(struct serve_client *c, uint64_t region, uint64_t offset) {
    const uint64_t bytes = c->locked[find_lock(c, region, offset)].bytes;
    char *p = serve_memory_at(c, region, offset, bytes);
    pthread_rwlock_unlock(&c->lock);
    if (locks())
        pages_advise(p, bytes, MADV_POPULATE_WRITE);
    enum gpu_status status = serve_memory_lock_pages(p, bytes);
    pthread_rwlock_wrlock(&c->lock);
    struct serve_lock *mine = &c->locked[find_lock(c, region, offset)];
    mine->is_ready = status == GPU_OK;
    if (status != GPU_OK)
        *mine = c->locked[--c->locks];
    return status;
}

enum gpu_status serve_memory_lock(struct serve_client *c, uint64_t region, uint64_t offset,
                                  uint64_t bytes) {
    char *p = serve_memory_at(c, region, offset, bytes);
    bool fits = p && bytes > 0 && offset % PAGE == 0 && bytes % PAGE == 0;
    if (!fits || c->locks == SERVE_LOCKS)
        return GPU_ABSENT;
    for (uint32_t i = 0; i < c->locks; i++) {
        const struct serve_lock *l = &c->locked[i];
        if (l->region == region && offset < l->offset + l->bytes && l->offset < offset + bytes)
            return GPU_ABSENT;
    }
    struct serve_lock *more = realloc(c->locked, (c->locks + 1) * sizeof *more);
    if (!more)
        return GPU_NOMEM;
    c->locked = more;
    c->locked[c->locks++] = (struct serve_lock){.region = region, .offset = offset, .bytes = bytes};
    return lock_entry(c, region, offset);
}

void serve_memory_lock_first(struct serve_client *c) {
    pthread_rwlock_wrlock(&c->lock);
    const uint32_t i = find_lock(c, 0, 0);
    if (i < c->locks && !c->locked[i].is_ready && lock_entry(c, 0, 0) != GPU_OK)
        serve_log(2, "a client's memory is not page-locked: %s", gpu_error_text());
    pthread_rwlock_unlock(&c->lock);
}

bool serve_memory_unlock_pages(struct serve_client *c) {
    for (uint32_t i = 0; i < c->locks; i++)
        if (c->locked[i].is_ready)
            unlock_pages(serve_memory_at(c, c->locked[i].region, c->locked[i].offset, 0));
    return true;
}

bool serve_memory_lock_pages_again(struct serve_client *c) {
    bool are_locked = true;
    for (uint32_t i = 0; i < c->locks && are_locked; i++) {
        const struct serve_lock *l = &c->locked[i];
        char *p = serve_memory_at(c, l->region, l->offset, l->bytes);
        are_locked = !l->is_ready || serve_memory_lock_pages(p, l->bytes) == GPU_OK;
    }
    if (!are_locked)
        serve_log(1, "memory of client %d (%s): %s", (int)c->pid, c->name, gpu_error_text());
    return are_locked;
}

bool serve_memory_is_locked(struct serve_client *c, const void *p, size_t bytes) {
    uint64_t at, end = 0;
    pthread_rwlock_rdlock(&c->lock);
    const uint64_t region = find_region(c, p, bytes, &at);
    bool is_locked = region < SERVED_REGIONS;
    for (uint64_t left = bytes; is_locked && left > 0; at += end, left -= end) {
        end = 0;
        for (uint32_t i = 0; i < c->locks && end == 0; i++) {
            const struct serve_lock *l = &c->locked[i];
            if (l->is_ready && l->region == region && at - l->offset < l->bytes)
                end = l->offset + l->bytes - at;
        }
        is_locked = end > 0;
        end = end < left ? end : left;
    }
    pthread_rwlock_unlock(&c->lock);
    return is_locked;
}

static bool overlap(const char *p, uint64_t bytes, const char *q, uint64_t q_bytes) {
    return p && p < q + q_bytes && q < p + bytes;
}

/* Returns true if a job of the client uses {p, bytes} or the object, or a thread is page-locking
 * part of {p, bytes}. */
static bool is_used(const struct serve_client *c, const char *p, uint64_t bytes, uint64_t object) {
    for (unsigned i = 0; i < SERVED_CHANNELS; i++)
        for (uint32_t k = 0; k < c->channel[i].uses; k++) {
            const struct serve_use *u = &c->channel[i].use[k];
            if (u->object ? u->object == object : overlap(p, bytes, u->p, u->bytes))
                return true;
        }
    for (uint32_t i = 0; i < c->locks; i++) {
        const struct serve_lock *l = &c->locked[i];
        if (!l->is_ready &&
            overlap(p, bytes, serve_memory_at(c, l->region, l->offset, l->bytes), l->bytes))
            return true;
    }
    return false;
}

void serve_memory_await(struct serve_client *c, const char *p, uint64_t bytes, uint64_t object) {
    while (is_used(c, p, bytes, object)) {
        pthread_rwlock_unlock(&c->lock);
        usleep(AWAIT_US);
        pthread_rwlock_wrlock(&c->lock);
    }
}

/* Looks everything up again after each wait: during the wait, other threads may have opened slots
 * in the range, or given the region's number to other memory. */
bool serve_memory_unlock(struct serve_client *c, uint64_t region, uint64_t offset) {
    uint32_t i;
    for (;;) {
        char *p = serve_memory_at(c, region, offset, 0);
        i = find_lock(c, region, offset);
        if (i == c->locks || serve_slots_overlap(c, p, c->locked[i].bytes))
            return false;
        if (!is_used(c, p, c->locked[i].bytes, 0))
            break;
        serve_memory_await(c, p, c->locked[i].bytes, 0);
    }
    unlock_pages(serve_memory_at(c, region, offset, 0));
    c->locked[i] = c->locked[--c->locks];
    return true;
}

static void unlock_region(struct serve_client *c, uint64_t region) {
    for (uint32_t i = c->locks; i-- > 0;)
        if (c->locked[i].region == region)
            serve_memory_unlock(c, region, c->locked[i].offset);
}

bool serve_memory_drop(struct serve_client *c, uint64_t region) {
    if (region == 0 || region >= SERVED_REGIONS || !c->region[region].begin)
        return false;
    const char *begin = c->region[region].begin;
    serve_memory_await(c, begin, c->region[region].bytes, 0);
    if (c->region[region].begin != begin)
        return false;
    unlock_region(c, region);
    munmap(c->region[region].begin, c->region[region].bytes);
    atomic_fetch_sub(&all_regions, c->region[region].bytes);
    c->region[region] = (struct serve_region){NULL, 0};
    return true;
}

void serve_memory_drop_all(struct serve_client *c) {
    for (uint32_t i = c->locks; i-- > 0;)
        if (!c->locked[i].is_ready)
            c->locked[i] = c->locked[--c->locks];
    for (uint64_t i = 1; i < SERVED_REGIONS; i++)
        serve_memory_drop(c, i);
    unlock_region(c, 0);
    free(c->locked);
    c->locked = NULL;
}
