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

/* Words for the outcomes that left a call to GMP, and for the algorithms of the device. */
extern const char *const stats_outcome_words[OUTCOME_COUNT], *const stats_way_words[STATS_WAYS];

/* A text that is appended to, and cut where its room ends. */
struct stats_text {
    char *s;
    size_t room, length;
    bool is_one_line; /* JSON is not printed line by line */
};

void stats_put(struct stats_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The calls of a row, whatever became of them. */
uint64_t stats_calls(const struct stats_row *row);

/* What a report begins with. */
struct stats_head {
    const char *program; /* its name */
    long process;
    uint64_t ns;        /* since the process began, or since fork */
    const char *device; /* a line about it; NULL: not used */
    const char *reason; /* why there is no call; NULL if there is one */
};

/* Programs built at run time: what calls have waited for them, and all, the opening included. */
struct stats_building {
    struct gpu_builds_numbers numbers;
    uint64_t calls_ns;
};

/* They ask, and return false if there is nothing to tell. */
bool stats_any_was_built(struct stats_building *building);
bool stats_pool_was_used(struct pool_numbers *numbers);
bool stats_dispatch_was_used(struct dispatch_numbers *numbers);

/* Prints the table on standard error. */
void stats_print_table(const struct stats_head *head);

/* Appends one JSON object to `t`, or prints it on standard error: a function or a device a line. */
void stats_print_json(const struct stats_head *head, struct stats_text *t);

#endif
