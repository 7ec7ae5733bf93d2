/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What kernels tell the host in few entries of 64 bits, in page-locked memory: they write it
 * themselves where the backend lets them, else it is read behind them. */
#ifndef MPGPU_ANSWERS_H
#define MPGPU_ANSWERS_H

#include "lib/device/context.h"

#define ANSWER_MULMOD                                                                              \
    0 /* 1 if a product in a ring is not reduced yet, else 0 (lib/multiply/mulmod.c) */
#define ANSWER_DOUBT 1    /* of a product by fft (lib/multiply/fft_product.h) */
#define ANSWER_KEY 2      /* not an answer: see answers_new_key */
#define ANSWER_RESIDUES 3 /* from here on those of a check (lib/multiply/check.c) */
#define ANSWER_OPEN 2051  /* as ANSWER_MULMOD, of products in composite operations, in turn */
#define ANSWERS_OPEN 256
#define ANSWER_CARRIES (ANSWER_OPEN + ANSWERS_OPEN) /* of sums (shares/product_sum.c) */
#define ANSWERS_CARRIES 8
#define ANSWERS_MOST (ANSWER_CARRIES + ANSWERS_CARRIES)
/* Behind them, on the host alone: what the check of a composite operation begins with
 * (lib/calc/calc_check.c). */
#define ANSWERS_CHECK 2048

/* Room for them, and where kernels write them. */
enum gpu_status answers_get(struct context *s, gpu_mem *mem);

/* What a check relies on, its residues, its kernels write by a key of its own
 * (kernels/check/key.h).  The other entries need none: where their kernel was not made, the number
 * that they tell of is wrong too, and the check finds that.
 *
 * A new key, and how kernels take it: between answers_in_series with true and false from memory,
 * since launches are known again by their arguments (gpu/cuda_series.c).  One check at a time is
 * under way then. */
struct answers_key {
    uint64_t value, argument;
};
struct answers_key answers_new_key(struct context *s);
void answers_in_series(struct context *s, bool begins);

/* An entry that was written by the key. */
static inline uint64_t answers_by_key(const struct context *s, struct answers_key key,
                                      uint64_t entry) {
    return s->answers.host[entry] ^ key.value;
}

/* Put the way of the first `count` to the host into the queue: s->answers.host. */
enum gpu_status answers_fetch(struct context *s, size_t count);

/* Clear the entries, where the option asks for it. */
void answers_wipe(struct context *s);

/* Give back the memory; with the device at its end. */
void answers_close(struct context *s);

#endif
