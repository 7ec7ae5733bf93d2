/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_sqrt and mpf_sqrt_ui. They extend the number with zeros, or truncate it, so that its exponent
 * is even and its root has r's precision. */
#include "compat/intercept/composite_call.h"
#include "compat/mpf/mpf.h"
#include "lib/algorithms/root.h"
#include "lib/algorithms/scratch.h"
#include "lib/gmp/real.h"

/* Returns the number of limbs of the integer whose square root is computed, if the mpf has exponent
 * exp. An odd exp takes one limb less, because the exponent must be even. */
static size_t radicand_size(mpf_srcptr r, mp_exp_t exp) {
    return 2 * (size_t)r->_mp_prec - (exp % 2 != 0);
}

/* Sets r to the square root of u * 2^(64 exp), where u is the fraction with the limbs {u.p, u.n}
 * behind the point, u.n >= 1. */
static bool root(struct composite *w, mpf_ptr r, struct mpf_limbs u, mp_exp_t exp) {
    size_t odd = exp % 2 != 0, nn = radicand_size(r, exp), sn = root_square_size(nn);
    mp_ptr tp = scratch_alloc(nn + sn);
    if (!tp)
        return false;
    const struct root x = {.sp = tp + nn, .np = mpf_lengthen(u, nn, tp), .nn = nn, .k = 2};
    bool done = root_of_limbs(w, &x);
    if (done)
        mpf_keep(r, x.sp, sn, (exp + (mp_exp_t)odd) / 2, 0);
    scratch_free(tp);
    return done;
}

static inline bool is_small(mpf_srcptr r) {
    return thresholds_is_small((size_t)r->_mp_prec, &thresholds.sqrt);
}

/* Returns the upper limbs of u, of which the root is computed; no limbs if u is 0 or negative. */
static struct mpf_limbs radicand(mpf_srcptr r, mpf_srcptr u) {
    return u->_mp_size > 0 ? mpf_upper(u, radicand_size(r, u->_mp_exp))
                           : (struct mpf_limbs){NULL, 0};
}

LARGE void sqrt_large(mpf_ptr r, mpf_srcptr u) {
    struct mpf_limbs n = radicand(r, u);
    size_t nn = radicand_size(r, u->_mp_exp);
    CALL_COMPOSITE(w, CALL_ROW(mpf_sqrt), n.n ? root_square_size(nn) : 0, &thresholds.sqrt, nn,
                   root(w, r, n, u->_mp_exp), real.mpf_sqrt(r, u));
}

EXPORT void mpf_sqrt(mpf_ptr r, mpf_srcptr u) {
    INTERCEPT(is_small(r), real.mpf_sqrt(r, u), sqrt_large(r, u));
}

/* Computes the root of a word u. GMP computes the roots of 0 and 1, which have one limb. */
LARGE void sqrt_ui_large(mpf_ptr r, unsigned long u) {
    struct mpf_limbs n = {&u, u > 1};
    size_t nn = radicand_size(r, 1);
    CALL_COMPOSITE(w, CALL_ROW(mpf_sqrt_ui), n.n ? root_square_size(nn) : 0, &thresholds.sqrt, nn,
                   root(w, r, n, 1), real.mpf_sqrt_ui(r, u));
}

EXPORT void mpf_sqrt_ui(mpf_ptr r, unsigned long u) {
    INTERCEPT(is_small(r), real.mpf_sqrt_ui(r, u), sqrt_ui_large(r, u));
}
