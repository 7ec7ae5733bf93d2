/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Newton's iteration for a reciprocal.
 *
 * A step makes v_k, with k limbs, of v_h, with h = k/2 + 1 (rounded down). Write T for
 * d / B^(n-k), so that B^(n+k) / d = B^(2k) / T, and D for T without its fraction, the k
 * highest limbs of d.  Let v_h be right up to E: 0 < B^(k+h) / T - v_h < E.
 *
 *     e   = B^(k+h) - D v_h
 *     v_k = B^(k-h) v_h + floor(v_h floor((e-1) / B^(h-1)) / B^(h+1)) - 4
 *
 * Not too large.  With T in the place of D, B^(k-h) v_h + v_h e / B^(2h) would be
 * B^(2k) / T less its square error, see below.  D makes e larger by (T-D) v_h < 2 B^h, and
 * the second term by less than v_h 2 B^h / B^(2h) < 4, which is taken away again.
 *
 * Not too small.  The square error is B^(k-h) f^2 / (B^(k+h) / T) < f^2 B^(k-2h), where
 * f < E is the error of v_h: at most E^2 / B, as 2h > k.  The inner floor and the 1 cost
 * less than 2 B^(h-1) v_h / B^(2h) < 4 / B, the outer floor less than 1. Together with the
 * 4 that is less than 6 = E.
 *
 * Sizes.  v_h < B^(k+h) / T <= 2 B^h, hence e > 0, and e < E T + 2 B^h < B^(k+1).
 *
 * Where v_k comes out below B^k (d is just below B^n then) it is set to B^k, which is
 * larger and still below B^(n+k) / d. */
#include "lib/algorithms/reciprocal.h"

#include <string.h>

#include "lib/algorithms/mulmod_bnm1.h"
#include "lib/algorithms/scratch.h"
#include "lib/gmp/real.h"

/* No smaller step than this: for fewer limbs GMP divides. */
enum { LEAST_STEP = 4 };

/* At least 3, below which h would not be smaller than k. */
static size_t first_size(size_t k) {
    size_t least = atomic_load_explicit(&thresholds.mul, memory_order_relaxed);
    size_t size = k;
    while (size >= LEAST_STEP && size > least)
        size = size / 2 + 1;
    return size;
}

/* v_k by GMP's division: floor((B^(2k) - 1) / (D+1)), which is less than
 * B^(2k) / (D+1) < B^(2k) / T, by at most 1; and B^(2k) / T is at most
 * B^(2k) / (D (D+1)) < 4 larger. */
static void first(struct reciprocal *v, size_t k) {
    mp_ptr xp = v->xp + v->k - k, np = v->scratch, dp = np + 2 * k, qp = dp + k;
    if (mpn_add_1(dp, v->dp + v->dn - k, (mp_size_t)k, 1)) { /* D + 1 = B^k */
        mpn_zero(xp, (mp_size_t)k);
        return;
    }
    memset(np, 0xff, 2 * k * sizeof *np);
    real.mpn_tdiv_qr(qp, np, 0, np, (mp_size_t)(2 * k), dp, (mp_size_t)k);
    mpn_copyi(xp, qp, (mp_size_t)k); /* qp[k] = 1 */
}

/* floor((e-1) / B^(h-1)), k - h + 2 limbs somewhere in the scratch memory for D v_h.  That is
 * B^(k+h) - e, and 0 < e < B^(k+1): so it can be taken modulo B^n - 1 for n > k + 1. */
static mp_ptr error_of(struct composite *w, mp_ptr product, mp_srcptr dp, size_t k, mp_srcptr xh,
                       size_t h) {
    size_t wrapped = mulmod_bnm1_size(k + 2, k, h);
    if (wrapped) {
        const mp_limb_t one = 1;
        mulmod_bnm1_mul(w, product, wrapped, dp, k, xh, h);
        mulmod_bnm1_add(product, wrapped, dp, k, h);
        mpn_com(product, product, (mp_size_t)wrapped);
        mulmod_bnm1_add(product, wrapped, &one, 1, k + h - wrapped);
        mpn_sub_1(product, product, (mp_size_t)wrapped, 1);
    } else {
        composite_mul(w, product, dp, k, xh, h);
        mpn_add_n(product + h, product + h, dp, (mp_size_t)k); /* D v_h < B^(k+h) */
        mpn_com(product + h - 1, product + h - 1, (mp_size_t)(k - h + 2));
    }
    return product + h - 1;
}

/* v_k from v_h.  Numbers are kept with their highest limb at {xp, v->k}'s. */
static void step(struct composite *w, struct reciprocal *v, size_t k, size_t h) {
    mp_ptr xh = v->xp + v->k - h, xk = v->xp + v->k - k;
    mp_srcptr dp = v->dp + v->dn - k;
    mp_ptr product = v->scratch, term = product + k + h;
    mp_srcptr ep = error_of(w, product, dp, k, xh, h);
    size_t en = k - h + 2;
    composite_mul(w, term, xh, h, ep, en);
    mpn_add_n(term + h, term + h, ep, (mp_size_t)en);
    mpn_zero(xk, (mp_size_t)(k - h));
    mpn_add(xk, xk, (mp_size_t)k, term + h + 1, (mp_size_t)(k - h + 1));
    if (mpn_sub_1(xk, xk, (mp_size_t)k, 4))
        mpn_zero(xk, (mp_size_t)k);
}

static void iterate(struct composite *w, struct reciprocal *v, size_t k, size_t least) {
    if (k == least) {
        first(v, k);
        return;
    }
    iterate(w, v, k / 2 + 1, least);
    step(w, v, k, k / 2 + 1);
}

/* A step has k + h and k + 2 limbs, and the beginning 4k + 1; a block of a division
 * 2k, and k - 1 + dn. */
size_t reciprocal_scratch(size_t dn, size_t k) {
    return 3 * k + dn + 8;
}

static unsigned leading_zeros(mp_limb_t limb) {
    return (unsigned)__builtin_clzl(limb);
}

bool reciprocal_init(struct composite *w, struct reciprocal *v, mp_srcptr dp, size_t dn, size_t k) {
    mp_ptr block = scratch_alloc(dn + 1 + k + reciprocal_scratch(dn, k));
    if (!block)
        return false;
    *block = 0;
    v->dp = block + 1;
    v->dn = dn;
    v->shift = leading_zeros(dp[dn - 1]);
    v->xp = v->dp + dn;
    v->k = k;
    v->scratch = v->xp + k;
    if (v->shift)
        mpn_lshift(v->dp, dp, (mp_size_t)dn, v->shift);
    else
        mpn_copyi(v->dp, dp, (mp_size_t)dn);
    iterate(w, v, k, first_size(k));
    return true;
}

void reciprocal_clear(struct reciprocal *v) {
    scratch_free(v->dp - 1);
}
