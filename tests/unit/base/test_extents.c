/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the allocator of the pool (memory for large results), which allocates runs of adjacent
 * units. Compares it with a simple model: an array that holds the owner of each unit. */
#include <string.h>

#include "lib/base/extents.h"
#include "tests/support/testing.h"

enum { ROW = 3000 };
/* Owners of a unit that is absent (NOTHING) or free (NOBODY). The owner of an allocated unit is the
 * number of the first unit of its run. */
enum { NOTHING = -2, NOBODY = -1 };

static struct extent table[ROW];
static struct extents row;
static int owner[ROW];

static void set_owner(uint32_t first, uint32_t units, int whose) {
    for (uint32_t i = first; i < first + units; i++)
        owner[i] = whose;
}

static int is_owned(uint32_t first, uint32_t units, int whose) {
    for (uint32_t i = first; i < first + units; i++)
        if (owner[i] != whose)
            return 0;
    return 1;
}

static void check_free(uint32_t first, uint32_t units, void *seen) {
    ck_assert(is_owned(first, units, NOBODY));
    /* adjacent free runs must have been merged, so the unit before a free run is not free */
    ck_assert(first == 0 || owner[first - 1] != NOBODY);
    ck_assert(first + units == ROW || owner[first + units] != NOBODY);
    *(uint32_t *)seen += units;
}

static void check_row(void) {
    uint32_t seen = 0, free_units = 0;
    extents_each_free(&row, check_free, &seen);
    for (int i = 0; i < ROW; i++)
        free_units += owner[i] == NOBODY;
    ck_assert_uint_eq(seen, free_units);
}

/* Returns the length of the longest run of free units. */
static uint32_t longest(void) {
    uint32_t run = 0, most = 0;
    for (int i = 0; i < ROW; i++) {
        run = owner[i] == NOBODY ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

static void take_some(void) {
    uint32_t first, units = 1 + (uint32_t)testing_size(200);
    if (extents_alloc(&row, units, &first)) {
        ck_assert(is_owned(first, units, NOBODY));
        set_owner(first, units, (int)first);
        ck_assert_uint_eq(extents_length(&row, first), units);
    } else {
        /* The allocator tries only a few free runs of the request's size class. So it may miss a
         * free run that fits, but such a run is shorter than twice the request. */
        ck_assert_uint_lt(longest(), 2 * units);
    }
}

/* Frees or resizes the run that a random unit belongs to. */
static void change_some(void) {
    int first = owner[testing_below(ROW)];
    if (first < 0)
        return;
    uint32_t had = extents_length(&row, (uint32_t)first), units = 1 + (uint32_t)testing_size(200);
    if (testing_below(3)) {
        extents_free(&row, (uint32_t)first);
        set_owner((uint32_t)first, had, NOBODY);
    } else if (extents_resize(&row, (uint32_t)first, units)) {
        set_owner((uint32_t)first, had, NOBODY);
        set_owner((uint32_t)first, units, first);
    } else {
        ck_assert_uint_gt(units, had);
    }
}

/* Adds a tenth of all units to the allocator if they are all absent; removes it if they are all
 * free; otherwise does nothing. */
static void come_or_go(void) {
    uint32_t units = ROW / 10, first = (uint32_t)testing_below(10) * units;
    for (uint32_t i = first; i < first + units; i++)
        if (owner[i] >= 0 || owner[i] != owner[first])
            return;
    if (owner[first] == NOTHING)
        extents_add(&row, first, units);
    else
        extents_remove(&row, first, units);
    set_owner(first, units, owner[first] == NOTHING ? NOBODY : NOTHING);
}

START_TEST(test_extents) {
    memset(table, 0, sizeof table);
    extents_open(&row, table, ROW);
    set_owner(0, ROW, NOTHING);
    for (int k = 0; k < 20000; k++) {
        if (testing_below(20) == 0)
            come_or_go();
        else if (testing_below(2))
            take_some();
        else
            change_some();
        check_row();
    }
}
END_TEST

/* Adds a short and a long free run to the allocator, for many lengths of the short one. A request
 * that the short run cannot satisfy must be satisfied from the long run. */
START_TEST(test_long_runs) {
    enum { LONG = 1 << 20 };
    struct extent *at = calloc(LONG, sizeof *at);
    struct extents x;
    uint32_t first;
    ck_assert_ptr_nonnull(at);
    for (uint32_t units = 1; units < LONG / 2 - 1; units += units / 4 + 1) {
        extents_open(&x, at, LONG);
        extents_add(&x, 0, units);
        ck_assert(extents_alloc(&x, units / 2 + 1, &first) && first == 0);
        extents_free(&x, first);
        extents_add(&x, units + 1, LONG - units - 1);
        ck_assert(extents_alloc(&x, units + 1, &first) && first == units + 1);
        extents_free(&x, first);
        extents_remove(&x, 0, units);
        ck_assert(extents_alloc(&x, units / 2 + 1, &first) && first == units + 1);
        extents_free(&x, first);
        extents_remove(&x, units + 1, LONG - units - 1);
        ck_assert(!extents_alloc(&x, 1, &first));
    }
    free(at);
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("extents", 120, TESTS(ONCE(test_extents), ONCE(test_long_runs)));
}
