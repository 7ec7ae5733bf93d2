/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of matrices of integers on the device (doc/design/matrices.md). */
#ifndef MPGPU_MATRIX_H
#define MPGPU_MATRIX_H

#include "kernels/common/primes.h"
#include "kernels/matrix/matrix.h"
#include "lib/device/context.h"

/* The product R = A B, where A has rows x inner entries and B has inner x columns entries, stored
 * row by row. An entry is a number in two's complement, of a_words, b_words or r_words words of 32
 * bits. If matrix_is_long, a_words and b_words must be even. Absolute values in R are at most
 * 2^bits. R overlaps neither A nor B; A and B may be the same memory. */
struct matrix_operation {
    uint64_t rows, inner, columns;
    uint32_t a_words, b_words, r_words;
    uint64_t bits;
    gpu_mem a, b, r;
};

/* MATRIX_MOST_BITS: the most bits of a result's entries for which there are enough primes between
 * 2^7 and 2^14. Longer entries are multiplied by transforms. MATRIX_MOST_DIGITS: the most digits of
 * 64 bits of these transforms. */
enum { MATRIX_MOST_BITS = 23280, MATRIX_MOST_DIGITS = 1 << 24 };

/* Returns true if entries are so long that transforms compute the product
 * (lib/matrix/matrix_long.h). */
static inline bool matrix_is_long(const struct matrix_operation *op) {
    return op->bits > MATRIX_MOST_BITS || op->a_words > MATRIX_SPLIT_MOST ||
           op->b_words > MATRIX_SPLIT_MOST || op->r_words > UINT16_MAX;
}

/* Returns the least length of transforms, in digits of 64 bits: all coefficients of a product of
 * two entries must fit, and all digits of the result. */
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

/* Queues the product, without a check. Returns GPU_NOMEM if the device's memory does not even
 * suffice for the residues of a few terms of one row of A and one column of B. */
enum gpu_status matrix_compute(struct context *s, const struct matrix_operation *op);

/* Computes the product, checks it if `verify` is `device`, and waits for the device. Returns
 * GPU_FAILED if the check finds a wrong entry. The caller must have tested the kernels with known
 * answers (lib/selftest/selftest.h). */
enum gpu_status matrix_operate(struct context *s, const struct matrix_operation *op);

/* Returns the program that computes products of residues on this device: GPU_PROGRAM_matrix_groups,
 * GPU_PROGRAM_matrix_units or GPU_PROGRAM_matrix_product. */
enum gpu_program matrix_program(const struct context *s);

/* Allocates memory for the check of a product. Call it before the product. */
enum gpu_status matrix_check_prepare(struct context *s, const struct matrix_operation *op);

/* Queues the check of a product between verdict_begin and verdict_end (lib/device/verdict.h). */
enum gpu_status matrix_check(struct context *s, const struct matrix_operation *op);

#endif
