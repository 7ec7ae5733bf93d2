/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Values of mpgpu-bench's options: false and a message if one is bad. */
#ifndef MPGPU_BENCH_PARSE_H
#define MPGPU_BENCH_PARSE_H

#include <stdbool.h>

#include "tools/bench/bench_options.h"

extern const char *const bench_column_help[BENCH_COLUMNS];

bool bench_parse_sizes(struct bench_options *o, const char *text);
bool bench_parse_operations(struct bench_options *o, const char *text);
bool bench_parse_columns(struct bench_options *o, const char *text);

/* Up to BENCH_MOST_COUNTS numbers from 1 to BENCH_MOST_THREADS; `what` names them. */
bool bench_parse_counts(const char *what, const char *text, int *counts, int *count);

/* A decimal number from `least` to `most`; `what` names it in the message. */
bool bench_parse_number(const char *what, const char *text, double least, double most,
                        double *value);

/* Returns the entry of that name, of `length` characters, in a table of `count` entries of `size`
 * bytes that begin with their names; NULL if there is none. */
const void *bench_parse_name(const void *table, size_t size, int count, const char *text,
                             size_t length);

#endif
