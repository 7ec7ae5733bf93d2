/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Squares of fixed-point numbers (fixed.h) of n words of 32 bits. A square takes n (n + 1) / 2
 * products of words, a product of two numbers n^2. */
#ifndef FIXED_SQUARE_H
#define FIXED_SQUARE_H

/* Sets {p, 2 FIXED_WORDS} to the mixed products: the sum over i < j of u_i u_j 2^(32 (i + j)). */
FN void fixed_square_mixed(u32 *p, struct fixed u) {
    UNROLL for (int i = 0; i < 2 * FIXED_WORDS; i++) p[i] = 0;
    UNROLL for (int i = 0; i < FIXED_TOP; i++) {
        u32 carry = 0;
        UNROLL for (int j = i + 1; j < FIXED_WORDS; j++) {
            u64 t = (u64)u.w[i] * u.w[j] + carry + p[i + j];
            p[i + j] = (u32)t;
            carry = (u32)(t >> 32);
        }
        p[i + FIXED_WORDS] = carry;
    }
}

/* Returns u^2, rounded down. For u as an unsigned number, u^2 is twice the mixed products plus the
 * sum of u_i^2 2^(64 i). If u is negative, 2 u must also be subtracted from the upper half of the
 * result. For this, the code subtracts u from the upper half of the mixed products before it
 * doubles them. */
FN struct fixed fixed_square(struct fixed u) {
    u32 p[2 * FIXED_WORDS], borrow = 0, above = 0, carry = 0;
    struct fixed r;
    fixed_square_mixed(p, u);
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) {
        u64 left = (u64)p[FIXED_WORDS + i] - (fixed_is_negative(u) ? u.w[i] : 0) - borrow;
        p[FIXED_WORDS + i] = (u32)left;
        borrow = (u32)(left >> 63);
    }
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) {
        const u64 square = (u64)u.w[i] * u.w[i];
        u64 low = (u64)(p[2 * i] << 1 | above) + (u32)square + carry;
        u64 high = (u64)(p[2 * i + 1] << 1 | p[2 * i] >> 31) + (square >> 32) + (low >> 32);
        above = p[2 * i + 1] >> 31;
        carry = (u32)(high >> 32);
        p[2 * i] = (u32)low, p[2 * i + 1] = (u32)high;
    }
    UNROLL for (int i = 0; i < FIXED_WORDS; i++) r.w[i] = p[FIXED_TOP + i];
    return r;
}

#endif
