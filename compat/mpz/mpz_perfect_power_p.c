/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_perfect_power_p. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/theory/perfect_power.h"
#include "lib/gmp/real.h"

/* Returns the size that decides whether the call is large. Returns 0 if u is divisible by 2 but not
 * by 4: such a number is no power. */
static size_t size_of(mpz_srcptr u) {
    size_t n = mpz_size(u);
    return n < 2 || u->_mp_d[0] % 4 == 2 ? 0 : n;
}

LARGE int perfect_power_large(mpz_srcptr u) {
    bool is_power;
    CALL_COMPOSITE(w, CALL_ROW(mpz_perfect_power_p), size_of(u), &thresholds.root, mpz_size(u),
                   perfect_power_decide(w, u, &is_power), is_power = real.mpz_perfect_power_p(u));
    return is_power;
}

EXPORT int mpz_perfect_power_p(mpz_srcptr u) {
    INTERCEPT(thresholds_magnitude_is_small(&u->_mp_size, &thresholds.root),
              real.mpz_perfect_power_p(u), perfect_power_large(u));
}
