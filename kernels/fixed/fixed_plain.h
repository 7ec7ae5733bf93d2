/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Sums and products of fixed-point numbers (fixed.h) with words of 32 bits, for any compiler. */
#ifndef FIXED_PLAIN_H
#define FIXED_PLAIN_H

FN struct fixed fixed_add(struct fixed u, struct fixed v) {
    u64 carry = 0;
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) {
        carry += (u64)u.w[i] + v.w[i];
        u.w[i] = (u32)carry;
        carry >>= 32;
    }
    return u;
}

FN struct fixed fixed_sub(struct fixed u, struct fixed v) {
    u64 carry = 1;
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) {
        u32 complement = ~v.w[i];
        carry += (u64)u.w[i] + complement;
        u.w[i] = (u32)carry;
        carry >>= 32;
    }
    return u;
}

/* Returns the product, rounded down. Multiplies u and v as unsigned numbers, and corrects the upper
 * half for each negative factor. */
FN struct fixed fixed_mul(struct fixed u, struct fixed v) {
    u32 p[2 * FIXED_WORDS];
    u64 borrows = 0;
    struct fixed r;
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) {
        u32 carry = 0;
        UNROLL for (int j = 0; j < FIXED_WORDS; j++) {
            u64 t = (u64)u.w[j] * v.w[i] + carry + (i == 0 ? 0 : p[i + j]);
            p[i + j] = (u32)t;
            carry = (u32)(t >> 32);
        }
        p[i + FIXED_WORDS] = carry;
    }
    r.w[0] = p[FIXED_TOP];
    UNROLL for (int i = 0; i < FIXED_TOP; i++) {
        u64 taken = borrows;
        taken += fixed_is_negative(u) ? v.w[i] : 0;
        taken += fixed_is_negative(v) ? u.w[i] : 0;
        u64 left = p[FIXED_WORDS + i] - taken;
        r.w[i + 1] = (u32)left;
        borrows = (0 - (left >> 32)) & 3; /* at most 2 */
    }
    return r;
}

FN struct fixed fixed_sqr(struct fixed u) {
    return fixed_square(u);
}

#endif
