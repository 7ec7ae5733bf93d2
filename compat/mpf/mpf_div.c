/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_div and mpf_ui_div. They truncate the numerator, or extend it with zeros, so that the
 * quotient has one limb more than r's precision. */
#include <stdlib.h>

#include "compat/intercept/composite_call.h"
#include "compat/mpf/mpf.h"
#include "lib/algorithms/divide.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"

struct quotient {
    mpf_ptr r;
    struct mpf_limbs u, v; /* u: the numerator, of at most numerator_size limbs; v: the divisor */
    mp_exp_t exp;
    bool negative;
};

static size_t numerator_size(size_t vn, size_t prec) {
    return vn + prec;
}

/* Computes the quotient on the device, directly into r's limbs. Returns false if the device did not
 * compute it. */
static bool divide_straight(struct composite *w, const struct quotient *q) {
    size_t n = (size_t)q->r->_mp_prec + 1, nn = q->v.n + n - 1;
    const struct division d = {.qp = q->r->_mp_d,
                               .np = q->u.p,
                               .dp = q->v.p,
                               .nn = nn,
                               .dn = q->v.n,
                               .zeros = nn - q->u.n};
    /* If the divisor is longer than the quotient by more than 2 limbs, divide_q computes the
     * quotient, because divide_q need not use all of the divisor's limbs. */
    if (q->v.n > n + 2 || !divide_limbs(w, &d))
        return false;
    bool fills = q->r->_mp_d[n - 1] != 0;
    q->r->_mp_exp = q->exp - !fills;
    q->r->_mp_size = (int)n - !fills;
    q->r->_mp_size = q->negative ? -q->r->_mp_size : q->r->_mp_size;
    return true;
}

static bool divide(struct composite *w, const struct quotient *q) {
    size_t prec = (size_t)q->r->_mp_prec, nn = numerator_size(q->v.n, prec);
    if (divide_straight(w, q))
        return true;
    mp_ptr tp = malloc((nn + prec + 1) * sizeof *tp);
    bool exact, done = false;
    if (tp) {
        mp_ptr qp = tp + nn;
        done = divide_q(w, qp, &exact, mpf_lengthen(q->u, nn, tp), nn, q->v.p, q->v.n);
        if (done)
            mpf_keep(q->r, qp, prec + 1, q->exp, q->negative);
    }
    wipe_free(tp, (nn + prec + 1) * sizeof *tp);
    return done;
}

/* Returns the size that decides whether a division by v is large: the smaller one of the limbs of v
 * and of the quotient. */
static inline size_t size_of(mpf_srcptr r, mpf_srcptr v) {
    size_t vn = mpf_size_of(v);
    return divide_size(numerator_size(vn, (size_t)r->_mp_prec), vn);
}

/* Returns true if the quotient or the divisor is small. The quotient's limbs, which are known at
 * once, decide nearly always. */
static inline bool is_small(mpf_srcptr r, mpf_srcptr v) {
    return thresholds_is_small((size_t)r->_mp_prec + 1, &thresholds.div) ||
           thresholds_is_small(size_of(r, v), &thresholds.div);
}

static size_t quotient_size(const struct quotient *q, mpf_srcptr v) {
    return q->u.n && q->v.n > 1 ? size_of(q->r, v) : 0;
}

LARGE void div_large(mpf_ptr r, mpf_srcptr u, mpf_srcptr v) {
    size_t vn = mpf_size_of(v);
    struct quotient q = {r,
                         mpf_upper(u, numerator_size(vn, (size_t)r->_mp_prec)),
                         {v->_mp_d, vn},
                         u->_mp_exp - v->_mp_exp + 1,
                         (u->_mp_size ^ v->_mp_size) < 0};
    CALL_COMPOSITE(w, CALL_ROW(mpf_div), quotient_size(&q, v), &thresholds.div, q.u.n + q.v.n,
                   divide(w, &q), real.mpf_div(r, u, v));
}

EXPORT void mpf_div(mpf_ptr r, mpf_srcptr u, mpf_srcptr v) {
    INTERCEPT(is_small(r, v), real.mpf_div(r, u, v), div_large(r, u, v));
}

LARGE void ui_div_large(mpf_ptr r, mp_limb_t u, mpf_srcptr v) {
    struct quotient q = {
        r, {&u, u != 0}, {v->_mp_d, mpf_size_of(v)}, 1 - v->_mp_exp + 1, v->_mp_size < 0};
    CALL_COMPOSITE(w, CALL_ROW(mpf_ui_div), quotient_size(&q, v), &thresholds.div, q.u.n + q.v.n,
                   divide(w, &q), real.mpf_ui_div(r, u, v));
}

EXPORT void mpf_ui_div(mpf_ptr r, unsigned long u, mpf_srcptr v) {
    INTERCEPT(is_small(r, v), real.mpf_ui_div(r, u, v), ui_div_large(r, u, v));
}
