/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the first approximation of a reciprocal on the host, by GMP's division. Newton's
 * iteration on the device starts from it. */
#include "lib/operate/first_reciprocal.h"

#include <string.h>

#include "lib/base/min.h"
#include "lib/calc/calc_reciprocal.h"
#include "lib/gmp/real.h"

enum { QUAD_LIMBS = 2 };

/* Copies the highest 128 * quads bits of {dp, dn} to xp, beginning with the highest bit that is 1.
 * If the number has fewer bits, appends zeros. */
static void highest(mp_ptr xp, uint64_t quads, mp_srcptr dp, size_t dn) {
    size_t n = QUAD_LIMBS * quads, have = min_u64(n + 1, dn);
    unsigned shift = (unsigned)__builtin_clzl(dp[dn - 1]);
    mp_limb_t limbs[FIRST_RECIPROCAL_LIMBS + 1] = {0};
    mp_ptr to = limbs + n + 1 - have;
    if (shift)
        mpn_lshift(to, dp + dn - have, (mp_size_t)have, shift);
    else
        mpn_copyi(to, dp + dn - have, (mp_size_t)have);
    mpn_copyi(xp, limbs + 1, (mp_size_t)n);
}

void first_reciprocal(mp_ptr vp, uint64_t f, mp_srcptr dp, size_t dn, unsigned zeros) {
    enum { MOST = 2 * FIRST_RECIPROCAL_LIMBS + QUAD_LIMBS };
    mp_limb_t np[MOST], d[FIRST_RECIPROCAL_LIMBS], qp[MOST];
    mp_size_t nn = (mp_size_t)(QUAD_LIMBS * (2 * f + 1)), n = (mp_size_t)(QUAD_LIMBS * (f + 1));
    highest(d, f + 1, dp, dn);
    if (zeros)
        mpn_rshift(d, d, n, zeros);
    mpn_zero(vp, n);
    /* If the addition has a carry, the divisor becomes a power of 2. The quotient's highest quad is
     * then 0, and all other bits are 1. */
    if (mpn_add_1(d, d, n, 1)) {
        memset(vp, 0xff, (size_t)(n - QUAD_LIMBS) * sizeof *vp);
    } else {
        memset(np, 0xff, (size_t)nn * sizeof *np);
        real.mpn_tdiv_qr(qp, np, 0, np, nn, d, n);
        mpn_copyi(vp, qp, nn - n + 1);
    }
    mpn_sub_1(vp, vp, n, 1);
}
