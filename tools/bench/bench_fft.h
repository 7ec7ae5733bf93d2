/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One forward transform of the mode fft, and the same transform by other libraries. */
#ifndef MPGPU_BENCH_FFT_H
#define MPGPU_BENCH_FFT_H

#include "gpu/gpu.h"
#include "lib/fft/fft_plan.h"

struct bench_fft {
    struct fft_plan plan;
    uint64_t batch;
    gpu_mem from, to;
    void *x, *y; /* on the host: the values, and room for their transforms */
    void *z;     /* and for those of the other library */
};

/* Return the bytes of all values, and of their transforms. */
size_t bench_fft_from(const struct bench_fft *f);
size_t bench_fft_to(const struct bench_fft *f);

/* ---- is it right? */

/* Fills x with random values in [-1, 1). */
void bench_fft_fill(struct bench_fft *f);

/* Return the greatest difference found, in units of the transforms' root mean square.
 * bench_fft_error compares some of y with sums in long double over x, bench_fft_difference all of y
 * with z. */
double bench_fft_error(const struct bench_fft *f);
double bench_fft_difference(const struct bench_fft *f);

/* Returns the limit for both: 10 u log2(2 n).  doc/design/fft.md has the factor 3; the difference
 * includes the other library's errors.
 */
double bench_fft_most(const struct fft_plan *p);

/* ---- other libraries, opened at run time */

struct bench_peer {
    const char *name;
    /* Returns NULL if the library, or memory for this transform, is missing. */
    void *(*open)(const struct bench_fft *f, const struct gpu_device *dev);
    void (*close)(void *state);
    /* run computes `times` transforms of x, with one wait at the end; fetch copies the result into
     * z.  Both return nonzero on failure. */
    int (*run)(void *state, int times);
    int (*fetch)(void *state, struct bench_fft *f);
};

/* Returns the library to compare with on this device at this size, or NULL. */
const struct bench_peer *bench_fft_peer(const struct bench_fft *f, const struct gpu_device *dev);

#endif
