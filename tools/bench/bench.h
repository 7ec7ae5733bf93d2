/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the modes of mpgpu-bench share: operations, columns, the table and its CSV, options. */
#ifndef MPGPU_BENCH_H
#define MPGPU_BENCH_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/timing.h"

/* Columns times the settings that a mode compares. */
enum { BENCH_MOST_CANDIDATES = 35 };

/* ---- figures */

enum bench_state { BENCH_FAILED, BENCH_WRONG, BENCH_RIGHT };

struct bench_figure {
    struct timing time; /* in the unit that bench_report_put gets; negative: not measured */
    enum bench_state state;
};

/* One value in place of a distribution. */
struct bench_figure bench_value(double value, enum bench_state state);

/* Times tasks alternately (timing_measure): figures[i] is of tasks[i], in seconds. */
void bench_time(const struct timing_task *tasks, int count, const struct timing_budget *budget,
                struct bench_figure *figures);

/* How often a run repeats a task, so that the run takes `seconds`: 1 to 1000. */
int bench_times(const struct timing_task *task, double seconds);

/* ---- the table and the CSV: a row has one operation and size, each record is a column of it */

struct bench_record {
    char operation[24];
    uint64_t bits;     /* as asked for */
    size_t un, vn, rn; /* limbs of operands and result */
    char candidate[24];
    const char *unit;
    struct bench_figure figure;
};

struct bench_report {
    struct bench_record *records;
    size_t count, capacity;
    size_t row;                          /* the first record of this row */
    size_t header, header_end;           /* the records of the row below the last header */
    struct bench_record next;            /* what records of this row have in common */
    char device[256], gmp[24], date[16]; /* for the header */
    FILE *output;                        /* for the file name "-" */
};

/* Begins a row; un, vn and rn may be 0. */
void bench_report_row(struct bench_report *report, const char *operation, uint64_t bits, size_t un,
                      size_t vn, size_t rn);

/* Adds a record to the row.  The first has a time in seconds, which it reports in ms. */
void bench_report_time(struct bench_report *report, const char *candidate,
                       struct bench_figure figure);
void bench_report_put(struct bench_report *report, const char *candidate, const char *unit,
                      struct bench_figure figure);

/* Prints the row, and a header if its columns are not those of the row before.  `note` follows. */
void bench_report_print(struct bench_report *report, const char *note);

/* Returns "2^20", or the number if it is no power of two. */
const char *bench_bits_text(uint64_t bits, char text[24]);

/* Sets date and GMP. */
void bench_report_begin(struct bench_report *report);
void bench_report_free(struct bench_report *report);
bool bench_report_is_wrong(const struct bench_report *report);

/* Writes all records as CSV.  Prints a message and returns false on failure. */
bool bench_report_write_csv(const struct bench_report *report, const char *path);

/* ---- columns: GMP, library or device, and the memory of the numbers */

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

struct bench_name {
    const char *name, *help;
};
extern const struct bench_name bench_columns[BENCH_COLUMNS];

/* ---- one operation at one size, with its operands in memory of one kind */

struct bench_work;

enum bench_kind { BENCH_PRODUCT, BENCH_MINUS, BENCH_PLUS, BENCH_SUM };

struct bench_operation {
    const char *name, *help;
    enum bench_kind kind; /* modulo B^n - 1 or B^n + 1, of B = 2^64; a sum */
    bool is_square;
    size_t (*length)(size_t n); /* the next n that GMP supports; NULL: all */
    /* Compute by GMP, or by the library.  Return nonzero on failure. */
    int (*gmp)(struct bench_work *w);
    int (*library)(struct bench_work *w);
};

enum { BENCH_OPERATIONS = 5 };
extern const struct bench_operation bench_operations[BENCH_OPERATIONS];

/* Of arrays: operations on many numbers of the same length, by a call of include/mpgpu.h, and by
 * GMP for number i. */
struct bench_arrays;

/* Lengths are in sizes; 0 is none. */
struct bench_arrays_call {
    const char *name, *help;
    unsigned u_times, v_times, m_times; /* v: divided by a ratio if it is an exponent */
    unsigned r_times, extra_times;      /* another result: a quotient */
    bool is_power, has_flags;           /* another result of a limb each */
    int (*run)(const struct bench_arrays *a);
    void (*gmp)(const struct bench_arrays *a, mpz_t r, size_t i);
};

enum { BENCH_ARRAYS_CALLS = 12 };
extern const struct bench_arrays_call bench_arrays_calls[BENCH_ARRAYS_CALLS];

/* An operation with its operands' sizes: the second has 1/ratio of the first's size.  The mode's
 * kind selects which of the three pointers counts. */
struct bench_shape {
    char name[24];
    const struct bench_operation *operation;
    const struct work_operation *call; /* tools/work.h */
    const struct bench_arrays_call *arrays;
    unsigned ratio;
};

struct bench_work {
    const struct bench_operation *operation;
    bool is_pool;  /* the memory: the library's pool, otherwise malloc */
    uint64_t bits; /* as asked for */
    size_t un, vn, rn;
    mp_limb_t *up, *vp, *rp; /* up == vp for a square */
    mp_limb_t *scratch;      /* GMP's */
    mp_limb_t top;           /* limb rn of the result, if it can have one */
    uint64_t seed;
    size_t most; /* un, vn <= most, rn <= 2 most fit into the memory */
};

/* Allocates memory for operands of at most `bits` bits, and touches all of it but, if `is_fresh`,
 * the result's.  Prints a message and returns false if there is too little. */
bool bench_work_open(struct bench_work *w, const struct bench_operation *operation,
                     enum bench_column column, uint64_t bits, bool is_fresh);
void bench_work_close(struct bench_work *w);

/* Sets the sizes, of a longer operand of `bits` bits and one of 1/ratio of that. */
void bench_work_size(struct bench_work *w, uint64_t bits, unsigned ratio);

/* Makes new operands. */
void bench_work_fill(struct bench_work *w);

/* Checks products modulo a random number, others by comparison with GMP's result. */
bool bench_work_is_right(const struct bench_work *w);

/* Begins the row of the operation at its size. */
void bench_work_row(struct bench_report *report, const struct bench_shape *shape,
                    const struct bench_work *w);

/* ---- candidates: a column, under some of the library's options */

struct bench_setting {
    int verify, algorithm;
    size_t shared;
};
struct bench_setting bench_setting_now(void);

struct bench_candidate {
    enum bench_column column;
    struct bench_setting setting;
    struct bench_work *work;
    struct bench_resident *resident;
    struct bench_link *link;
    bool ready;
    bool fixed; /* the operands stay the same */
    int times;  /* how often a run does the work */
};

/* Without the memory that it needs a candidate is not ready, and counts as failed. */
void bench_candidate_open(struct bench_candidate *c, enum bench_column column,
                          struct bench_setting setting, struct bench_work *work);
void bench_candidate_close(struct bench_candidate *c);

/* Runs each once and compares the result, then times them alternately.  Each timed run has new
 * operands, and follows one run that is not timed. */
void bench_measure(struct bench_candidate *candidates, int count,
                   const struct timing_budget *budget, struct bench_figure *figures);

/* Operands and result that stay on the device, and the bytes of both over the link.  NULL, or
 * nonzero, if the device fails or lacks memory. */
struct bench_resident *bench_resident_open(const struct bench_work *w);
void bench_resident_close(struct bench_resident *r);
int bench_resident_load(struct bench_resident *r, struct bench_work *w);
int bench_resident_fetch(struct bench_resident *r, struct bench_work *w);
int bench_resident_run(struct bench_resident *r, int times); /* one wait at the end */

struct bench_link *bench_link_open(const struct bench_work *w);
void bench_link_close(struct bench_link *link);
int bench_link_run(struct bench_link *link, int times);

/* ---- options */

enum { BENCH_MOST_SIZES = 1000, BENCH_MOST_SHAPES = 16, BENCH_MOST_THREADS = 64 };
enum { BENCH_MOST_COUNTS = 8, BENCH_MOST_ROUNDS = 10000 }; /* numbers of threads; --runs */

struct bench_options;

/* run measures, and returns the program's exit status. */
struct bench_mode {
    const char *name, *help;
    const char *sizes, *operations, *columns; /* defaults */
    /* BENCH_HOST_ONLY and BENCH_PROGRAMS take one column, malloc or pool; BENCH_ARRAYS takes gmp,
     * malloc and device.  The operations of BENCH_PROGRAMS are in tools/work.c, those of
     * BENCH_ARRAYS in bench_arrays.def. */
    enum { BENCH_ANY_MEMORY, BENCH_HOST_ONLY, BENCH_PROGRAMS, BENCH_ARRAYS } kind;
    int (*run)(const struct bench_options *options, struct bench_report *report);
};

/* The first is the default. */
enum { BENCH_MODES = 14 };
extern const struct bench_mode bench_modes[BENCH_MODES];

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
    int log_total;       /* of a batch's values, or 0 */
    int count;           /* numbers of arrays, or 0 */
    struct timing_budget budget;
    const char *csv; /* the file to write, or NULL */
};

/* Reads the options, the library's too.  Returns -1, or the status to exit with at once: after
 * --help, --version, or a message about a bad argument. */
int bench_options_read(struct bench_options *options, int argc, char **argv);

/* Finds the library beside this program, or where it is installed.  Prints a message and returns
 * false if there is none. */
bool bench_find_library(char *path, size_t size);

/* ---- modes */

int bench_table(const struct bench_options *options, struct bench_report *report);
int bench_smoothness(const struct bench_options *options, struct bench_report *report);
int bench_threads(const struct bench_options *options, struct bench_report *report);
int bench_arrays(const struct bench_options *options, struct bench_report *report);
int bench_memory_use(const struct bench_options *options, struct bench_report *report);
int bench_crossover(const struct bench_options *options, struct bench_report *report);
int bench_fixed(const struct bench_options *options, struct bench_report *report);
int bench_fft(const struct bench_options *options, struct bench_report *report);
int bench_largest(const struct bench_options *options, struct bench_report *report);
int bench_digit(const struct bench_options *options, struct bench_report *report);
int bench_transform(const struct bench_options *options, struct bench_report *report);

#endif
