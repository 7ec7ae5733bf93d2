/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One forward transform of the mode fft, and those of other libraries beside it. */
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

/* Bytes of all values, and of their transforms. */
size_t bench_fft_from(const struct bench_fft *f);
size_t bench_fft_to(const struct bench_fft *f);

/* ---- is it right? */

/* Fill x: at random in [-1, 1). */
void bench_fft_fill(struct bench_fft *f);

/* Some of y beside sums in long double over x; and all of y beside z.  The greatest distance found,
 * in units of the transforms' root mean square. */
double bench_fft_error(const struct bench_fft *f);
double bench_fft_difference(const struct bench_fft *f);

/* What these may be: 10 u log2(2 n), where doc/design/fft.md has 3: the other library's count too.
 */
double bench_fft_most(const struct fft_plan *p);

/* ---- other libraries, opened at run time */

struct bench_peer {
    const char *name;
    /* NULL where the library, or memory for this transform, is missing. */
    void *(*open)(const struct bench_fft *f, const struct gpu_device *dev);
    void (*close)(void *state);
    /* So many transforms of x, one wait at the end; fetch what came out into z: nonzero if it
     * fails. */
    int (*run)(void *state, int times);
    int (*fetch)(void *state, struct bench_fft *f);
};

/* The one to compare with on this device at this size; NULL: none. */
const struct bench_peer *bench_fft_peer(const struct bench_fft *f, const struct gpu_device *dev);

#endif
