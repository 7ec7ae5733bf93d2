/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks of a device's results on the host.
 *
 * A wrong result passes the check by residues only if the modulus, a random prime of the program,
 * divides its error: lib/multiply/check.c has the bound. */
#include "lib/operate/verify.h"

#include <stdlib.h>

#include "lib/base/conf.h"
#include "lib/device/tables.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"

static mp_limb_t mul_mod(mp_limb_t a, mp_limb_t b, mp_limb_t m) {
    mp_limb_t product[2];
    product[1] = mpn_mul_1(product, &a, 1, b);
    return mpn_mod_1(product, 2, m);
}

static enum verify_result good_if(bool good) {
    return good ? VERIFY_GOOD : VERIFY_WRONG;
}

static enum verify_result product_residue(mp_srcptr rp, mp_srcptr up, size_t un, mp_srcptr vp,
                                          size_t vn) {
    mp_limb_t m = tables_check_modulus().m;
    mp_limb_t u = mpn_mod_1(up, (mp_size_t)un, m);
    mp_limb_t v = up == vp && un == vn ? u : mpn_mod_1(vp, (mp_size_t)vn, m);
    return good_if(mpn_mod_1(rp, (mp_size_t)(un + vn), m) == mul_mod(u, v, m));
}

static enum verify_result product_full(mp_srcptr rp, mp_srcptr up, size_t un, mp_srcptr vp,
                                       size_t vn) {
    mp_ptr right = malloc((un + vn) * sizeof *right);
    if (!right)
        return VERIFY_NO_MEMORY;
    real.mpn_mul(right, up, (mp_size_t)un, vp, (mp_size_t)vn);
    bool good = mpn_cmp(right, rp, (mp_size_t)(un + vn)) == 0;
    wipe_free(right, (un + vn) * sizeof *right);
    return good_if(good);
}

enum verify_result verify_product(mp_srcptr rp, mp_srcptr up, size_t un, mp_srcptr vp, size_t vn) {
    return mpgpu_conf.verify == VERIFY_FULL ? product_full(rp, up, un, vp, vn)
                                            : product_residue(rp, up, un, vp, vn);
}

static enum verify_result sum_residue(mp_srcptr sp, size_t sn, mp_srcptr up, size_t un,
                                      mp_srcptr vp, size_t vn) {
    mp_limb_t m = tables_check_modulus().m;
    mp_limb_t sum = mpn_mod_1(up, (mp_size_t)un, m) + mpn_mod_1(vp, (mp_size_t)vn, m);
    return good_if(mpn_mod_1(sp, (mp_size_t)sn, m) == sum % m);
}

static enum verify_result sum_full(mp_srcptr sp, size_t sn, mp_srcptr up, size_t un, mp_srcptr vp,
                                   size_t vn) {
    mp_ptr right = malloc((un + 1) * sizeof *right);
    if (!right)
        return VERIFY_NO_MEMORY;
    right[un] = mpn_add(right, up, (mp_size_t)un, vp, (mp_size_t)vn);
    bool good = mpn_cmp(right, sp, (mp_size_t)un) == 0 && (sn > un ? sp[un] : 0) == right[un];
    wipe_free(right, (un + 1) * sizeof *right);
    return good_if(good);
}

enum verify_result verify_sum(mp_srcptr sp, size_t sn, mp_srcptr up, size_t un, mp_srcptr vp,
                              size_t vn) {
    return mpgpu_conf.verify == VERIFY_FULL ? sum_full(sp, sn, up, un, vp, vn)
                                            : sum_residue(sp, sn, up, un, vp, vn);
}
