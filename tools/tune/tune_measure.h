/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What a profile's values are found by, on the session's device. */
#ifndef MPGPU_TUNE_MEASURE_H
#define MPGPU_TUNE_MEASURE_H

#include "tools/tune/tune_operation.h"
#include "tools/tune/tune_options.h"
#include "tools/tune/tune_search.h"

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
    double until;   /* on the library's clock, when the search is to end; 0: never */
    int is_stopped; /* it was */
    int unsteady;   /* values that did not hold when they were measured again */
    /* in hand */
    const struct tune_operation *operation;
    enum profile_choices choice;
};

/* An operation at a size, by GMP and by the device, both shapes of operands compared before;
 * *device < 0: it does not do it.  All of these return 0, or the program's exit status, and
 * have said then what is wrong. */
int tuner_time(struct tuner *t, const struct tune_operation *operation, size_t size, double *gmp,
               double *device);

/* Whether the search's time is over, which ends it. */
int tuner_stops(struct tuner *t);

/* For searches; the context is the tuner: GMP and the device at t->operation, or what t->choice
 * is for by each algorithm, option i being algorithm i, in turns. */
int tuner_time_operation(void *context, struct tune_point *point);
int tuner_time_algorithms(void *context, struct tune_point *point);

void tuner_algorithm_name(int algorithm, char *text, size_t size);

/* On a terminal, in one line, which the next overwrites. */
void tuner_show_progress(const char *name, size_t size);

/* What is wrong is said, and the program's exit status returned. */
int tuner_fail_wrong(const char *name, size_t size);
int tuner_fail_device(void);
int tuner_fail_memory(size_t size);

/* Before other output: a terminal's line of progress goes. */
void tuner_end_progress(void);

/* Sizes below a threshold and above it, how many times faster the device is there, and whether
 * that is as it should be. */
struct tuner_sides {
    size_t below, above;
    double slower, faster;
    int holds;
};
int tuner_measure_sides(struct tuner *t, int which, struct tuner_sides *s);

/* Find all values; those that are not found before t->until stay unset, which is said.  0, or the
 * program's exit status: what is wrong has been said then. */
int tuner_find(struct tuner *t);

/* Measure both sides of each threshold and step of t->profile again, print a table. The same
 * for the status. */
int tuner_verify(struct tuner *t);

#endif
