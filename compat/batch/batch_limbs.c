/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu_batch_mul_n and related functions (include/mpgpu.h): multiply many pairs of numbers in host
 * memory. */
#include <stdatomic.h>
#include <stdlib.h>

#include "compat/batch/batch_gmp.h"
#include "compat/batch/shards.h"
#include "compat/intercept/call.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/gmp/memory.h"
#include "lib/memory/wipe.h"
#include "lib/job/job.h"

/* A part of a batch, computed by one call on a device, has at most this many limbs of each operand,
 * and one number more. */
enum { MOST_LIMBS = 1 << 23 };

/* A batch product in host memory: rp[i] = up[i] * vp[i] for `count` numbers. Operands have n limbs.
 * Results have 2n limbs, or n if only the low half is computed. For squares, vp is up. */
struct batch_limbs {
    mp_limb_t *rp;
    const mp_limb_t *up, *vp;
    size_t n, count;
    int low;
};

/* ---- the whole batch in one call */

static size_t result_limbs(const struct batch_limbs *b) {
    return b->low ? b->n : 2 * b->n;
}

static int multiply_all(void *limbs) {
    const struct batch_limbs *b = limbs;
    for (size_t i = 0; i < b->count; i++)
        gmp_multiply(b->rp + i * result_limbs(b), b->up + i * b->n, b->vp + i * b->n, b->n, b->low);
    return 0;
}

/* Computes all products with GMP. Returns 0 or MPGPU_NO_MEMORY. */
static int by_gmp(const struct batch_limbs *b) {
    struct batch_limbs copy = *b;
    int error = memory_guarded(multiply_all, &copy, MPGPU_NO_MEMORY);
    return error ? batch_fail(error) : 0;
}

/* Compares the device's products with GMP's, product by product. The host could not verify the low
 * half of a product by residues, because the high half is unknown. */
static enum outcome verify(const struct batch_limbs *b) {
    size_t rn = result_limbs(b);
    mp_limb_t *right = malloc(2 * b->n * sizeof *right);
    enum verify_result result = right ? VERIFY_GOOD : VERIFY_NO_MEMORY;
    for (size_t i = 0; i < b->count && result == VERIFY_GOOD; i++) {
        gmp_multiply(right, b->up + i * b->n, b->vp + i * b->n, b->n, b->low);
        if (mpn_cmp(right, b->rp + i * rn, (mp_size_t)rn) != 0)
            result = VERIFY_WRONG;
    }
    wipe_free(right, 2 * b->n * sizeof *right);
    return job_judge(result, "product in a batch", b->n, b->n);
}

static struct job_ref array(const mp_limb_t *p, const struct batch_limbs *b, size_t n) {
    return (struct job_ref){.host = (mp_limb_t *)p, .count = b->count, .n = n};
}

static enum outcome on_device(const struct batch_limbs *b) {
    if (b->n > BATCH_MOST_WORDS / 2)
        return OUTCOME_SIZE;
    struct job job = {.op = b->low ? JOB_batch_mullo : JOB_batch_mul,
                      .operands = 2,
                      .results = 1,
                      .u = {array(b->up, b, b->n), array(b->vp, b, b->n)},
                      .r = {array(b->rp, b, result_limbs(b))}};
    enum outcome outcome = job_run(&job);
    return outcome == OUTCOME_DONE && mpgpu_conf.verify >= VERIFY_RESIDUE ? verify(b) : outcome;
}

/* ---- the batch in parts */

struct parts {
    const struct batch_limbs *all;
    /* the devices, each with its own thread; a single thread uses any device */
    struct batch_cut cut;
    size_t most;        /* the maximum count of numbers in a part; the last part may have fewer */
    atomic_size_t next; /* the index of the first number whose part no thread has taken yet */
    enum outcome *outcome;
};

static struct batch_limbs part_of(const struct parts *p, size_t i) {
    struct batch_limbs part = *p->all;
    part.rp += i * result_limbs(p->all);
    part.up += i * p->all->n;
    part.vp += i * p->all->n;
    part.count = p->all->count - i < p->most ? p->all->count - i : p->most;
    return part;
}

/* Runs in each thread, which has its own device: takes and computes parts until no part is left. */
static void take_parts(void *parts, unsigned thread) {
    struct parts *p = parts;
    size_t i;
    (void)thread;
    while ((i = atomic_fetch_add(&p->next, p->most)) < p->all->count) {
        struct batch_limbs part = part_of(p, i);
        p->outcome[i / p->most] = on_device(&part);
    }
}

/* Computes with GMP the parts that failed on the device. Sets *error to 0 or MPGPU_NO_MEMORY.
 * Returns the outcome of one failed part, or OUTCOME_DONE if none failed. */
static enum outcome finish(const struct parts *p, int *error) {
    enum outcome all = OUTCOME_DONE;
    for (size_t i = 0; i < p->all->count; i += p->most) {
        enum outcome outcome = p->outcome[i / p->most];
        struct batch_limbs part = part_of(p, i);
        if (outcome != OUTCOME_DONE && !*error)
            *error = by_gmp(&part);
        all = outcome != OUTCOME_DONE ? outcome : all;
    }
    return all;
}

/* Computes the batch in parts on the devices. If option `verify` demands GMP's results, uses only
 * the calling thread, because GMP must run in that thread. */
static enum outcome in_parts(const struct batch_limbs *b, int *error) {
    struct parts p = {.all = b, .most = MOST_LIMBS / b->n + 1};
    bool is_one =
        mpgpu_conf.verify >= VERIFY_RESIDUE || !shards_plan(&p.cut, b->count, 2 * b->count * b->n);
    unsigned threads = is_one ? 1 : p.cut.shards;
    p.cut.shards = threads;
    if (threads > 1 && p.most > ceil_div(b->count, threads))
        p.most = ceil_div(b->count, threads);
    p.outcome = malloc(ceil_div(b->count, p.most) * sizeof *p.outcome);
    if (!p.outcome) {
        *error = by_gmp(b);
        return OUTCOME_MEMORY;
    }
    shards_run_on(threads > 1 ? p.cut.device : NULL, threads, take_parts, &p);
    enum outcome outcome = finish(&p, error);
    free(p.outcome);
    return outcome;
}

static int multiply(const struct batch_limbs *b) {
    struct call call;
    size_t size;
    if (__builtin_mul_overflow(b->n, b->count, &size))
        return batch_fail(MPGPU_ARGUMENTS);
    if (size == 0)
        return 0;
    if (!b->rp || !b->up || !b->vp)
        return batch_fail(MPGPU_ARGUMENTS);
    if (b->n > BATCH_MOST_WORDS / 2 ||
        !call_begin(&call, ROW_mpgpu_batch_mul, size, &thresholds.batch, 2 * size)) {
        call_init();
        /* GMP computes the batch with calls of its exported functions, which are intercepted one
         * by one if the numbers are long. */
        return by_gmp(b);
    }
    int error = 0;
    call_end(&call, in_parts(b, &error));
    return error;
}

EXPORT int mpgpu_batch_mul_n(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n,
                             size_t count) {
    struct batch_limbs b = {rp, up, vp, n, count, 0};
    return multiply(&b);
}

EXPORT int mpgpu_batch_sqr_n(mp_limb_t *rp, const mp_limb_t *up, size_t n, size_t count) {
    struct batch_limbs b = {rp, up, up, n, count, 0};
    return multiply(&b);
}

EXPORT int mpgpu_batch_mullo_n(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n,
                               size_t count) {
    struct batch_limbs b = {rp, up, vp, n, count, 1};
    return multiply(&b);
}
