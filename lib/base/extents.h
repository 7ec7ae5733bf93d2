/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Allocates runs of units in a long row of numbered units, and merges neighbouring free runs. Works
 * on the units' numbers only, not on memory. Only one thread at a time may call a function here.
 * Allocating, freeing or resizing a run takes constant time. */
#ifndef MPGPU_EXTENTS_H
#define MPGPU_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

enum { EXTENTS_BINS = 128, EXTENTS_NONE = 0 };

/* An entry of the array `at`. It is valid for the first and the last unit of each run. */
struct extent {
    uint32_t units; /* of the run */
    uint32_t state; /* absent, free or used: an enum of extents.c */
    uint32_t next,
        /* First unit + 1 of the next and of the previous free run in the bin's list; valid in the
         * entry of a free run's first unit. */
        prev;
};

struct extents {
    struct extent *at; /* one per unit */
    uint32_t count;
    uint32_t bin[EXTENTS_BINS]; /* for each bin, the first unit + 1 of one of its free runs, or
                                   EXTENTS_NONE */
    uint64_t filled[EXTENTS_BINS / 64];
};

/* Initialises a row of `count` < 2^31 units, all absent. `at` must have `count` entries, all zero.
 */
void extents_open(struct extents *x, struct extent *at, uint32_t count);

/* Adds units first .. first+units-1, which were absent, as free units. */
void extents_add(struct extents *x, uint32_t first, uint32_t units);

/* Removes units first .. first+units-1, which must all be free and in one run. */
void extents_remove(struct extents *x, uint32_t first, uint32_t units);

/* Allocates a run. Returns false if no free run is long enough. */
bool extents_alloc(struct extents *x, uint32_t units, uint32_t *first);

/* Frees the run that begins at `first`. */
void extents_free(struct extents *x, uint32_t first);

/* Makes a run shorter, or longer if enough free units follow; otherwise returns false. */
bool extents_resize(struct extents *x, uint32_t first, uint32_t units);

/* Returns the length of an allocated run. */
uint32_t extents_length(const struct extents *x, uint32_t first);

/* Calls visit(first, units, context) for each free run; visit must not change runs. */
void extents_each_free(const struct extents *x,
                       void (*visit)(uint32_t first, uint32_t units, void *context), void *context);

#endif
