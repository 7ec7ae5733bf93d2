/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the arguments of mpgpu-bench. */
#include "config.h"

#include "tools/bench/bench.h"

#include <getopt.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "tools/work.h"

enum { LEAST_LOG = 6, MOST_LOG = 37 };

/* ---- values of options: for a bad value, the functions for whole options print a message */

static bool bad(const char *what, const char *good, const char *text) {
    fprintf(stderr, "mpgpu-bench: %s: not %s: %s\n", what, good, text);
    return false;
}

/* Reads a decimal number at *text, and moves *text behind it. */
static bool parse_digits(const char **text, uint64_t *value) {
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *value = strtoull(*text, &end, 10);
    *text = end;
    return true;
}

static bool parse_number(const char *what, const char *text, double least, double most,
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

static bool parse_sizes(struct bench_options *o, const char *text) {
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

static const void *parse_name(const void *table, size_t size, int count, const char *text,
                              size_t length) {
    for (const char *entry = table; count > 0; entry += size, count--) {
        const char *name;
        memcpy(&name, entry, sizeof name);
        if (strlen(name) == length && memcmp(name, text, length) == 0)
            return entry;
    }
    return NULL;
}

/* Returns true for operations that programs can call at every size when the library is preloaded.
 * Excludes modular products, because the library chooses their sizes, and batches, because GMP has
 * no such function. */
static bool is_call(const struct work_operation *operation) {
    return operation->threshold != PROFILE_batch && operation->threshold != PROFILE_mulmod;
}

/* Reads an operation, NAME or NAME/RATIO, of `length` characters. */
static bool parse_shape(const char *text, size_t length, int kind, struct bench_shape *shape) {
    const char *slash = memchr(text, '/', length);
    size_t name = slash ? (size_t)(slash - text) : length;
    uint64_t ratio = 1;
    if (slash) {
        const char *at = slash + 1;
        if (!parse_digits(&at, &ratio) || at != text + length || ratio < 1 || ratio > 1 << 20)
            return false;
    }
    *shape = (struct bench_shape){.ratio = (unsigned)ratio};
    snprintf(shape->name, sizeof shape->name, "%.*s", (int)length, text);
    if (kind == BENCH_PROGRAMS) {
        shape->call =
            parse_name(work_operations, sizeof *work_operations, PROFILE_THRESHOLDS, text, name);
        return shape->call && is_call(shape->call) &&
               (ratio == 1 || shape->call->threshold == PROFILE_mul);
    }
    if (kind == BENCH_ARRAYS) {
        shape->arrays = parse_name(bench_arrays_calls, sizeof *bench_arrays_calls,
                                   BENCH_ARRAYS_CALLS, text, name);
        return shape->arrays && (ratio == 1 || shape->arrays->is_power);
    }
    shape->operation =
        parse_name(bench_operations, sizeof *bench_operations, BENCH_OPERATIONS, text, name);
    return shape->operation &&
           (ratio == 1 || (!shape->operation->is_square && !shape->operation->length));
}

static bool parse_operations(struct bench_options *o, const char *text) {
    static const char *const good[] = {
        "a list such as mul,mul/4,sqr,bnm1,bnp1,add", "a list such as mul,mul/4,sqr,bnm1,bnp1,add",
        "a list such as mul,mul/4,sqr,div", "a list such as mul,mod_pow/4,gcd"};
    const int kind = o->mode->kind;
    const char *at = text;
    for (o->shape_count = 0;; at++) {
        size_t length = strcspn(at, ",");
        if (o->shape_count == BENCH_MOST_SHAPES ||
            !parse_shape(at, length, kind, &o->shapes[o->shape_count++]))
            return bad("--operations", good[kind], text);
        at += length;
        if (!*at)
            return true;
    }
}

static bool parse_columns(struct bench_options *o, const char *text) {
    const char *at = text;
    for (o->column_count = 0;; at++) {
        size_t length = strcspn(at, ",");
        const struct bench_name *column =
            parse_name(bench_columns, sizeof *bench_columns, BENCH_COLUMNS, at, length);
        if (o->column_count == BENCH_COLUMNS || !column)
            return bad("--columns", "a list of columns such as gmp,malloc,device", text);
        o->columns[o->column_count++] = (enum bench_column)(column - bench_columns);
        at += length;
        if (!*at)
            return true;
    }
}

static bool parse_counts(const char *what, const char *text, int *counts, int *count) {
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

/* ---- options */

enum {
    OPTION_RUNS = 256,
    OPTION_SECONDS,
    OPTION_CSV,
    OPTION_QUICK,
    OPTION_FACTOR,
    OPTION_THREADS,
    OPTION_PROCESSES,
    OPTION_LIBRARY,
    OPTION_TOTAL,
    OPTION_COUNT,
    OPTION_CONF,
    OPTION_VERSION
};

static const struct option long_options[] = {
    {"sizes", required_argument, NULL, 's'},
    {"operations", required_argument, NULL, 'o'},
    {"columns", required_argument, NULL, 'c'},
    {"backend", required_argument, NULL, 'b'},
    {"device", required_argument, NULL, 'd'},
    {"conf", required_argument, NULL, OPTION_CONF},
    {"runs", required_argument, NULL, OPTION_RUNS},
    {"seconds", required_argument, NULL, OPTION_SECONDS},
    {"quick", no_argument, NULL, OPTION_QUICK},
    {"factor", required_argument, NULL, OPTION_FACTOR},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"processes", required_argument, NULL, OPTION_PROCESSES},
    {"library", required_argument, NULL, OPTION_LIBRARY},
    {"total", required_argument, NULL, OPTION_TOTAL},
    {"count", required_argument, NULL, OPTION_COUNT},
    {"csv", required_argument, NULL, OPTION_CSV},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0}};

static const char usage[] =
    "Usage: mpgpu-bench [MODE] [OPTION]... [FROM [TO]]\n"
    "Time GMP, this library and the link side by side; FROM TO is --sizes FROM:TO.\n";

static const char options_help[] =
    "Options:\n"
    "  -s, --sizes FROM:TO[/N]   from 2^FROM to 2^TO bits, N a power of two (1);\n"
    "      --sizes N,N...        or each of these, as 100000 or 2^20\n"
    "  -o, --operations LIST     of those below; mul/4: the second operand a quarter as long\n"
    "  -c, --columns LIST        of those below\n"
    "  -b, --backend NAME        cuda, opencl\n"
    "  -d, --device NAME         a number, or a part of its name\n"
    "      --conf KEY:VALUE,...  options as in MPGPU_CONF\n"
    "      --runs N              exactly N runs a figure\n"
    "      --seconds S           for each figure, beyond its first runs (0.3)\n"
    "      --quick               few runs\n"
    "      --factor F            smoothness: from a size to the next (1.1)\n"
    "      --threads LIST        threads: how many (1,2,4,8,16, up to the CPUs)\n"
    "      --processes LIST      threads: processes of one thread each, at the same time\n"
    "      --library FILE        threads, arrays: libmpgpu-gmp.so.0\n"
    "      --count N             arrays: numbers (10000; on a CPU 100)\n"
    "      --total N             fft: 2^N values in a batch (24; on a CPU 20)\n"
    "      --csv FILE            all figures with their spread, - for standard output\n"
    "                            (mpgpu-bench-report prints and draws them)\n"
    "  -h, --help, --version\n";

static void print_help(void) {
    fputs(usage, stdout);
    puts("\nModes:");
    for (int i = 0; i < BENCH_MODES; i++)
        printf("  %-12s %s\n", bench_modes[i].name, bench_modes[i].help);
    printf("\n%s\nOperations:\n", options_help);
    for (int i = 0; i < BENCH_OPERATIONS; i++)
        printf("  %-11s %s\n", bench_operations[i].name, bench_operations[i].help);
    for (int i = 0; i < PROFILE_THRESHOLDS; i++)
        if (is_call(&work_operations[i]))
            printf("  %-11s threads: %s\n", work_operations[i].name, work_operations[i].what);
    for (int i = 0; i < BENCH_ARRAYS_CALLS; i++)
        printf("  %-11s arrays: %s\n", bench_arrays_calls[i].name, bench_arrays_calls[i].help);
    puts("\nColumns:");
    for (int i = 0; i < BENCH_COLUMNS; i++)
        printf("  %-11s %s\n", bench_columns[i].name, bench_columns[i].help);
}

/* Appends an option of the library to o->conf, in the form of MPGPU_CONF. */
static bool set_conf(struct bench_options *o, const char *key, const char *value) {
    char text[256];
    size_t used = strlen(o->conf), room = sizeof o->conf - used;
    if (*key && strchr(value, ',')) {
        fprintf(stderr, "mpgpu-bench: --%s: a value cannot hold a comma: '%s'\n", key, value);
        return false;
    }
    if (snprintf(text, sizeof text, "%s%s%s", key, *key ? ":" : "", value) >= (int)sizeof text) {
        fprintf(stderr, "mpgpu-bench: too long: %s\n", value);
        return false;
    }
    if (conf_parse(&mpgpu_conf, text, "mpgpu-bench") != 0)
        return false;
    if (snprintf(o->conf + used, room, "%s%s", used ? "," : "", text) < (int)room)
        return true;
    fprintf(stderr, "mpgpu-bench: too many options of the library: %s\n", text);
    return false;
}

static bool set_whole(const char *what, const char *text, double least, double most, int *whole) {
    double value;
    bool is_good = parse_number(what, text, least, most, &value);
    if (is_good && value != (int)value) {
        fprintf(stderr, "mpgpu-bench: %s: not a whole number: %s\n", what, text);
        is_good = false;
    }
    *whole = is_good ? (int)value : 0;
    return is_good;
}

static bool set_runs(struct timing_budget *budget, const char *text) {
    if (!set_whole("--runs", text, 1, 10000, &budget->least))
        return false;
    budget->most = budget->least;
    budget->end = 0;
    return true;
}

static bool set_seconds(struct timing_budget *budget, const char *text) {
    if (!parse_number("--seconds", text, 0, 3600, &budget->seconds))
        return false;
    budget->end = 4 * budget->seconds;
    return true;
}

/* Sets an option.  Returns false if its value is bad. */
static bool set(struct bench_options *o, int option, const char *value) {
    switch (option) {
    case 's':
        return parse_sizes(o, value);
    case 'o':
        return parse_operations(o, value);
    case 'c':
        return parse_columns(o, value);
    case 'b':
        return set_conf(o, "backend", value);
    case 'd':
        return set_conf(o, "device", value);
    case OPTION_CONF:
        return set_conf(o, "", value);
    case OPTION_RUNS:
        return set_runs(&o->budget, value);
    case OPTION_SECONDS:
        return set_seconds(&o->budget, value);
    case OPTION_QUICK:
        o->budget = (struct timing_budget){0.02, 0, 3, 5, 0.1};
        return true;
    case OPTION_FACTOR:
        return parse_number("--factor", value, 1.001, 16, &o->factor);
    case OPTION_THREADS:
        return parse_counts("--threads", value, o->threads, &o->thread_count);
    case OPTION_PROCESSES:
        return parse_counts("--processes", value, o->processes, &o->process_count);
    case OPTION_LIBRARY:
        o->library = value;
        return true;
    case OPTION_TOTAL:
        return set_whole("--total", value, 12, 40, &o->log_total);
    case OPTION_COUNT:
        return set_whole("--count", value, 1, 1e9, &o->count);
    case OPTION_CSV:
        o->csv = value;
        return true;
    }
    return false;
}

static const struct bench_mode *mode_named(const char *word) {
    return parse_name(bench_modes, sizeof *bench_modes, BENCH_MODES, word, strlen(word));
}

/* Reads the mode if the first argument is a word, and removes that argument.  Prints a message and
 * returns false if there is no such mode. */
static bool take_mode(struct bench_options *o, int *argc, char ***argv) {
    o->mode = &bench_modes[0];
    const char *word = *argc > 1 ? (*argv)[1] : "";
    if (word[0] < 'a' || word[0] > 'z')
        return true;
    const struct bench_mode *mode = mode_named(word);
    if (!mode) {
        fprintf(stderr, "mpgpu-bench: unknown mode: %s (mpgpu-bench --help lists them)\n", word);
        return false;
    }
    o->mode = mode;
    (*argv)[1] = (*argv)[0];
    (*argc)--, (*argv)++;
    if (o->mode->kind == BENCH_PROGRAMS) /* the default is three rounds of 0.1 s */
        o->budget = (struct timing_budget){0.1, 0, 3, 3, 0};
    return true;
}

/* Returns true if the text has the form of FROM or TO on the command line: a number from 6 to 37,
 * the exponent of a power of two. */
static bool is_power(const char *text) {
    double value;
    if (mode_named(text)) {
        fprintf(stderr, "mpgpu-bench: the mode comes before all else: %s\n", text);
        return false;
    }
    return parse_number("FROM TO", text, 6, 37, &value);
}

/* Reads FROM and the optional TO, two powers of two.  For the mode `table`, TO is 26 by default. */
static bool take_sizes(struct bench_options *o, int argc, char **argv) {
    char text[64];
    if (argc > 2) {
        fprintf(stderr, "mpgpu-bench: one argument too many: %s\n", argv[2]);
        return false;
    }
    for (int i = 0; i < argc; i++)
        if (!is_power(argv[i]))
            return false;
    bool is_open = o->mode == &bench_modes[0] && strtol(argv[0], NULL, 10) <= 26;
    const char *to = argc == 2 ? argv[1] : is_open ? "26" : argv[0];
    if (snprintf(text, sizeof text, "%s:%s", argv[0], to) >= (int)sizeof text)
        text[0] = '\0';
    return parse_sizes(o, text);
}

static bool columns_fit(const struct bench_options *o) {
    const bool are_many = o->mode->kind == BENCH_ARRAYS;
    const enum bench_column other = are_many ? BENCH_DEVICE : BENCH_POOL;
    bool fit = are_many || o->column_count == 1;
    for (int i = 0; i < o->column_count; i++)
        fit &= o->columns[i] == BENCH_MALLOC || o->columns[i] == other ||
               (are_many && o->columns[i] == BENCH_GMP);
    if (o->mode->kind == BENCH_ANY_MEMORY || fit)
        return true;
    fprintf(stderr, "mpgpu-bench: --columns: %s takes %s\n", o->mode->name,
            are_many ? "gmp, malloc and device" : "one, malloc or pool");
    return false;
}

/* Sets the default numbers of threads: powers of two up to 16 and the number of CPUs; none if only
 * --processes was given. */
static void set_threads(struct bench_options *o) {
    cpu_set_t cpus;
    int most = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    for (int i = 1; i <= 16 && i <= most && !o->process_count; i *= 2)
        o->threads[o->thread_count++] = i;
}

static bool set_defaults(struct bench_options *o) {
    if (!o->thread_count)
        set_threads(o);
    return (o->sizes || parse_sizes(o, o->mode->sizes)) &&
           (o->shape_count || parse_operations(o, o->mode->operations)) &&
           (o->column_count || parse_columns(o, o->mode->columns)) && columns_fit(o);
}

int bench_options_read(struct bench_options *o, int argc, char **argv) {
    int option;
    *o = (struct bench_options){.factor = 1.1, .budget = {0.3, 0, 5, 101, 1.2}};
    session_init(); /* reads MPGPU_CONF first, because the command line overrides it */
    if (!take_mode(o, &argc, &argv))
        return 2;
    while ((option = getopt_long(argc, argv, "s:o:c:b:d:h", long_options, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            return 0;
        }
        if (option == OPTION_VERSION) {
            printf("mpgpu-bench (mpgpu-gmp) %s\n", PACKAGE_VERSION);
            return 0;
        }
        if (!set(o, option, optarg)) {
            fprintf(stderr, "mpgpu-bench --help lists the options\n");
            return 2;
        }
    }
    if (optind < argc && !take_sizes(o, argc - optind, argv + optind))
        return 2;
    return set_defaults(o) ? -1 : 2;
}
