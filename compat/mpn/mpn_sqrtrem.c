/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_sqrtrem. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/root.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

/* Computes the root at sp and the remainder at rp, and sets *rn to the remainder's limbs. If rp is
 * NULL, sets *rn to 0 for a square, otherwise to 1. */
static bool sqrtrem(struct composite *w, mp_ptr sp, mp_ptr rp, mp_srcptr np, mp_size_t nn,
                    mp_size_t *rn) {
    bool is_square;
    const struct root x = {sp, rp, np, (size_t)nn, 2, rp ? NULL : &is_square};
    if (!root_of_limbs(w, &x))
        return false;
    *rn = rp ? (mp_size_t)normalize(rp, root_rest_limbs(&x)) : !is_square;
    return true;
}

LARGE mp_size_t sqrtrem_large(mp_ptr sp, mp_ptr rp, mp_srcptr np, mp_size_t nn) {
    mp_size_t rn = 0;
    CALL_COMPOSITE(w, CALL_ROW(mpn_sqrtrem), root_square_size((size_t)nn), &thresholds.sqrt,
                   (size_t)nn, sqrtrem(w, sp, rp, np, nn, &rn),
                   (call_results(gmp_call, sp, (size_t)(nn + 1) / 2, rp, (size_t)nn / 2 + 1),
                    rn = real.mpn_sqrtrem(sp, rp, np, nn)));
    return rn;
}

/* Computes the root of {np, nn} at sp. Returns the number of limbs of the remainder at rp; rp may
 * be np, or NULL. */
EXPORT mp_size_t mpn_sqrtrem(mp_ptr sp, mp_ptr rp, mp_srcptr np, mp_size_t nn) {
    INTERCEPT(thresholds_is_small((size_t)nn, &thresholds.sqrt) ||
                  thresholds_is_small(root_square_size((size_t)nn), &thresholds.sqrt),
              real.mpn_sqrtrem(sp, rp, np, nn), sqrtrem_large(sp, rp, np, nn));
}
