/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_mul: the product of the operands' upper limbs, as many as r's precision has,
 * cut to one limb more. */
#include <stdlib.h>

#include "lib/memory/wipe.h"
#include "lib/operate/limbs.h"
#include "compat/mpf/mpf.h"
#include "lib/gmp/real.h"

static const _Atomic size_t *threshold_of(mpf_srcptr u, mpf_srcptr v) {
    return u == v ? &thresholds.sqr : &thresholds.mul;
}

LARGE void mul_large(mpf_ptr r, mpf_srcptr u, mpf_srcptr v) {
    struct call call;
    size_t prec = (size_t)r->_mp_prec;
    struct mpf_limbs a = mpf_upper(u, prec), b = mpf_upper(v, prec);
    if (!call_begin(&call, CALL_ROW(mpf_mul), min_u64(a.n, b.n), threshold_of(u, v), a.n + b.n)) {
        real.mpf_mul(r, u, v);
        return;
    }
    mp_ptr tp = malloc((a.n + b.n) * sizeof *tp);
    enum outcome why = tp ? limbs_mul(tp, a.p, a.n, b.p, b.n) : OUTCOME_MEMORY;
    if (why == OUTCOME_DONE)
        mpf_keep(r, tp, a.n + b.n, u->_mp_exp + v->_mp_exp, (u->_mp_size ^ v->_mp_size) < 0);
    else
        real.mpf_mul(r, u, v);
    wipe_free(tp, (a.n + b.n) * sizeof *tp);
    call_end(&call, why);
}

LARGE void mul_perhaps(mpf_ptr r, mpf_srcptr u, mpf_srcptr v) {
    if (call_one_is_small(&u->_mp_size, &v->_mp_size, threshold_of(u, v)))
        real.mpf_mul(r, u, v);
    else
        mul_large(r, u, v);
}

EXPORT void mpf_mul(mpf_ptr r, mpf_srcptr u, mpf_srcptr v) {
    if (call_is_small((size_t)r->_mp_prec, &thresholds.product))
        real.mpf_mul(r, u, v);
    else
        mul_perhaps(r, u, v);
}
