/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Device buffers that are kept from one operation to the next. */
#include "lib/device/context.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/memory/pressure.h"
#include "lib/transfer/far.h"

enum { LEAST_BYTES = 1 << 16, LOOKED_AT_BYTES = 1 << 20 };

/* Returns the size to allocate for a buffer of `bytes` bytes that must grow: up to an eighth more,
 * or up to LEAST_BYTES more. So operands that grow slowly do not need an allocation each. Returns
 * `bytes` if the sum would overflow. */
static size_t rounded(size_t bytes) {
    size_t step = LEAST_BYTES;
    while (step < bytes / 16)
        step *= 2;
    return bytes > SIZE_MAX - step ? bytes : ceil_div(bytes, step) * step;
}

uint64_t context_bytes(const struct context *s) {
    uint64_t sum = 0;
    for (int i = 0; i < SLOT_COUNT; i++)
        sum += s->slot[i].bytes;
    return sum;
}

static _Atomic uint64_t in_use[CONTEXT_DEVICES]; /* bytes in use on each device, by all contexts */

uint64_t context_in_use(unsigned number) {
    return atomic_load(&in_use[number]);
}

/* Returns false if `bytes` more on a CPU device would bring the program's control group (cgroup)
 * near its memory limit. */
static bool is_in_group(const struct context *s, size_t bytes) {
    return !s->dev.caps.is_cpu || bytes < LOOKED_AT_BYTES || !pressure_of_groups(bytes);
}

static bool is_within(uint64_t limit, uint64_t others, uint64_t bytes) {
    return limit == 0 || (others <= limit && bytes <= limit - others);
}

/* The memory limit of a job from another process applies to this context's memory only. */
bool context_reserve(const struct context *s, size_t bytes) {
    if (bytes > s->dev.caps.max_alloc || !is_in_group(s, bytes) ||
        (far_here() && !is_within(conf_job().memory, context_bytes(s), bytes)))
        return false;
    if (is_within(mpgpu_conf.memory, atomic_fetch_add(&in_use[s->number], bytes), bytes))
        return true;
    atomic_fetch_sub(&in_use[s->number], bytes);
    return false;
}

void context_unreserve(const struct context *s, size_t bytes) {
    atomic_fetch_sub(&in_use[s->number], bytes);
}

enum gpu_status context_alloc(struct context *s, size_t bytes, gpu_mem *memp) {
    if (!context_reserve(s, bytes))
        return GPU_NOMEM;
    enum gpu_status status = gpu_alloc(&s->dev, bytes, memp);
    if (status != GPU_OK)
        context_unreserve(s, bytes);
    return status;
}

void context_release(struct context *s, gpu_mem mem, size_t bytes) {
    if (conf_job().clear && s->queue.impl && gpu_zero(&s->queue, mem, 0, bytes) == GPU_OK)
        gpu_finish(&s->queue);
    gpu_release(&s->dev, mem);
    context_unreserve(s, bytes);
}

static void slot_release(struct context *s, enum context_slot slot) {
    if (s->slot[slot].bytes > 0)
        context_release(s, s->slot[slot].mem, s->slot[slot].bytes);
    s->slot[slot].mem.h = 0;
    s->slot[slot].is_ready = false;
    s->slot[slot].bytes = s->slot[slot].used = 0;
}

static enum gpu_status slot_fill(struct context *s, enum context_slot slot, size_t bytes) {
    enum gpu_status status = context_alloc(s, bytes, &s->slot[slot].mem);
    if (status == GPU_OK)
        s->slot[slot].bytes = bytes;
    return status;
}

enum gpu_status context_buffer(struct context *s, enum context_slot slot, size_t bytes,
                               gpu_mem *memp) {
    enum gpu_status status = GPU_OK;
    if (s->slot[slot].bytes < bytes || s->slot[slot].bytes == 0) {
        if (s->slot[slot].bytes > 0)
            status = gpu_finish(&s->queue); /* work under way may use the old buffer */
        slot_release(s, slot);
        if (status == GPU_OK)
            status = slot_fill(s, slot, rounded(bytes));
        if (status == GPU_NOMEM && bytes > 0 && bytes < rounded(bytes))
            status = slot_fill(s, slot, bytes);
    }
    if (status == GPU_NOMEM)
        mpgpu_log(LOG_DETAIL, "no memory for a buffer of %zu bytes: %llu are in use", bytes,
                  (unsigned long long)context_in_use(s->number));
    if (status == GPU_OK && s->slot[slot].used < bytes)
        s->slot[slot].used = bytes;
    *memp = s->slot[slot].mem;
    return status;
}

/* Clears the slots in whole words, which is faster than in bytes. */
enum gpu_status context_clear(struct context *s) {
    enum gpu_status status = GPU_OK;
    for (int i = 0; i < SLOT_COUNT && status == GPU_OK; i++) {
        size_t words = (s->slot[i].used + 3) / 4 * 4, bytes = s->slot[i].bytes;
        /* Keeps the first two words of SLOT_VERDICT, from which the next check continues. */
        const size_t at = i == SLOT_VERDICT ? sizeof(uint64_t) : 0;
        if (i == SLOT_TABLES || i == SLOT_ROOTS || words <= at)
            continue;
        status = gpu_zero(&s->queue, s->slot[i].mem, at, (words < bytes ? words : bytes) - at);
        s->slot[i].used = 0;
    }
    return status;
}

static bool stays(struct context *s, int slot) {
    return slot == SLOT_TABLES || slot == SLOT_SMALL || slot == SLOT_RESOLVE ||
           slot == SLOT_VERDICT ||
           ((slot == SLOT_SHARD || slot == SLOT_BROADCAST) && atomic_load(&s->keeps_shard));
}

void context_trim(struct context *s) {
    for (int i = 0; i < SLOT_COUNT; i++)
        if (!stays(s, i))
            slot_release(s, (enum context_slot)i);
}

void context_empty(struct context *s) {
    context_trim(s);
    slot_release(s, SLOT_TABLES);
    slot_release(s, SLOT_SMALL);
    slot_release(s, SLOT_RESOLVE);
    slot_release(s, SLOT_VERDICT);
}

void *context_state(struct context *s, enum context_owner owner, size_t bytes) {
    if (!s->state[owner])
        s->state[owner] = calloc(1, bytes);
    return s->state[owner];
}

void context_close(struct context *s) {
    context_empty(s);
    for (int i = 0; i < OWNER_COUNT; i++) {
        free(s->state[i]);
        s->state[i] = NULL;
    }
}
