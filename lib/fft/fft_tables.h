/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots of unity on the device (kernels/fft/roots.h), kept for the latest lengths. */
#ifndef MPGPU_FFT_TABLES_H
#define MPGPU_FFT_TABLES_H

#include "lib/device/context.h"
#include "lib/fft/fft_plan.h"

enum { FFT_TABLES_KEPT = 16 };

/* Offsets of a plan's roots in the tables. */
struct fft_roots {
    gpu_mem mem;
    uint32_t at; /* complex values before them */
    uint32_t log_fine;
    uint32_t inner[FFT_MAX_PASSES]; /* for each pass, from `at` on */
};

/* Queues the upload of the roots for a plan's passes, and of those of the given order: a multiple
 * of plan->points, at most 2^32 - 1. */
enum gpu_status fft_tables_get(struct context *s, const struct fft_plan *p, uint64_t order,
                               struct fft_roots *roots);

/* exp(-2 pi i e / order) as {cosine, sine}, each rounded from an error below 2^-62. */
void fft_root(double *root, uint64_t e, uint64_t order);

#endif
