/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds which option is the fastest from which size.  At a size where
 * an option takes the time t and the fastest one takes t0, the option's badness is 1 - t0 / t.  The
 * search minimises the sum of the badness over all measured sizes.  Each change from one option to
 * another must reduce the sum by a minimum. */
#ifndef MPGPU_TUNE_SEARCH_H
#define MPGPU_TUNE_SEARCH_H

#include <stddef.h>

#include "lib/base/profile.h"

enum { TUNE_MOST_OPTIONS = 8, TUNE_MOST_POINTS = 256 };

/* A measured size: the seconds of each option, negative if the option does not support it. */
struct tune_point {
    size_t size;
    double seconds[TUNE_MOST_OPTIONS];
};

struct tune_curve {
    int points, options;
    struct tune_point point[TUNE_MOST_POINTS]; /* by size */
};

/* Measures point->size and fills in the seconds.  Returns nonzero to end the search. */
typedef int tune_timer(void *context, struct tune_point *point);

/* Sizes to measure: from `first` to `last`, ending with a size that takes `most_seconds`.  Near the
 * threshold, `steps` sizes are measured from one power of two to the next. */
struct tune_range {
    size_t first, last;
    double most_seconds;
    int steps;
};

/* Finds the size from which option 1 replaces option 0, because it is faster by the part `margin`
 * of the time; MPGPU_NEVER if there is none.  Sets *reason to why no larger size was measured.
 * Returns nonzero if the timer ended the search. */
int tune_threshold(const struct tune_range *range, double margin, tune_timer *timer, void *context,
                   struct tune_curve *curve, size_t *threshold, const char **reason);

/* Finds which option to use from which size.  The first step begins at size 1; step[i].algorithm is
 * the option's number.  Ignores differences below the part `margin`.  Stops at a size that only one
 * option supports.  Returns nonzero if the timer ended the search. */
int tune_choices(const struct tune_range *range, int options, double margin, tune_timer *timer,
                 void *context, struct tune_curve *curve, struct profile_step *step, int *steps);

#endif
