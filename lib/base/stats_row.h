/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The counters of lib/base/stats.c, for reports and for call sites. */
#ifndef MPGPU_STATS_ROW_H
#define MPGPU_STATS_ROW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/stats.h"

enum { STATS_MAX_ROWS = 160 };

struct stats_row {
    const char *name;
    _Atomic uint64_t calls[OUTCOME_COUNT];      /* calls by outcome (lib/base/outcome.h) */
    _Atomic uint64_t ways[STATS_WAYS];          /* operations on the device, by algorithm */
    _Atomic uint64_t recomputed;                /* products by fft that were computed again */
    _Atomic uint64_t limbs;                     /* limbs of the operands of all calls */
    _Atomic uint64_t upload, kernels, download; /* nanoseconds */
    /* Nanoseconds of waits until device programs were compiled. They are not part of `kernels`. */
    _Atomic uint64_t building;
    /* ns: `device` of calls that the device computed, `gmp` of all other calls */
    _Atomic uint64_t device, gmp;
    _Atomic uint64_t fresh; /* ns of first writes to pages of results (call_results) */
};

/* Words for the outcomes that made GMP compute a call, and for the device's algorithms. */
extern const char *const stats_outcome_words[OUTCOME_COUNT], *const stats_way_words[STATS_WAYS];

/* Returns the calls of a row, whatever their outcome. */
uint64_t stats_calls(const struct stats_row *row);

/* Adds a row's counts and times to those of *sum. */
void stats_add_row(struct stats_row *sum, const struct stats_row *row);

extern struct stats_row stats_rows[STATS_MAX_ROWS];
extern int stats_row_count;

/* Returns true if the rows count this process's calls, not its parent's. Counting begins at the
 * process's start if the options in its environment mention statistics, otherwise at its first
 * call. */
bool stats_rows_are_ours(void);

/* Returns the nanoseconds since the rows began to count this process's calls. */
uint64_t stats_elapsed(void);

#endif
