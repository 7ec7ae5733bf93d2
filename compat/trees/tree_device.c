/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Trees on the device: the host's part of lib/trees/. */
#include <stdlib.h>
#include <string.h>

#include "compat/trees/tree.h"
#include "lib/base/log.h"
#include "lib/calc/calc_check.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"
#include "lib/operate/composition.h"
#include "lib/operate/first_reciprocal.h"
#include "lib/process/gate.h"
#include "lib/session/session.h"
#include "lib/trees/tree_residue.h"

/* The root's highest limbs that a reciprocal begins with, in quads: more than enough for
 * calc_reciprocal_first. */
enum { TOP_QUADS = 72 };

static size_t bytes_of(size_t limbs) {
    return limbs * sizeof(mp_limb_t);
}

/* Where the device has not answered, its thread may go on later, by the plan: that stays. */
void tree_leave_device(mpgpu_tree *t) {
    batch_free(&t->store);
    wipe_free(t->top, bytes_of(t->top_n));
    t->top = NULL;
    if (!gate_any_is_shut())
        tree_plan_free(t->plan);
    t->plan = NULL;
}

/* Of limbs `from` to the root's end: a root has at most a bit a leaf less than all leaves
 * together, and what is above those is 0. */
static size_t plan_top(mpgpu_tree *t, uint64_t words) {
    uint64_t quads = (t->bits - (t->count < t->bits ? t->count : t->bits)) / CALC_QUAD_BITS;
    t->from = quads > TOP_QUADS ? 2 * (quads - TOP_QUADS) : 0;
    return (size_t)words / 2 - t->from;
}

static enum outcome build(mpgpu_tree *t) {
    size_t top_n = plan_top(t, tree_root(t->plan, t->store.mem).words);
    struct tree_build b = {
        .plan = t->plan, .mem = t->store.mem, .leaves = t->leaves, .from = 2 * t->from};
    const struct touch touches[] = {{t->leaves, bytes_of(t->slots * t->n), false},
                                    {b.top = malloc(bytes_of(top_n)), bytes_of(top_n), true}};
    t->top = b.top;
    if (!b.top)
        return OUTCOME_MEMORY;
    enum outcome outcome = composition_run(tree_build, &b, sizeof b, touches, 2);
    t->top_n = outcome == OUTCOME_DONE ? normalize(b.top, top_n) : 0;
    t->q = b.q;
    t->t[0] = b.q.m;
    t->is_checked = b.is_checked;
    t->residue = b.residue;
    t->of_leaves = b.of_leaves;
    return outcome;
}

static enum outcome make_here(mpgpu_tree *t) {
    enum outcome outcome = composition_serves() ? OUTCOME_DONE : session_ready();
    if (outcome == OUTCOME_DONE)
        t->plan = tree_plan_create(t->count, 2 * t->n);
    if (outcome == OUTCOME_DONE && !t->plan)
        outcome = OUTCOME_MEMORY;
    if (outcome == OUTCOME_DONE)
        outcome = batch_alloc(&t->store, number_bytes(t->plan->words));
    if (outcome == OUTCOME_DONE)
        outcome = batch_write(&t->store, 0, t->leaves, bytes_of(t->slots * t->n));
    if (outcome == OUTCOME_DONE)
        outcome = build(t);
    if (outcome == OUTCOME_DONE && t->top_n == 0)
        outcome = OUTCOME_FAILED;
    if (outcome != OUTCOME_DONE)
        tree_leave_device(t);
    return outcome;
}

/* All of it on one device. */
enum outcome tree_make_on_device(mpgpu_tree *t) {
    int before = session_bind(session_place());
    enum outcome outcome = make_here(t);
    session_bind(before);
    return outcome;
}

/* On the device where the tree lies. */
static enum outcome run_there(const mpgpu_tree *t, void (*work)(struct calc *c, void *argument),
                              void *argument, size_t size, const struct touch *touches,
                              size_t count) {
    int before = session_bind(t->store.device);
    enum outcome outcome = composition_run(work, argument, size, touches, count);
    session_bind(before);
    return outcome;
}

/* ---- remainders */

/* What follows from d = root q.m: its bits, and the first approximation of its reciprocal. */
static void approximate(struct tree_remainders *a, const mpgpu_tree *t, mp_limb_t *first) {
    size_t n = t->top_n < 2 * TOP_QUADS ? t->top_n : 2 * TOP_QUADS;
    mp_limb_t d[2 * TOP_QUADS + 1];
    d[n] = mpn_mul_1(d, t->top + t->top_n - n, (mp_size_t)n, t->q.m);
    size_t dn = n + (d[n] != 0);
    a->d_bits = 64 * (t->from + t->top_n - n) + normalize_bits(d, dn);
    a->k = tree_reciprocal_quads(a);
    first_reciprocal(first, calc_reciprocal_first(a->k), d, dn, 0);
}

/* Whether the lowest `bits` bits of r are those of {x, xn}. */
static bool agrees_below(const mp_limb_t *r, const mp_limb_t *x, size_t xn, size_t bits) {
    const size_t whole = bits / 64;
    const mp_limb_t mask = ((mp_limb_t)1 << bits % 64) - 1;
    for (size_t i = 0; i < whole; i++)
        if (r[i] != (i < xn ? x[i] : 0))
            return false;
    return ((r[whole] ^ (whole < xn ? x[whole] : 0)) & mask) == 0;
}

/* The lowest limb of root / leaf i, for all i; to be freed. */
static mp_limb_t *lowest_of_cofactors(const mpgpu_tree *t) {
    mp_limb_t *r = malloc(bytes_of(t->count)), product = 1;
    for (size_t i = 0; r && i < t->count; product *= t->leaves[i++ * t->n])
        r[i] = product;
    product = 1;
    for (size_t i = t->count; r && i-- > 0; product *= t->leaves[i * t->n])
        r[i] *= product;
    return r;
}

enum outcome tree_look_at_low_bits(const mpgpu_tree *t, enum tree_kind kind, const mp_limb_t *x,
                                   size_t xn, const mp_limb_t *r) {
    mp_limb_t *lowest = kind == TREE_COFACTOR ? lowest_of_cofactors(t) : NULL;
    bool do_agree = true;
    if (kind == TREE_COFACTOR && !lowest)
        return OUTCOME_MEMORY;
    for (size_t i = 0; i < t->count && do_agree; i++) {
        const size_t zeros = mpn_scan1(t->leaves + i * t->n, 0);
        const mp_limb_t *ri = r + i * t->n;
        do_agree = lowest ? agrees_below(ri, &lowest[i], 1, zeros < 64 ? zeros : 64)
                          : agrees_below(ri, x, xn, zeros);
    }
    free(lowest);
    return do_agree ? OUTCOME_DONE : OUTCOME_FAILED;
}

/* The second half of the check. */
static enum outcome finish_check(const mpgpu_tree *t, const struct tree_remainders *a) {
    enum outcome outcome = tree_look_at_low_bits(t, a->kind, a->x, a->x_limbs, a->r);
    if (outcome == OUTCOME_FAILED) {
        session_fault();
        mpgpu_log(LOG_WARNING, "a wrong remainder from the device; GMP computes it");
    }
    return outcome;
}

static void take(mpz_ptr r, const mp_limb_t *limbs, size_t n) {
    n = normalize(limbs, n);
    memcpy(mpz_limbs_write(r, n > 0 ? (mp_size_t)n : 1), limbs, bytes_of(n));
    mpz_limbs_finish(r, (mp_size_t)n);
}

enum outcome tree_ask_device(const mpgpu_tree *t, const struct tree_question *q) {
    mp_limb_t first[FIRST_RECIPROCAL_LIMBS];
    size_t limbs = t->count * t->n, xn = q->x ? mpz_size(q->x) : 0;
    const mp_limb_t *x = xn ? mpz_limbs_read(q->x) : NULL;
    struct tree_remainders a = {.plan = t->plan,
                                .mem = t->store.mem,
                                .kind = q->kind,
                                .x = x,
                                .x_limbs = xn,
                                .x_bits = normalize_bits(x, xn),
                                .t = t->t,
                                .first = first,
                                .q = t->q,
                                .is_checked = t->is_checked,
                                .residue = t->residue,
                                .of_leaves = t->of_leaves,
                                .r = malloc(bytes_of(limbs))};
    const struct touch touches[] = {{x, bytes_of(xn), false}, {a.r, bytes_of(limbs), true}};
    if (!a.r)
        return OUTCOME_MEMORY;
    if (a.is_checked && q->kind == TREE_REMAINDER)
        a.residue = tree_residue(x, xn, t->q);
    approximate(&a, t, first);
    enum outcome outcome = run_there(t, tree_remainders, &a, sizeof a, touches, 2);
    if (outcome == OUTCOME_DONE && a.is_checked)
        outcome = finish_check(t, &a);
    for (size_t i = 0; i < t->count && outcome == OUTCOME_DONE; i++)
        take(q->r[i], a.r + i * t->n, t->n);
    wipe_free(a.r, bytes_of(limbs));
    return outcome;
}

/* ---- the root */

struct fetching {
    struct number root;
    mp_ptr r;
    uint64_t limbs;
    bool is_checked;
    uint64_t residue;
};

static void fetch(struct calc *c, void *argument) {
    const struct fetching *f = argument;
    calc_download(c, f->r, f->root, f->limbs);
    if (f->is_checked)
        calc_demand_residue(c, f->root, f->residue);
}

enum outcome tree_fetch_root(mpz_ptr r, const mpgpu_tree *t) {
    size_t n = t->from + t->top_n;
    struct fetching f = {.root = tree_root(t->plan, t->store.mem),
                         .r = mpz_limbs_write(r, (mp_size_t)n),
                         .limbs = n,
                         .is_checked = t->is_checked,
                         .residue = t->residue};
    const struct touch touches[] = {{f.r, bytes_of(n), true}};
    enum outcome outcome = run_there(t, fetch, &f, sizeof f, touches, 1);
    mpz_limbs_finish(r, outcome == OUTCOME_DONE ? (mp_size_t)n : 0);
    return outcome;
}
