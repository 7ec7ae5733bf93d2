/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests of products by one limb and of partial products (modulo B^n - 1, B^n + 1, or the low
 * limbs): computes them on the device and compares them with GMP's. */
#ifndef MPGPU_TEST_ON_LIMBS_H
#define MPGPU_TEST_ON_LIMBS_H

#include "lib/job/limbs.h"
#include "tests/support/backends.h"

/* Computes w + u v, or w - u v if `subtract`, modulo B^rn on the device. */
static inline enum outcome by_limb(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                                   mp_limb_t v, const mp_limb_t *wp, size_t wn, int subtract) {
    bool negative = false;
    enum outcome outcome = subtract ? limbs_submul_1(rp, rn, wp, wn, up, un, v, &negative)
                                    : limbs_addmul_1(rp, rn, wp, wn, up, un, v);
    if (negative)
        mpn_neg(rp, rp, (mp_size_t)rn);
    return outcome;
}

/* Kinds of partial products: modulo B^rn - 1, modulo B^rn + 1, and the low rn limbs. */
enum partial { MINUS, PLUS, LOW, PARTIALS };

/* Reduces {pp, 2 rn} to {pp, rn}.  Returns limb rn of the result, which is 0 unless the result is
 * B^rn modulo B^rn + 1. */
static inline mp_limb_t partial_reduce(enum partial kind, mp_limb_t *pp, size_t rn) {
    const mp_size_t n = (mp_size_t)rn;
    if (kind == LOW)
        return 0;
    const mp_limb_t over =
        kind == PLUS ? mpn_sub_n(pp, pp, pp + n, n) : mpn_add_n(pp, pp, pp + n, n);
    return mpn_add_1(pp, pp, n, over);
}

/* Compares a partial product of rn limbs (a square if up == vp) with GMP's.  Guard limbs around it
 * must not change.  The sizes must suit the kind. */
static inline void partial_compare(enum partial kind, size_t rn, const mp_limb_t *up, size_t un,
                                   const mp_limb_t *vp, size_t vn) {
    static const enum limbs_modulus kinds[] = {LIMBS_MULMOD_BNM1, LIMBS_MULMOD_BNP1,
                                               LIMBS_MULMOD_LOW};
    const size_t size = un + vn + 2 * rn;
    mp_limb_t *rp = guarded(rn), *right = limbs(size), top = 0;
    memset(right, 0, size * sizeof *right);
    mpn_mul(right, up, (mp_size_t)un, vp, (mp_size_t)vn);
    const mp_limb_t high = partial_reduce(kind, right, rn);
    const enum outcome outcome = limbs_mulmod(kinds[kind], rp, rn, up, un, vp, vn, &top);
    ck_assert_msg(outcome == OUTCOME_DONE, "kind %d, %zu by %zu limbs to %zu: outcome %d", kind, un,
                  vn, rn, outcome);
    for (size_t i = 0; i < rn; i++)
        ck_assert_msg(rp[i] == right[i], "kind %d, %zu by %zu limbs to %zu: limb %zu", kind, un, vn,
                      rn, i);
    ck_assert_msg(kind != PLUS || top == high, "kind %d, %zu by %zu limbs to %zu: top", kind, un,
                  vn, rn);
    check_guards(rp, rn);
    free(right);
}

#endif
