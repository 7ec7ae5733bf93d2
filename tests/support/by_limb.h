/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products by one limb, for tests that compare them with GMP's functions. */
#ifndef MPGPU_TEST_BY_LIMB_H
#define MPGPU_TEST_BY_LIMB_H

#include "lib/job/limbs.h"

/* Computes w + u v, or w - u v if `subtract`, modulo B^rn. */
static inline enum outcome by_limb(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                                   mp_limb_t v, const mp_limb_t *wp, size_t wn, int subtract) {
    bool negative = false;
    enum outcome outcome = subtract ? limbs_submul_1(rp, rn, wp, wn, up, un, v, &negative)
                                    : limbs_addmul_1(rp, rn, wp, wn, up, un, v);
    if (negative)
        mpn_neg(rp, rp, (mp_size_t)rn);
    return outcome;
}

#endif
