/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Binary powering from the exponent's top bit down, the power of two in the base put aside. */
#include "lib/algorithms/power.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/gmp/normalize.h"
#include "lib/gmp/result.h"
#include "lib/memory/wipe.h"
#include "lib/operate/composition.h"
#include "lib/operate/operate_power.h"

/* GMP reserves a few limbs more than the result has; where an mpz could not hold
 * those either, GMP is to say so. */
enum { SPARE_LIMBS = 16 };

/* b^e with b = {bp, bn} * 2^twos, {bp, bn} odd. */
struct power {
    mp_srcptr bp;
    size_t bn;
    unsigned long e;
    mp_bitcnt_t twos; /* of the result */
    size_t limbs;     /* for the odd part of the result and for its last product */
    mp_ptr shifted;   /* {bp, bn} if it had to be shifted: to be freed */
};

static unsigned bit_at(unsigned long x, unsigned i) {
    return (unsigned)(x >> i) & 1;
}

/* False where an mpz may not hold the result; up has no zero limb at its bottom. */
static bool result_size(struct power *p, mp_srcptr up, size_t un, size_t zero_limbs,
                        unsigned shift) {
    const mp_bitcnt_t most = (mp_bitcnt_t)(INT_MAX - SPARE_LIMBS) * GMP_NUMB_BITS;
    mp_bitcnt_t twos = (mp_bitcnt_t)zero_limbs * GMP_NUMB_BITS + shift;
    mp_bitcnt_t bits = mpn_sizeinbase(up, (mp_size_t)un, 2) - shift;
    if ((bits + twos) > most / p->e)
        return false;
    p->twos = twos * p->e;
    p->limbs = bits * p->e / GMP_NUMB_BITS + 3;
    return true;
}

/* Take the power of two out of {up, un}; false if there is no memory for the rest, or none for the
 * result in an mpz. */
static bool power_open(struct power *p, mp_srcptr up, size_t un, unsigned long e) {
    size_t zero_limbs = mpn_scan1(up, 0) / GMP_NUMB_BITS;
    unsigned shift = (unsigned)(mpn_scan1(up, 0) % GMP_NUMB_BITS);
    *p = (struct power){.bp = up + zero_limbs, .bn = un - zero_limbs, .e = e};
    if (!result_size(p, p->bp, p->bn, zero_limbs, shift))
        return false;
    if (!shift)
        return true;
    p->shifted = malloc(p->bn * sizeof *p->shifted);
    if (!p->shifted)
        return false;
    mpn_rshift(p->shifted, p->bp, (mp_size_t)p->bn, shift);
    p->bn -= p->shifted[p->bn - 1] == 0;
    p->bp = p->shifted;
    return true;
}

/* {*rp, *rn} *= {xp, xn}, through {*tp}, which changes places with it. */
static void multiply(struct composite *w, mp_ptr *rp, mp_ptr *tp, size_t *rn, mp_srcptr xp,
                     size_t xn) {
    mp_ptr product = *tp;
    composite_mul(w, product, *rp, *rn, xp, xn);
    *rn += xn;
    *rn -= product[*rn - 1] == 0;
    *tp = *rp;
    *rp = product;
}

static void multiply_limb(mp_ptr rp, size_t *rn, mp_limb_t x) {
    rp[*rn] = mpn_mul_1(rp, rp, (mp_size_t)*rn, x);
    *rn += rp[*rn] != 0;
}

/* {rp} = {bp, bn}^e, with p->limbs there and at tp; its size. */
static size_t odd_power(struct composite *w, const struct power *p, mp_ptr rp, mp_ptr tp) {
    unsigned steps = (unsigned)mpn_sizeinbase(&p->e, 1, 2) - 1;
    unsigned changes = steps + (p->bn > 1 ? (unsigned)mpn_popcount(&p->e, 1) - 1 : 0);
    mp_ptr xp = changes % 2 ? tp : rp, yp = changes % 2 ? rp : tp; /* so as to end in rp */
    size_t n = p->bn;
    mpn_copyi(xp, p->bp, (mp_size_t)n);
    while (steps-- > 0) {
        multiply(w, &xp, &yp, &n, xp, n);
        if (!bit_at(p->e, steps))
            continue;
        if (p->bn == 1)
            multiply_limb(xp, &n, p->bp[0]);
        else
            multiply(w, &xp, &yp, &n, p->bp, p->bn);
    }
    return n;
}

/* {rp} = the power, with its twos; its size. */
static size_t all_of_power(struct composite *w, const struct power *p, mp_ptr rp, mp_ptr tp) {
    size_t zero_limbs = p->twos / GMP_NUMB_BITS;
    mp_ptr odd = rp + zero_limbs;
    size_t n = odd_power(w, p, odd, tp);
    if (zero_limbs)
        mpn_zero(rp, (mp_size_t)zero_limbs);
    if (p->twos % GMP_NUMB_BITS) {
        odd[n] = mpn_lshift(odd, odd, (mp_size_t)n, p->twos % GMP_NUMB_BITS);
        n += odd[n] != 0;
    }
    return zero_limbs + n;
}

size_t power_limbs(mp_srcptr up, size_t un, unsigned long e) {
    size_t bits;
    if (un == 0 || e < 2)
        return 0;
    bits = un * GMP_NUMB_BITS - (size_t)__builtin_clzl(up[un - 1]);
    if (__builtin_mul_overflow(bits, e, &bits))
        bits = SIZE_MAX;
    return bits / GMP_NUMB_BITS;
}

/* {rp} = the power, in room for `alloc` limbs: its size, or 0 where the device does not do it. */
static size_t on_device(struct composite *w, const struct power *p, mp_ptr rp, size_t alloc) {
    size_t n = 0;
    if ((p->bn == 1 && p->bp[0] == 1) || p->e < 2 ||
        thresholds_is_small(p->limbs, &thresholds.pow) || !composition_serves())
        return 0;
    enum outcome outcome = operate_power(rp, alloc, &n, p->bp, p->bn, p->e, p->twos);
    composite_count(w, outcome);
    return outcome == OUTCOME_DONE ? n : 0;
}

/* The same by products; 0 if there is no memory. */
static size_t by_products(struct composite *w, const struct power *p, mp_ptr rp) {
    mp_ptr tp = malloc(p->limbs * sizeof *tp);
    size_t n = tp ? all_of_power(w, p, rp, tp) : 0;
    wipe_free(tp, p->limbs * sizeof *tp);
    return n;
}

bool power_mpz(struct composite *w, mpz_ptr r, mp_srcptr up, size_t un, unsigned long e,
               bool negative) {
    struct power p;
    size_t n = 0, alloc;
    if (!power_open(&p, up, un, e))
        return false;
    alloc = p.limbs + p.twos / GMP_NUMB_BITS;
    mp_ptr rp = result_room(r, alloc);
    n = on_device(w, &p, rp, alloc);
    if (n == 0)
        n = by_products(w, &p, rp);
    n = normalize(rp, n);
    r->_mp_size = negative ? -(int)n : (int)n;
    wipe_free(p.shifted, p.bn * sizeof *p.shifted);
    return n > 0;
}
