/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_root and mpz_rootrem. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/root.h"
#include "lib/gmp/real.h"

static inline bool is_small(mpz_srcptr u) {
    return thresholds_magnitude_is_small(&u->_mp_size, &thresholds.root);
}

LARGE int root_large(mpz_ptr r, mpz_srcptr u, unsigned long n) {
    bool exact;
    CALL_RESULTS(w, x, (r), CALL_ROW(mpz_root), root_size(u, n), &thresholds.root, mpz_size(u),
                 root_mpz(w, x[0], NULL, &exact, u, n), exact = real.mpz_root(r, u, n));
    return exact;
}

EXPORT int mpz_root(mpz_ptr r, mpz_srcptr u, unsigned long n) {
    INTERCEPT(is_small(u), real.mpz_root(r, u, n), root_large(r, u, n));
}

LARGE void rootrem_large(mpz_ptr r, mpz_ptr rest, mpz_srcptr u, unsigned long n) {
    CALL_RESULTS(w, x, (r, rest), CALL_ROW(mpz_rootrem), root_size(u, n), &thresholds.root,
                 mpz_size(u), root_mpz(w, x[0], x[1], NULL, u, n), real.mpz_rootrem(r, rest, u, n));
}

EXPORT void mpz_rootrem(mpz_ptr r, mpz_ptr rest, mpz_srcptr u, unsigned long n) {
    INTERCEPT(is_small(u), real.mpz_rootrem(r, rest, u, n), rootrem_large(r, rest, u, n));
}
