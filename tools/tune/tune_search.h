/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds which option is fastest from which size.
 *
 * An option at a size where another is faster loses the share 1 - best / used of the time: its
 * badness.  The search minimises the sum of these over all sizes measured.  A change from one
 * option to another must reduce the sum by a minimum. */
#ifndef MPGPU_TUNE_SEARCH_H
#define MPGPU_TUNE_SEARCH_H

#include <stddef.h>

#include "lib/base/profile.h"

enum { TUNE_MOST_OPTIONS = 8, TUNE_MOST_POINTS = 256 };

/* Measured at one size: seconds of each option, negative if the option does not support it. */
struct tune_point {
    size_t size;
    double seconds[TUNE_MOST_OPTIONS];
};

struct tune_curve {
    int points, options;
    struct tune_point point[TUNE_MOST_POINTS]; /* by size */
};

/* Fills in the seconds; nonzero ends the search. */
typedef int tune_timer(void *context, struct tune_point *point);

/* Sizes first to last, but none larger than one that takes `most_seconds`; `steps` from one power
 * of two to the next in a closer look. */
struct tune_range {
    size_t first, last;
    double most_seconds;
    int steps;
};

/* Finds the size from which option 1 replaces option 0, because it is faster by the share `margin`;
 * MPGPU_NEVER if it never is.  Returns nonzero if the timer ended the search.  *reason: why no
 * larger size was measured. */
int tune_threshold(const struct tune_range *range, double margin, tune_timer *timer, void *context,
                   struct tune_curve *curve, size_t *threshold, const char **reason);

/* Finds which option to use from which size; the first step begins at size 1.  Ignores differences
 * below the share `margin`.  step[i].algorithm is the option's number.  Measures no larger sizes
 * once a single option is left.  Returns nonzero if the timer ended the search. */
int tune_choices(const struct tune_range *range, int options, double margin, tune_timer *timer,
                 void *context, struct tune_curve *curve, struct profile_step *step, int *steps);

#endif
