/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The operations that mpgpu-tune times: calls of GMP's functions, which compat/ intercepts in this
 * program as it does under preload.  Thresholds decide whether GMP or the device computes. */
#ifndef MPGPU_TUNE_OPERATION_H
#define MPGPU_TUNE_OPERATION_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/profile.h"
#include "tools/timing.h"

struct tune_work;

struct tune_operation {
    const char *name; /* as its threshold's in lib/base/profile.def */
    enum profile_threshold threshold;
    const char *what; /* for people */
    /* New operands, not timed; the work itself. */
    void (*prepare)(struct tune_work *w);
    void (*run)(struct tune_work *w);
    bool is_composite; /* built from products: their thresholds count, too */
};

extern const struct tune_operation tune_operations[PROFILE_THRESHOLDS];

/* An operation at a size, n of what its threshold counts. */
struct tune_work {
    const struct tune_operation *operation;
    size_t n;
    enum timing_shape shape;
    uint64_t seed;
    int times; /* how often one run by GMP does the work */
    mpz_t u, v, r, s;
    mp_ptr scratch;
    char *text;
    size_t text_bytes;
};

/* n may become a little larger, to a size that GMP takes.  False if there is no memory. */
bool tune_work_open(struct tune_work *w, const struct tune_operation *operation, size_t n);
void tune_work_close(struct tune_work *w);

/* Let GMP do the operation, or the device, as if its threshold were this size.  Products inside a
 * composite operation are done as the thresholds of p say; so are those inside GMP's own function,
 * if this libgmp lets them be caught.  So it is in programs. */
void tune_use_gmp(const struct tune_work *w, const struct profile *p);
void tune_use_device(const struct tune_work *w, const struct profile *p);

/* GMP alone, its inner calls too. */
void tune_use_no_device(void);

/* New operands; does the device compute GMP's result?  TUNE_NOT: the device did not do it. */
enum tune_result { TUNE_RIGHT, TUNE_WRONG, TUNE_NOT };
enum tune_result tune_check(struct tune_work *w, const struct profile *p);

/* The same in two steps, for several algorithms on the same operands: GMP's result into `right`,
 * and its comparison with the device's. */
void tune_make_right(struct tune_work *w, mpz_ptr right);
enum tune_result tune_compare(struct tune_work *w, const struct profile *p, mpz_srcptr right);

/* Seconds by GMP and by the device.  False if one failed. */
bool tune_time(struct tune_work *w, const struct profile *p, const struct timing_budget *budget,
               double *gmp, double *device);

#endif
