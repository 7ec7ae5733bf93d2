/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The device's products by one limb, each followed by what `verify` asks for. */
#include <stdlib.h>

#include "lib/base/conf.h"
#include "lib/device/tables.h"
#include "lib/memory/wipe.h"
#include "lib/operate/limbs.h"
#include "lib/operate/operate.h"

/* r = w +- u v; of r the magnitude and the sign. */
struct by_limb {
    mp_srcptr rp;
    size_t rn;
    mp_srcptr wp;
    size_t wn;
    mp_srcptr up;
    size_t un;
    mp_limb_t v;
    bool subtract, negative;
};

/* Modulo a random prime m: r and u v on one side, or w and u v. */
static enum verify_result verify_residue(const struct by_limb *b) {
    mp_limb_t m = tables_check_modulus().m, product[2];
    mp_limb_t r = mpn_mod_1(b->rp, (mp_size_t)b->rn, m);
    mp_limb_t w = b->wn > 0 ? mpn_mod_1(b->wp, (mp_size_t)b->wn, m) : 0;
    mp_limb_t u = mpn_mod_1(b->up, (mp_size_t)b->un, m);
    product[1] = mpn_mul_1(product, &u, 1, b->v);
    mp_limb_t uv = mpn_mod_1(product, 2, m);
    mp_limb_t right = w + (b->subtract ? m - uv : uv);
    return right % m == (b->negative ? (m - r) % m : r) ? VERIFY_GOOD : VERIFY_WRONG;
}

/* {rp, n} = B^n - {rp, n} */
static void negate(mp_ptr rp, size_t n) {
    mpn_com(rp, rp, (mp_size_t)n);
    mpn_add_1(rp, rp, (mp_size_t)n, 1);
}

static enum verify_result verify_full(const struct by_limb *b) {
    const mp_size_t rn = (mp_size_t)b->rn, un = (mp_size_t)b->un;
    mp_ptr right = calloc(b->rn, sizeof *right);
    if (!right)
        return VERIFY_NO_MEMORY;
    mpn_copyi(right, b->wp, (mp_size_t)b->wn);
    if (b->subtract)
        mpn_sub_1(right + un, right + un, rn - un, mpn_submul_1(right, b->up, un, b->v));
    else
        mpn_add_1(right + un, right + un, rn - un, mpn_addmul_1(right, b->up, un, b->v));
    if (b->negative)
        negate(right, b->rn);
    bool good = mpn_cmp(right, b->rp, rn) == 0;
    wipe_free(right, b->rn * sizeof *right);
    return good ? VERIFY_GOOD : VERIFY_WRONG;
}

/* Of what the device has delivered in {rp, rn}, b's magnitude. */
static enum outcome operate(mp_ptr rp, struct by_limb *b) {
    enum outcome outcome = operate_mul_1(rp, b->rn, b->up, b->un, b->v, b->wp, b->wn, b->subtract);
    if (outcome != OUTCOME_DONE)
        return outcome;
    b->negative = b->subtract && rp[b->rn - 1] != 0;
    if (b->negative)
        negate(rp, b->rn);
    if (mpgpu_conf.verify < VERIFY_RESIDUE)
        return outcome;
    b->rp = rp;
    return limbs_judge(mpgpu_conf.verify == VERIFY_FULL ? verify_full(b) : verify_residue(b),
                       "product by a limb", b->un, b->wn);
}

enum outcome limbs_mul_1(mp_ptr rp, mp_srcptr up, size_t un, mp_limb_t v) {
    struct by_limb b = {.rn = un + 1, .wp = up, .up = up, .un = un, .v = v};
    return operate(rp, &b);
}

enum outcome limbs_addmul_1(mp_ptr rp, size_t rn, mp_srcptr wp, size_t wn, mp_srcptr up, size_t un,
                            mp_limb_t v) {
    struct by_limb b = {.rn = rn, .wp = wp, .wn = wn, .up = up, .un = un, .v = v};
    return operate(rp, &b);
}

enum outcome limbs_submul_1(mp_ptr rp, size_t rn, mp_srcptr wp, size_t wn, mp_srcptr up, size_t un,
                            mp_limb_t v, bool *negative) {
    struct by_limb b = {.rn = rn, .wp = wp, .wn = wn, .up = up, .un = un, .v = v, .subtract = true};
    enum outcome outcome = operate(rp, &b);
    *negative = b.negative;
    return outcome;
}
