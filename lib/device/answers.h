/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What kernels tell the host in few entries of 64 bits, in page-locked memory: they write it
 * themselves where the backend lets them, else it is read behind them. */
#ifndef MPGPU_ANSWERS_H
#define MPGPU_ANSWERS_H

#include "lib/device/context.h"

#define ANSWER_MULMOD                                                                              \
    0 /* 1 if a product in a ring is not reduced yet, else 0 (lib/multiply/mulmod.c) */
#define ANSWER_DOUBT 1    /* of a product by fft (lib/multiply/fft_product.h) */
#define ANSWER_RESIDUES 2 /* from here on those of a check (lib/multiply/check.c) */
#define ANSWER_OPEN 2050  /* as ANSWER_MULMOD, of products in composite operations, in turn */
#define ANSWERS_OPEN 256
#define ANSWER_WRONG (ANSWER_OPEN + ANSWERS_OPEN) /* 1: a check of a composite operation failed */
#define ANSWER_LEFT (ANSWER_WRONG + 1)            /* 1: a series was left (lib/device/series.h) */
#define ANSWER_CARRIES (ANSWER_LEFT + 1)          /* of sums (lib/operate/shares/product_sum.c) */
#define ANSWERS_CARRIES 8
#define ANSWERS_MOST (ANSWER_CARRIES + ANSWERS_CARRIES)

/* Room for them, and where kernels write them. */
enum gpu_status answers_get(struct context *s, gpu_mem *mem);

/* Put the way of the first `count` to the host into the queue: s->answers.host. */
enum gpu_status answers_fetch(struct context *s, size_t count);

/* Clear the entries, where the option asks for it. */
void answers_wipe(struct context *s);

/* Give back the memory; with the device at its end. */
void answers_close(struct context *s);

#endif
