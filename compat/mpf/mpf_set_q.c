/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_set_q. It truncates the numerator, or extends it with zeros, so that the quotient has one
 * limb more than r's precision. */
#include <stdlib.h>

#include "compat/intercept/composite_call.h"
#include "compat/mpf/mpf.h"
#include "lib/algorithms/divide.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"

static size_t numerator_size(mpf_srcptr r, size_t dn) {
    return dn + (size_t)r->_mp_prec;
}

static bool divide(struct composite *w, mpf_ptr r, mpz_srcptr n, mpz_srcptr d) {
    mp_exp_t exp = (mp_exp_t)mpz_size(n) - (mp_exp_t)mpz_size(d) + 1;
    size_t dn = mpz_size(d), nn = numerator_size(r, dn), un = mpz_size(n), qn = nn - dn + 1;
    struct mpf_limbs u = {n->_mp_d + (un > nn ? un - nn : 0), un > nn ? nn : un};
    mp_ptr tp = malloc((nn + qn) * sizeof *tp);
    bool exact,
        done = tp && divide_q(w, tp + nn, &exact, mpf_lengthen(u, nn, tp), nn, d->_mp_d, dn);
    if (done)
        mpf_keep(r, tp + nn, qn, exp, n->_mp_size < 0);
    wipe_free(tp, (nn + qn) * sizeof *tp);
    return done;
}

/* Returns the size that decides whether the division is large: the smaller of d's and the
 * quotient's limbs. Returns 0 for a divisor of one limb, which gains nothing on a device. */
static inline size_t size_of(mpf_srcptr r, mpz_srcptr d) {
    size_t dn = (size_t)abs(d->_mp_size);
    return dn > 1 ? divide_size(numerator_size(r, dn), dn) : 0;
}

LARGE void set_q_large(mpf_ptr r, mpq_srcptr q) {
    mpz_srcptr n = mpq_numref(q), d = mpq_denref(q);
    size_t size = n->_mp_size && d->_mp_size ? size_of(r, d) : 0;
    CALL_COMPOSITE(w, CALL_ROW(mpf_set_q), size, &thresholds.div, mpz_size(n) + mpz_size(d),
                   divide(w, r, n, d), real.mpf_set_q(r, q));
}

EXPORT void mpf_set_q(mpf_ptr r, mpq_srcptr q) {
    INTERCEPT(thresholds_is_small((size_t)r->_mp_prec + 1, &thresholds.div) ||
                  thresholds_is_small(size_of(r, mpq_denref(q)), &thresholds.div),
              real.mpf_set_q(r, q), set_q_large(r, q));
}
