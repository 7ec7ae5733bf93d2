/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Converts fixed-point numbers from and to GMP's integers. */
#ifndef MPGPU_TEST_CONVERT_MPZ_H
#define MPGPU_TEST_CONVERT_MPZ_H

#include <gmp.h>
#include <string.h>

#include "lib/fixed/convert.h"

/* Sets the number w of `words` words to z units of 2^(-32 (words - 1)). Returns CONVERT_RANGE if
 * z does not fit. */
static inline enum convert_status convert_from_mpz(uint32_t *w, unsigned words, const mpz_t z) {
    size_t count;
    memset(w, 0, words * sizeof *w);
    if (mpz_sizeinbase(z, 2) > 32 * (size_t)words)
        return CONVERT_RANGE;
    mpz_export(w, &count, -1, sizeof *w, 0, 0, z);
    return convert_sign(w, words, mpz_sgn(z) < 0);
}

/* The number's units. */
static inline void convert_to_mpz(mpz_t z, const uint32_t *w, unsigned words) {
    uint32_t magnitude[8];
    const bool is_negative = w[words - 1] >> 31;
    memcpy(magnitude, w, words * sizeof *w);
    if (is_negative)
        convert_negate(magnitude, words);
    mpz_import(z, words, -1, sizeof *w, 0, 0, magnitude);
    if (is_negative)
        mpz_neg(z, z);
}

#endif
