/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a floating-point transform is cut into passes.  Plain arithmetic: no device needed. */
#ifndef MPGPU_FFT_PLAN_H
#define MPGPU_FFT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FFT_MAX_PASSES 6

enum fft_precision { FFT_FLOAT, FFT_DOUBLE };

/* A transform of n complex values, or of n real ones, n = 2^a 3^b 5^c. */
struct fft_plan {
    enum fft_precision precision;
    bool is_real;
    uint64_t n;
    uint64_t points; /* complex ones of the transform inside: n, or of an even number of real ones n
                        / 2 */
    unsigned passes;
    unsigned r[FFT_MAX_PASSES]; /* a pass's transforms; their product is `points` */
};

/* Fill the plan; false if there is none: n is below 2 or above 2^30, or has another prime factor.
 */
bool fft_plan_init(struct fft_plan *p, enum fft_precision precision, bool is_real, uint64_t n);

/* The same for convolutions of doubles, of `points` complex values: at least two passes, all by
 * programs that do those (kernels/fft/convolution.h). */
bool fft_plan_convolution(struct fft_plan *p, uint64_t points);

/* The same passes in the opposite order. */
struct fft_plan fft_plan_reversed(const struct fft_plan *p);

/* Is there a program for passes of that length (kernels/fft/shape.h), or does mixed.cl do it? */
bool fft_pass_is_fast(enum fft_precision precision, unsigned r);

/* Bytes of a complex value. */
static inline size_t fft_complex_bytes(const struct fft_plan *p) {
    return p->precision == FFT_DOUBLE ? 16 : 8;
}

#endif
