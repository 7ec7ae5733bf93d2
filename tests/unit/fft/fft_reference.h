/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fourier transforms in long double on the host, with which other transforms are compared. */
#ifndef MPGPU_TEST_FFT_REFERENCE_H
#define MPGPU_TEST_FFT_REFERENCE_H

#include <stdint.h>

struct wide {
    long double re, im;
};

static inline struct wide wide_mul(struct wide a, struct wide b) {
    return (struct wide){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline struct wide wide_add(struct wide a, struct wide b) {
    return (struct wide){a.re + b.re, a.im + b.im};
}

static inline long double wide_square(struct wide a) {
    return a.re * a.re + a.im * a.im;
}

/* Allocates memory for n values; the caller frees it by free(). */
struct wide *wide_alloc(uint64_t n);

/* Sets roots[j] = exp(-2 pi i j / n) for all j < n. */
void fft_reference_roots(struct wide *roots, uint64_t n);

/* Computes y[k] = sum over j of x[j] roots[j k mod n], by n^2 products; n < 2^32. */
void fft_reference_direct(struct wide *y, const struct wide *x, const struct wide *roots,
                          uint64_t n);

/* Computes the same values as fft_reference_direct, but recursively; n must have no prime factors
 * except 2, 3 and 5. */
void fft_reference_fast(struct wide *y, const struct wide *x, const struct wide *roots, uint64_t n);

/* Returns true if n has no prime factors except 2, 3 and 5. */
int fft_reference_smooth(uint64_t n);

#endif
