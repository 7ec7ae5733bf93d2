/* SPDX-License-Identifier: LGPL-3.0-or-later
 * From which size on something is faster.  Knows nothing of what is timed.
 *
 * To use an option at a size where another is faster is bad by the share of the time that is
 * lost, 1 - best / used.  What is found makes the sum of that over all sizes measured least; a
 * change from one option to another must gain some of it. */
#ifndef MPGPU_TUNE_SEARCH_H
#define MPGPU_TUNE_SEARCH_H

#include <stddef.h>

#include "lib/base/profile.h"

enum { TUNE_MOST_OPTIONS = 8, TUNE_MOST_POINTS = 256 };

/* Measured at one size: seconds of each option, negative where it cannot do it. */
struct tune_point {
    size_t size;
    double seconds[TUNE_MOST_OPTIONS];
};

struct tune_curve {
    int points, options;
    struct tune_point point[TUNE_MOST_POINTS]; /* by size */
};

/* Fills in the seconds; nonzero: the search is to end. */
typedef int tune_timer(void *context, struct tune_point *point);

/* Sizes first to last, but no larger ones after one that takes `most_seconds`; `steps` from one
 * power of two to the next, where it matters. */
struct tune_range {
    size_t first, last;
    double most_seconds;
    int steps;
};

/* The size from which on option 1 is to be taken for option 0: it has to be sooner by the
 * share `margin`.  MPGPU_NEVER if it gains at none.  Nonzero if the timer ended the search.
 * *why: what ended the way up. */
int tune_threshold(const struct tune_range *range, double margin, tune_timer *timer, void *context,
                   struct tune_curve *curve, size_t *threshold, const char **why);

/* Which option from which size on, all being equal to the rest of the program; the first step
 * begins at size 1.  A difference below the share `margin` is none.
 * step[i].algorithm is the option's number. Measures until one option alone is left that can.
 * Nonzero if the timer ended the search. */
int tune_choices(const struct tune_range *range, int options, double margin, tune_timer *timer,
                 void *context, struct tune_curve *curve, struct profile_step *step, int *steps);

#endif
