/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products and sums modulo B^n - 1. */
#include "lib/algorithms/mulmod_bnm1.h"

#include "lib/dispatch/dispatch.h"
#include "lib/job/engine.h"

size_t mulmod_bnm1_size(size_t least, size_t un, size_t vn) {
    const _Atomic size_t *threshold = &thresholds.mul;
    return thresholds_is_small(min_u64(un, vn), threshold) ? 0 : engine_bnm1_size(least, un, vn);
}

/* {rp, n} += {xp, xn} modulo B^n - 1; n >= xn >= 1; they do not overlap. */
static void add(mp_ptr rp, size_t n, mp_srcptr xp, size_t xn) {
    mp_limb_t carry = mpn_add(rp, rp, (mp_size_t)n, xp, (mp_size_t)xn);
    /* Cannot overflow: after a carry out of the sum, rp <= B^n - 2. */
    mpn_add_1(rp, rp, (mp_size_t)n, carry);
}

void mulmod_bnm1_mul(struct composite *w, mp_ptr rp, size_t n, mp_srcptr up, size_t un,
                     mp_srcptr vp, size_t vn) {
    mp_limb_t top;
    struct dispatch_call call;
    enum outcome outcome = dispatch_begin(&call, &thresholds.mulmod, n, un + vn);
    if (outcome == OUTCOME_DONE)
        outcome = limbs_mulmod(LIMBS_MULMOD_BNM1, rp, n, up, un, vp, vn, &top);
    if (outcome != OUTCOME_DONE) {
        dispatch_give_up(&call);
        composite_real_mul(rp, up, un, vp, vn);
        add(rp, n, rp + n, un + vn - n);
    }
    dispatch_end(&call, outcome);
    composite_count(w, outcome);
}

void mulmod_bnm1_subtract_from(mp_ptr rp, size_t n, mp_srcptr xp, size_t xn) {
    mpn_com(rp, rp, (mp_size_t)n); /* rp = B^n - 1 - rp */
    add(rp, n, xp, n);
    if (xn > n)
        add(rp, n, xp + n, xn - n);
    if (rp[n - 1]) /* B^n - 1 */
        mpn_zero(rp, (mp_size_t)n);
}
