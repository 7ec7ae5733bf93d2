/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A text that grows. */
#include "lib/algorithms/text/text_block.h"

#include <stdlib.h>
#include <string.h>

#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"
#include "lib/process/heap.h"

/* Ends the program by GMP's default function if memory is missing. */
static char *allocate(size_t bytes) {
    char *p = malloc(bytes);
    return p ? p : real.__gmp_default_allocate(bytes);
}

void text_block_free(struct text_block *b) {
    if (!b->small)
        free(b->s);
}

void text_block_open(struct text_block *b, size_t bytes) {
    *b = (struct text_block){allocate(bytes), 0, bytes, NULL};
}

void text_block_open_small(struct text_block *b, char *small, size_t bytes) {
    *b = (struct text_block){small, 0, bytes, small};
}

static void resize(struct text_block *b, size_t bytes) {
    char *moved = b->small ? NULL : realloc(b->s, bytes);
    if (!moved) {
        moved = memcpy(allocate(bytes), b->s, b->n);
        text_block_free(b);
    }
    b->s = moved;
    b->small = NULL;
    b->bytes = bytes;
}

char *text_block_room(struct text_block *b, size_t more) {
    if (b->bytes - b->n < more)
        resize(b, b->bytes + b->bytes / 2 + more);
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

size_t text_block_write(struct text_block *b, FILE *stream) {
    stream = stream ? stream : stdout;
    size_t written = fwrite(b->s, 1, b->n, stream);
    text_block_free(b);
    return ferror(stream) ? 0 : written;
}

/* If the program uses GMP's default memory functions and b->s is a block of malloc, it is returned;
 * otherwise a copy that the program's function allocates. */
char *text_block_give(struct text_block *b) {
    *text_block_room(b, 1) = 0;
    if (!memory_is_programs() && !heap_owns(b->s)) {
        if (b->bytes != b->n + 1)
            resize(b, b->n + 1);
        return b->s;
    }
    memory_scratch_stop();
    char *s = memcpy(memory_of_program(b->n + 1), b->s, b->n + 1);
    text_block_free(b);
    return s;
}
