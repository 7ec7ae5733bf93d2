/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A forward transform in the mode fft, and the same transform by other libraries. */
#ifndef MPGPU_BENCH_FFT_H
#define MPGPU_BENCH_FFT_H

#include "gpu/gpu.h"
#include "lib/fft/fft_plan.h"

struct bench_fft {
    struct fft_plan plan;
    uint64_t batch;
    gpu_mem from, to;
    void *x, *y; /* in host memory: the values, and space for their transforms */
    void *z;     /* in host memory: space for the transforms by cuFFT or FFTW */
};

/* Return the bytes of all values, and the bytes of their transforms. */
size_t bench_fft_from(const struct bench_fft *f);
size_t bench_fft_to(const struct bench_fft *f);

/* ---- checks of the transforms */

/* Fills x with random values in [-1, 1). */
void bench_fft_fill(struct bench_fft *f);

/* Return the largest difference found, divided by the root mean square of the transforms.
 * bench_fft_error compares some values of y with sums over x in long double. bench_fft_difference
 * compares all values of y and z. */
double bench_fft_error(const struct bench_fft *f);
double bench_fft_difference(const struct bench_fft *f);

/* Returns the limit for bench_fft_error and bench_fft_difference: 10 u log2(2 n), where u is the
 * unit roundoff.  For random values, this library's own error is at most 3 u log2(2 n)
 * (doc/design/fft.md). */
double bench_fft_most(const struct fft_plan *p);

/* ---- other libraries, loaded at run time */

struct bench_peer {
    const char *name;
    /* Returns a state for run and fetch; NULL if the library or memory is missing. */
    void *(*open)(const struct bench_fft *f, const struct gpu_device *dev);
    void (*close)(void *state);
    /* run computes `times` transforms of x and waits once at the end.  fetch copies the result to
     * z.  Both return nonzero on failure. */
    int (*run)(void *state, int times);
    int (*fetch)(void *state, struct bench_fft *f);
};

/* Returns the library to compare with on this device at this size (cuFFT or FFTW), or NULL. */
const struct bench_peer *bench_fft_peer(const struct bench_fft *f, const struct gpu_device *dev);

#endif
