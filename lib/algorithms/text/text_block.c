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
    *b = (struct text_block){memory().allocate(bytes), 0, bytes};
}

char *text_block_room(struct text_block *b, size_t more) {
    if (b->bytes - b->n < more) {
        size_t bytes = b->bytes + b->bytes / 2 + more;
        b->s = memory().reallocate(b->s, b->bytes, bytes);
        b->bytes = bytes;
    }
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

char *text_block_finish(struct text_block *b) {
    *text_block_room(b, 1) = 0;
    if (b->bytes != b->n + 1)
        b->s = memory().reallocate(b->s, b->bytes, b->n + 1);
    b->bytes = b->n + 1;
    return b->s;
}

void text_block_free(struct text_block *b) {
    memory().release(b->s, b->bytes);
}
