/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How a floating-point transform is split into passes. Planning is plain arithmetic, and needs no
 * device. */
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
    uint64_t points; /* number of complex values that are transformed: n / 2 for an even number of
                        real ones above 2, otherwise n */
    unsigned passes;
    unsigned r[FFT_MAX_PASSES]; /* lengths of the passes' transforms; their product is `points` */
};

/* Makes the plan.  Returns false if there is none: n is below 2 or above 2^30, or has a prime
 * factor above 5. */
bool fft_plan_init(struct fft_plan *p, enum fft_precision precision, bool is_real, uint64_t n);

/* Makes a plan for convolutions of doubles, of `points` complex values: at least two passes, all by
 * programs for convolutions (kernels/fft/convolution.h). */
bool fft_plan_convolution(struct fft_plan *p, uint64_t points);

/* Returns the plan with its passes in the opposite order. */
struct fft_plan fft_plan_reversed(const struct fft_plan *p);

/* Returns true if passes of that length have a program of their own (kernels/fft/shape.h), false if
 * those of kernels/fft/mixed.h compute them. */
bool fft_pass_is_fast(enum fft_precision precision, unsigned r);

/* Returns the size of a complex value in bytes. */
static inline size_t fft_complex_bytes(const struct fft_plan *p) {
    return p->precision == FFT_DOUBLE ? 16 : 8;
}

#endif
