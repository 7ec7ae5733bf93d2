/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions similar to GMP's mpn functions. Each makes a job for the device and runs it. */
#include "lib/job/limbs.h"

#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/base/stats.h"
#include "lib/job/engine.h"
#include "lib/job/limbs_gmp.h"
#include "lib/memory/touch.h"
#include "lib/process/executor.h"
#include "lib/process/surroundings.h"
#include "lib/process/thread_pool.h"
#include "lib/session/session.h"

static struct job job_of(enum job_op op, mp_ptr rp, size_t rn, mp_srcptr up, size_t un,
                         mp_srcptr vp, size_t vn) {
    const bool swaps = un < vn && op != JOB_sub;
    return (struct job){.op = op,
                        .operands = 2,
                        .results = 1,
                        .u = {swaps ? job_limbs(vp, vn) : job_limbs(up, un),
                              swaps ? job_limbs(up, un) : job_limbs(vp, vn)},
                        .r = {job_limbs(rp, rn)}};
}

enum outcome limbs_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    struct job job = job_of(JOB_mul, rp, un + vn, up, un, vp, vn);
    return job_run(&job);
}

static enum outcome run_with_carry(struct job *job, mp_limb_t *carry) {
    enum outcome outcome = job_run(job);
    *carry = job->answer & JOB_CARRY ? 1 : 0;
    return outcome;
}

enum outcome limbs_add(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn,
                       mp_limb_t *carry) {
    struct job job = job_of(JOB_add, rp, un, up, un, vp, vn);
    return run_with_carry(&job, carry);
}

enum outcome limbs_sub(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn,
                       mp_limb_t *borrow) {
    struct job job = job_of(JOB_sub, rp, un, up, un, vp, vn);
    return run_with_carry(&job, borrow);
}

enum outcome limbs_mulmod(enum limbs_modulus modulus, mp_ptr rp, size_t rn, mp_srcptr up, size_t un,
                          mp_srcptr vp, size_t vn, mp_limb_t *top) {
    *top = 0;
    if (modulus == LIMBS_MULMOD_BNM1 && un + vn <= rn)
        return limbs_mul(rp, up, un, vp, vn);
    if (modulus == LIMBS_MULMOD_LOW) {
        un = min_u64(un, rn);
        vn = min_u64(vn, rn);
    }
    struct job job = job_of(modulus == LIMBS_MULMOD_LOW    ? JOB_mullo
                            : modulus == LIMBS_MULMOD_BNM1 ? JOB_mulmod_bnm1
                                                           : JOB_mulmod_bnp1,
                            rp, rn, up, un, vp, vn);
    return run_with_carry(&job, top);
}

static enum outcome by_limb(mp_ptr rp, size_t rn, mp_srcptr wp, size_t wn, mp_srcptr up, size_t un,
                            mp_limb_t v, bool subtract, bool *negative) {
    struct job job = {.op = JOB_mul_1,
                      .operands = wn > 0 ? 2 : 1,
                      .results = 1,
                      .u = {job_limbs(up, un), job_limbs(wp, wn)},
                      .r = {job_limbs(rp, rn)},
                      .parameter = {[JOB_LIMB] = v, [JOB_SUBTRACT] = subtract}};
    enum outcome outcome = job_run(&job);
    *negative = job.answer & JOB_IS_NEGATIVE;
    return outcome;
}

enum outcome limbs_mul_1(mp_ptr rp, mp_srcptr up, size_t un, mp_limb_t v) {
    bool negative;
    return by_limb(rp, un + 1, NULL, 0, up, un, v, false, &negative);
}

enum outcome limbs_addmul_1(mp_ptr rp, size_t rn, mp_srcptr wp, size_t wn, mp_srcptr up, size_t un,
                            mp_limb_t v) {
    bool negative;
    return by_limb(rp, rn, wp, wn, up, un, v, false, &negative);
}

enum outcome limbs_submul_1(mp_ptr rp, size_t rn, mp_srcptr wp, size_t wn, mp_srcptr up, size_t un,
                            mp_limb_t v, bool *negative) {
    return by_limb(rp, rn, wp, wn, up, un, v, true, negative);
}

/* ---- several products */

static bool touch_factors(const struct limbs_factors *f) {
    const struct touch touches[] = {{f->up, f->un * sizeof *f->up, false},
                                    {f->vp, f->vn * sizeof *f->vp, false},
                                    {f->rp, (f->un + f->vn) * sizeof *f->rp, true}};
    return touch_all(touches, sizeof touches / sizeof *touches);
}

static enum outcome verify_all(const struct limbs_factors *f, unsigned count) {
    enum outcome outcome = OUTCOME_DONE;
    for (unsigned i = 0; i < count && outcome == OUTCOME_DONE; i++, f++) {
        struct job job = job_of(JOB_mul, f->rp, f->un + f->vn, f->up, f->un, f->vp, f->vn);
        outcome = job_judge(limbs_verify(&job), "product", f->un, f->vn);
    }
    return outcome;
}

/* Products that the device computes one by one. THREADS: the operations that a device computes at
 * the same time (lib/session/streams.h). LONG: the link to the device bounds longer products, in
 * limbs of both operands, so that they gain nothing. */
enum { THREADS = 4, LONG = 1 << 18 };

struct one_by_one {
    const struct limbs_factors *f;
    unsigned count;
    int device; /* to which the calling thread is bound */
    atomic_uint next;
    enum outcome outcome[LIMBS_SEVERAL];
    struct stats_times times[THREADS];
};

/* Computes products until none is left.  Any thread. */
static void take_products(void *several, unsigned thread) {
    struct one_by_one *k = several;
    struct stats_times before = *stats_here();
    int bound = session_bind(k->device);
    unsigned i;
    stats_begin();
    while ((i = atomic_fetch_add(&k->next, 1)) < k->count)
        k->outcome[i] = limbs_mul(k->f[i].rp, k->f[i].up, k->f[i].un, k->f[i].vp, k->f[i].vn);
    session_bind(bound);
    k->times[thread] = *stats_here();
    *stats_here() = before;
}

/* Returns how many threads should send the products to the device.  If the device computes on the
 * CPU, more than one would gain nothing; if the program handles page faults, its handler may have
 * to run in the calling thread. */
static unsigned threads_for(const struct limbs_factors *f, unsigned count) {
    unsigned threads = min_u64(min_u64(count, THREADS), thread_pool_width());
    for (unsigned i = 0; i < count; i++)
        threads = f[i].un + f[i].vn > LONG ? 1 : threads;
    return executor_spin_ns() == 0 || surroundings_handle_faults() ? 1 : threads;
}

static enum outcome mul_one_by_one(const struct limbs_factors *f, unsigned count) {
    struct one_by_one k = {.f = f, .count = count, .device = session_bound()};
    const unsigned threads = threads_for(f, count);
    enum outcome outcome = OUTCOME_DONE;
    thread_pool_run(threads, take_products, &k);
    for (unsigned i = 0; i < threads; i++)
        stats_add(&k.times[i]);
    for (unsigned i = 0; i < count && outcome == OUTCOME_DONE; i++)
        outcome = k.outcome[i];
    return outcome;
}

enum outcome limbs_mul_several(const struct limbs_factors *f, unsigned count) {
    enum outcome outcome;
    for (unsigned i = 0; i < count; i++)
        if (!touch_factors(&f[i]))
            return OUTCOME_MEMORY;
    if (engine_run_several(f, count, &outcome))
        return outcome != OUTCOME_DONE || mpgpu_conf.verify < VERIFY_RESIDUE ? outcome
                                                                             : verify_all(f, count);
    return mul_one_by_one(f, count);
}
