/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_probab_prime_p, and mpz_millerrabin, which gmp.h does not declare. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/theory/probable_prime.h"
#include "lib/algorithms/theory/small_primes.h"
#include "lib/gmp/real.h"

/* Sets *answer to 0 (composite) or 1 (probably prime). GMP tests numbers of one limb, the only ones
 * for which the answer can be 2 (certainly prime). */
static bool decide(struct composite *w, mpz_srcptr n, int rounds, int *answer) {
    bool is_prime = false;
    if (!probable_prime_has_factor(n) && !probable_prime_decide(w, n, rounds, &is_prime))
        return false;
    *answer = is_prime;
    return true;
}

static size_t size_of(mpz_srcptr n) {
    return mpz_size(n) > 1 ? mpz_size(n) : 0;
}

/* Returns true if n has a small prime factor. This finds most composite numbers without a
 * device. */
static bool has_small_factor(mpz_srcptr n) {
    return mpz_size(n) > 1 && (n->_mp_d[0] % 2 == 0 || small_primes_divide(n->_mp_d, mpz_size(n)));
}

LARGE int probab_prime_large(mpz_srcptr n, int rounds) {
    const mpz_t magnitude = MPZ_ROINIT_N(n->_mp_d, (mp_size_t)mpz_size(n));
    int answer = 0;
    if (has_small_factor(n))
        return 0;
    CALL_COMPOSITE(w, CALL_ROW(mpz_probab_prime_p), size_of(n), &thresholds.powm, mpz_size(n),
                   decide(w, magnitude, rounds, &answer),
                   answer = real.mpz_probab_prime_p(n, rounds));
    return answer;
}

EXPORT int mpz_probab_prime_p(mpz_srcptr n, int rounds) {
    INTERCEPT(thresholds_magnitude_is_small(&n->_mp_size, &thresholds.powm),
              real.mpz_probab_prime_p(n, rounds), probab_prime_large(n, rounds));
}

static bool test(struct composite *w, mpz_srcptr n, int rounds, int *answer) {
    bool is_prime;
    if (!probable_prime_decide(w, n, rounds, &is_prime))
        return false;
    *answer = is_prime;
    return true;
}

LARGE int millerrabin_large(mpz_srcptr n, int rounds) {
    int answer = 0;
    CALL_COMPOSITE(w, CALL_ROW(mpz_millerrabin), size_of(n), &thresholds.powm, mpz_size(n),
                   test(w, n, rounds, &answer), answer = real.mpz_millerrabin(n, rounds));
    return answer;
}

/* Tests n as probable_prime_decide does: the first 24 rounds are one test of Baillie, Pomerance,
 * Selfridge and Wagstaff. n is odd and positive. */
EXPORT int mpz_millerrabin(mpz_srcptr n, int rounds) {
    INTERCEPT(thresholds_magnitude_is_small(&n->_mp_size, &thresholds.powm),
              real.mpz_millerrabin(n, rounds), millerrabin_large(n, rounds));
}
