/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What a profile's values are found by, on the session's device. */
#ifndef MPGPU_TUNE_MEASURE_H
#define MPGPU_TUNE_MEASURE_H

#include "tune_operation.h"
#include "tune_options.h"
#include "tune_search.h"

/* A threshold that was looked for. */
struct tune_finding {
    int is_done;
    size_t limbs;   /* MPGPU_NEVER */
    size_t largest; /* size that was measured */
};

struct tuner {
    struct tune_options options;
    struct timing_budget budget;
    struct profile profile; /* as far as it has been found */
    struct tune_finding finding[PROFILE_THRESHOLDS];
    int unsteady; /* values that did not hold when they were measured again */
    /* in hand */
    const struct tune_operation *operation; /* NULL: products by each algorithm */
};

/* Find all values.  0, or the program's exit status: what is wrong has been said then. */
int tuner_find(struct tuner *t);

/* Measure both sides of each threshold and step of t->profile again, print a table. The same
 * for the status. */
int tuner_verify(struct tuner *t);

#endif
