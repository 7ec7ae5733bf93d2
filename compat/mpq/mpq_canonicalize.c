/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpq_canonicalize: lowest terms, and the sign above. */
#include "compat/mpq/mpq.h"
#include "lib/gmp/real.h"

LARGE void canonicalize_large(mpq_ptr r) {
    COMPOSITE_FRAME;
    struct composite w;
    mpz_ptr n = mpq_numref(r), d = mpq_denref(r);
    mpz_t g;
    if (!composite_begin(&w, CALL_ROW(mpq_canonicalize), mpq_smaller(n, d), &thresholds.gcd,
                     mpz_size(n) + mpz_size(d))) {
        real.mpq_canonicalize(r);
        return;
    }
    mpz_init(g);
    mpq_gcd(&w, g, n, d);
    if (mpz_cmp_ui(g, 1) != 0) {
        mpq_quotient(&w, n, n, g);
        mpq_quotient(&w, d, d, g);
    }
    if (d->_mp_size < 0) {
        n->_mp_size = -n->_mp_size;
        d->_mp_size = -d->_mp_size;
    }
    mpz_clear(g);
    composite_end(&w);
}

/* A denominator 0 is GMP's error. */
EXPORT void mpq_canonicalize(mpq_ptr r) {
    if (call_one_is_small(&mpq_denref(r)->_mp_size, &mpq_numref(r)->_mp_size,
                          &thresholds.gcd))
        real.mpq_canonicalize(r);
    else
        canonicalize_large(r);
}
