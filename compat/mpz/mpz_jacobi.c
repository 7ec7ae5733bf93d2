/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_jacobi. gmp.h declares mpz_legendre and mpz_kronecker as other names of this function. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/theory/jacobi.h"
#include "lib/gmp/real.h"

LARGE int jacobi_large(mpz_srcptr a, mpz_srcptr b) {
    size_t an = mpz_size(a), bn = mpz_size(b);
    int symbol;
    CALL_COMPOSITE(w, CALL_ROW(mpz_jacobi), min_u64(an, bn), &thresholds.gcd, an + bn,
                   (symbol = jacobi_mpz(w, a, b), true), symbol = real.mpz_jacobi(a, b));
    return symbol;
}

EXPORT int mpz_jacobi(mpz_srcptr a, mpz_srcptr b) {
    INTERCEPT(thresholds_one_is_small(&a->_mp_size, &b->_mp_size, &thresholds.gcd),
              real.mpz_jacobi(a, b), jacobi_large(a, b));
}
