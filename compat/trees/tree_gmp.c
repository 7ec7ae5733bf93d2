/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Trees by GMP's functions, called by their names so that long ones are caught between call_open
 * and call_close.  Here number i of a level is number 2 i times number 2 i + 1 of the one below. */
#include <stdlib.h>

#include "compat/trees/tree.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

/* The leaves have no memory of their own. */
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

static bool add_level(mpgpu_tree *t) {
    unsigned k = t->levels;
    const mpz_t *below = (const mpz_t *)t->level[k - 1];
    size_t under = t->nodes[k - 1], nodes = (under + 1) / 2;
    mpz_t *level = malloc(nodes * sizeof *level);
    for (size_t i = 0; i < nodes && level; i++) {
        mpz_init(level[i]);
        if (2 * i + 1 < under)
            mpz_mul(level[i], below[2 * i], below[2 * i + 1]);
        else
            mpz_set(level[i], below[2 * i]);
    }
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

/* The remainders of a level from those of the level above, which are lost. */
static mpz_t *step_down(const mpgpu_tree *t, unsigned k, enum tree_kind kind, mpz_t *above) {
    mpz_t *r = malloc(t->nodes[k] * sizeof *r), square;
    mpz_init(square);
    for (size_t i = 0; i < t->nodes[k] && r; i++) {
        mpz_srcptr by = t->level[k][i];
        if (kind == TREE_COFACTOR) {
            mpz_mul(square, by, by);
            by = square;
        }
        mpz_init(r[i]);
        mpz_tdiv_r(r[i], above[k + 1 < t->levels ? i / 2 : 0], by);
    }
    mpz_clear(square);
    clear(above, k + 1 < t->levels ? t->nodes[k + 1] : 1);
    return r;
}

int tree_ask_gmp(mpgpu_tree *t, const struct tree_question *q) {
    int error = tree_make_by_gmp(t);
    mpz_t *r = error ? NULL : malloc(sizeof *r);
    if (error)
        return error;
    if (r) {
        mpz_init(r[0]);
        mpz_abs(r[0], q->kind == TREE_REMAINDER ? q->x : t->level[t->levels - 1][0]);
    }
    for (unsigned k = t->levels; k-- > 0 && r;)
        r = step_down(t, k, q->kind, r);
    if (!r)
        return batch_fail(MPGPU_NO_MEMORY);
    for (size_t i = 0; i < t->count; i++)
        if (q->kind == TREE_COFACTOR)
            mpz_divexact(q->r[i], r[i], t->level[0][i]);
        else
            mpz_swap(q->r[i], r[i]);
    clear(r, t->count);
    return 0;
}
