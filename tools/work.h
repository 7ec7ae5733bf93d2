/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The operations that mpgpu-tune and the mode threads of mpgpu-bench time, one for each threshold.
 * All but `batch` call GMP's functions, which compat/ intercepts in mpgpu-tune and in programs with
 * the library preloaded. */
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
    const char *name; /* the name of the operation's threshold in lib/base/profile.def */
    enum profile_threshold threshold;
    const char *what; /* for people */
    /* prepare makes new operands and is not timed; run computes. */
    void (*prepare)(struct work *w);
    void (*run)(struct work *w);
    /* the operation consists of products, whose thresholds also have an effect */
    bool is_composite;
};

extern const struct work_operation work_operations[PROFILE_THRESHOLDS];

/* An operation at a size; n is in the unit of the operation's threshold. */
struct work {
    const struct work_operation *operation;
    size_t n;
    unsigned ratio; /* the second operand of a product has n / ratio limbs; work_open sets 1 */
    enum timing_shape shape;
    uint64_t seed;
    mpz_t u, v, r, s;
    mp_ptr scratch;
    char *text;
    size_t text_bytes;
};

/* Computes products of WORK_BATCH_LIMBS limbs each by a call of mpgpu.h.  Programs that are linked
 * with the library set this pointer. */
extern void (*work_batch)(struct work *w);

/* Opens an operation at size n.  May increase n slightly, to a size that GMP supports.  Returns
 * false without memory. */
bool work_open(struct work *w, const struct work_operation *operation, size_t n);
void work_close(struct work *w);

/* work_is_same compares the results of two works.  work_hash returns a number that depends on all
 * results. */
bool work_is_same(const struct work *w, const struct work *v);
uint64_t work_hash(const struct work *w);

#endif
