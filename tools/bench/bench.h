/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Interfaces that the modes of mpgpu-bench share: operations, columns, the table and its CSV,
 * options. */
#ifndef MPGPU_BENCH_H
#define MPGPU_BENCH_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/timing.h"

/* Maximum number of candidates in a row: columns times the settings that a mode compares. */
enum { BENCH_MOST_CANDIDATES = 35 };

/* ---- figures */

enum bench_state { BENCH_FAILED, BENCH_WRONG, BENCH_RIGHT };

struct bench_figure {
    struct timing time; /* in the unit of struct bench_record; negative if not measured */
    enum bench_state state;
};

/* Returns a figure with a single value instead of a median and quartiles. */
struct bench_figure bench_value(double value, enum bench_state state);

/* Times tasks alternately (timing_measure).  Sets figures[i] to the seconds of tasks[i]. */
void bench_time(const struct timing_task *tasks, int count, const struct timing_budget *budget,
                struct bench_figure *figures);

/* Returns how often a run must repeat a task so that the run takes `seconds`: 1 to 1000. */
int bench_times(const struct timing_task *task, double seconds);

/* ---- the table and the CSV: a row has one operation and one size; each record is a column of the
 * row */

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
    size_t row; /* index of the first record of this row */
    /* the records of the last row for which a header was printed: indices header to header_end -
     * 1 */
    size_t header, header_end;
    struct bench_record next; /* the values that all records of this row have in common */
    char device[256], gmp[24], date[16]; /* for the header */
    /* path of the CSV file; "-" stands for `output`; NULL: no CSV is written */
    const char *csv;
    FILE *output;
};

/* Begins a row.  un, vn and rn may be 0 if the operation has no such operand. */
void bench_report_row(struct bench_report *report, const char *operation, uint64_t bits, size_t un,
                      size_t vn, size_t rn);

/* Add a figure to the row.  `candidate` is what was measured, for example a column.
 * bench_report_time takes seconds and reports milliseconds. */
void bench_report_time(struct bench_report *report, const char *candidate,
                       struct bench_figure figure);
void bench_report_put(struct bench_report *report, const char *candidate, const char *unit,
                      struct bench_figure figure);

/* Adds the row to the CSV's file, so that an interrupted measurement keeps it.  Prints the row and
 * then `note`.  Prints a header first if the row's columns differ from those of the row before. */
void bench_report_print(struct bench_report *report, const char *note);

/* Returns a power of two in the form "2^20", other numbers in decimal. */
const char *bench_bits_text(uint64_t bits, char text[24]);

/* Sets the report's date and GMP version. */
void bench_report_begin(struct bench_report *report);
void bench_report_free(struct bench_report *report);
bool bench_report_is_wrong(const struct bench_report *report);

/* Writes all records as CSV.  Prints a message and returns false on failure. */
bool bench_report_write_csv(const struct bench_report *report);

/* ---- columns: who computes (GMP, the library, or the device alone), and where the numbers are */

enum bench_column {
    BENCH_GMP,
    BENCH_MALLOC, /* the library; operands and result in memory of malloc that was used before */
    BENCH_FRESH,  /* the library; the result in memory that malloc has just returned */
    BENCH_PAUSED, /* like BENCH_MALLOC, but each run follows a pause of some milliseconds */
    BENCH_POOL,   /* the library; operands and result in its memory pool */
    BENCH_DEVICE, /* the device alone; operands and result stay on the device */
    BENCH_LINK,   /* the transfers alone: copies the same bytes between host and device */
    BENCH_COLUMNS
};

struct bench_name {
    const char *name, *help;
};
extern const struct bench_name bench_columns[BENCH_COLUMNS];

/* ---- one operation at one size, with operands in one kind of memory */

struct bench_work;

enum bench_kind { BENCH_PRODUCT, BENCH_MINUS, BENCH_PLUS, BENCH_SUM };

struct bench_operation {
    const char *name, *help;
    enum bench_kind kind; /* a product, a product modulo B^n - 1 or B^n + 1 (B = 2^64), or a sum */
    bool is_square;
    size_t (*length)(size_t n); /* the least size from n that GMP supports; NULL: all sizes */
    /* Compute the operation by GMP, or by the library.  Return nonzero on failure. */
    int (*gmp)(struct bench_work *w);
    int (*library)(struct bench_work *w);
};

enum { BENCH_OPERATIONS = 5 };
extern const struct bench_operation bench_operations[BENCH_OPERATIONS];

/* The operands and results of an operation in the mode `arrays`, on many numbers of the same
 * length.  A call of include/mpgpu.h computes all numbers, a call of GMP one. */
struct bench_arrays;

/* Lengths of operands and results, as multiples of the size that the user chose; 0: there is no
 * such operand. */
struct bench_arrays_call {
    const char *name, *help;
    /* if v is an exponent, this length is divided by the ratio of bench_shape */
    unsigned u_times, v_times, m_times;
    unsigned r_times, extra_times; /* extra: a second result, such as the quotient */
    bool is_power, has_flags;      /* has_flags: another result, of one limb for each number */
    int (*run)(const struct bench_arrays *a);
    void (*gmp)(const struct bench_arrays *a, mpz_t r, size_t i);
};

enum { BENCH_ARRAYS_CALLS = 12 };
extern const struct bench_arrays_call bench_arrays_calls[BENCH_ARRAYS_CALLS];

/* An operation, and the ratio of the first operand's size to the second one's.  The kind of the
 * mode determines which of `operation`, `call` and `arrays` is used. */
struct bench_shape {
    char name[24];
    const struct bench_operation *operation;
    const struct work_operation *call; /* tools/work.h */
    const struct bench_arrays_call *arrays;
    unsigned ratio;
};

struct bench_work {
    const struct bench_operation *operation;
    bool is_pool;  /* true: numbers are in the library's pool; false: in memory of malloc */
    uint64_t bits; /* as asked for */
    size_t un, vn, rn;
    mp_limb_t *up, *vp, *rp; /* vp == up for a square */
    mp_limb_t *scratch;      /* GMP's */
    mp_limb_t top;           /* limb rn of the result, if it may have rn + 1 limbs */
    uint64_t seed;
    size_t most; /* the memory suffices for un, vn <= most and rn <= 2 most */
};

/* Allocates memory for operands of at most `bits` bits and for the result.  Writes to that memory,
 * but not to the result's memory if `is_fresh`.  Prints a message and returns false if memory is
 * short. */
bool bench_work_open(struct bench_work *w, const struct bench_operation *operation,
                     enum bench_column column, uint64_t bits, bool is_fresh);
void bench_work_close(struct bench_work *w);

/* Sets the sizes: `bits` bits for the longer operand, 1/ratio of that for the other. */
void bench_work_size(struct bench_work *w, uint64_t bits, unsigned ratio);

/* Makes new operands. */
void bench_work_fill(struct bench_work *w);

/* Checks the result: of a product modulo a random number, otherwise by comparison with GMP's.
 * Returns BENCH_FAILED, after a message, without memory. */
enum bench_state bench_work_check(const struct bench_work *w);

/* Begins a row of the report for this operation and size. */
void bench_work_row(struct bench_report *report, const struct bench_shape *shape,
                    const struct bench_work *w);

/* ---- candidates for timing: a column together with settings of some options of the library */

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
    bool fixed; /* operands are not renewed between runs */
    int times;  /* how often a run repeats the operation */
};

/* Prepares a candidate.  If memory is short, the candidate is not ready, and its figures count as
 * failed. */
void bench_candidate_open(struct bench_candidate *c, enum bench_column column,
                          struct bench_setting setting, struct bench_work *work);
void bench_candidate_close(struct bench_candidate *c);

/* Runs each candidate but GMP once and checks the result, except in the columns fresh and link.
 * Then times the candidates alternately.  A timed run has new operands unless c->fixed, and follows
 * an untimed run, except long runs of GMP and those of the column paused. */
void bench_measure(struct bench_candidate *candidates, int count,
                   const struct timing_budget *budget, struct bench_figure *figures);

/* bench_resident_run computes an operation whose operands and result stay on the device.
 * bench_link_run copies the same bytes between host and device.  On failure, these functions return
 * NULL or nonzero. */
struct bench_resident *bench_resident_open(const struct bench_work *w);
void bench_resident_close(struct bench_resident *r);
int bench_resident_load(struct bench_resident *r, struct bench_work *w);
int bench_resident_fetch(struct bench_resident *r, struct bench_work *w);
/* computes `times` times and waits once at the end */
int bench_resident_run(struct bench_resident *r, int times);

struct bench_link *bench_link_open(const struct bench_work *w);
void bench_link_close(struct bench_link *link);
int bench_link_run(struct bench_link *link, int times);

/* ---- options */

enum { BENCH_MOST_SIZES = 1000, BENCH_MOST_SHAPES = 16, BENCH_MOST_THREADS = 64 };
/* maximum number of counts that --threads or --processes may list; the largest value of --runs */
enum { BENCH_MOST_COUNTS = 8, BENCH_MOST_ROUNDS = 10000 };

struct bench_options;

/* A mode of mpgpu-bench.  `run` measures and returns the program's exit status. */
struct bench_mode {
    const char *name, *help;
    const char *sizes, *operations, *columns; /* defaults */
    /* BENCH_HOST_ONLY and BENCH_PROGRAMS: the user chooses one column, malloc or pool.
     * BENCH_ARRAYS: the columns are gmp, malloc and device. bench_arrays.def has the operations of
     * BENCH_ARRAYS, tools/work.c those of BENCH_PROGRAMS. */
    enum { BENCH_ANY_MEMORY, BENCH_HOST_ONLY, BENCH_PROGRAMS, BENCH_ARRAYS } kind;
    int (*run)(const struct bench_options *options, struct bench_report *report);
};

/* The modes; the first one is the default. */
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
    const char *library; /* the library to preload; NULL: the library next to mpgpu-bench */
    char conf[512];      /* options for the library from the command line */
    double factor;       /* mode smoothness: each size divided by the size before it */
    int log_total;       /* mode fft: log2 of the number of values in a batch; 0: the default */
    int count;           /* mode arrays: the count of numbers; 0: the default */
    struct timing_budget budget;
    const char *csv; /* the CSV file to write, or NULL */
};

/* Reads the command line, including options of the library.  Returns -1 to continue, otherwise the
 * exit status: after --help, --version or a message about a bad argument. */
int bench_options_read(struct bench_options *options, int argc, char **argv);

/* Writes the path of the library next to mpgpu-bench or where it was installed.  Prints a message
 * and returns false if there is none. */
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
