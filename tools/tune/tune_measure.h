/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Measurements for a profile, on the session's device. */
#ifndef MPGPU_TUNE_MEASURE_H
#define MPGPU_TUNE_MEASURE_H

#include <stdbool.h>

#include "tools/tune/tune_operation.h"
#include "tools/tune/tune_options.h"
#include "tools/tune/tune_search.h"

/* A threshold that was looked for. */
struct tune_finding {
    bool is_done;
    size_t limbs;   /* or MPGPU_NEVER */
    size_t largest; /* size that was measured */
};

struct tuner {
    struct tune_options options;
    struct timing_budget budget;
    struct profile profile; /* as far as it has been found */
    struct tune_finding finding[PROFILE_THRESHOLDS];
    double until;     /* end of the search on the library's clock; 0: none */
    bool is_stopped;  /* the search has ended so */
    bool has_doubles; /* the device: fft may serve */
    int unsteady;     /* values that did not hold when they were measured again */
    /* being measured */
    const struct tune_operation *operation;
    enum profile_choices choice;
};

/* Seconds of an operation at a size by GMP and by the device, after a comparison of the results;
 * *device < 0: the device does not do it.  These functions return 0, or after a message the
 * program's exit status. */
int tuner_time(struct tuner *t, const struct tune_operation *operation, size_t size, double *gmp,
               double *device);

/* Is the search's time over? */
bool tuner_stops(struct tuner *t);

/* Timers for searches; the context is the tuner.  The first times GMP and the device at
 * t->operation, the second every algorithm at products as t->choice says; option i is algorithm i.
 */
int tuner_time_operation(void *context, struct tune_point *point);
int tuner_time_algorithms(void *context, struct tune_point *point);

void tuner_algorithm_name(int algorithm, char *text, size_t size);

/* On a terminal, in a line that the next call overwrites. */
void tuner_show_progress(const char *name, size_t size);

/* Print what is wrong, and return the program's exit status. */
int tuner_fail_wrong(const char *name, size_t size);
int tuner_fail_device(void);
int tuner_fail_memory(size_t size);

/* Clears a terminal's line of progress, before other output. */
void tuner_end_progress(void);

/* Sizes below a threshold and above it, how many times faster the device is there, and whether that
 * confirms the threshold. */
struct tuner_sides {
    size_t below, above;
    double slower, faster;
    bool holds;
};
int tuner_measure_sides(struct tuner *t, int which, struct tuner_sides *s);

/* Find all values.  Those not found before t->until stay unset, with a message. */
int tuner_find(struct tuner *t);

/* Measure both sides of each threshold and step of t->profile again, and print a table. */
int tuner_verify(struct tuner *t);

#endif
