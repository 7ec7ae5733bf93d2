/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of polynomials whose coefficients are the balanced digits of numbers, by transforms of
 * doubles
 * (kernels/common/balanced_digits.h). A number of w words has floor(32 w / bits) + 1 digits of
 * `bits` bits. */
#ifndef MPGPU_CONVOLUTION_H
#define MPGPU_CONVOLUTION_H

#include "lib/device/number.h"
#include "lib/fft/fft_plan.h"

#define CONVOLUTION_MIN_BITS 4
#define CONVOLUTION_MAX_BITS 24

static inline uint64_t convolution_digits(uint64_t words, unsigned bits) {
    return 32 * words / bits + 1;
}

/* Makes the plan of transforms for polynomials modulo x^length - 1 or x^length + 1.  Returns false
 * if there is none.  length must be even. */
bool convolution_plan(struct fft_plan *p, uint64_t length);

/* Returns the size of one transform in bytes. A product needs two transforms besides the
 * coefficients. */
uint64_t convolution_bytes(const struct fft_plan *p);

/* Queues the computation of coefficients[k], k < length, as doubles that are not rounded: the
 * product of u's and v's weighted digits modulo x^length + 1 (plus) or x^length - 1.  Digits have
 * `bits` bits, but `rest` of `length` digits have one bit more (kernels/common/balanced_digits.h).
 * u and v have at most `length` digits, and a carry of up to 4 out of the highest digit.  The carry
 * out of digit number length - 1 wraps around to digit 0.  If u and v are the same words of the
 * same buffer, the product is a square. */
enum gpu_status convolution_run(struct context *s, const struct fft_plan *p, bool plus,
                                unsigned bits, uint32_t rest, gpu_mem coefficients, struct number u,
                                struct number v);

#endif
