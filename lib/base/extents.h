/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Allocates runs of units in a long row; neighbouring free runs are merged.  Deals with numbers,
 * not with memory.  One thread at a time.  To allocate, free or resize a run takes constant time.
 */
#ifndef MPGPU_EXTENTS_H
#define MPGPU_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

enum { EXTENTS_BINS = 128, EXTENTS_NONE = 0 };

/* What is known at the first and at the last unit of a run. */
struct extent {
    uint32_t units; /* of the run */
    uint32_t state; /* of extents.c */
    uint32_t next,
        prev; /* first units + 1 of runs in the same bin; in the first unit of a free run */
};

struct extents {
    struct extent *at; /* one a unit */
    uint32_t count;
    uint32_t bin[EXTENTS_BINS]; /* free runs by size: first unit + 1 of one, or EXTENTS_NONE */
    uint64_t filled[EXTENTS_BINS / 64];
};

/* A row of `count` < 2^31 units, all absent; `at` holds as many entries, all zero. */
void extents_open(struct extents *x, struct extent *at, uint32_t count);

/* Add units first .. first+units-1, which were absent, as free ones. */
void extents_add(struct extents *x, uint32_t first, uint32_t units);

/* Remove them; all of them are free, and in one run. */
void extents_remove(struct extents *x, uint32_t first, uint32_t units);

/* Allocate a run; false if no free one is long enough. */
bool extents_alloc(struct extents *x, uint32_t units, uint32_t *first);

/* Free the run that begins there. */
void extents_free(struct extents *x, uint32_t first);

/* Make a run shorter, or longer where free units follow; false where they do not. */
bool extents_resize(struct extents *x, uint32_t first, uint32_t units);

/* The length of an allocated run. */
uint32_t extents_length(const struct extents *x, uint32_t first);

/* Call visit(first, units, context) for each free run; it must not change them. */
void extents_each_free(const struct extents *x,
                       void (*visit)(uint32_t first, uint32_t units, void *context), void *context);

#endif
