/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The options of mpgpu-bench. */
#ifndef MPGPU_BENCH_OPTIONS_H
#define MPGPU_BENCH_OPTIONS_H

#include <stdbool.h>

#include "tools/bench/bench_candidate.h"
#include "tools/bench/bench_report.h"

enum { BENCH_MOST_SIZES = 1000, BENCH_MOST_SHAPES = 16, BENCH_MOST_THREADS = 64 };
enum { BENCH_MOST_COUNTS = 8, BENCH_MOST_ROUNDS = 10000 }; /* numbers of threads; --runs */

struct bench_call;
struct bench_arrays_call;

/* An operation, its second operand of 1/ratio of the first one's size. */
struct bench_shape {
    char name[24];
    const struct bench_operation *operation;
    const struct bench_call *call; /* instead, where the mode has_calls; of arrays the next */
    const struct bench_arrays_call *arrays;
    unsigned ratio;
};

struct bench_options;

/* run measures, and returns the program's exit status. */
struct bench_mode {
    const char *name, *help;
    const char *sizes, *operations, *columns; /* defaults */
    /* Those of host memory only take one column, which selects it: malloc's or the pool's. Programs
     * do, too, and their operations are those of tools/bench/threads.  Arrays have those of
     * tools/bench/arrays, and the columns gmp, malloc and device. */
    enum { BENCH_ANY_MEMORY, BENCH_HOST_ONLY, BENCH_PROGRAMS, BENCH_ARRAYS } kind;
    int (*run)(const struct bench_options *options, struct bench_report *report);
};

/* The first is the default. */
extern const struct bench_mode bench_modes[];
enum { BENCH_MODES = 15 };

struct bench_options {
    const struct bench_mode *mode;
    uint64_t bits[BENCH_MOST_SIZES];
    int sizes;
    struct bench_shape shapes[BENCH_MOST_SHAPES];
    int shape_count;
    enum bench_column columns[BENCH_COLUMNS];
    int column_count;
    int threads[BENCH_MOST_COUNTS], thread_count;
    int processes[BENCH_MOST_COUNTS], process_count;
    const char *library; /* for programs; NULL: the one beside this program */
    char conf[512];      /* the library's options that were given here */
    double factor;       /* from a size to the next, for smoothness */
    int log_total;       /* of a batch's bits or values, or 0 */
    int count;           /* numbers of arrays, or 0 */
    struct timing_budget budget;
    const char *csv; /* the file to write, or NULL */
};

/* Reads the options, the library's too.  Returns -1, or the status to end with at once: after
 * --help, --version, or a message about a bad argument. */
int bench_options_read(struct bench_options *options, int argc, char **argv);

static inline bool bench_has_column(const struct bench_options *options, enum bench_column column) {
    for (int i = 0; i < options->column_count; i++)
        if (options->columns[i] == column)
            return true;
    return false;
}

#endif
