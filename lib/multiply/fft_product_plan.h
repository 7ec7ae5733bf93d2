/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a product is cut into balanced digits for transforms of doubles.  Plain arithmetic: no device
 * needed. */
#ifndef MPGPU_FFT_PRODUCT_PLAN_H
#define MPGPU_FFT_PRODUCT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/fft/fft_plan.h"

#define FFT_PRODUCT_MIN_WORDS 128  /* of the shorter operand: below, this is no sensible way */
#define FFT_PRODUCT_MULMOD_BITS 16 /* of a digit modulo B^n -+ 1 */

/* Digits of `bits` bits; coefficients modulo x^length + 1, of which a product in full fills as many
 * as it has, or modulo x^length -+ 1 with 2^(bits length) = B^n. */
struct fft_product_plan {
    unsigned bits;
    uint64_t length;
    enum fft_product_modulus { FFT_PRODUCT_FULL, FFT_PRODUCT_MINUS, FFT_PRODUCT_PLUS } ring;
    struct fft_plan transform;
};

/* Is there a plan for a product of un >= vn >= 1 words, where memory suffices? */
bool fft_product_serves(uint64_t un, uint64_t vn);

/* The cheapest plan for a product of un >= vn >= 1 words whose buffers fit into `room` bytes of
 * device memory, and each into `largest`; false if there is none. */
bool fft_product_plan_init(struct fft_product_plan *plan, uint64_t un, uint64_t vn, uint64_t room,
                           uint64_t largest);

/* The same for a product modulo 2^(32 words) -+ 1, words as number_carries_mulmod wants them. */
bool fft_product_plan_init_mulmod(struct fft_product_plan *plan, uint64_t words,
                                  enum fft_product_modulus ring, uint64_t room, uint64_t largest);

/* How far of an integer the worst of `length` coefficients is expected to be, squared, where
 * operands are random and the shorter has so many digits of so many bits.  And how large the
 * largest is, squared. */
double fft_product_error_squared(unsigned bits, uint64_t terms, uint64_t length);
double fft_product_most_squared(unsigned bits, uint64_t terms, uint64_t length);

/* The bytes of the coefficients and what is told of them, and of all that a product takes. */
uint64_t fft_product_coefficient_bytes(const struct fft_product_plan *plan);
uint64_t fft_product_plan_bytes(const struct fft_product_plan *plan);

/* The time of a product, in some unit: microseconds of an H200. */
double fft_product_plan_cost(const struct fft_product_plan *plan);

#endif
