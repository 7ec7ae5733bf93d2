/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions similar to GMP's mpn functions. Each builds a job and runs it on the device. */
#include "lib/job/limbs.h"

#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/job/engine.h"
#include "lib/job/limbs_gmp.h"
#include "lib/memory/touch.h"

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

enum outcome limbs_mul_several(const struct limbs_factors *f, unsigned count) {
    enum outcome outcome;
    for (unsigned i = 0; i < count; i++)
        if (!touch_factors(&f[i]))
            return OUTCOME_MEMORY;
    if (engine_run_several(f, count, &outcome))
        return outcome != OUTCOME_DONE || mpgpu_conf.verify < VERIFY_RESIDUE ? outcome
                                                                             : verify_all(f, count);
    outcome = OUTCOME_DONE;
    for (unsigned i = 0; i < count && outcome == OUTCOME_DONE; i++)
        outcome = limbs_mul(f[i].rp, f[i].up, f[i].un, f[i].vp, f[i].vn);
    return outcome;
}
