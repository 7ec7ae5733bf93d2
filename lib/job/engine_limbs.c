/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs operations on limbs. Small products of several threads share a launch; several devices share
 * a long product. If a product needs more than the device's memory, the longer operand is halved
 * until each partial product fits. The partial products are added, and each is checked by
 * itself. */
#include "lib/base/conf.h"
#include "lib/device/retry.h"
#include "lib/job/engine.h"
#include "lib/job/far_job.h"
#include "lib/multiply/direct.h"
#include "lib/multiply/mulmod.h"
#include "lib/operate/shards/product_shards.h"
#include "lib/process/floating.h"
#include "lib/session/session.h"
#include "lib/transfer/caller_memory.h"

enum { LEAST_LIMBS = 8192 /* operands below this length are not halved */ };

/* ---- functions that run an operation on one device */

static enum gpu_status persist(struct context *s, void *job) {
    return context_runs_jobs(s) ? far_run(s, job) : retry_with_less(s, recipe_limbs, job);
}

static enum outcome run_alone(struct job *job) {
    return engine_submit(persist, job, offsetof(struct job, e), job_host_bytes(job));
}

/* ---- functions that launch small products together with products of other threads */

/* Returns true if the product is small enough to share a launch with others. Returns false in
 * mpgpu-serve, because the client has tried this before it sent the job. */
static bool may_coalesce(const struct job *job) {
    return !far_here() && job->op < JOB_add && small_fits(2 * job->u[0].n, 2 * job->u[1].n);
}

/* Computes a small product in one launch with products of other threads. Returns false if the
 * caller must run the job in a launch of its own. */
static bool coalesce(struct job *job, enum outcome *outcome) {
    struct direct_product p = {.kind = job->op == JOB_mulmod_bnp1   ? DIRECT_PLUS
                                       : job->op == JOB_mulmod_bnm1 ? DIRECT_MINUS
                                                                    : DIRECT_LOW,
                               .rp = job->r[0].host,
                               .rn = job->r[0].n,
                               .up = job->u[0].host,
                               .un = job->u[0].n,
                               .vp = job->u[1].host,
                               .vn = job->u[1].n};
    bool serves = session_run_products(&p, 1, outcome);
    job->answer = p.top ? JOB_CARRY : 0;
    return serves;
}

static struct direct_product direct_of(const struct limbs_factors *f) {
    bool swaps = f->un < f->vn;
    return (struct direct_product){.kind = DIRECT_LOW,
                                   .rp = f->rp,
                                   .rn = f->un + f->vn,
                                   .up = swaps ? f->vp : f->up,
                                   .un = swaps ? f->vn : f->un,
                                   .vp = swaps ? f->up : f->vp,
                                   .vn = swaps ? f->un : f->vn};
}

bool engine_is_small(const struct limbs_factors *f) {
    struct direct_product p = direct_of(f);
    return session_fits_product(&p);
}

bool engine_run_several(const struct limbs_factors *f, unsigned count, enum outcome *outcome) {
    struct direct_product p[LIMBS_SEVERAL];
    for (unsigned i = 0; i < count; i++)
        p[i] = direct_of(&f[i]);
    return session_run_products(p, count, outcome);
}

/* ---- in pieces */

/* Adds 1 to limb `at` of a result, and propagates the carry. Only the first JOB_OLD limbs of the
 * result are initialised. */
static void increment(struct job *job, uint64_t at) {
    const struct job_ref *r = &job->r[0];
    const uint64_t one = 1;
    for (; at < job->parameter[JOB_OLD]; at++)
        if (caller_add(r->host + at, 1) == 0)
            return;
    if (job->parameter[JOB_OLD] < r->n)
        caller_write(NULL, r->host + job->parameter[JOB_OLD]++, &one, sizeof one);
    else
        job->answer = JOB_CARRY;
}

static enum outcome multiply(struct job *job);

/* Multiplies n limbs of the first operand, from limb `at`, by the second operand. Adds the
 * product to the result, from the result's limb `at` up. Only the first `old` limbs there have a
 * value already; the others are set. Sets *carries if the addition has a carry out.
 *
 * Returns OUTCOME_MEMORY if the device is closed before all parts are computed: GMP then computes
 * the whole product. */
static enum outcome multiply_part(const struct job *job, uint64_t at, uint64_t n, uint64_t old,
                                  bool *carries) {
    const struct job_ref *u = &job->u[0], *v = &job->u[1];
    struct job part = {.op = JOB_mul,
                       .operands = 2,
                       .results = 1,
                       .u = {job_limbs(u->host + at, n), *v},
                       .r = {job_limbs(job->r[0].host + at, n + v->n)},
                       .parameter = {[JOB_OLD] = old}};
    if (n < v->n) {
        part.u[0] = *v;
        part.u[1] = job_limbs(u->host + at, n);
    }
    enum outcome outcome = multiply(&part);
    *carries = part.answer & JOB_CARRY;
    return outcome == OUTCOME_NONE ? OUTCOME_MEMORY : outcome;
}

/* Adds the products of both halves of the first operand to the result. Adds a carry out of the low
 * half's product to the result's next limb. */
static enum outcome multiply_halves(struct job *job) {
    const uint64_t un = job->u[0].n, half = un / 2, end = half + job->u[1].n;
    uint64_t *old = &job->parameter[JOB_OLD];
    bool carries;
    enum outcome outcome = multiply_part(job, 0, half, *old < end ? *old : end, &carries);
    if (outcome != OUTCOME_DONE)
        return outcome;
    job->answer = 0;
    *old = *old < end ? end : *old;
    if (carries)
        increment(job, end);
    outcome = multiply_part(job, half, un - half, *old - half, &carries);
    job->answer |= carries ? JOB_CARRY : 0;
    return outcome;
}

/* Multiplies on one device. If its memory does not suffice, halves the longer operand, unless a
 * server owns the device: the server has already tried that. */
static enum outcome multiply(struct job *job) {
    enum outcome outcome;
    const bool may_be_cut = job->u[0].n >= LEAST_LIMBS;
    if (job->parameter[JOB_OLD] == 0 && may_coalesce(job) && coalesce(job, &outcome))
        return outcome;
    job->parameter[JOB_MAY_BE_CUT] = may_be_cut;
    outcome = run_alone(job);
    return outcome == OUTCOME_MEMORY && may_be_cut && !session_is_served() ? multiply_halves(job)
                                                                           : outcome;
}

/* Multiplies on one device. A correct product has no carry, so a carry counts as a fault of the
 * device. In mpgpu-serve the client counts the fault instead. */
static enum outcome multiply_whole(struct job *job) {
    enum outcome outcome = multiply(job);
    if (outcome != OUTCOME_DONE || !(job->answer & JOB_CARRY) || far_here())
        return outcome;
    session_fault(); /* a correct product has no carry */
    return OUTCOME_FAILED;
}

/* ---- */

static enum outcome run_mul(struct job *job) {
    const struct job_ref *u = &job->u[0], *v = &job->u[1];
    int device = SESSION_ANY;
    const bool is_whole = job->parameter[JOB_OLD] == 0;
    if (is_whole &&
        product_in_shards(job->r[0].host, u->host, u->n, v->host, v->n, &device) == OUTCOME_DONE)
        return OUTCOME_DONE;
    const int before = session_bind(device == SESSION_ANY ? session_bound() : device);
    enum outcome outcome = multiply_whole(job);
    session_bind(before);
    return outcome;
}

enum outcome engine_run_limbs(struct job *job) {
    enum outcome outcome;
    job->r[0].delivered = job->r[0].n;
    if (job->op == JOB_mul)
        return run_mul(job);
    if (may_coalesce(job) && coalesce(job, &outcome))
        return outcome;
    return run_alone(job);
}

/* Compares the costs of the product modulo B^rn - 1 (B = 2^64) and of the whole product. Saves and
 * restores the floating-point settings of the calling thread, which belongs to the program. */
size_t engine_bnm1_size(size_t least, size_t un, size_t vn) {
    struct floating before;
    if (mpgpu_conf.verify == VERIFY_RESIDUE)
        return 0;
    floating_begin(&before);
    uint64_t words = mulmod_minus_words(2 * least, 2 * un, 2 * vn);
    floating_end(&before);
    return words / 2;
}
