/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_mul. It truncates the operands to r's precision, multiplies them, and truncates the product
 * to one limb more than this precision. */
#include <stdlib.h>

#include "compat/intercept/call.h"
#include "compat/mpf/mpf.h"
#include "lib/gmp/real.h"
#include "lib/job/job.h"
#include "lib/memory/wipe.h"
#include "lib/job/limbs.h"

static const _Atomic size_t *threshold_of(mpf_srcptr u, mpf_srcptr v) {
    return u == v ? &thresholds.sqr : &thresholds.mul;
}

/* Returns the number of limbs of the product of a and b, found from their highest limbs. Returns 0
 * if these two limbs do not decide it. */
static size_t limbs_of_product(struct mpf_limbs a, struct mpf_limbs b) {
    mp_limb_t high = a.p[a.n - 1], other = b.p[b.n - 1];
    if ((unsigned __int128)high * other >> 64)
        return a.n + b.n;
    return ~high && ~other && !((unsigned __int128)(high + 1) * (other + 1) >> 64) ? a.n + b.n - 1
                                                                                   : 0;
}

/* Sets r to the highest limbs of the product of a and b, which has n limbs. The device writes them
 * directly to r's limbs. */
static enum outcome highest(mpf_ptr r, struct mpf_limbs a, struct mpf_limbs b, size_t n,
                            mp_exp_t exp, bool negative) {
    size_t most = (size_t)r->_mp_prec + 1, rn = min_u64(n, most);
    struct job job = {.op = JOB_mul_part,
                      .operands = 2,
                      .results = 1,
                      .u = {job_limbs(a.p, a.n), job_limbs(b.p, b.n)},
                      .r = {job_limbs(r->_mp_d, rn)},
                      .parameter = {[JOB_SKIP] = n - rn}};
    enum outcome outcome = job_run(&job);
    if (outcome == OUTCOME_DONE) {
        r->_mp_size = negative ? -(int)rn : (int)rn;
        r->_mp_exp = exp - (mp_exp_t)(a.n + b.n - n);
    }
    return outcome;
}

/* Sets r to the product of a and b, which are the upper limbs of u and v. */
static enum outcome product(mpf_ptr r, struct mpf_limbs a, struct mpf_limbs b, mpf_srcptr u,
                            mpf_srcptr v) {
    mp_exp_t exp = u->_mp_exp + v->_mp_exp;
    bool negative = (u->_mp_size ^ v->_mp_size) < 0;
    size_t n = limbs_of_product(a, b);
    if (n && job_part_pays(a.n, b.n) && job_composites_run())
        return highest(r, a, b, n, exp, negative);
    mp_ptr tp = malloc((a.n + b.n) * sizeof *tp);
    enum outcome outcome = tp ? limbs_mul(tp, a.p, a.n, b.p, b.n) : OUTCOME_MEMORY;
    if (outcome == OUTCOME_DONE)
        mpf_keep(r, tp, a.n + b.n, exp, negative);
    wipe_free(tp, (a.n + b.n) * sizeof *tp);
    return outcome;
}

LARGE void mul_large(mpf_ptr r, mpf_srcptr u, mpf_srcptr v) {
    size_t prec = (size_t)r->_mp_prec;
    struct mpf_limbs a = mpf_upper(u, prec), b = mpf_upper(v, prec);
    CALL_DEVICE(CALL_ROW(mpf_mul), min_u64(a.n, b.n), threshold_of(u, v), a.n + b.n,
                product(r, a, b, u, v), real.mpf_mul(r, u, v));
}

LARGE void mul_perhaps(mpf_ptr r, mpf_srcptr u, mpf_srcptr v) {
    INTERCEPT(thresholds_one_is_small(&u->_mp_size, &v->_mp_size, threshold_of(u, v)),
              real.mpf_mul(r, u, v), mul_large(r, u, v));
}

EXPORT void mpf_mul(mpf_ptr r, mpf_srcptr u, mpf_srcptr v) {
    INTERCEPT(thresholds_is_small((size_t)r->_mp_prec, &thresholds.product), real.mpf_mul(r, u, v),
              mul_perhaps(r, u, v));
}
