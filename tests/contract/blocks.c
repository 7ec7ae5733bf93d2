/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The counters of allocated blocks.  The functions that check each block are in
 * tests/support/checked_memory.c. */
#include "tests/contract/blocks.h"

#include "tests/support/checked_memory.h"

static size_t now, base;
static struct blocks_asked asked;

void blocks_note(size_t bytes) {
    asked.calls++;
    now += bytes;
    if (bytes > asked.largest)
        asked.largest = bytes;
    if (now > base + asked.peak)
        asked.peak = now - base;
}

void blocks_forget(size_t bytes) {
    now -= bytes;
}

void *blocks_allocate(size_t bytes) {
    blocks_note(bytes);
    return checked_memory_alloc(bytes);
}

void *blocks_reallocate(void *p, size_t old, size_t bytes) {
    blocks_forget(old);
    blocks_note(bytes);
    return checked_memory_realloc(p, old, bytes);
}

void blocks_release(void *p, size_t bytes) {
    blocks_forget(bytes);
    checked_memory_free(p, bytes);
}

void blocks_start(void) {
    base = now;
    asked = (struct blocks_asked){0};
}

struct blocks_asked blocks_stop(void) {
    return asked;
}
