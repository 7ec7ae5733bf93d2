/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpq_canonicalize: divides by the gcd, and makes the denominator positive. */
#include "compat/mpq/mpq.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/gcd.h"
#include "lib/gmp/real.h"

/* Divides n and d by g, which may be overwritten. */
static void divide_both(struct composite *w, mpz_ptr n, mpz_ptr d, mpz_ptr g) {
    struct composite_results results = {.to = {n, d}};
    composite_results_open(&results);
    divide_mpz_exact(w, results.at[0], n, g);
    divide_mpz_exact(w, results.at[1], d, g);
    composite_results_close(&results, true);
}

static void canonicalize(struct composite *w, mpz_ptr n, mpz_ptr d) {
    mpz_t g;
    mpz_init(g);
    gcd_mpz(w, g, n, d);
    if (mpz_cmp_ui(g, 1) != 0)
        divide_both(w, n, d, g);
    if (d->_mp_size < 0) {
        n->_mp_size = -n->_mp_size;
        d->_mp_size = -d->_mp_size;
    }
    mpz_clear(g);
}

LARGE void canonicalize_large(mpq_ptr r) {
    mpz_ptr n = mpq_numref(r), d = mpq_denref(r);
    CALL_COMPOSITE(w, CALL_ROW(mpq_canonicalize), mpq_smaller(n, d), &thresholds.gcd,
                   mpz_size(n) + mpz_size(d), (canonicalize(w, n, d), true),
                   real.mpq_canonicalize(r));
}

/* Decides whether the call is large. GMP handles a denominator 0, which is an error. */
EXPORT void mpq_canonicalize(mpq_ptr r) {
    INTERCEPT(thresholds_one_is_small(&mpq_denref(r)->_mp_size, &mpq_numref(r)->_mp_size,
                                      &thresholds.gcd),
              real.mpq_canonicalize(r), canonicalize_large(r));
}
