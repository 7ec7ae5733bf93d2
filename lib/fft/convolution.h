/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products of polynomials whose coefficients are the balanced digits of numbers, by transforms of
 * doubles.
 *
 * The digits of a number x to base 2^bits: with e[k] the k-th `bits` bits of x, t[k] = 1 where
 * e[k] >= 2^(bits - 1), else 0, digit d[k] = e[k] - 2^bits t[k] + t[k - 1].  So -2^(bits - 1) <=
 * d[k] <= 2^(bits - 1), the digits give x, and each needs two e[k] alone.  A number of w words has
 * floor(32 w / bits) + 1 of them. */
#ifndef MPGPU_CONVOLUTION_H
#define MPGPU_CONVOLUTION_H

#include "lib/device/number.h"
#include "lib/fft/fft_plan.h"

#define CONVOLUTION_MIN_BITS 4
#define CONVOLUTION_MAX_BITS 24

static inline uint64_t convolution_digits(uint64_t words, unsigned bits) {
    return 32 * words / bits + 1;
}

/* The plan of transforms for polynomials modulo x^length - 1 or x^length + 1; false if there is
 * none.  length is even. */
bool convolution_plan(struct fft_plan *p, uint64_t length);

/* Bytes of one transform, of which a product takes two beside the coefficients. */
uint64_t convolution_bytes(const struct fft_plan *p);

/* coefficients[k], k < length, doubles: those of the product of u's and v's digits modulo
 * x^length + 1 (plus) or x^length - 1, not rounded.  u and v have at most `length` digits, or
 * one more, which is 0 or 1 where its place is the end of the number, and wraps round; a square if
 * they are the same words of the same buffer.  Everything is put into the context's queue. */
enum gpu_status convolution_run(struct context *s, const struct fft_plan *p, bool plus,
                                unsigned bits, gpu_mem coefficients, struct number u,
                                struct number v);

#endif
