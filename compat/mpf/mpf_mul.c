/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_mul: the product of the operands' upper limbs, as many as r's precision has,
 * cut to one limb more. */
#include <stdlib.h>

#include "compat/intercept/call.h"
#include "compat/mpf/mpf.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"
#include "lib/operate/limbs.h"

static const _Atomic size_t *threshold_of(mpf_srcptr u, mpf_srcptr v) {
    return u == v ? &thresholds.sqr : &thresholds.mul;
}

/* r = the product of a and b, parts of u and v. */
static enum outcome product(mpf_ptr r, struct mpf_limbs a, struct mpf_limbs b, mpf_srcptr u,
                            mpf_srcptr v) {
    mp_ptr tp = malloc((a.n + b.n) * sizeof *tp);
    enum outcome outcome = tp ? limbs_mul(tp, a.p, a.n, b.p, b.n) : OUTCOME_MEMORY;
    if (outcome == OUTCOME_DONE)
        mpf_keep(r, tp, a.n + b.n, u->_mp_exp + v->_mp_exp, (u->_mp_size ^ v->_mp_size) < 0);
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
