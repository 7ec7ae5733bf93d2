/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_mul: the product of the operands' upper limbs, as many as r's precision has,
 * cut to one limb more. */
#include <stdlib.h>

#include "call.h"
#include "limbs.h"
#include "real.h"

/* The upper limbs of an operand that count. */
struct upper {
    mp_srcptr p;
    size_t n;
};

static struct upper upper_limbs(mpf_srcptr x, size_t prec) {
    size_t n = (size_t)abs(x->_mp_size), skip = n > prec ? n - prec : 0;
    return (struct upper){x->_mp_d + skip, n - skip};
}

/* r = {tp, n} with its point after the top limb moved to exp, cut to its precision. */
static void keep(mpf_ptr r, mp_srcptr tp, size_t n, mp_exp_t exp, int negative) {
    size_t most = (size_t)r->_mp_prec + 1;
    if (tp[n - 1] == 0) {
        n--;
        exp--;
    }
    size_t skip = n > most ? n - most : 0;
    n -= skip;
    mpn_copyi(r->_mp_d, tp + skip, (mp_size_t)n);
    r->_mp_size = negative ? -(int)n : (int)n;
    r->_mp_exp = exp;
}

LARGE void mul_large(mpf_ptr r, mpf_srcptr u, mpf_srcptr v, const _Atomic size_t *threshold) {
    struct call call;
    size_t prec = (size_t)r->_mp_prec;
    struct upper a = upper_limbs(u, prec), b = upper_limbs(v, prec);
    if (!call_begin(&call, CALL_ROW(mpf_mul), call_smaller(a.n, b.n), threshold, a.n + b.n)) {
        real.mpf_mul(r, u, v);
        return;
    }
    mp_ptr tp = malloc((a.n + b.n) * sizeof *tp);
    enum mpgpu_why why = tp ? limbs_mul(tp, a.p, a.n, b.p, b.n) : WHY_MEMORY;
    if (why == WHY_DONE)
        keep(r, tp, a.n + b.n, u->_mp_exp + v->_mp_exp, (u->_mp_size ^ v->_mp_size) < 0);
    else
        real.mpf_mul(r, u, v);
    free(tp);
    call_end(&call, why);
}

EXPORT void mpf_mul(mpf_ptr r, mpf_srcptr u, mpf_srcptr v) {
    const _Atomic size_t *threshold = u == v ? &session_thresholds.sqr : &session_thresholds.mul;
    if (call_is_small((size_t)abs(u->_mp_size), threshold) ||
        call_is_small((size_t)abs(v->_mp_size), threshold) ||
        call_is_small((size_t)r->_mp_prec, threshold))
        real.mpf_mul(r, u, v);
    else
        mul_large(r, u, v, threshold);
}
