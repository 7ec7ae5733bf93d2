/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Creates and destroys product trees (include/mpgpu.h). */
#include "compat/trees/tree.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"

enum { QUAD_LIMBS = CALC_QUAD / 2 };

static mpgpu_tree *fail(int error) {
    batch_fail(error);
    return NULL;
}

/* Allocates a tree with `count` leaves of n >= 1 limbs, all 0. If `count` is odd and above 1, adds
 * a leaf with value 1 (the pad). */
static mpgpu_tree *create(size_t count, size_t n) {
    mpgpu_tree *t = calloc(1, sizeof *t);
    size_t size;
    if (!t)
        return fail(MPGPU_NO_MEMORY);
    t->count = count;
    t->n = (n + QUAD_LIMBS - 1) / QUAD_LIMBS * QUAD_LIMBS;
    /* the number of leaves with the pad; tree_plan_create computes the same number */
    t->slots = count > 1 ? count + count % 2 : 1;
    if (!__builtin_mul_overflow(t->slots, t->n * sizeof *t->leaves, &size))
        t->leaves = calloc(t->slots, t->n * sizeof *t->leaves);
    if (!t->leaves) {
        free(t);
        return fail(MPGPU_NO_MEMORY);
    }
    if (t->slots > count)
        t->leaves[count * t->n] = 1;
    return t;
}

static void look_at_leaves(mpgpu_tree *t) {
    for (size_t i = 0; i < t->count; i++) {
        const mp_limb_t *leaf = t->leaves + i * t->n;
        size_t bits = normalize_bits(leaf, t->n);
        t->bits += bits;
        t->has_zero |= bits == 0;
    }
}

/* Builds the tree on the device if it is large, no leaf is 0 and the device may verify its own
 * results (option `verify`). Otherwise GMP builds the tree when a query needs it. */
static mpgpu_tree *make(mpgpu_tree *t) {
    struct call call;
    size_t size = t->count * t->n;
    look_at_leaves(t);
    if (t->has_zero || !call_begin(&call, ROW_mpgpu_tree, size, &thresholds.batch, size))
        return t; /* levels are computed when they are needed */
    bool is_checked_there = mpgpu_conf.verify < VERIFY_RESIDUE;
    call_end(&call, is_checked_there ? tree_make_on_device(t) : OUTCOME_SIZE);
    return t;
}

EXPORT mpgpu_tree *mpgpu_tree_create(const mpz_t *u, size_t count) {
    size_t n = 1;
    if (count == 0 || !u)
        return fail(MPGPU_ARGUMENTS);
    for (size_t i = 0; i < count; i++)
        n = mpz_size(u[i]) > n ? mpz_size(u[i]) : n;
    mpgpu_tree *t = create(count, n);
    for (size_t i = 0; i < count && t; i++) {
        memcpy(t->leaves + i * t->n, mpz_limbs_read(u[i]), mpz_size(u[i]) * sizeof *t->leaves);
        t->is_negative ^= mpz_sgn(u[i]) < 0;
    }
    return t ? make(t) : NULL;
}

EXPORT mpgpu_tree *mpgpu_tree_create_batch(mpgpu_batch *u) {
    if (!u)
        return fail(MPGPU_ARGUMENTS);
    mpgpu_tree *t = create(u->count, u->n);
    if (!t)
        return NULL;
    if (mpgpu_batch_get(t->leaves, u)) {
        mpgpu_tree_destroy(t);
        return NULL;
    }
    /* moves the last leaf first, because the old places of leaves overlap their new places */
    if (t->n > u->n)
        for (size_t i = u->count; i-- > 0;) {
            memmove(t->leaves + i * t->n, t->leaves + i * u->n, u->n * sizeof *t->leaves);
            memset(t->leaves + i * t->n + u->n, 0, (t->n - u->n) * sizeof *t->leaves);
        }
    if (t->slots > t->count) {
        memset(t->leaves + t->count * t->n, 0, t->n * sizeof *t->leaves);
        t->leaves[t->count * t->n] = 1;
    }
    return make(t);
}

EXPORT void mpgpu_tree_destroy(mpgpu_tree *t) {
    if (!t)
        return;
    tree_leave_device(t);
    tree_forget_levels(t);
    wipe_free(t->leaves, t->slots * t->n * sizeof *t->leaves);
    free(t);
}

EXPORT size_t mpgpu_tree_count(const mpgpu_tree *t) {
    return t ? t->count : 0;
}

EXPORT int mpgpu_tree_on_device(const mpgpu_tree *t) {
    return t && t->store.bytes > 0;
}
