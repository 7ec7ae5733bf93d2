/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_gcdext and mpz_invert. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/gcd.h"
#include "lib/gmp/real.h"

LARGE void gcdext_large(mpz_ptr g, mpz_ptr s, mpz_ptr t, mpz_srcptr u, mpz_srcptr v) {
    size_t un = mpz_size(u), vn = mpz_size(v);
    CALL_RESULTS(w, x, (g, s, t), CALL_ROW(mpz_gcdext), min_u64(un, vn), &thresholds.gcd, un + vn,
                 (gcd_cofactors(w, x[0], x[1], x[2], u, v), true), real.mpz_gcdext(g, s, t, u, v));
}

/* Computes g = gcd(u, v) = s u + t v. Each of g, s and t may be NULL. */
EXPORT void mpz_gcdext(mpz_ptr g, mpz_ptr s, mpz_ptr t, mpz_srcptr u, mpz_srcptr v) {
    INTERCEPT(thresholds_one_is_small(&u->_mp_size, &v->_mp_size, &thresholds.gcd),
              real.mpz_gcdext(g, s, t, u, v), gcdext_large(g, s, t, u, v));
}

/* Sets r to the inverse of u modulo m. Returns false, and keeps r, if there is no inverse. */
static bool invert(struct composite *w, mpz_ptr r, mpz_srcptr u, mpz_srcptr m) {
    struct composite_results results = {.to = {r}};
    composite_results_open(&results);
    return composite_results_close(&results, gcd_invert(w, results.at[0], u, m));
}

LARGE int invert_large(mpz_ptr r, mpz_srcptr u, mpz_srcptr m) {
    size_t un = mpz_size(u), mn = mpz_size(m);
    int exists;
    CALL_COMPOSITE(w, CALL_ROW(mpz_invert), min_u64(un, mn), &thresholds.gcd, un + mn,
                   (exists = invert(w, r, u, m), true), exists = real.mpz_invert(r, u, m));
    return exists;
}

EXPORT int mpz_invert(mpz_ptr r, mpz_srcptr u, mpz_srcptr m) {
    INTERCEPT(thresholds_one_is_small(&u->_mp_size, &m->_mp_size, &thresholds.gcd),
              real.mpz_invert(r, u, m), invert_large(r, u, m));
}
