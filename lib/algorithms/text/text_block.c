/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A text that grows. */
#include "lib/algorithms/text/text_block.h"

#include <string.h>

#include "lib/gmp/memory.h"

struct memory {
    memory_allocate *allocate;
    memory_reallocate *reallocate;
    memory_free *release;
};

static struct memory memory(void) {
    struct memory m;
    memory_get_functions(&m.allocate, &m.reallocate, &m.release);
    return m;
}

void text_block_open(struct text_block *b, size_t bytes) {
    *b = (struct text_block){memory().allocate(bytes), 0, bytes, NULL};
}

void text_block_open_small(struct text_block *b, char *small, size_t bytes) {
    *b = (struct text_block){small, 0, bytes, small};
}

static void grow(struct text_block *b, size_t bytes) {
    if (b->small) {
        b->s = memcpy(memory().allocate(bytes), b->small, b->n);
        b->small = NULL;
    } else {
        b->s = memory().reallocate(b->s, b->bytes, bytes);
    }
    b->bytes = bytes;
}

char *text_block_room(struct text_block *b, size_t more) {
    if (b->bytes - b->n < more)
        grow(b, b->bytes + b->bytes / 2 + more);
    return b->s + b->n;
}

void text_block_add(struct text_block *b, const char *s, size_t n) {
    memcpy(text_block_room(b, n), s, n);
    b->n += n;
}

void text_block_fill(struct text_block *b, char c, size_t n) {
    memset(text_block_room(b, n), c, n);
    b->n += n;
}

const char *text_block_string(struct text_block *b) {
    *text_block_room(b, 1) = 0;
    return b->s;
}

char *text_block_finish(struct text_block *b) {
    *text_block_room(b, 1) = 0;
    if (b->bytes != b->n + 1)
        b->s = memory().reallocate(b->s, b->bytes, b->n + 1);
    b->bytes = b->n + 1;
    return b->s;
}

void text_block_free(struct text_block *b) {
    if (!b->small)
        memory().release(b->s, b->bytes);
}
