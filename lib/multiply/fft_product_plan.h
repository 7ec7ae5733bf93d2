/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Plans products by transforms of doubles: how operands are cut into balanced digits. Does not
 * access the device. */
#ifndef MPGPU_FFT_PRODUCT_PLAN_H
#define MPGPU_FFT_PRODUCT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/fft/fft_plan.h"

/* least words of the shorter operand for which the FFT is useful */
#define FFT_PRODUCT_MIN_WORDS 128

/* A plan. Operands are cut into `length` digits of `bits` bits; some have bits + 1 bits if `rest`
 * is not 0 (kernels/common/balanced_digits.h).
 *
 * - FFT_PRODUCT_FULL: a whole product, computed modulo x^length + 1. It needs only some of the
 *   coefficients; the others are 0.
 * - FFT_PRODUCT_MINUS, FFT_PRODUCT_PLUS: a product modulo B^n - 1 or B^n + 1, computed modulo
 *   x^length - 1 or x^length + 1, where B^n = 2^(bits * length + rest).
 * - FFT_PRODUCT_MERSENNE: a product modulo 2^p - 1 for any p = bits * length + rest; the sum of its
 *   coefficients is not reduced. */
struct fft_product_plan {
    unsigned bits;
    uint32_t rest;
    uint64_t length;
    enum fft_product_modulus {
        FFT_PRODUCT_FULL,
        FFT_PRODUCT_MINUS,
        FFT_PRODUCT_PLUS,
        FFT_PRODUCT_MERSENNE
    } ring;
    struct fft_plan transform;
};

/* Returns true if there is a plan for a product of un by vn words (un >= vn >= 1) on a device with
 * enough memory. */
bool fft_product_serves(uint64_t un, uint64_t vn);

/* Chooses the cheapest plan for a product of un by vn words, where un >= vn >= 1. All its buffers
 * together must fit into `room` bytes of device memory, and each of them into `largest` bytes.
 * Returns false if there is none. */
bool fft_product_plan_init(struct fft_product_plan *plan, uint64_t un, uint64_t vn, uint64_t room,
                           uint64_t largest);

/* Returns true if the plan is for products modulo 2^p - 1. */
static inline bool fft_product_is_minus(const struct fft_product_plan *plan) {
    return plan->ring == FFT_PRODUCT_MINUS || plan->ring == FFT_PRODUCT_MERSENNE;
}

/* Returns the most bits of a digit. */
static inline unsigned fft_product_most_bits(const struct fft_product_plan *plan) {
    return plan->bits + (plan->rest > 0);
}

/* Does the same as fft_product_plan_init, for a product modulo M - 1 or M + 1, M = 2^(32 * words).
 * There is no plan if `words` is odd or small, or if number_carries_mulmod does not accept it (1 of
 * 1020 even values). */
bool fft_product_plan_init_mulmod(struct fft_product_plan *plan, uint64_t words,
                                  enum fft_product_modulus ring, uint64_t room, uint64_t largest);

/* Does the same as fft_product_plan_init, for a product modulo 2^p - 1. The sum of the coefficients
 * has at most p + FFT_PRODUCT_SUM_BITS bits. There is no plan if p is small. */
#define FFT_PRODUCT_SUM_BITS 50
bool fft_product_plan_init_mersenne(struct fft_product_plan *plan, uint64_t p, uint64_t room,
                                    uint64_t largest);

/* Return expected values for random operands, whose shorter one has `terms` digits of `bits` bits.
 * fft_product_error_squared: the square of the largest distance of `length` coefficients from
 * integers. fft_product_most_squared: the square of the largest coefficient. */
double fft_product_error_squared(unsigned bits, uint64_t terms, uint64_t length);
double fft_product_most_squared(unsigned bits, uint64_t terms, uint64_t length);

/* Return sizes of buffers in bytes. fft_product_coefficient_bytes: of the coefficients and their
 * distances from integers. fft_product_plan_bytes: of all buffers of a product. */
uint64_t fft_product_coefficient_bytes(const struct fft_product_plan *plan);
uint64_t fft_product_plan_bytes(const struct fft_product_plan *plan);

/* Returns the expected time of a product on an H200, in microseconds. */
double fft_product_plan_cost(const struct fft_product_plan *plan);

#endif
