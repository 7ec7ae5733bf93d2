/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reduces products on the host. low + B^n high is low + high modulo B^n - 1 and low - high modulo
 * B^n + 1. A carry out of the sum is added to it at limb 0. If the difference is negative, B^n was
 * added to it, so 1 must be added too. */
#include "lib/multiply/fold.h"

/* Adds {yp, yn} to {rp, n}, or subtracts it if `subtract`; yn <= n. Returns the carry or borrow. */
static mp_limb_t add(mp_limb_t *rp, size_t n, const mp_limb_t *yp, size_t yn, int subtract) {
    const mp_limb_t flip = subtract ? ~(mp_limb_t)0 : 0;
    mp_limb_t carry = flip & 1;
    for (size_t i = 0; i < n; i++) {
        mp_limb_t y = (i < yn ? yp[i] : 0) ^ flip, sum = rp[i] + y;
        rp[i] = sum + carry;
        carry = (mp_limb_t)(sum < y) | (mp_limb_t)(rp[i] < sum);
    }
    return carry ^ (flip & 1);
}

/* Adds `carry` to the number {rp, n}. Returns the carry out of this number. */
static mp_limb_t increment(mp_limb_t *rp, size_t n, mp_limb_t carry) {
    for (size_t i = 0; i < n && carry; i++)
        carry = ++rp[i] == 0;
    return carry;
}

uint32_t fold(mp_limb_t *rp, size_t rn, const mp_limb_t *xp, size_t xn, int plus) {
    size_t low = xn < rn ? xn : rn;
    for (size_t i = low; i < rn; i++)
        rp[i] = 0;
    for (size_t i = 0; i < low; i++)
        rp[i] = xp[i];
    mp_limb_t carry = add(rp, rn, xp + low, xn - low, plus);
    return (uint32_t)increment(rp, rn, carry);
}
