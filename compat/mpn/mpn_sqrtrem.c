/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_sqrtrem. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/sqrt.h"
#include "lib/gmp/real.h"

/* The remainder's limbs to *rn. */
static bool sqrtrem(struct composite *w, mp_ptr sp, mp_ptr rp, mp_srcptr np, mp_size_t nn,
                    mp_size_t *rn) {
    struct sqrt root;
    if (!sqrt_init(w, &root, np, (size_t)nn, rp != NULL))
        return false;
    *rn = (mp_size_t)root.rn;
    mpn_copyi(sp, root.sp, (mp_size_t)root.sn);
    if (rp)
        mpn_copyi(rp, root.rp, *rn);
    sqrt_clear(&root);
    return true;
}

LARGE mp_size_t sqrtrem_large(mp_ptr sp, mp_ptr rp, mp_srcptr np, mp_size_t nn) {
    mp_size_t rn = 0;
    CALL_COMPOSITE(w, CALL_ROW(mpn_sqrtrem), sqrt_size((size_t)nn), &thresholds.sqrt, (size_t)nn,
                   sqrtrem(w, sp, rp, np, nn, &rn), rn = real.mpn_sqrtrem(sp, rp, np, nn));
    return rn;
}

/* The limbs of the remainder, {rp, that}; rp may be np, or NULL. */
EXPORT mp_size_t mpn_sqrtrem(mp_ptr sp, mp_ptr rp, mp_srcptr np, mp_size_t nn) {
    INTERCEPT(thresholds_is_small((size_t)nn, &thresholds.sqrt) ||
                  thresholds_is_small(sqrt_size((size_t)nn), &thresholds.sqrt),
              real.mpn_sqrtrem(sp, rp, np, nn), sqrtrem_large(sp, rp, np, nn));
}
