/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the two forms of the statistics share.  Private to lib/session/report/stats_*.c. */
#ifndef MPGPU_STATS_PRINT_H
#define MPGPU_STATS_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "lib/base/stats_row.h"
#include "lib/dispatch/dispatch.h"
#include "lib/memory/pool.h"

/* A text to append to; it is truncated at its capacity. */
struct stats_text {
    char *s;
    size_t room, length;
    bool is_one_line; /* JSON is not printed line by line */
};

void stats_put(struct stats_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The head of a report. */
struct stats_head {
    const char *program; /* its name */
    long process;
    uint64_t ns;        /* since the process began, or since fork */
    const char *device; /* a line about it; NULL if no device was used */
    const char *reason; /* why no call was intercepted; NULL if one was */
};

/* Programs built at run time: what calls have waited for, and all of them, including at opening. */
struct stats_building {
    struct gpu_builds_numbers numbers;
    uint64_t calls_ns;
};

/* Each sets its argument, and returns false if there is nothing to report. */
bool stats_any_was_built(struct stats_building *building);
bool stats_pool_was_used(struct pool_numbers *numbers);
bool stats_dispatch_was_used(struct dispatch_numbers *numbers);

/* Prints the table on standard error. */
void stats_print_table(const struct stats_head *head);

/* Appends one JSON object to `t`, or prints it on standard error, one function or device per line.
 */
void stats_print_json(const struct stats_head *head, struct stats_text *t);

#endif
