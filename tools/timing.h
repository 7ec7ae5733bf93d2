/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times tasks for the tools.  Tasks run alternately, on new operands; results are medians. */
#ifndef MPGPU_TIMING_H
#define MPGPU_TIMING_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/* A task to time.  Its functions return nonzero on failure. */
struct timing_task {
    int (*prepare)(void *context); /* called before every run, not timed; may be NULL */
    int (*run)(void *context);
    void *context;
    /* how often one run repeats the work; reported times are divided by this number; 0 means 1 */
    int times;
};

/* How long a task is timed: first come `warm` untimed runs.  Then come timed runs until they have
 * taken `seconds`, at least `least` (1 or more) and at most `most` runs.  After `end` seconds (0:
 * no limit), a single timed run suffices. */
struct timing_budget {
    double seconds;
    int warm, least, most;
    double end;
};

/* The seconds of one run: median and quartiles.  If the task failed, `runs` is 0 and the seconds
 * are negative. */
struct timing {
    double median, low, high;
    int runs;
};

/* Times tasks alternately, so that other load on the machine affects all tasks alike.  A task that
 * fails is not run again.  Sets times[i] for tasks[i].  Returns the number of tasks that failed, or
 * -1 without memory. */
int timing_measure(const struct timing_task *tasks, int count, const struct timing_budget *budget,
                   struct timing *times);

/* Shapes of operands: uniform bits, or long runs of ones and of zeros. */
enum timing_shape { TIMING_RANDOM, TIMING_RUNS };

/* Fills {xp, n}; the highest limb is not 0.  *seed may be any number at first; each call changes
 * it. */
void timing_operand(mp_limb_t *xp, size_t n, enum timing_shape shape, uint64_t *seed);

#endif
