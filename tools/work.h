/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The operations that mpgpu-tune and mpgpu-bench threads time: calls of GMP's functions, one for
 * each threshold.  compat/ intercepts them in mpgpu-tune and under preload; otherwise GMP computes
 * them. */
#ifndef MPGPU_WORK_H
#define MPGPU_WORK_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/profile.h"
#include "tools/timing.h"

enum { WORK_BATCH_LIMBS = 16 };

struct work;

struct work_operation {
    const char *name; /* as its threshold's in lib/base/profile.def */
    enum profile_threshold threshold;
    const char *what; /* for people */
    /* New operands, not timed; the work itself. */
    void (*prepare)(struct work *w);
    void (*run)(struct work *w);
    bool is_composite; /* consists of products: their thresholds count, too */
};

extern const struct work_operation work_operations[PROFILE_THRESHOLDS];

/* An operation at a size, n of what its threshold counts. */
struct work {
    const struct work_operation *operation;
    size_t n;
    unsigned ratio; /* the second operand of a product has n / ratio limbs; 1 after work_open */
    enum timing_shape shape;
    uint64_t seed;
    mpz_t u, v, r, s;
    mp_ptr scratch;
    char *text;
    size_t text_bytes;
};

/* Products of WORK_BATCH_LIMBS limbs each, by a call of mpgpu.h: for programs that have it. */
extern void (*work_batch)(struct work *w);

/* Opens an operation at size n; n may increase slightly, to a size that GMP supports.  Returns
 * false without memory. */
bool work_open(struct work *w, const struct work_operation *operation, size_t n);
void work_close(struct work *w);

/* Compares the results of two works; returns a number that depends on all results of one. */
bool work_is_same(const struct work *w, const struct work *v);
uint64_t work_hash(const struct work *w);

#endif
