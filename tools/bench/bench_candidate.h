/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The columns of mpgpu-bench: who computes, and in which memory the numbers are. */
#ifndef MPGPU_BENCH_CANDIDATE_H
#define MPGPU_BENCH_CANDIDATE_H

#include "tools/bench/bench_device.h"
#include "tools/timing.h"

enum bench_column {
    BENCH_GMP,
    BENCH_MALLOC, /* the library, operands and result in memory of malloc, used before */
    BENCH_FRESH,  /* the result in memory that malloc has just returned */
    BENCH_PAUSED, /* as malloc, after a pause of some milliseconds */
    BENCH_POOL,   /* the library, operands and result in the pool */
    BENCH_DEVICE, /* operands and result on the device */
    BENCH_LINK,   /* the same bytes over the link, nothing computed */
    BENCH_COLUMNS
};

extern const char *const bench_column_names[BENCH_COLUMNS];

enum bench_state { BENCH_FAILED, BENCH_WRONG, BENCH_RIGHT };

/* One column's figure. */
struct bench_figure {
    struct timing time;
    enum bench_state state;
};

/* Half the distance of the quartiles in per cent of the median. */
static inline double bench_spread(const struct timing *t) {
    return t->median > 0 ? 50 * (t->high - t->low) / t->median : 0;
}

struct bench_candidate {
    enum bench_column column;
    struct bench_work *work;
    struct bench_resident *resident;
    struct bench_link *link;
    bool ready;
    bool fixed; /* the operands stay the same */
    int times;  /* how often a run does the work */
};

/* The memory of a column's operands. */
const struct bench_memory *bench_column_memory(enum bench_column column);

/* Without the memory that it needs a candidate is not ready, and counts as failed. */
void bench_candidate_open(struct bench_candidate *c, enum bench_column column,
                          struct bench_work *work);
void bench_candidate_close(struct bench_candidate *c);

/* Run each once and compare the result, then time them in turns.  Each timed run has new operands,
 * and follows one run that is not timed. */
void bench_measure(struct bench_candidate *candidates, int count,
                   const struct timing_budget *budget, struct bench_figure *figures);

#endif
