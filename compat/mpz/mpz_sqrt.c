/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_sqrt and mpz_sqrtrem. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/root.h"
#include "lib/gmp/real.h"

/* Returns the number of limbs of the root of n. Returns 0 for a negative number: GMP reports the
 * error. */
static inline size_t size_of(mpz_srcptr n) {
    return n->_mp_size < 0 ? 0 : root_square_size((size_t)n->_mp_size);
}

/* Returns true if n or its root is small. The first comparison decides most calls. */
static inline bool is_small(mpz_srcptr n) {
    return thresholds_magnitude_is_small(&n->_mp_size, &thresholds.sqrt) ||
           thresholds_is_small(size_of(n), &thresholds.sqrt);
}

LARGE void sqrt_large(mpz_ptr s, mpz_srcptr n) {
    CALL_RESULTS(w, x, (s), CALL_ROW(mpz_sqrt), size_of(n), &thresholds.sqrt, mpz_size(n),
                 root_mpz(w, x[0], NULL, NULL, n, 2), real.mpz_sqrt(s, n));
}

EXPORT void mpz_sqrt(mpz_ptr s, mpz_srcptr n) {
    INTERCEPT(is_small(n), real.mpz_sqrt(s, n), sqrt_large(s, n));
}

LARGE void sqrtrem_large(mpz_ptr s, mpz_ptr r, mpz_srcptr n) {
    CALL_RESULTS(w, x, (s, r), CALL_ROW(mpz_sqrtrem), size_of(n), &thresholds.sqrt, mpz_size(n),
                 root_mpz(w, x[0], x[1], NULL, n, 2), real.mpz_sqrtrem(s, r, n));
}

EXPORT void mpz_sqrtrem(mpz_ptr s, mpz_ptr r, mpz_srcptr n) {
    INTERCEPT(is_small(n), real.mpz_sqrtrem(s, r, n), sqrtrem_large(s, r, n));
}
