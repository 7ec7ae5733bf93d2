/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The host's part of product trees on the device: prepares jobs for lib/trees/ and reads their
 * results. */
#include <stdlib.h>
#include <string.h>

#include "compat/trees/tree.h"
#include "lib/base/log.h"
#include "lib/device/limbs_residue.h"
#include "lib/device/tables.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/job/job.h"
#include "lib/memory/wipe.h"
#include "lib/operate/first_reciprocal.h"
#include "lib/session/session.h"

/* The host computes the first approximation of the root's reciprocal from at most this many quads
 * (four 32-bit words each) at the top of the root. calc_reciprocal_first needs fewer. */
enum { TOP_QUADS = 72 };

static size_t bytes_of(size_t limbs) {
    return limbs * sizeof(mp_limb_t);
}

void tree_leave_device(mpgpu_tree *t) {
    batch_free(&t->store);
    wipe_free(t->top, bytes_of(t->top_n));
    t->top = NULL;
}

/* Returns a job whose operand is the tree in device memory. */
static struct job job_on(const mpgpu_tree *t, enum job_op op) {
    return (struct job){.op = op,
                        .operands = 1,
                        .results = 1,
                        .parameter = {[JOB_LEAVES] = t->count, [JOB_LEAF_LIMBS] = t->n},
                        .u = {[JOB_TREE] = {.mem = t->store.mem,
                                            .count = 1,
                                            .n = t->store.bytes / sizeof(mp_limb_t),
                                            .residue = t->store.residue,
                                            .has_residue = t->store.is_kept}}};
}

/* ---- levels */

/* Returns the number of the root's limbs at or above limb t->from, which are downloaded. Each leaf
 * can make the root one bit shorter than the sum of the leaves' bits. */
static size_t plan_top(mpgpu_tree *t) {
    uint64_t quads = (t->bits - (t->count < t->bits ? t->count : t->bits)) / CALC_QUAD_BITS;
    t->from = quads > TOP_QUADS ? 2 * (quads - TOP_QUADS) : 0;
    return (size_t)t->root_words / 2 - t->from;
}

static enum outcome build(mpgpu_tree *t) {
    size_t top_n = plan_top(t);
    struct job job = job_on(t, JOB_tree_build);
    if (!(t->top = malloc(bytes_of(top_n))))
        return OUTCOME_MEMORY;
    job.results = 2;
    job.parameter[JOB_FROM] = t->from;
    job.r[JOB_TREE] = job.u[JOB_TREE];
    job.r[JOB_TOP] = job_limbs(t->top, top_n);
    job.u[0] = (struct job_ref){.host = t->leaves, .count = t->slots, .n = t->n};
    enum outcome outcome = job_run(&job);
    t->top_n = outcome == OUTCOME_DONE ? normalize(t->top, top_n) : 0;
    t->store.is_kept = job.r[JOB_TREE].has_residue;
    t->store.residue = job.r[JOB_TREE].residue;
    t->of_leaves = job.u[0].residue;
    return outcome;
}

/* Allocates device memory for all levels of the tree. */
static enum outcome allocate(mpgpu_tree *t) {
    struct tree_plan *plan = tree_plan_create(t->count, 2 * t->n);
    const uint64_t words = plan ? plan->words : 0;
    const gpu_mem none = {0};
    t->root_words = plan ? tree_root(plan, none).words : 0;
    tree_plan_free(plan);
    return words ? batch_alloc(&t->store, number_bytes(words)) : OUTCOME_MEMORY;
}

static enum outcome make_here(mpgpu_tree *t) {
    enum outcome outcome = session_ready();
    if (outcome == OUTCOME_DONE)
        outcome = allocate(t);
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

/* Builds the whole tree on the device with the least memory in use. */
enum outcome tree_make_on_device(mpgpu_tree *t) {
    int before = session_bind(session_least_used());
    enum outcome outcome = make_here(t);
    session_bind(before);
    return outcome;
}

/* Runs the job on the device that stores the tree. */
static enum outcome run_there(const mpgpu_tree *t, struct job *job) {
    int before = session_bind(t->store.device);
    enum outcome outcome = job_run(job);
    session_bind(before);
    return outcome;
}

/* ---- remainders */

/* Prepares a division by d = root * m, where m is the modulus of the check: computes the bits of d
 * and the first approximation of its reciprocal. */
static void approximate(struct job *job, const mpgpu_tree *t, mp_limb_t m, mp_limb_t *first) {
    size_t n = t->top_n < 2 * TOP_QUADS ? t->top_n : 2 * TOP_QUADS;
    mp_limb_t d[2 * TOP_QUADS + 1];
    d[n] = mpn_mul_1(d, t->top + t->top_n - n, (mp_size_t)n, m);
    size_t dn = n + (d[n] != 0);
    job->parameter[JOB_ROOT_BITS] = 64 * (t->from + t->top_n - n) + normalize_bits(d, dn);
    const uint64_t limbs = job_tree_first_limbs(job, t->root_words);
    job->u[JOB_FIRST_OF_TREE] = job_limbs(first, limbs);
    first_reciprocal(first, limbs / 2 - 1, d, dn, 0);
}

/* Returns whether the lowest `bits` bits of r and {x, xn} are equal. */
static bool agrees_below(const mp_limb_t *r, const mp_limb_t *x, size_t xn, size_t bits) {
    const size_t whole = bits / 64;
    const mp_limb_t mask = ((mp_limb_t)1 << bits % 64) - 1;
    for (size_t i = 0; i < whole; i++)
        if (r[i] != (i < xn ? x[i] : 0))
            return false;
    return ((r[whole] ^ (whole < xn ? x[whole] : 0)) & mask) == 0;
}

/* Returns the lowest limb of root / leaf i, for each i, in an array that the caller frees. Returns
 * NULL if memory is exhausted. */
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

/* Completes the device's check of its results, by their lowest bits (tree_look_at_low_bits). */
static enum outcome finish_check(const mpgpu_tree *t, const struct tree_question *q,
                                 const mp_limb_t *r) {
    const size_t xn = q->x ? mpz_size(q->x) : 0;
    enum outcome outcome =
        tree_look_at_low_bits(t, q->kind, xn ? mpz_limbs_read(q->x) : NULL, xn, r);
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

static void add_dividend(struct job *job, mpz_srcptr x) {
    struct job_ref *u = &job->u[job->operands++];
    *u = job_limbs(mpz_limbs_read(x), mpz_size(x));
    job->parameter[JOB_DIVIDEND_BITS] = normalize_bits(u->host, u->n);
    u->has_residue = job->u[JOB_TREE].has_residue;
    if (u->has_residue)
        u->residue = limbs_residue(u->host, u->n, tables_check_modulus());
}

static enum outcome ask(const mpgpu_tree *t, const struct tree_question *q, mp_limb_t *r) {
    const mp_limb_t scale[2] = {tables_check_modulus().m, 0};
    mp_limb_t first[FIRST_RECIPROCAL_LIMBS];
    struct job job = job_on(t, JOB_tree_remainders);
    job.operands = 3;
    job.parameter[JOB_LEAVES_RESIDUE] = t->of_leaves;
    job.u[JOB_SCALE] = job_limbs(scale, 2);
    job.r[0] = (struct job_ref){.host = r, .count = t->count, .n = t->n};
    if (q->x)
        add_dividend(&job, q->x);
    approximate(&job, t, scale[0], first);
    enum outcome outcome = run_there(t, &job);
    return outcome == OUTCOME_DONE && t->store.is_kept ? finish_check(t, q, r) : outcome;
}

enum outcome tree_ask_device(const mpgpu_tree *t, const struct tree_question *q) {
    const size_t limbs = t->count * t->n;
    mp_limb_t *r = malloc(bytes_of(limbs));
    enum outcome outcome = r ? ask(t, q, r) : OUTCOME_MEMORY;
    for (size_t i = 0; i < t->count && outcome == OUTCOME_DONE; i++)
        take(q->r[i], r + i * t->n, t->n);
    wipe_free(r, bytes_of(limbs));
    return outcome;
}

/* ---- the root */

enum outcome tree_fetch_root(mpz_ptr r, const mpgpu_tree *t) {
    const size_t n = t->from + t->top_n;
    struct job job = job_on(t, JOB_tree_root);
    job.r[0] = job_limbs(mpz_limbs_write(r, (mp_size_t)n), n);
    enum outcome outcome = run_there(t, &job);
    mpz_limbs_finish(r, outcome == OUTCOME_DONE ? (mp_size_t)n : 0);
    return outcome;
}
