/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs the steps of a program over numbers (lib/job/numbers.h) by the arithmetic of lib/calc. */
#ifndef MPGPU_NUMBERS_STEPS_H
#define MPGPU_NUMBERS_STEPS_H

#include "lib/job/numbers.h"

/* The state of a program that runs: copies of its tables, and where each value is on the device. */
struct numbers_run {
    struct number_step step[NUMBERS_MOST_STEPS];
    struct number_variable variable[NUMBERS_MOST_VARIABLES];
    struct number_divisor divisor[NUMBERS_MOST_STEPS];
    uint64_t last[NUMBERS_MOST_VARIABLES]; /* the last step that uses the value */
    struct number at[NUMBERS_MOST_VARIABLES], first_at[NUMBERS_MOST_STEPS];
    /* for each divisor: true if its memory has the reciprocal */
    bool is_made[NUMBERS_MOST_STEPS];
    struct number hole[NUMBERS_MOST_VARIABLES];
    size_t holes;
};

/* Computes one step and queues the check of its result. The variables of the operands must have
 * values, and no result may overlap another value. */
void numbers_step(struct calc *c, struct numbers_run *run, const struct number_step *step);

#endif
