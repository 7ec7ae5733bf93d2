/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_perfect_power_p. A negative un means a negative number, as in GMP's internal calls. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/theory/perfect_power.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

/* Returns the size that decides whether the call is large. Returns 0 if u is divisible by 2 but not
 * by 4: such a number is no power. */
static size_t size_of(mp_srcptr up, size_t n) {
    return n < 2 || up[0] % 4 == 2 ? 0 : n;
}

LARGE int perfect_power_large(mp_srcptr up, mp_size_t un) {
    size_t n = normalize(up, (size_t)(un < 0 ? -un : un));
    const mpz_t u = MPZ_ROINIT_N((mp_ptr)up, un < 0 ? -(mp_size_t)n : (mp_size_t)n);
    bool is_power;
    CALL_COMPOSITE(w, CALL_ROW(mpn_perfect_power_p), size_of(up, n), &thresholds.root, n,
                   perfect_power_decide(w, u, &is_power),
                   is_power = real.mpn_perfect_power_p(up, un));
    return is_power;
}

EXPORT int mpn_perfect_power_p(mp_srcptr up, mp_size_t un) {
    INTERCEPT(thresholds_is_small((size_t)un, &thresholds.root) ||
                  thresholds_is_small(-(size_t)un, &thresholds.root),
              real.mpn_perfect_power_p(up, un), perfect_power_large(up, un));
}
