/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_perfect_square_p. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/root.h"
#include "lib/algorithms/theory/square.h"
#include "lib/gmp/real.h"

/* Returns 0 for negative numbers, which are no squares. */
static inline size_t size_of(mpz_srcptr n) {
    return n->_mp_size < 0 ? 0 : root_square_size((size_t)n->_mp_size);
}

/* Most non-squares are found by their residues, without a device. */
LARGE int perfect_square_large(mpz_srcptr u) {
    bool is_square;
    if (u->_mp_size > 0 && !square_is_possible(u->_mp_d, mpz_size(u)))
        return 0;
    CALL_COMPOSITE(w, CALL_ROW(mpz_perfect_square_p), size_of(u), &thresholds.sqrt, mpz_size(u),
                   square_decide(w, u->_mp_d, mpz_size(u), &is_square),
                   is_square = real.mpz_perfect_square_p(u));
    return is_square;
}

/* It has another name in C: gmp.h has an inline function of the public name, and clang would apply
 * its hidden visibility to this function. */
EXPORT int exported_perfect_square_p(mpz_srcptr u) __asm__("__gmpz_perfect_square_p");

EXPORT int exported_perfect_square_p(mpz_srcptr u) {
    INTERCEPT(thresholds_magnitude_is_small(&u->_mp_size, &thresholds.sqrt) ||
                  thresholds_is_small(size_of(u), &thresholds.sqrt),
              real.mpz_perfect_square_p(u), perfect_square_large(u));
}
