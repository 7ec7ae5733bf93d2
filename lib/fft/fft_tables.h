/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots of unity on the device (kernels/fft/roots.h), kept for the latest lengths. */
#ifndef MPGPU_FFT_TABLES_H
#define MPGPU_FFT_TABLES_H

#include "lib/device/context.h"
#include "lib/fft/fft_plan.h"

enum { FFT_TABLES_KEPT = 16 };

/* Where a plan's roots of unity are in the tables. */
struct fft_roots {
    gpu_mem mem;
    uint32_t at; /* number of complex values in SLOT_ROOTS before this plan's roots */
    uint32_t log_fine;
    uint32_t inner[FFT_MAX_PASSES]; /* offset of each pass's roots from `at` */
};

/* Queues the upload of the roots for a plan's passes, and of the roots of order `order`: a multiple
 * of plan->points, at most 2^32 - 1. */
enum gpu_status fft_tables_get(struct context *s, const struct fft_plan *p, uint64_t order,
                               struct fft_roots *roots);

/* Sets root[0] and root[1] to the real and the imaginary part of exp(-2 pi i e / order). Each is
 * rounded from a value with an error below 2^-62. */
void fft_root(double *root, uint64_t e, uint64_t order);

#endif
