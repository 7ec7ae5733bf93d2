/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpn_gcd and mpn_gcdext. GMP's contract allows them to destroy their operands, but they do not. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/theory/gcd_limbs.h"
#include "lib/gmp/real.h"

LARGE mp_size_t gcd_large(mp_ptr gp, mp_ptr up, mp_size_t un, mp_ptr vp, mp_size_t vn) {
    mp_size_t gn;
    CALL_COMPOSITE(w, CALL_ROW(mpn_gcd), (size_t)vn, &thresholds.gcd, (size_t)(un + vn),
                   (gn = (mp_size_t)gcd_limbs(w, gp, up, (size_t)un, vp, (size_t)vn), true),
                   gn = real.mpn_gcd(gp, up, un, vp, vn));
    return gn;
}

EXPORT mp_size_t mpn_gcd(mp_ptr gp, mp_ptr up, mp_size_t un, mp_ptr vp, mp_size_t vn) {
    INTERCEPT(thresholds_is_small((size_t)vn, &thresholds.gcd), real.mpn_gcd(gp, up, un, vp, vn),
              gcd_large(gp, up, un, vp, vn));
}

LARGE mp_size_t gcdext_large(mp_ptr gp, mp_ptr sp, mp_size_t *sn, mp_ptr up, mp_size_t un,
                             mp_ptr vp, mp_size_t vn) {
    mp_size_t gn;
    CALL_COMPOSITE(
        w, CALL_ROW(mpn_gcdext), (size_t)vn, &thresholds.gcd, (size_t)(un + vn),
        (gn = (mp_size_t)gcd_limbs_cofactor(w, gp, sp, sn, up, (size_t)un, vp, (size_t)vn), true),
        gn = real.mpn_gcdext(gp, sp, sn, up, un, vp, vn));
    return gn;
}

/* Compares un with the threshold, not vn: un >= vn, and un is a register argument, so the
 * comparison needs no memory access. */
EXPORT mp_size_t mpn_gcdext(mp_ptr gp, mp_ptr sp, mp_size_t *sn, mp_ptr up, mp_size_t un, mp_ptr vp,
                            ON_STACK mp_size_t vn) {
    INTERCEPT(thresholds_is_small((size_t)un, &thresholds.gcd) ||
                  thresholds_is_small((size_t)vn, &thresholds.gcd),
              real.mpn_gcdext(gp, sp, sn, up, un, vp, vn),
              gcdext_large(gp, sp, sn, up, un, vp, vn));
}
