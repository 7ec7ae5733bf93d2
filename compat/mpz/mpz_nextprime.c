/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_nextprime. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/theory/next_prime.h"
#include "lib/gmp/real.h"

/* Computes the next prime above n. GMP computes it if n is negative or has one limb. */
LARGE void nextprime_large(mpz_ptr r, mpz_srcptr n) {
    size_t size = n->_mp_size > 1 ? mpz_size(n) : 0;
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_nextprime), size, &thresholds.powm, mpz_size(n),
                 next_prime(w, x[0], n), real.mpz_nextprime(r, n));
}

EXPORT void mpz_nextprime(mpz_ptr r, mpz_srcptr n) {
    INTERCEPT(thresholds_magnitude_is_small(&n->_mp_size, &thresholds.powm),
              real.mpz_nextprime(r, n), nextprime_large(r, n));
}
