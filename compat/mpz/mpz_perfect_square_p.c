/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_perfect_square_p. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/root.h"
#include "lib/algorithms/theory/square.h"
#include "lib/gmp/real.h"

/* Returns the size that decides whether the call is large: the limbs of the root. Returns 0 for a
 * negative number, which is no square. */
static inline size_t size_of(mpz_srcptr n) {
    return n->_mp_size < 0 ? 0 : root_square_size((size_t)n->_mp_size);
}

/* Tests a large number. First computes it modulo small numbers, which finds most non-squares
 * without a device. */
LARGE int perfect_square_large(mpz_srcptr u) {
    bool is_square;
    if (u->_mp_size > 0 && !square_is_possible(u->_mp_d, mpz_size(u)))
        return 0;
    CALL_COMPOSITE(w, CALL_ROW(mpz_perfect_square_p), size_of(u), &thresholds.sqrt, mpz_size(u),
                   square_decide(w, u->_mp_d, mpz_size(u), &is_square),
                   is_square = real.mpz_perfect_square_p(u));
    return is_square;
}

/* gmp.h defines a hidden inline function with the public name, and clang would hide the exported
 * function, too. So the exported function has another name in C. */
EXPORT int exported_perfect_square_p(mpz_srcptr u) __asm__("__gmpz_perfect_square_p");

EXPORT int exported_perfect_square_p(mpz_srcptr u) {
    INTERCEPT(thresholds_magnitude_is_small(&u->_mp_size, &thresholds.sqrt) ||
                  thresholds_is_small(size_of(u), &thresholds.sqrt),
              real.mpz_perfect_square_p(u), perfect_square_large(u));
}
