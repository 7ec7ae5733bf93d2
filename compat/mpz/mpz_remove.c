/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_remove. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/theory/divisible.h"
#include "lib/gmp/real.h"

/* Returns the size of the longest division that the call needs: by f, or by a power of f with half
 * the limbs of n. Returns 0 if GMP computes the call because f is a power of 2, 0, or longer than
 * n. */
static size_t remove_size(mpz_srcptr n, mpz_srcptr f) {
    size_t nn = mpz_size(n), fn = mpz_size(f);
    bool is_power_of_2 = fn == 0 || (fn == 1 && (f->_mp_d[0] & (f->_mp_d[0] - 1)) == 0);
    return is_power_of_2 || nn < fn ? 0 : fn > nn / 2 ? divide_mpz_size(n, f) : nn / 2;
}

/* Returns false if f certainly does not divide n. The low bits, or one division by a limb, decide
 * most cases without a device. */
static bool is_possible(mpz_srcptr n, mpz_srcptr f) {
    return divisible_is_possible(n->_mp_d[0], f) &&
           (mpz_size(f) > 1 || mpn_mod_1(n->_mp_d, (mp_size_t)mpz_size(n), f->_mp_d[0]) == 0);
}

LARGE mp_bitcnt_t remove_large(mpz_ptr r, mpz_srcptr n, mpz_srcptr f) {
    size_t size = remove_size(n, f);
    mp_bitcnt_t count;
    if (size && !is_possible(n, f)) {
        mpz_set(r, n);
        return 0;
    }
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_remove), size, &thresholds.div, mpz_size(n) + mpz_size(f),
                 (count = divisible_remove(w, x[0], n, f), true), count = real.mpz_remove(r, n, f));
    return count;
}

EXPORT mp_bitcnt_t mpz_remove(mpz_ptr r, mpz_srcptr n, mpz_srcptr f) {
    INTERCEPT(thresholds_magnitude_is_small(&n->_mp_size, &thresholds.div),
              real.mpz_remove(r, n, f), remove_large(r, n, f));
}
