/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of matrices of integers on the device (doc/design/matrices.md). */
#ifndef MPGPU_MATRIX_H
#define MPGPU_MATRIX_H

#include "kernels/common/primes.h"
#include "lib/device/context.h"

/* The product R = A B of matrices of rows x inner and inner x columns entries, row by row. An entry
 * is a number in two's complement, of a_words, b_words or r_words words of 32 bits. For transforms,
 * a_words and b_words are even. All absolute values of R are at most 2^bits. R overlaps neither A
 * nor B; A and B may be the same memory. */
struct matrix_operation {
    uint64_t rows, inner, columns;
    uint32_t a_words, b_words, r_words;
    uint64_t bits;
    gpu_mem a, b, r;
};

/* The most bits of an entry of the result for which there are enough primes between 2^7 and 2^14;
 * the most digits of 64 bits of a product by transforms. */
enum { MATRIX_MOST_BITS = 23280, MATRIX_MOST_DIGITS = 1 << 24 };

/* Returns true if entries are so long that transforms compute the product
 * (lib/matrix/matrix_long.h). */
static inline bool matrix_is_long(const struct matrix_operation *op) {
    return op->bits > MATRIX_MOST_BITS || op->a_words > UINT16_MAX || op->b_words > UINT16_MAX ||
           op->r_words > UINT16_MAX;
}

/* Returns the least length of transforms: it has all coefficients of a product of two entries, and
 * all digits of the result. */
static inline uint64_t matrix_digits(const struct matrix_operation *op) {
    const uint64_t product = ((uint64_t)op->a_words + op->b_words) / 2 - 1;
    const uint64_t result = ((uint64_t)op->r_words + 1) / 2;
    return product > result ? product : result;
}

/* Returns true if the kernels accept the sizes of an operation. PRIMES_MAX_TERMS limits the
 * coefficients of products by transforms (lib/matrix/matrix_long.c). */
static inline bool matrix_takes(const struct matrix_operation *op) {
    const uint32_t shorter = op->a_words < op->b_words ? op->a_words : op->b_words;
    return !matrix_is_long(op) ? op->inner <= INT32_MAX
                               : op->inner <= (PRIMES_MAX_TERMS - 2) / (shorter / 2 + 1) &&
                                     matrix_digits(op) <= MATRIX_MOST_DIGITS;
}

/* Queues the product, without a check. Returns GPU_NOMEM if not even the residues of one line of
 * each factor fit the device's memory. */
enum gpu_status matrix_compute(struct context *s, const struct matrix_operation *op);

/* Computes the product, checks it if `verify` is `device`, and waits for the device. Returns
 * GPU_FAILED if the check finds a wrong entry. The caller must have tested the kernels with known
 * answers (lib/selftest/selftest.h). */
enum gpu_status matrix_operate(struct context *s, const struct matrix_operation *op);

/* Returns true if matrix units compute products on this device. */
bool matrix_uses_units(const struct context *s);

/* Allocates memory for the check of a product. Call it before the product. */
enum gpu_status matrix_check_prepare(struct context *s, const struct matrix_operation *op);

/* Queues the check of a product between verdict_begin and verdict_end (lib/device/verdict.h). */
enum gpu_status matrix_check(struct context *s, const struct matrix_operation *op);

#endif
