/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products inside a composite operation. */
#include "lib/algorithms/composite.h"

#include "lib/dispatch/dispatch.h"
#include "lib/gmp/real.h"
#include "lib/gmp/result.h"
#include "lib/operate/limbs.h"

static bool is_worth_it(mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    return !thresholds_is_small(min_u64(un, vn), thresholds_of_product(up, un, vp, vn));
}

void composite_real_mul(mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    if (un >= vn)
        real.mpn_mul(rp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    else
        real.mpn_mul(rp, vp, (mp_size_t)vn, up, (mp_size_t)un);
}

void composite_count(struct composite *w, enum outcome outcome) {
    w->sent += outcome == OUTCOME_DONE;
    w->busy += outcome == OUTCOME_BUSY;
    if (outcome != OUTCOME_DONE && outcome != OUTCOME_BUSY)
        w->failed = outcome;
}

static void dispatch_mul(struct composite *w, mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp,
                         size_t vn) {
    struct dispatch_call call;
    const _Atomic size_t *threshold = thresholds_of_product(up, un, vp, vn);
    enum outcome outcome =
        dispatch_begin(&call, threshold, min_u64(un, vn), up == vp ? un : un + vn);
    if (outcome == OUTCOME_DONE)
        outcome = limbs_mul(rp, up, un, vp, vn);
    if (outcome != OUTCOME_DONE) {
        dispatch_give_up(&call);
        composite_real_mul(rp, up, un, vp, vn);
    }
    dispatch_end(&call, outcome);
    composite_count(w, outcome);
}

void composite_mul(struct composite *w, mp_ptr rp, mp_srcptr up, size_t un, mp_srcptr vp,
                   size_t vn) {
    if (is_worth_it(up, un, vp, vn))
        dispatch_mul(w, rp, up, un, vp, vn);
    else
        composite_real_mul(rp, up, un, vp, vn);
}

void composite_mpz_mul(struct composite *w, mpz_ptr r, mpz_srcptr x, mpz_srcptr y) {
    struct result t;
    size_t xn = mpz_size(x), yn = mpz_size(y);
    if (xn == 0 || yn == 0 || !result_open(&t, r, x->_mp_d, y->_mp_d, xn + yn)) {
        real.mpz_mul(r, x, y);
        return;
    }
    bool negative = (x->_mp_size ^ y->_mp_size) < 0;
    composite_mul(w, t.rp, x->_mp_d, xn, y->_mp_d, yn);
    result_keep(&t, xn + yn, negative);
}
