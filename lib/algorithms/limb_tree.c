/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product trees: arranges the limbs in columns and builds the job. */
#include "lib/algorithms/limb_tree.h"

#include <pthread.h>
#include <stdlib.h>

#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/process/thread_pool.h"

/* Returns log2 of the number of rows in a tree whose largest group has n limbs. */
static unsigned levels_of(size_t n) {
    unsigned levels = 1;
    while (levels < CALC_TREE_LEVELS && (size_t)1 << levels < n)
        levels++;
    return levels;
}

size_t limb_tree_alloc(size_t n) {
    unsigned levels = levels_of(n);
    return ceil_div(n, (size_t)1 << levels) << levels;
}

/* ---- layout */

static struct calc_tree_group *lay_out_groups(const struct limb_tree *t, struct calc_tree *plan) {
    struct calc_tree_group *groups = malloc(t->count * sizeof *groups);
    size_t most = 0;
    for (unsigned i = 0; i < t->count; i++)
        most = t->groups[i].n > most ? t->groups[i].n : most;
    plan->levels = levels_of(most);
    for (unsigned i = 0; i < t->count && groups; i++) {
        uint64_t columns = ceil_div(t->groups[i].n, (size_t)1 << plan->levels);
        groups[i] = (struct calc_tree_group){plan->columns, columns, t->groups[i].is_squared};
        plan->columns += columns;
    }
    return groups;
}

/* Writes a group's limbs to its columns, row by row, and fills the remaining places with ones. */
static void fill(mp_ptr limbs, const struct limb_group *g, const struct calc_tree_group *at,
                 const struct calc_tree *plan) {
    size_t rows = (size_t)1 << plan->levels, done = 0;
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < at->columns; i++, done++)
            limbs[row * plan->columns + at->first + i] = done < g->n ? g->p[done] : 1;
}

/* Returns true if the limbs can be uploaded from the group's own array, without a copy. */
static bool is_in_place(const struct limb_tree *t, const struct calc_tree *plan) {
    return t->count == 1 && t->groups[0].alloc >= plan->columns << plan->levels;
}

/* Returns the array that is uploaded: the group's own array, or a new one.  NULL if memory is
 * missing. */
static mp_ptr lay_out_limbs(const struct limb_tree *t, const struct calc_tree *plan) {
    const struct limb_group *g = t->groups;
    size_t n = plan->columns << plan->levels;
    if (is_in_place(t, plan)) {
        for (size_t i = g->n; i < n; i++)
            g->p[i] = 1;
        return g->p;
    }
    mp_ptr limbs = malloc(n * sizeof *limbs);
    for (unsigned i = 0; i < t->count && limbs; i++)
        fill(limbs, &g[i], &plan->groups[i], plan);
    return limbs;
}

struct summing {
    const struct calc_tree *plan;
    uint64_t *bits;
    pthread_mutex_t mutex;
};

enum { STRIP = 512 }; /* columns */

/* Adds up the bit lengths of the limbs in `count` columns, from column `at` on, in rows `first` to
 * end - 1.  A limb of 1 adds no bits. */
static void sum_strip(struct summing *k, size_t first, size_t end, size_t at, size_t count) {
    uint64_t sum[STRIP] = {0};
    const uint64_t *limb = k->plan->limbs + first * k->plan->columns + at;
    for (size_t row = first; row < end; row++, limb += k->plan->columns)
        for (size_t i = 0; i < count; i++)
            sum[i] += 64 - (uint64_t)__builtin_clzl(limb[i]) - (limb[i] == 1);
    pthread_mutex_lock(&k->mutex);
    for (size_t i = 0; i < count; i++)
        k->bits[at + i] += sum[i];
    pthread_mutex_unlock(&k->mutex);
}

static void sum_rows(void *context, size_t first, size_t end) {
    struct summing *k = context;
    for (size_t at = 0; at < k->plan->columns; at += STRIP)
        sum_strip(k, first, end, at, min_u64(STRIP, k->plan->columns - at));
}

/* Returns an array with a number for each column: the sum of the bit lengths of its limbs, at least
 * 1. NULL if memory is missing. */
static uint64_t *sum_bits(const struct calc_tree *plan) {
    struct summing k = {plan, calloc(plan->columns, sizeof *k.bits), PTHREAD_MUTEX_INITIALIZER};
    size_t rows = (size_t)1 << plan->levels;
    if (k.bits)
        thread_pool_loop(rows, rows * plan->columns * sizeof *plan->limbs, sum_rows, &k);
    for (size_t i = 0; i < plan->columns && k.bits; i++)
        k.bits[i] += k.bits[i] == 0;
    return k.bits;
}

static void release(const struct limb_tree *t, struct calc_tree *plan) {
    if (!is_in_place(t, plan))
        free((void *)plan->limbs);
    free((void *)plan->bits);
    free((void *)plan->groups);
}

bool limb_tree_open(struct limb_tree *t) {
    struct calc_tree plan = {.start = t->start, .start_limbs = t->start_n, .count = t->count};
    if (t->start_n > 0)
        plan.start_bits = 64 * t->start_n - (uint64_t)__builtin_clzl(t->start[t->start_n - 1]);
    plan.groups = lay_out_groups(t, &plan);
    if (plan.groups && plan.columns > 0)
        plan.limbs = lay_out_limbs(t, &plan);
    if (plan.limbs)
        plan.bits = sum_bits(&plan);
    if (!plan.bits) {
        release(t, &plan);
        return false;
    }
    t->plan = plan;
    t->limbs = ceil_div(calc_tree_bits(&plan), 64);
    return true;
}

void limb_tree_close(struct limb_tree *t) {
    release(t, &t->plan);
}

/* ---- the job that computes a product on the device */

_Static_assert(sizeof(struct calc_tree_group) == JOB_GROUP_LIMBS * sizeof(uint64_t), "whole limbs");

struct job limb_tree_job(const struct limb_tree *t, mp_ptr rp) {
    const struct calc_tree *plan = &t->plan;
    return (struct job){
        .op = JOB_product_tree,
        .operands = plan->start_limbs > 0 ? 4 : 3,
        .results = 1,
        .u = {job_limbs(plan->limbs, plan->columns << plan->levels),
              job_limbs(plan->bits, plan->columns),
              job_limbs((const uint64_t *)plan->groups, JOB_GROUP_LIMBS * plan->count),
              job_limbs(plan->start, plan->start_limbs)},
        .r = {job_limbs(rp, t->limbs)},
        .parameter = {[JOB_LEVELS] = plan->levels, [JOB_START_BITS] = plan->start_bits}};
}

enum outcome limb_tree_run(const struct limb_tree *t, mp_ptr rp) {
    struct job job = limb_tree_job(t, rp);
    return job_run(&job);
}
