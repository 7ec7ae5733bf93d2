/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Manages ranges of adjacent units ("runs"), which are free or used. Free runs are in lists,
 * called bins, by their length. The lengths from one power of two to the next have four bins.
 * Every run of a bin is long enough for any length that belongs to a lower bin. */
#include "lib/base/extents.h"

#include <string.h>

enum { ABSENT, FREE, USED };
enum { TRIES = 8 }; /* how many free runs an allocation examines in the bin of its own length */

/* Returns the bin of runs with this many units. Lengths 1 to 3 have a bin each; for longer runs the
 * three highest bits of the length decide. */
static unsigned bin_of(uint32_t units) {
    unsigned log = 31 - (unsigned)__builtin_clz(units);
    return log < 2 ? units : 4 * (log - 1) + ((units >> (log - 2)) & 3);
}

void extents_open(struct extents *x, struct extent *at, uint32_t count) {
    memset(x, 0, sizeof *x);
    x->at = at;
    x->count = count;
}

static void mark(struct extents *x, uint32_t first, uint32_t units, uint32_t state) {
    struct extent *a = &x->at[first], *b = &x->at[first + units - 1];
    a->units = b->units = units;
    a->state = b->state = state;
}

static void put_in_bin(struct extents *x, uint32_t first, uint32_t units) {
    unsigned bin = bin_of(units);
    struct extent *e = &x->at[first];
    mark(x, first, units, FREE);
    e->prev = EXTENTS_NONE;
    e->next = x->bin[bin];
    if (e->next != EXTENTS_NONE)
        x->at[e->next - 1].prev = first + 1;
    x->bin[bin] = first + 1;
    x->filled[bin / 64] |= (uint64_t)1 << bin % 64;
}

static void take_from_bin(struct extents *x, uint32_t first) {
    const struct extent *e = &x->at[first];
    unsigned bin = bin_of(e->units);
    if (e->next != EXTENTS_NONE)
        x->at[e->next - 1].prev = e->prev;
    if (e->prev != EXTENTS_NONE)
        x->at[e->prev - 1].next = e->next;
    else
        x->bin[bin] = e->next;
    if (x->bin[bin] == EXTENTS_NONE)
        x->filled[bin / 64] &= ~((uint64_t)1 << bin % 64);
}

/* Marks units as free, and merges them with free neighbours. */
static void set_free(struct extents *x, uint32_t first, uint32_t units) {
    uint32_t end = first + units;
    if (first > 0 && x->at[first - 1].state == FREE) {
        first -= x->at[first - 1].units;
        take_from_bin(x, first);
    }
    if (end < x->count && x->at[end].state == FREE) {
        uint32_t behind = end;
        end += x->at[behind].units;
        take_from_bin(x, behind);
    }
    put_in_bin(x, first, end - first);
}

void extents_add(struct extents *x, uint32_t first, uint32_t units) {
    set_free(x, first, units);
}

/* Returns the first unit of the free run that contains `unit`; x->count if there is none. */
static uint32_t run_with(const struct extents *x, uint32_t unit) {
    for (unsigned bin = 0; bin < EXTENTS_BINS; bin++)
        for (uint32_t i = x->bin[bin]; i != EXTENTS_NONE; i = x->at[i - 1].next)
            if (unit - (i - 1) < x->at[i - 1].units)
                return i - 1;
    return x->count;
}

/* Sets the entries of all removed units to ABSENT, also in the middle of the run. In a run only the
 * entries of the first and the last unit are up to date. */
void extents_remove(struct extents *x, uint32_t first, uint32_t units) {
    uint32_t run = run_with(x, first), end = run + x->at[run].units;
    take_from_bin(x, run);
    memset(&x->at[first], 0, units * sizeof *x->at);
    if (run < first)
        put_in_bin(x, run, first - run);
    if (first + units < end)
        put_in_bin(x, first + units, end - first - units);
}

/* Returns the first unit + 1 of a free run of at least `units` units, or EXTENTS_NONE. Looks first
 * in the bin for this length, then takes any run of the next non-empty bin. */
static uint32_t find(const struct extents *x, uint32_t units) {
    unsigned bin = bin_of(units);
    uint32_t i = x->bin[bin];
    for (int tries = 0; i != EXTENTS_NONE && tries < TRIES; tries++, i = x->at[i - 1].next)
        if (x->at[i - 1].units >= units)
            return i;
    for (bin++; bin < EXTENTS_BINS; bin = (bin / 64 + 1) * 64) {
        uint64_t rest = x->filled[bin / 64] >> bin % 64;
        if (rest)
            return x->bin[bin + (unsigned)__builtin_ctzll(rest)];
    }
    return EXTENTS_NONE;
}

bool extents_alloc(struct extents *x, uint32_t units, uint32_t *first) {
    uint32_t found = find(x, units);
    if (found == EXTENTS_NONE)
        return false;
    *first = found - 1;
    uint32_t all = x->at[*first].units;
    take_from_bin(x, *first);
    mark(x, *first, units, USED);
    if (units < all)
        put_in_bin(x, *first + units, all - units);
    return true;
}

void extents_free(struct extents *x, uint32_t first) {
    set_free(x, first, x->at[first].units);
}

bool extents_resize(struct extents *x, uint32_t first, uint32_t units) {
    uint32_t had = x->at[first].units, end = first + had;
    if (units > had) {
        if (end >= x->count || x->at[end].state != FREE || x->at[end].units < units - had)
            return false;
        had += x->at[end].units;
        take_from_bin(x, end);
    }
    mark(x, first, units, USED);
    if (units < had)
        set_free(x, first + units, had - units);
    return true;
}

uint32_t extents_length(const struct extents *x, uint32_t first) {
    return x->at[first].units;
}

void extents_each_free(const struct extents *x,
                       void (*visit)(uint32_t first, uint32_t units, void *context),
                       void *context) {
    for (unsigned bin = 0; bin < EXTENTS_BINS; bin++)
        for (uint32_t i = x->bin[bin]; i != EXTENTS_NONE; i = x->at[i - 1].next)
            visit(i - 1, x->at[i - 1].units, context);
}
