/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Solves systems of linear equations with integer coefficients on the device
 * (doc/design/matrices.md). */
#ifndef MPGPU_MATRIX_SYSTEM_H
#define MPGPU_MATRIX_SYSTEM_H

#include "kernels/matrix/system.h"
#include "lib/base/ceil_div.h"
#include "lib/device/context.h"

/* The system A X = B. A has `side` rows and columns; B has `columns` columns, possibly none. The
 * result r has the numerators det(A) X row by row, and then det(A); all are 0 if det(A) is 0.
 * Entries are numbers in two's complement, of a_words, b_words or r_words words of 32 bits.
 * Absolute values of results are at most 2^bits, which is less than 2^(32 r_words - 1). r overlaps
 * neither a nor b. */
struct matrix_system {
    uint64_t side, columns;
    uint32_t a_words, b_words, r_words;
    uint64_t bits;
    gpu_mem a, b, r;
};

/* Returns an upper bound for the bits of the result, by Hadamard's inequality. Absolute values of
 * entries are at most 2^a_bits in A and 2^b_bits in B. The norm of a column of A is at most
 * 2^a_bits sqrt(side), and |det(A)| is at most the product of all norms. A numerator is a
 * determinant in which a column of B replaces a column of A. */
static inline uint64_t matrix_system_bits(uint64_t side, uint64_t columns, uint64_t a_bits,
                                          uint64_t b_bits) {
    const uint64_t last = columns && b_bits > a_bits ? b_bits : a_bits;
    uint64_t log = 0;
    while (side > UINT64_C(1) << log)
        log++;
    return (side - 1) * a_bits + last + (side * log + 1) / 2;
}

/* Returns how many primes are needed to determine the result. */
static inline uint64_t matrix_system_primes(const struct matrix_system *op) {
    return ceil_div((32 * (uint64_t)op->r_words + 64) * 1000, SYSTEM_MILLIBITS);
}

/* Returns the count of numbers of the result. */
static inline uint64_t matrix_system_numbers(const struct matrix_system *op) {
    return op->side * op->columns + 1;
}

/* Returns true if the kernels accept the sizes. */
static inline bool matrix_system_takes(const struct matrix_system *op) {
    const uint64_t width = op->side + op->columns;
    return op->side < INT32_MAX / 2 && width < INT32_MAX && op->bits < INT32_MAX &&
           matrix_system_primes(op) <= SYSTEM_MOST_PRIMES && op->side * width < (uint64_t)1 << 28 &&
           matrix_system_numbers(op) < INT32_MAX;
}

/* Solves the system, without waiting for the last launches. Call it between verdict_begin and
 * verdict_end (lib/device/verdict.h). */
enum gpu_status matrix_system_compute(struct context *s, const struct matrix_system *op);

/* Solves the system, and waits for the device. Returns GPU_FAILED if a launch did not run, if the
 * residues belong to no possible result, or if the check of verify:device fails: A (det(A) X) =
 * det(A) B. Returns GPU_NOMEM if the device's memory does not even suffice for residues modulo one
 * prime. */
enum gpu_status matrix_system_operate(struct context *s, const struct matrix_system *op);

/* matrix_system_check_prepare allocates memory for the check. matrix_system_check queues it between
 * verdict_begin and verdict_end (lib/device/verdict.h): it verifies A N = d B for the numerators N
 * and the determinant d of the result. */
enum gpu_status matrix_system_check_prepare(struct context *s, const struct matrix_system *op);
enum gpu_status matrix_system_check(struct context *s, const struct matrix_system *op);

#endif
