/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Generates numbers with redundant digits (digits that may be negative or exceed the base) for
 * tests. */
#ifndef MPGPU_TEST_DIGITS_H
#define MPGPU_TEST_DIGITS_H

#include "kernels/sums/redundant.h"
#include "tests/support/testing.h"

enum { DIGIT_SHAPES = 9 };

/* Sets n digits from -m to m.  The shape selects extreme digits, alternating digits, equal digits,
 * all ones, or random digits. */
static inline void digits_fill(s32 *x, size_t n, s64 m, int shape) {
    const s64 base = DIGIT_BASE;
    s64 some[] = {m, -m, m - 1, 1 - m, base / 2, -base / 2, base / 2 - 1, base - 1, 0, 1, -1};
    for (size_t i = 0; i < n; i++) {
        s64 random = (s64)testing_below(2 * (unsigned long)m + 1) - m;
        const s64 by_shape[DIGIT_SHAPES] = {m,
                                            -m,
                                            i & 1 ? m : -m,
                                            i & 1 ? -m : m,
                                            i % 3 ? m : -m,
                                            i < n / 2 ? -m : m,
                                            base - 1,
                                            some[testing_below(sizeof some / sizeof *some)],
                                            random};
        s64 digit = by_shape[shape % DIGIT_SHAPES];
        x[i] = (s32)(digit > m || digit < -m ? random : digit);
    }
}

/* Sets z to the sum of x[i] B^i. */
static inline void digits_value(mpz_t z, const s32 *x, size_t n) {
    u32 *digits = malloc(n * sizeof *digits);
    s64 carry = 0;
    mpz_t top;
    for (size_t i = 0; i < n; i++) {
        s64 sum = carry + x[i];
        digits[i] = (u32)(sum & (DIGIT_BASE - 1));
        carry = (sum - digits[i]) / DIGIT_BASE;
    }
    mpz_import(z, n, -1, sizeof *digits, 0, 32 - DIGIT_BITS, digits);
    mpz_init_set_si(top, carry);
    mpz_mul_2exp(top, top, n * DIGIT_BITS);
    mpz_add(z, z, top);
    mpz_clear(top);
    free(digits);
}

#endif
