/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The counters of lib/base/stats.c, for lib/session/report/stats_report.c. */
#ifndef MPGPU_STATS_ROW_H
#define MPGPU_STATS_ROW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/stats.h"

enum { STATS_MAX_ROWS = 160 };

struct stats_row {
    const char *name;
    _Atomic uint64_t calls[OUTCOME_COUNT];      /* by what became of them */
    _Atomic uint64_t ways[STATS_WAYS];          /* operations that the device did */
    _Atomic uint64_t recomputed;                /* products by fft that another did again */
    _Atomic uint64_t limbs;                     /* of operands, all calls */
    _Atomic uint64_t upload, kernels, download; /* nanoseconds */
    _Atomic uint64_t building;                  /* waits for builds of programs, not in `kernels` */
    _Atomic uint64_t device, gmp; /* whole time of calls sent to the device, and of the others */
};

/* Words for the outcomes that made GMP compute a call, and for the device's algorithms. */
extern const char *const stats_outcome_words[OUTCOME_COUNT], *const stats_way_words[STATS_WAYS];

/* Returns the calls of a row, whatever their outcome. */
uint64_t stats_calls(const struct stats_row *row);

/* Adds a row's counts and times to those of *sum. */
void stats_add_row(struct stats_row *sum, const struct stats_row *row);

extern struct stats_row stats_rows[STATS_MAX_ROWS];
extern int stats_row_count;

/* Returns true if the rows count this process's calls, not its parent's. They do from its start if
 * the options in its environment mention statistics, otherwise from its first call. */
bool stats_rows_are_ours(void);

/* Returns the nanoseconds since that moment. */
uint64_t stats_elapsed(void);

#endif
