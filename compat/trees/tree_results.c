/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Answers queries about product trees (include/mpgpu.h), on the device or by GMP. */
#include "compat/trees/tree.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

static size_t size_of(const mpgpu_tree *t) {
    return t->count * t->n;
}

static bool is_on_device(const mpgpu_tree *t) {
    return t->store.bytes > 0;
}

static int root_by_gmp(mpz_ptr r, mpgpu_tree *t) {
    int error = tree_make_by_gmp(t);
    if (!error)
        mpz_set(r, t->level[t->levels - 1][0]);
    return error;
}

static int ask_gmp(mpgpu_tree *t, const struct tree_question *q, mpz_ptr root) {
    return root ? root_by_gmp(root, t) : tree_ask_gmp(t, q);
}

/* Answers *q. If root is not NULL, sets it to the magnitude of the tree's root instead. */
static int ask(mpgpu_tree *t, const struct tree_question *q, mpz_ptr root) {
    struct call call;
    int error = 0;
    if (!call_begin(&call, ROW_mpgpu_tree, size_of(t), &thresholds.batch, size_of(t)))
        return call_init() ? ask_gmp(t, q, root) : batch_fail_init();
    enum outcome outcome = !is_on_device(t) ? OUTCOME_SIZE
                           : root           ? tree_fetch_root(root, t)
                                            : tree_ask_device(t, q);
    if (outcome != OUTCOME_DONE) {
        call_open();
        error = ask_gmp(t, q, root);
        call_close(&call);
    }
    call_end(&call, outcome);
    return error;
}

EXPORT int mpgpu_tree_root(mpz_ptr r, mpgpu_tree *t) {
    if (!r || !t)
        return batch_fail(MPGPU_ARGUMENTS);
    int error = ask(t, NULL, r);
    if (!error && t->is_negative)
        mpz_neg(r, r);
    return error;
}

/* ---- remainders */

static int check(const mpgpu_tree *t, const void *r, const void *x) {
    if (!t || !r || !x)
        return batch_fail(MPGPU_ARGUMENTS);
    return t->has_zero ? batch_fail(MPGPU_DIVIDE_BY_ZERO) : 0;
}

/* Computes x modulo each leaf. If x is much longer than the root, first divides it by the root. */
static int ask_of(mpgpu_tree *t, mpz_t *r, mpz_srcptr x) {
    struct tree_question q = {TREE_REMAINDER, x, r};
    if (mpz_size(x) / 2 <= size_of(t))
        return ask(t, &q, NULL);
    mpz_t rest, all;
    mpz_init(rest);
    mpz_init(all);
    int error = ask(t, NULL, all);
    if (!error)
        mpz_tdiv_r(rest, x, all);
    q.x = rest;
    if (!error && mpz_sgn(rest))
        error = ask(t, &q, NULL);
    for (size_t i = 0; i < t->count && !error && mpz_sgn(rest) == 0; i++)
        mpz_set_ui(r[i], 0);
    mpz_clear(rest);
    mpz_clear(all);
    return error;
}

EXPORT int mpgpu_tree_mod(mpz_t *r, mpgpu_tree *t, mpz_srcptr x) {
    int error = check(t, r, x), sign = error ? 0 : mpz_sgn(x);
    if (!error && sign)
        error = ask_of(t, r, x);
    for (size_t i = 0; !error && i < t->count; i++) {
        const mpz_t leaf = TREE_LEAF(t, i);
        if (sign == 0)
            mpz_set_ui(r[i], 0);
        else if (sign < 0 && mpz_sgn(r[i]))
            mpz_sub(r[i], leaf, r[i]);
    }
    return error;
}

EXPORT int mpgpu_tree_cofactors(mpz_t *r, mpgpu_tree *t) {
    const struct tree_question q = {TREE_COFACTOR, NULL, r};
    int error = check(t, r, r);
    return error ? error : ask(t, &q, NULL);
}

EXPORT int mpgpu_tree_mod_sqr(mpz_t *r, mpgpu_tree *t) {
    int error = mpgpu_tree_cofactors(r, t);
    for (size_t i = 0; !error && i < t->count; i++) {
        const mpz_t leaf = TREE_LEAF(t, i);
        mpz_mul(r[i], r[i], leaf);
    }
    return error;
}
