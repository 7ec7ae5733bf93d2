/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_set_str. */
#include <stdlib.h>

#include "compat/intercept/composite_call.h"
#include "lib/algorithms/radix.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"

/* Sets {rp, *rn} to the number with the n digits at sp. Returns false if the device did not convert
 * them. */
static bool set_str(struct composite *w, mp_ptr rp, mp_size_t *rn, const unsigned char *sp,
                    size_t n, int base) {
    /* The digits are converted to private memory tp, and the result is copied to rp. The estimate
     * `most` may exceed the room that GMP's manual requires at rp. */
    size_t most = radix_limbs(base, n);
    mp_ptr tp = malloc(most * sizeof *tp);
    size_t limbs = tp ? radix_set(w, tp, sp, n, base, TEXT_VALUES) : 0;
    if (limbs)
        mpn_copyi(rp, tp, (mp_size_t)limbs);
    wipe_free(tp, most * sizeof *tp);
    *rn = (mp_size_t)limbs;
    return limbs > 0;
}

LARGE mp_size_t set_str_large(mp_ptr rp, const unsigned char *sp, size_t n, int base) {
    mp_size_t rn;
    size_t size = n && sp[0] && radix_is_for(base) ? n / RADIX_LIMB_DIGITS : 0;
    CALL_COMPOSITE(w, CALL_ROW(mpn_set_str), size, &thresholds.set_str, size,
                   set_str(w, rp, &rn, sp, n, base), rn = real.mpn_set_str(rp, sp, n, base));
    return rn;
}

/* Compares the number of digits with the threshold first. A number has no more limbs than digits,
 * so most short texts are recognised without the division by RADIX_LIMB_DIGITS. */
EXPORT mp_size_t mpn_set_str(mp_ptr rp, const unsigned char *sp, size_t n, int base) {
    INTERCEPT(thresholds_is_small(n, &thresholds.set_str) ||
                  thresholds_is_small(n / RADIX_LIMB_DIGITS, &thresholds.set_str),
              real.mpn_set_str(rp, sp, n, base), set_str_large(rp, sp, n, base));
}
