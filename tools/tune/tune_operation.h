/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The operations that mpgpu-tune times: calls of GMP's functions, which compat/ takes in this
 * program as it does under preload.  Thresholds decide who does the work. */
#ifndef MPGPU_TUNE_OPERATION_H
#define MPGPU_TUNE_OPERATION_H

#include <gmp.h>
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
    int is_whole; /* built from products: the other thresholds count */
};

extern const struct tune_operation tune_operations[PROFILE_THRESHOLDS];

/* An operation at a size, n of what its threshold counts. */
struct tune_work {
    const struct tune_operation *operation;
    size_t n;
    enum timing_shape shape;
    uint64_t seed;
    int times; /* that one run of GMP's does the work */
    mpz_t u, v, r, s;
    mp_ptr scratch;
    char *text;
    size_t text_bytes;
};

/* n may become a little larger, where GMP takes no other.  0 if there is no memory. */
int tune_work_open(struct tune_work *w, const struct tune_operation *operation, size_t n);
void tune_work_close(struct tune_work *w);

/* Let GMP do the operation, or the device, as if its threshold were this size.  The products
 * inside a whole operation are done as the thresholds of p say, also GMP's own where this
 * libgmp lets them be caught: that is the choice that programs have. */
void tune_use_gmp(const struct tune_work *w, const struct profile *p);
void tune_use_device(const struct tune_work *w, const struct profile *p);

/* New operands, the operation by GMP alone and by the device: is the device's result GMP's?
 * TUNE_NOT: the device did not do it. */
enum tune_result { TUNE_RIGHT, TUNE_WRONG, TUNE_NOT };
enum tune_result tune_check(struct tune_work *w, const struct profile *p);

/* The same in two steps, for what several algorithms do in turn and has one result: by GMP
 * alone into `right`, and whether the device makes the same of the operands. */
void tune_make_right(struct tune_work *w, mpz_ptr right);
enum tune_result tune_compare(struct tune_work *w, const struct profile *p, mpz_srcptr right);

/* Seconds by GMP, and by the device.  0 if one failed. */
int tune_time(struct tune_work *w, const struct profile *p, const struct timing_budget *budget,
              double *gmp, double *device);

#endif
