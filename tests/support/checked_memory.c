/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Each block is preceded by a header with its size and followed by guard bytes.  On an error the
 * functions print it and abort, so that a debugger shows the caller. */
#include "tests/support/checked_memory.h"

#include <gmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRESH = 0xa5, FREED = 0xdb };

static const uint64_t alive = 0x6d656d6f72792121, dead = 0x6465616462656566,
                      tail = 0x7461696c7461696c;

struct head {
    uint64_t word;
    size_t bytes;
};

const char *(*checked_memory_caller)(void);
static atomic_ulong made, freed;

static void wrong(const char *what, const void *p, size_t bytes) {
    fprintf(stderr, "checked memory: %s: %s (%p, %zu bytes)\n",
            checked_memory_caller ? checked_memory_caller() : "", what, p, bytes);
    abort();
}

void *checked_memory_alloc(size_t bytes) {
    struct head *head = bytes ? malloc(sizeof *head + bytes + sizeof tail) : NULL;
    if (!head)
        wrong("no memory, or none asked for", NULL, bytes);
    *head = (struct head){alive, bytes};
    memset(head + 1, FRESH, bytes);
    memcpy((char *)(head + 1) + bytes, &tail, sizeof tail);
    made++;
    return head + 1;
}

void checked_memory_free(void *p, size_t bytes) {
    struct head *head = (struct head *)p - 1;
    if (head->word != alive)
        wrong(head->word == dead ? "freed twice" : "made by other functions", p, bytes);
    if (head->bytes != bytes)
        wrong("freed with another size than its own", p, bytes);
    if (memcmp((char *)p + bytes, &tail, sizeof tail) != 0)
        wrong("written beyond the end", p, bytes);
    head->word = dead;
    memset(p, FREED, bytes);
    freed++;
    free(head);
}

void *checked_memory_realloc(void *p, size_t bytes, size_t wanted) {
    void *moved = checked_memory_alloc(wanted);
    memcpy(moved, p, bytes < wanted ? bytes : wanted);
    checked_memory_free(p, bytes);
    return moved;
}

void checked_memory_begin(void) {
    mp_set_memory_functions(checked_memory_alloc, checked_memory_realloc, checked_memory_free);
}

unsigned long checked_memory_made(void) {
    return made;
}

unsigned long checked_memory_left(void) {
    return made - freed;
}
