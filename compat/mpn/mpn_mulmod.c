/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The functions behind GMP's division, powers modulo and roots: products modulo B^n,
 * B^n - 1 and B^n + 1, and mpn_nussbaumer_mul.  internal.h has what they do. */
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "lib/memory/wipe.h"
#include "lib/operate/limbs.h"
#include "lib/operate/limbs_mulmod.h"
#include "lib/gmp/real.h"

/* Where a function has a form for squares, vp NULL stands for that one. */

static void real_low(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    if (vp)
        real.mpn_mullo_n(rp, up, vp, n);
    else
        real.mpn_sqrlo(rp, up, n);
}

LARGE void low_large(enum call_row row, mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n,
                     const _Atomic size_t *threshold) {
    struct call call;
    mp_limb_t top;
    size_t limbs = (size_t)n;
    if (!call_begin(&call, row, limbs, threshold, vp ? 2 * limbs : limbs)) {
        real_low(rp, up, vp, n);
        return;
    }
    enum outcome why = limbs_mulmod(MULMOD_LOW, rp, limbs, up, limbs, vp ? vp : up, limbs, &top);
    if (why != OUTCOME_DONE)
        real_low(rp, up, vp, n);
    call_end(&call, why);
}

EXPORT void mpn_mullo_n(mp_ptr rp, mp_srcptr up, mp_srcptr vp, mp_size_t n) {
    if (call_product_is_small(up, (size_t)n, vp, (size_t)n))
        real.mpn_mullo_n(rp, up, vp, n);
    else
        low_large(CALL_ROW(mpn_mullo_n), rp, up, vp, n,
                  call_product_threshold(up, (size_t)n, vp, (size_t)n));
}

EXPORT void mpn_sqrlo(mp_ptr rp, mp_srcptr up, mp_size_t n) {
    if (call_is_small((size_t)n, &thresholds.sqr))
        real.mpn_sqrlo(rp, up, n);
    else
        low_large(CALL_ROW(mpn_sqrlo), rp, up, NULL, n, &thresholds.sqr);
}

static void real_minus(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                       mp_size_t vn, mp_ptr scratch) {
    if (vp)
        real.mpn_mulmod_bnm1(rp, rn, up, un, vp, vn, scratch);
    else
        real.mpn_sqrmod_bnm1(rp, rn, up, un, scratch);
}

LARGE void minus_large(enum call_row row, mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un,
                       mp_srcptr vp, mp_size_t vn, mp_ptr scratch) {
    struct call call;
    mp_limb_t top;
    size_t limbs = (size_t)(vp ? un + vn : un);
    if (!call_begin(&call, row, (size_t)rn, &thresholds.mulmod, limbs)) {
        real_minus(rp, rn, up, un, vp, vn, scratch);
        return;
    }
    enum outcome why =
        limbs_mulmod(MULMOD_MINUS, rp, (size_t)rn, up, (size_t)un, vp ? vp : up, (size_t)vn, &top);
    if (why != OUTCOME_DONE)
        real_minus(rp, rn, up, un, vp, vn, scratch);
    call_end(&call, why);
}

/* The way past has to have the arguments where they are. */
LARGE void mulmod_large(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                        mp_size_t vn, mp_ptr scratch) {
    minus_large(CALL_ROW(mpn_mulmod_bnm1), rp, rn, up, un, vp, vn, scratch);
}

EXPORT void mpn_mulmod_bnm1(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                            mp_size_t vn, mp_ptr ON_STACK scratch) {
    if (call_is_small((size_t)rn, &thresholds.mulmod))
        real.mpn_mulmod_bnm1(rp, rn, up, un, vp, vn, scratch);
    else
        mulmod_large(rp, rn, up, un, vp, vn, scratch);
}

EXPORT void mpn_sqrmod_bnm1(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_ptr scratch) {
    if (call_is_small((size_t)rn, &thresholds.mulmod))
        real.mpn_sqrmod_bnm1(rp, rn, up, un, scratch);
    else
        minus_large(CALL_ROW(mpn_sqrmod_bnm1), rp, rn, up, un, NULL, un, scratch);
}

/* Operands that are longer than the modulus, or empty, GMP reduces as it does. */
static int is_plain(size_t rn, size_t un, size_t vn) {
    return un >= 1 && un <= rn && vn >= 1 && vn <= rn;
}

static int overlap(mp_srcptr rp, size_t rn, mp_srcptr up, size_t un) {
    return rp < up + un && up < rp + rn;
}

/* Modulo B^rn + 1, where rp may be an operand. */
static enum outcome mul_plus(mp_ptr rp, size_t rn, mp_srcptr up, size_t un, mp_srcptr vp,
                               size_t vn, mp_limb_t *top) {
    if (!overlap(rp, rn, up, un) && !overlap(rp, rn, vp, vn))
        return limbs_mulmod(MULMOD_PLUS, rp, rn, up, un, vp, vn, top);
    mp_ptr apart = malloc(rn * sizeof *apart);
    enum outcome why =
        apart ? limbs_mulmod(MULMOD_PLUS, apart, rn, up, un, vp, vn, top) : OUTCOME_MEMORY;
    if (why == OUTCOME_DONE)
        memcpy(rp, apart, rn * sizeof *rp);
    wipe_free(apart, rn * sizeof *apart);
    return why;
}

LARGE mp_limb_t mul_fft_large(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                              mp_size_t vn, int k) {
    struct call call;
    mp_limb_t top;
    int plain = is_plain((size_t)rn, (size_t)un, (size_t)vn);
    if (!call_begin(&call, CALL_ROW(mpn_mul_fft), plain ? (size_t)rn : 0,
                    &thresholds.mulmod, (size_t)(un + vn)))
        return real.mpn_mul_fft(rp, rn, up, un, vp, vn, k);
    enum outcome why = mul_plus(rp, (size_t)rn, up, (size_t)un, vp, (size_t)vn, &top);
    if (why != OUTCOME_DONE)
        top = real.mpn_mul_fft(rp, rn, up, un, vp, vn, k);
    call_end(&call, why);
    return top;
}

EXPORT mp_limb_t mpn_mul_fft(mp_ptr rp, mp_size_t rn, mp_srcptr up, mp_size_t un, mp_srcptr vp,
                             mp_size_t vn, ON_STACK int k) {
    if (call_is_small((size_t)rn, &thresholds.mulmod))
        return real.mpn_mul_fft(rp, rn, up, un, vp, vn, k);
    return mul_fft_large(rp, rn, up, un, vp, vn, k);
}

LARGE void nussbaumer_large(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    struct call call;
    const _Atomic size_t *threshold = call_product_threshold(up, (size_t)un, vp, (size_t)vn);
    if (!call_begin(&call, CALL_ROW(mpn_nussbaumer_mul), (size_t)vn, threshold,
                    (size_t)(un + vn))) {
        real.mpn_nussbaumer_mul(rp, up, un, vp, vn);
        return;
    }
    enum outcome why = limbs_mul(rp, up, (size_t)un, vp, (size_t)vn);
    if (why != OUTCOME_DONE)
        real.mpn_nussbaumer_mul(rp, up, un, vp, vn);
    call_end(&call, why);
}

EXPORT void mpn_nussbaumer_mul(mp_ptr rp, mp_srcptr up, mp_size_t un, mp_srcptr vp, mp_size_t vn) {
    if (call_product_is_small(up, (size_t)un, vp, (size_t)vn))
        real.mpn_nussbaumer_mul(rp, up, un, vp, vn);
    else
        nussbaumer_large(rp, up, un, vp, vn);
}
