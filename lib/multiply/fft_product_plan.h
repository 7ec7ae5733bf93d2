/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a product is cut into balanced digits for transforms of doubles. Plain arithmetic, without a
 * device. */
#ifndef MPGPU_FFT_PRODUCT_PLAN_H
#define MPGPU_FFT_PRODUCT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/fft/fft_plan.h"

#define FFT_PRODUCT_MIN_WORDS 128  /* of the shorter operand; below it the fft is not useful */
#define FFT_PRODUCT_MULMOD_BITS 16 /* of a digit modulo B^n -+ 1 */

/* Digits of `bits` bits. A whole product has coefficients modulo x^length + 1, and fills only some
 * of them. A product in a ring is modulo x^length -+ 1, with 2^(bits length) = B^n. */
struct fft_product_plan {
    unsigned bits;
    uint64_t length;
    enum fft_product_modulus { FFT_PRODUCT_FULL, FFT_PRODUCT_MINUS, FFT_PRODUCT_PLUS } ring;
    struct fft_plan transform;
};

/* Returns true if there is a plan for a product of un >= vn >= 1 words, given enough memory. */
bool fft_product_serves(uint64_t un, uint64_t vn);

/* Chooses the cheapest plan for a product of un >= vn >= 1 words whose buffers fit into `room`
 * bytes of device memory, and each into `largest`. Returns false if there is none. */
bool fft_product_plan_init(struct fft_product_plan *plan, uint64_t un, uint64_t vn, uint64_t room,
                           uint64_t largest);

/* As fft_product_plan_init, modulo 2^(32 words) -+ 1; `words` must suit number_carries_mulmod. */
bool fft_product_plan_init_mulmod(struct fft_product_plan *plan, uint64_t words,
                                  enum fft_product_modulus ring, uint64_t room, uint64_t largest);

/* For random operands, of which the shorter has `terms` digits of `bits` bits: return the square of
 * the largest expected distance of `length` coefficients from an integer, and the square of the
 * largest coefficient. */
double fft_product_error_squared(unsigned bits, uint64_t terms, uint64_t length);
double fft_product_most_squared(unsigned bits, uint64_t terms, uint64_t length);

/* Return the bytes of the coefficients with their watch data, and of all that a product needs. */
uint64_t fft_product_coefficient_bytes(const struct fft_product_plan *plan);
uint64_t fft_product_plan_bytes(const struct fft_product_plan *plan);

/* Returns the estimated time of a product, in microseconds of an H200. */
double fft_product_plan_cost(const struct fft_product_plan *plan);

#endif
