/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs the steps of a program over numbers (lib/job/numbers.h) with calc's numbers. */
#ifndef MPGPU_NUMBERS_STEPS_H
#define MPGPU_NUMBERS_STEPS_H

#include "lib/job/numbers.h"

/* The state of a run of the program. */
struct numbers_run {
    struct number_step step[NUMBERS_MOST_STEPS];
    struct number_place place[NUMBERS_MOST_PLACES];
    struct number_divisor divisor[NUMBERS_MOST_STEPS];
    uint64_t last[NUMBERS_MOST_PLACES]; /* the last step that uses a place */
    struct number at[NUMBERS_MOST_PLACES], first_at[NUMBERS_MOST_STEPS];
    bool is_made[NUMBERS_MOST_STEPS]; /* the divisor has its reciprocal */
    struct number hole[NUMBERS_MOST_PLACES];
    size_t holes;
};

/* Computes one step. Its operands are at their places, and its results have places apart from all
 * others. Demands the step's check. */
void numbers_step(struct calc *c, struct numbers_run *run, const struct number_step *step);

#endif
