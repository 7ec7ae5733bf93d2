/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Values of mpgpu-bench's options. */
#include "config.h"

#include "tools/bench/bench_parse.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/arrays/bench_arrays_call.h"
#include "tools/bench/threads/bench_call.h"

enum { LEAST_LOG = 6, MOST_LOG = 37 };

const char *const bench_column_help[BENCH_COLUMNS] = {
    "GMP on one thread",
    "this library, operands and result in memory of malloc that was used before",
    "this library, the result into memory that malloc has just given",
    "as malloc, but 2 ms after anything else was done",
    "this library, operands and result in memory of its pool",
    "this library, operands and result on the device; not checked but by arrays",
    "the same bytes over the link, from and to page-locked memory",
};

static bool bad(const char *what, const char *good, const char *text) {
    fprintf(stderr, "mpgpu-bench: %s: not %s: %s\n", what, good, text);
    return false;
}

/* A number of decimal digits at *text; *text moves behind it. */
static bool parse_digits(const char **text, uint64_t *value) {
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return true;
}

bool bench_parse_number(const char *what, const char *text, double least, double most,
                        double *value) {
    char good[64], *end;
    *value = strtod(text, &end);
    if (end != text && !*end && *value >= least && *value <= most)
        return true;
    snprintf(good, sizeof good, "a number from %g to %g", least, most);
    return bad(what, good, text);
}

static bool add_size(struct bench_options *o, uint64_t bits) {
    if (o->sizes == BENCH_MOST_SIZES)
        fprintf(stderr, "mpgpu-bench: --sizes: more than %d\n", BENCH_MOST_SIZES);
    else
        o->bits[o->sizes] = bits;
    return o->sizes++ < BENCH_MOST_SIZES;
}

/* FROM:TO[/STEPS]. */
static bool parse_range(struct bench_options *o, const char *text) {
    uint64_t from, to, steps = 1;
    const char *at = text;
    if (!parse_digits(&at, &from) || *at++ != ':' || !parse_digits(&at, &to) ||
        (*at == '/' && (at++, !parse_digits(&at, &steps))) || *at || from < LEAST_LOG ||
        to > MOST_LOG || steps < 1 || steps > 100)
        return bad("--sizes", "FROM:TO or FROM:TO/STEPS, powers of two from 6 to 37", text);
    if (from > to)
        return bad("--sizes", "a range, FROM is greater than TO", text);
    for (uint64_t i = from * steps; i <= to * steps; i++)
        if (!add_size(o, (uint64_t)(exp2((double)i / (double)steps) + 0.5)))
            return false;
    return true;
}

/* 100000 or 2^20. */
static bool parse_size(const char **text, uint64_t *bits) {
    uint64_t log_bits;
    if (!parse_digits(text, bits))
        return false;
    if (*bits == 2 && **text == '^') {
        ++*text;
        if (!parse_digits(text, &log_bits) || log_bits > MOST_LOG)
            return false;
        *bits = UINT64_C(1) << log_bits;
    }
    return *bits >= 1 << LEAST_LOG && *bits <= UINT64_C(1) << MOST_LOG;
}

bool bench_parse_sizes(struct bench_options *o, const char *text) {
    const char *at = text;
    uint64_t bits;
    o->sizes = 0;
    if (strchr(text, ':'))
        return parse_range(o, text);
    do {
        if (!parse_size(&at, &bits) || (*at && *at != ','))
            return bad("--sizes", "numbers from 2^6 to 2^37, as 100000 or 2^20", text);
        if (!add_size(o, bits))
            return false;
    } while (*at++);
    return true;
}

const void *bench_parse_name(const void *table, size_t size, int count, const char *text,
                             size_t length) {
    for (const char *entry = table; count > 0; entry += size, count--) {
        const char *name;
        memcpy(&name, entry, sizeof name);
        if (strlen(name) == length && memcmp(name, text, length) == 0)
            return entry;
    }
    return NULL;
}

/* NAME or NAME/RATIO, of `length` characters. */
static bool parse_shape(const char *text, size_t length, int kind, struct bench_shape *shape) {
    const char *slash = memchr(text, '/', length);
    size_t name = slash ? (size_t)(slash - text) : length;
    uint64_t ratio = 1;
    if (slash) {
        const char *at = slash + 1;
        if (!parse_digits(&at, &ratio) || at != text + length || ratio < 1 || ratio > 1 << 20)
            return false;
    }
    shape->operation = NULL, shape->call = NULL, shape->arrays = NULL;
    if (kind == BENCH_PROGRAMS)
        shape->call = bench_parse_name(bench_calls, sizeof *bench_calls, BENCH_CALLS, text, name);
    else if (kind == BENCH_ARRAYS)
        shape->arrays = bench_parse_name(bench_arrays_calls, sizeof *bench_arrays_calls,
                                         BENCH_ARRAYS_CALLS, text, name);
    else
        shape->operation = bench_parse_name(bench_operations, sizeof *bench_operations,
                                            BENCH_OPERATIONS, text, name);
    shape->ratio = (unsigned)ratio;
    snprintf(shape->name, sizeof shape->name, "%.*s", (int)length, text);
    if (kind == BENCH_PROGRAMS)
        return shape->call && (ratio == 1 || shape->call->has_ratio);
    if (kind == BENCH_ARRAYS)
        return shape->arrays && (ratio == 1 || shape->arrays->is_power);
    return shape->operation != NULL &&
           (ratio == 1 || (!shape->operation->is_square && !shape->operation->length));
}

bool bench_parse_operations(struct bench_options *o, const char *text) {
    const char *at = text;
    static const char *const good[] = {[BENCH_PROGRAMS] = "a list such as mul,mul/4,sqr,div",
                                       [BENCH_ARRAYS] = "a list such as mul,mod_pow/4,gcd"};
    const int kind = o->mode->kind;
    for (o->shape_count = 0;; at++) {
        size_t length = strcspn(at, ",");
        if (o->shape_count == BENCH_MOST_SHAPES ||
            !parse_shape(at, length, kind, &o->shapes[o->shape_count++]))
            return bad("--operations",
                       kind < BENCH_PROGRAMS ? "a list such as mul,mul/4,sqr,bnm1,bnp1,add"
                                             : good[kind],
                       text);
        at += length;
        if (!*at)
            return true;
    }
}

bool bench_parse_columns(struct bench_options *o, const char *text) {
    const char *at = text;
    for (o->column_count = 0;; at++) {
        size_t length = strcspn(at, ",");
        const char *const *column = bench_parse_name(bench_column_names, sizeof *bench_column_names,
                                                     BENCH_COLUMNS, at, length);
        if (o->column_count == BENCH_COLUMNS || !column)
            return bad("--columns", "a list of columns such as gmp,malloc,device", text);
        o->columns[o->column_count++] = (enum bench_column)(column - bench_column_names);
        at += length;
        if (!*at)
            return true;
    }
}

bool bench_parse_counts(const char *what, const char *text, int *counts, int *count) {
    const char *at = text;
    uint64_t value;
    *count = 0;
    do {
        if (*count == BENCH_MOST_COUNTS || !parse_digits(&at, &value) || (*at && *at != ',') ||
            value < 1 || value > BENCH_MOST_THREADS)
            return bad(what, "up to 8 numbers from 1 to 64, as 1,2,4", text);
        counts[(*count)++] = (int)value;
    } while (*at++);
    return true;
}
