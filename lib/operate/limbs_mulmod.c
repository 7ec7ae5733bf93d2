/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device's products modulo B^n, B^n - 1 and B^n + 1, and how the host verifies them.
 *
 * By residues of u, v and r alone it cannot: u v - r is a multiple of the modulus, whose
 * residue is known, 0, only modulo a divisor of that.  Those are few and fixed; for many n
 * there is none that sees limbs in the wrong order (2^64 - 1, which divides every B^n - 1,
 * never does).  The device's own check knows which multiple, from what its sums had above B^n
 * (lib/multiply/wraparound.h). With verify:residue the device makes the product in full, so at
 * twice the cost; the residues of that modulo any number are known, and the host reduces it. */
#include "lib/operate/limbs_mulmod.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/min.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"
#include "lib/operate/limbs.h"
#include "lib/operate/operate.h"

/* {rp, rn} = {pp, pn} by the modulus, rn < pn <= 2 rn but for LIMBS_MULMOD_BNP1, where pn may be
 * less; limb rn is returned. */
static mp_limb_t reduce(enum limbs_modulus modulus, mp_ptr rp, size_t rn, mp_srcptr pp, size_t pn) {
    mp_size_t low = (mp_size_t)rn, high = (mp_size_t)(pn - rn);
    if (modulus == LIMBS_MULMOD_LOW || pn <= rn) {
        size_t n = min_u64(pn, rn);
        memcpy(rp, pp, n * sizeof *rp);
        memset(rp + n, 0, (rn - n) * sizeof *rp);
        return 0;
    }
    if (modulus == LIMBS_MULMOD_BNM1) {
        mp_limb_t carry = mpn_add(rp, pp, low, pp + rn, high);
        return mpn_add_1(rp, rp, low, carry); /* none: low + high <= 2 (B^rn - 1) */
    }
    mp_limb_t borrow = mpn_sub(rp, pp, low, pp + rn, high);
    return mpn_add_1(rp, rp, low, borrow);
}

/* The product in full by the device, reduced by the host. */
static enum outcome by_product(enum limbs_modulus modulus, mp_ptr rp, size_t rn, mp_srcptr up,
                               size_t un, mp_srcptr vp, size_t vn, mp_limb_t *top) {
    mp_ptr pp = malloc((un + vn) * sizeof *pp);
    enum outcome outcome = pp ? limbs_mul(pp, up, un, vp, vn) : OUTCOME_MEMORY;
    if (outcome == OUTCOME_DONE)
        *top = reduce(modulus, rp, rn, pp, un + vn);
    wipe_free(pp, (un + vn) * sizeof *pp);
    return outcome;
}

/* Whether {rp, rn} and top are what GMP makes of it. */
static enum verify_result verify(enum limbs_modulus modulus, mp_srcptr rp, size_t rn, mp_srcptr up,
                                 size_t un, mp_srcptr vp, size_t vn, mp_limb_t top) {
    mp_ptr pp = malloc((un + vn + rn) * sizeof *pp), right = pp + un + vn;
    if (!pp)
        return VERIFY_NO_MEMORY;
    real.mpn_mul(pp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    bool good =
        reduce(modulus, right, rn, pp, un + vn) == top && mpn_cmp(right, rp, (mp_size_t)rn) == 0;
    wipe_free(pp, (un + vn + rn) * sizeof *pp);
    return good ? VERIFY_GOOD : VERIFY_WRONG;
}

static enum outcome on_device(enum limbs_modulus modulus, mp_ptr rp, size_t rn, mp_srcptr up,
                              size_t un, mp_srcptr vp, size_t vn, mp_limb_t *top) {
    *top = 0;
    if (modulus == LIMBS_MULMOD_LOW)
        return operate_mullo(rp, rn, up, un, vp, vn);
    if (modulus == LIMBS_MULMOD_BNM1)
        return operate_mulmod_bnm1(rp, rn, up, un, vp, vn);
    return operate_mulmod_bnp1(rp, rn, up, un, vp, vn, top);
}

enum outcome limbs_mulmod(enum limbs_modulus modulus, mp_ptr rp, size_t rn, mp_srcptr up, size_t un,
                          mp_srcptr vp, size_t vn, mp_limb_t *top) {
    if (un < vn)
        return limbs_mulmod(modulus, rp, rn, vp, vn, up, un, top);
    *top = 0;
    if (modulus == LIMBS_MULMOD_BNM1 && un + vn <= rn)
        return limbs_mul(rp, up, un, vp, vn);
    if (mpgpu_conf.verify == VERIFY_RESIDUE)
        return by_product(modulus, rp, rn, up, un, vp, vn, top);
    enum outcome outcome = on_device(modulus, rp, rn, up, un, vp, vn, top);
    if (outcome != OUTCOME_DONE || mpgpu_conf.verify < VERIFY_RESIDUE)
        return outcome;
    return limbs_judge(verify(modulus, rp, rn, up, un, vp, vn, *top), "product in a ring", un, vn);
}
