/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Timing for the tools: tasks run alternately, on new operands; results are medians. */
#ifndef MPGPU_TIMING_H
#define MPGPU_TIMING_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/* A task to time.  Both functions return nonzero if they fail. */
struct timing_task {
    int (*prepare)(void *context); /* before every run, not timed; NULL: nothing */
    int (*run)(void *context);
    void *context;
    int times; /* how often one run does the work; times are of one; 0 is 1 */
};

/* How long each task runs: `warm` runs that are not counted, then runs until `seconds` are spent,
 * at least `least` (1 or more) and at most `most`.  After `end` seconds (0: no limit) one run is
 * enough. */
struct timing_budget {
    double seconds;
    int warm, least, most;
    double end;
};

/* Seconds of one run: median and quartiles.  If the task failed, runs is 0 and these are negative.
 */
struct timing {
    double median, low, high;
    int runs;
};

/* Times tasks alternately, beginning each round with another task, so that other load on the
 * machine affects all alike.  A task that fails is not run again.  times[i] is of tasks[i].
 * Returns how many failed, or -1 if there is no memory. */
int timing_measure(const struct timing_task *tasks, int count, const struct timing_budget *budget,
                   struct timing *times);

/* Operands: random bits, or long runs of ones and of zeros. */
enum timing_shape { TIMING_RANDOM, TIMING_RUNS };

/* Fills {xp, n}; its highest limb is not 0.  *seed is any number at first; each call advances
 * it. */
void timing_operand(mp_limb_t *xp, size_t n, enum timing_shape shape, uint64_t *seed);

#endif
