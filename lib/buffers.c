/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Device buffers that stay from one operation to the next. */

#include "conf.h"
#include "log.h"
#include "session.h"

enum { LEAST_BYTES = 1 << 16 };

/* A size for growth: at most an eighth more, so that operands that grow slowly
 * don't cost an allocation each.  A size near the largest stays as it is. */
static size_t rounded(size_t bytes) {
    size_t step = LEAST_BYTES;
    while (step < bytes / 16)
        step *= 2;
    return bytes > SIZE_MAX - step ? bytes : (bytes + step - 1) / step * step;
}

uint64_t session_bytes(const struct session *s) {
    uint64_t sum = 0;
    for (int i = 0; i < SLOT_COUNT; i++)
        sum += s->slot[i].bytes;
    return sum;
}

/* Does the option `memory` let a slot have that much, and the device? */
static int allowed(const struct session *s, enum session_slot slot, size_t bytes) {
    uint64_t others = session_bytes(s) - s->slot[slot].bytes;
    return bytes <= s->dev.caps.max_alloc &&
           (mpgpu_conf.memory == 0 ||
            (others <= mpgpu_conf.memory && bytes <= mpgpu_conf.memory - others));
}

static void slot_release(struct session *s, enum session_slot slot) {
    if (s->slot[slot].bytes > 0)
        gpu_release(&s->dev, s->slot[slot].mem);
    s->slot[slot].mem.h = 0;
    s->slot[slot].bytes = 0;
}

static int slot_fill(struct session *s, enum session_slot slot, size_t bytes) {
    if (!allowed(s, slot, bytes))
        return GPU_NOMEM;
    int status = gpu_alloc(&s->dev, bytes, &s->slot[slot].mem);
    if (status == GPU_OK)
        s->slot[slot].bytes = bytes;
    return status;
}

int session_buffer(struct session *s, enum session_slot slot, size_t bytes, gpu_mem *memp) {
    int status = GPU_OK;
    if (s->slot[slot].bytes < bytes || s->slot[slot].bytes == 0) {
        if (s->slot[slot].bytes > 0)
            status = gpu_finish(&s->queue); /* work under way may use the old one */
        slot_release(s, slot);
        if (status == GPU_OK)
            status = slot_fill(s, slot, rounded(bytes));
        if (status == GPU_NOMEM && bytes > 0 && bytes < rounded(bytes))
            status = slot_fill(s, slot, bytes);
    }
    if (status == GPU_NOMEM)
        mpgpu_log(LOG_DETAIL, "no buffer of %zu bytes beside %llu", bytes,
                  (unsigned long long)session_bytes(s));
    *memp = s->slot[slot].mem;
    return status;
}

void session_trim(struct session *s) {
    for (int i = 0; i < SLOT_COUNT; i++)
        if (i != SLOT_TABLES)
            slot_release(s, (enum session_slot)i);
}
