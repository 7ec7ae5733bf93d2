/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sums and products of fixed-point numbers (fixed.h) with limbs of 64 bits, for CPUs. */
#ifndef FIXED_LIMBS_H
#define FIXED_LIMBS_H

typedef unsigned __int128 fixed_wide;

FN struct fixed fixed_add(struct fixed u, struct fixed v) {
    fixed_wide carry = 0;
    UNROLL for (int i = 0; i < FIXED_LIMBS; i++) {
        carry += (fixed_wide)u.d[i] + v.d[i];
        u.d[i] = (u64)carry;
        carry >>= 64;
    }
    return u;
}

FN struct fixed fixed_sub(struct fixed u, struct fixed v) {
    fixed_wide carry = 1;
    UNROLL for (int i = 0; i < FIXED_LIMBS; i++) {
        carry += (fixed_wide)u.d[i] + ~v.d[i];
        u.d[i] = (u64)carry;
        carry >>= 64;
    }
    return u;
}

/* Returns u if v is negative, otherwise 0. */
FN struct fixed fixed_where_negative(struct fixed u, struct fixed v) {
    const u64 mask = 0 - (v.d[FIXED_LIMBS - 1] >> 63);
    UNROLL for (int i = 0; i < FIXED_LIMBS; i++) u.d[i] &= mask;
    return u;
}

/* Returns the product, rounded down. Multiplies u and v as unsigned numbers, and corrects the upper
 * half for each negative factor. */
FN struct fixed fixed_mul(struct fixed u, struct fixed v) {
    u64 p[2 * FIXED_LIMBS];
    struct fixed high, r;
    UNROLL for (int i = 0; i < FIXED_LIMBS; i++) {
        u64 carry = 0;
        UNROLL for (int j = 0; j < FIXED_LIMBS; j++) {
            fixed_wide t = (fixed_wide)u.d[j] * v.d[i] + carry + (i == 0 ? 0 : p[i + j]);
            p[i + j] = (u64)t;
            carry = (u64)(t >> 64);
        }
        p[i + FIXED_LIMBS] = carry;
    }
    UNROLL for (int i = 0; i < FIXED_LIMBS; i++) high.d[i] = p[FIXED_LIMBS + i];
    high = fixed_sub(high, fixed_where_negative(u, v));
    high = fixed_sub(high, fixed_where_negative(v, u));
    UNROLL for (int i = 0; i < FIXED_LIMBS; i++) {
        u64 below = i == 0 ? p[FIXED_LIMBS - 1] : high.d[i - 1];
        r.d[i] = below >> 32 | high.d[i] << 32;
    }
    return r;
}

FN struct fixed fixed_sqr(struct fixed u) {
    return fixed_mul(u, u); /* the compiler computes u_i u_j and u_j u_i once */
}

#endif
