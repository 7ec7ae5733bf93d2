/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The counters behind lib/base/stats.h, for its report.  Internal to lib/stats*.c. */
#ifndef MPGPU_STATS_ROW_H
#define MPGPU_STATS_ROW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/stats.h"

enum { STATS_MAX_ROWS = 128 };

struct stats_row {
    const char *name;
    _Atomic uint64_t calls[OUTCOME_COUNT];      /* by what became of them */
    _Atomic uint64_t ways[STATS_WAYS];          /* operations that the device did */
    _Atomic uint64_t limbs;                     /* of operands, all calls */
    _Atomic uint64_t upload, kernels, download; /* nanoseconds */
    _Atomic uint64_t device, gmp; /* whole time of the calls that were sent, and of the others */
};

extern struct stats_row stats_rows[STATS_MAX_ROWS];
extern int stats_row_count;

/* Nonzero if this process counted the rows, or none did since a fork. */
bool stats_rows_are_ours(void);

#endif
