/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_divisible_p and mpz_congruent_p. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/theory/divisible.h"
#include "lib/gmp/real.h"

/* Returns whether d divides n. The low bits of both decide most cases without a device. */
LARGE int divisible_large(mpz_srcptr n, mpz_srcptr d) {
    size_t size = divide_mpz_size(n, d);
    bool divides;
    if (size && !divisible_is_possible(n->_mp_d[0], d))
        return 0;
    CALL_COMPOSITE(w, CALL_ROW(mpz_divisible_p), size, &thresholds.div, mpz_size(n) + mpz_size(d),
                   divisible_decide(w, n, d, &divides), divides = real.mpz_divisible_p(n, d));
    return divides;
}

/* Zeros are GMP's. */
LARGE int divisible_perhaps(mpz_srcptr n, mpz_srcptr d) {
    INTERCEPT(thresholds_is_small(divide_mpz_size(n, d), &thresholds.div),
              real.mpz_divisible_p(n, d), divisible_large(n, d));
}

EXPORT int mpz_divisible_p(mpz_srcptr n, mpz_srcptr d) {
    INTERCEPT(thresholds_one_is_small(&n->_mp_size, &d->_mp_size, &thresholds.div),
              real.mpz_divisible_p(n, d), divisible_perhaps(n, d));
}

/* Returns the size that decides whether dividing a - c by d is a large call. The size is only an
 * estimate, because a - c is not computed. */
static size_t congruent_size(mpz_srcptr a, mpz_srcptr c, mpz_srcptr d) {
    return divide_mpz_size(mpz_size(a) < mpz_size(c) ? c : a, d);
}

/* Returns the lowest limb of x in two's complement. */
static mp_limb_t low_limb(mpz_srcptr x) {
    mp_limb_t low = x->_mp_size ? x->_mp_d[0] : 0;
    return x->_mp_size < 0 ? -low : low;
}

LARGE int congruent_large(mpz_srcptr a, mpz_srcptr c, mpz_srcptr d) {
    size_t size = congruent_size(a, c, d);
    bool is_congruent;
    if (size && !divisible_is_possible(low_limb(a) - low_limb(c), d))
        return 0;
    CALL_COMPOSITE(w, CALL_ROW(mpz_congruent_p), size, &thresholds.div,
                   mpz_size(a) + mpz_size(c) + mpz_size(d),
                   divisible_decide_congruence(w, a, c, d, &is_congruent),
                   is_congruent = real.mpz_congruent_p(a, c, d));
    return is_congruent;
}

LARGE int congruent_perhaps(mpz_srcptr a, mpz_srcptr c, mpz_srcptr d) {
    INTERCEPT(thresholds_is_small(congruent_size(a, c, d), &thresholds.div),
              real.mpz_congruent_p(a, c, d), congruent_large(a, c, d));
}

EXPORT int mpz_congruent_p(mpz_srcptr a, mpz_srcptr c, mpz_srcptr d) {
    INTERCEPT(thresholds_magnitude_is_small(&d->_mp_size, &thresholds.div),
              real.mpz_congruent_p(a, c, d), congruent_perhaps(a, c, d));
}
