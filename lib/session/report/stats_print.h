/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions for both forms of the statistics report, the table and JSON. Private to
 * lib/session/report/stats_*.c. */
#ifndef MPGPU_STATS_PRINT_H
#define MPGPU_STATS_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "lib/base/stats_row.h"
#include "lib/dispatch/dispatch.h"
#include "lib/memory/pool.h"

/* A text buffer of fixed size; text that does not fit is dropped. */
struct stats_text {
    char *s;
    size_t room, length;
    bool is_one_line; /* the whole JSON object is one line, because it is written to a file */
};

void stats_put(struct stats_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a report says about the process. */
struct stats_head {
    const char *program; /* its name */
    long process;
    uint64_t ns;        /* nanoseconds since counting began (stats_elapsed) */
    const char *device; /* a line about the device; NULL if no device was used */
    const char *reason; /* why no call of GMP was intercepted; NULL if one was */
};

/* Device programs (sets of kernels) that were built at run time: their counts, the time that the
 * process has waited for builds, and the part of this time within calls. */
struct stats_building {
    struct gpu_builds_numbers numbers;
    uint64_t calls_ns;
};

/* Each function sets its argument, and returns false if there is nothing to report. */
bool stats_any_was_built(struct stats_building *building);
bool stats_pool_was_used(struct pool_numbers *numbers);
bool stats_dispatch_was_used(struct dispatch_numbers *numbers);

/* Prints the statistics as a table on standard error. */
void stats_print_table(const struct stats_head *head);

/* Writes the statistics as one JSON object: appends it to `t` if t->is_one_line is set;
 * otherwise prints it on standard error, one function or device per line. */
void stats_print_json(const struct stats_head *head, struct stats_text *t);

#endif
