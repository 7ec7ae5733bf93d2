/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A block has a head with its size and a tail.  An error is printed and aborts the program, so that
 * a debugger shows the caller. */
#include "tests/contract/blocks.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/contract/contract.h"

enum { FRESH = 0xa5, FREED = 0xdb };

static const uint64_t alive = 0x6d656d6f72792121, dead = 0x6465616462656566,
                      tail = 0x7461696c7461696c;

struct head {
    uint64_t word;
    size_t bytes;
};

static size_t now, base;
static struct blocks_asked asked;

static void wrong(const char *what, const void *p, size_t bytes) {
    fprintf(stderr, "contract: %s: %s (%p, %zu bytes)\n", contract_current(), what, p, bytes);
    abort();
}

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

static void *make(size_t bytes) {
    struct head *head = bytes ? malloc(sizeof *head + bytes + sizeof tail) : NULL;
    if (!head)
        wrong("no memory, or none asked for", NULL, bytes);
    *head = (struct head){alive, bytes};
    memset(head + 1, FRESH, bytes);
    memcpy((char *)(head + 1) + bytes, &tail, sizeof tail);
    return head + 1;
}

static void check(const void *p, size_t bytes) {
    const struct head *head = (const struct head *)p - 1;
    if (head->word != alive)
        wrong(head->word == dead ? "block freed before" : "block of other functions", p, bytes);
    if (head->bytes != bytes)
        wrong("another size than the block's own", p, bytes);
    if (memcmp((const char *)p + bytes, &tail, sizeof tail) != 0)
        wrong("written behind the end", p, bytes);
}

static void dispose(void *p, size_t bytes) {
    struct head *head = (struct head *)p - 1;
    check(p, bytes);
    head->word = dead;
    memset(p, FREED, bytes);
    free(head);
}

void *blocks_allocate(size_t bytes) {
    blocks_note(bytes);
    return make(bytes);
}

/* Always to another place. */
void *blocks_reallocate(void *p, size_t old, size_t bytes) {
    blocks_forget(old);
    blocks_note(bytes);
    void *moved = make(bytes);
    memcpy(moved, p, old < bytes ? old : bytes);
    dispose(p, old);
    return moved;
}

void blocks_release(void *p, size_t bytes) {
    blocks_forget(bytes);
    dispose(p, bytes);
}

void blocks_start(void) {
    base = now;
    asked = (struct blocks_asked){0};
}

struct blocks_asked blocks_stop(void) {
    return asked;
}
