/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Which units of a long row are free: runs of them are taken and given back, and free
 * ones side by side grow together.  Numbers only, no memory; not for several threads at
 * once.  Taking, giving and resizing take the same time however many runs there are. */
#ifndef MPGPU_EXTENTS_H
#define MPGPU_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

enum { EXTENTS_BINS = 128, EXTENTS_NONE = 0 };

/* What is known at the first and at the last unit of a run. */
struct extent {
    uint32_t units; /* of the run */
    uint32_t state; /* EXTENT_... */
    uint32_t next,
        prev; /* first units + 1 of runs in the same bin; in the first unit of a free run */
};

struct extents {
    struct extent *at; /* one a unit */
    uint32_t count;
    uint32_t bin[EXTENTS_BINS]; /* free runs by size: first unit + 1 of one, or EXTENTS_NONE */
    uint64_t filled[EXTENTS_BINS / 64];
};

/* A row of `count` < 2^31 units, none of them there yet; `at` is room for as many
 * entries, all zero. */
void extents_open(struct extents *x, struct extent *at, uint32_t count);

/* Units first .. first+units-1 come, free; they were not there. */
void extents_add(struct extents *x, uint32_t first, uint32_t units);

/* They go; all of them were free, and in one run. */
void extents_remove(struct extents *x, uint32_t first, uint32_t units);

/* Take a run; 0 if no free one is long enough. */
bool extents_alloc(struct extents *x, uint32_t units, uint32_t *first);

/* Give the run that begins there. */
void extents_free(struct extents *x, uint32_t first);

/* Make a taken run shorter, or longer if what is behind it is free; 0 if not. */
bool extents_resize(struct extents *x, uint32_t first, uint32_t units);

/* The length of a taken run. */
uint32_t extents_length(const struct extents *x, uint32_t first);

/* Call visit(first, units, context) for each free run; it must not change them. */
void extents_each_free(const struct extents *x,
                       void (*visit)(uint32_t first, uint32_t units, void *context), void *context);

#endif
