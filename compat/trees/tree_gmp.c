/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes product trees with GMP's functions, called by their public names, so that long calls are
 * intercepted. Number i of a level is the product of numbers 2 i and 2 i + 1 of the level below. */
#include <stdlib.h>

#include "compat/trees/tree.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

/* Frees all levels, except the limbs of the leaves, which belong to t->leaves. */
void tree_forget_levels(mpgpu_tree *t) {
    for (unsigned k = 0; k < t->levels; k++) {
        for (size_t i = 0; i < t->nodes[k] && k > 0; i++)
            mpz_clear(t->level[k][i]);
        free(t->level[k]);
        t->level[k] = NULL;
    }
    t->levels = 0;
}

static bool add_leaves(mpgpu_tree *t) {
    t->level[0] = malloc(t->count * sizeof **t->level);
    for (size_t i = 0; i < t->count && t->level[0]; i++) {
        const mpz_t leaf = TREE_LEAF(t, i);
        *t->level[0][i] = *leaf;
    }
    t->nodes[0] = t->count;
    t->levels = t->level[0] ? 1 : 0;
    return t->levels;
}

/* The computation of level k of a tree: products of pairs from level k - 1, or remainders of the
 * numbers of level k + 1 modulo the numbers of level k. */
struct level_work {
    const mpgpu_tree *t;
    unsigned k;
    enum tree_kind kind;
    mpz_srcptr x; /* the dividend x of the query, which is reduced modulo the root first */
    mpz_t *above, *level;
};

static int multiply_level(void *work) {
    const struct level_work *w = work;
    const mpz_t *below = (const mpz_t *)w->t->level[w->k - 1];
    size_t under = w->t->nodes[w->k - 1];
    for (size_t i = 0; i < (under + 1) / 2; i++) {
        mpz_init(w->level[i]);
        if (2 * i + 1 < under)
            mpz_mul(w->level[i], below[2 * i], below[2 * i + 1]);
        else
            mpz_set(w->level[i], below[2 * i]);
    }
    return 0;
}

/* Allocates a level of `count` numbers, which `work` computes. Returns NULL if memory is
 * exhausted. */
static mpz_t *compute_level(struct level_work *w, size_t count, int (*work)(void *)) {
    w->level = malloc(count * sizeof *w->level);
    if (w->level && memory_guarded(work, w, 1)) {
        free(w->level);
        w->level = NULL;
    }
    return w->level;
}

static bool add_level(mpgpu_tree *t) {
    unsigned k = t->levels;
    size_t nodes = (t->nodes[k - 1] + 1) / 2;
    mpz_t *level = compute_level(&(struct level_work){.t = t, .k = k}, nodes, multiply_level);
    t->level[k] = level;
    t->nodes[k] = nodes;
    t->levels += level != NULL;
    return level;
}

int tree_make_by_gmp(mpgpu_tree *t) {
    bool is_made = t->levels > 0 || add_leaves(t);
    while (is_made && t->nodes[t->levels - 1] > 1)
        is_made = add_level(t);
    return is_made ? 0 : batch_fail(MPGPU_NO_MEMORY);
}

static void clear(mpz_t *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        mpz_clear(x[i]);
    free(x);
}

static int begin_remainders(void *work) {
    const struct level_work *w = work;
    mpz_init(w->level[0]);
    mpz_abs(w->level[0], w->x);
    return 0;
}

static int reduce_level(void *work) {
    const struct level_work *w = work;
    unsigned k = w->k;
    mpz_t square;
    mpz_init(square);
    for (size_t i = 0; i < w->t->nodes[k]; i++) {
        mpz_srcptr by = w->t->level[k][i];
        if (w->kind == TREE_COFACTOR) {
            mpz_mul(square, by, by);
            by = square;
        }
        mpz_init(w->level[i]);
        mpz_tdiv_r(w->level[i], w->above[k + 1 < w->t->levels ? i / 2 : 0], by);
    }
    mpz_clear(square);
    return 0;
}

/* Computes the remainders modulo the numbers of level k from the remainders of the level above,
 * which it frees. */
static mpz_t *step_down(const mpgpu_tree *t, unsigned k, enum tree_kind kind, mpz_t *above) {
    struct level_work w = {.t = t, .k = k, .kind = kind, .above = above};
    mpz_t *r = compute_level(&w, t->nodes[k], reduce_level);
    clear(above, k + 1 < t->levels ? t->nodes[k + 1] : 1);
    return r;
}

int tree_ask_gmp(mpgpu_tree *t, const struct tree_question *q) {
    int error = tree_make_by_gmp(t);
    if (error)
        return error;
    struct level_work first = {.x = q->kind == TREE_REMAINDER ? q->x : t->level[t->levels - 1][0]};
    mpz_t *r = compute_level(&first, 1, begin_remainders);
    for (unsigned k = t->levels; k-- > 0 && r;)
        r = step_down(t, k, q->kind, r);
    if (!r)
        return batch_fail(MPGPU_NO_MEMORY);
    for (size_t i = 0; i < t->count; i++)
        if (q->kind == TREE_COFACTOR)
            mpz_divexact(q->r[i], r[i], t->level[0][i]);
        else
            mpz_set(q->r[i], r[i]);
    clear(r, t->count);
    return 0;
}
