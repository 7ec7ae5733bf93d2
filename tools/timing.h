/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times of what the tools compare: in turns, on fresh operands, medians. */
#ifndef MPGPU_TIMING_H
#define MPGPU_TIMING_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/* What is timed.  Both functions return nonzero if they fail. */
struct timing_task {
    int (*prepare)(void *context); /* before every run, not timed; NULL: nothing */
    int (*run)(void *context);
    void *context;
    int times; /* how often one run does the work: what is told is the time of one; 0 is 1 */
};

/* Runs of each task: `warm` that are not counted, then until `seconds` are spent in it,
 * but `least` (1 or more) and at most `most` of them.  After `end` seconds (0: none) also
 * fewer than `least`, but one. */
struct timing_budget {
    double seconds;
    int warm, least, most;
    double end;
};

/* Seconds of one run: the median, and the quartiles about it. Where the task failed, runs is
 * 0 and all are negative. */
struct timing {
    double median, low, high;
    int runs;
};

/* Time tasks in turns, another first each time, so that what else the machine does meets
 * them alike; a task that fails is left out from there on.  times[i] is that of tasks[i].  Returns
 * how many failed, or -1 if there is no memory. */
int timing_measure(const struct timing_task *tasks, int count, const struct timing_budget *budget,
                   struct timing *times);

/* Operands: every bit by chance, or long runs of ones and of zeros. */
enum timing_shape { TIMING_RANDOM, TIMING_RUNS };

/* Fill {xp, n}, whose highest limb will not be 0.  *seed, any number at first, goes on
 * from call to call. */
void timing_operand(mp_limb_t *xp, size_t n, enum timing_shape shape, uint64_t *seed);

#endif
