/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The arguments of mpgpu-bench. */
#include "config.h"

#include "tools/bench/bench_options.h"

#include <getopt.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "tools/bench/arrays/bench_arrays_call.h"
#include "tools/bench/bench_parse.h"
#include "tools/bench/threads/bench_call.h"

enum {
    OPTION_RUNS = 256,
    OPTION_SECONDS,
    OPTION_CSV,
    OPTION_REPORT,
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
    {"json", required_argument, NULL, OPTION_REPORT},
    {"markdown", required_argument, NULL, OPTION_REPORT},
    {"plot", required_argument, NULL, OPTION_REPORT},
    {"read", required_argument, NULL, OPTION_REPORT},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0}};

static const char usage[] =
    "Usage: mpgpu-bench [MODE] [OPTION]... [FROM [TO]]\n"
    "Time GMP, this library and the link beside each other; FROM TO is --sizes FROM:TO.\n";

static const char options_help[] =
    "Options:\n"
    "  -s, --sizes FROM:TO[/N]   from 2^FROM to 2^TO bits, N a power of two (1);\n"
    "      --sizes N,N...        or each of these, as 100000 or 2^20\n"
    "  -o, --operations LIST     of those below; mul/4: the second operand a quarter as long\n"
    "  -c, --columns LIST        of those below\n"
    "  -b, --backend NAME        cuda, opencl\n"
    "  -d, --device NAME         a number, or a part of its name\n"
    "      --conf KEY:VALUE,...  options as in MPGPU_CONF\n"
    "      --runs N              just so many runs a figure\n"
    "      --seconds S           for each figure, beyond its first runs (0.3)\n"
    "      --quick               few runs\n"
    "      --factor F            smoothness: from a size to the next (1.1)\n"
    "      --threads LIST        threads: how many (1,2,4,8,16, up to the CPUs)\n"
    "      --processes LIST      threads: processes of one thread each, at the same time\n"
    "      --library FILE        threads, arrays: libmpgpu-gmp.so.0\n"
    "      --count N             arrays: numbers (10000; on a CPU 100)\n"
    "      --total N             batch: 2^N bits in all (32; CPU 22); fft: values (24; CPU 20)\n"
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
        printf("  %-8s %s\n", bench_operations[i].name, bench_operations[i].help);
    for (int i = 0; i < BENCH_CALLS; i++)
        printf("  %-8s %s\n", bench_calls[i].name, bench_calls[i].help);
    for (int i = 0; i < BENCH_ARRAYS_CALLS; i++)
        printf("  %-8s %s\n", bench_arrays_calls[i].name, bench_arrays_calls[i].help);
    puts("\nColumns:");
    for (int i = 0; i < BENCH_COLUMNS; i++)
        printf("  %-8s %s\n", bench_column_names[i], bench_column_help[i]);
}

/* An option of the library's, as in MPGPU_CONF; o->conf gathers them. */
static bool set_conf(struct bench_options *o, const char *key, const char *value) {
    char text[256];
    size_t used = strlen(o->conf), room = sizeof o->conf - used;
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
    bool is_good = bench_parse_number(what, text, least, most, &value);
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
    if (!bench_parse_number("--seconds", text, 0, 3600, &budget->seconds))
        return false;
    budget->end = 4 * budget->seconds;
    return true;
}

/* One option; false if its value is bad. */
static bool set(struct bench_options *o, int option, const char *value) {
    switch (option) {
    case 's':
        return bench_parse_sizes(o, value);
    case 'o':
        return bench_parse_operations(o, value);
    case 'c':
        return bench_parse_columns(o, value);
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
        return bench_parse_number("--factor", value, 1.001, 16, &o->factor);
    case OPTION_THREADS:
        return bench_parse_counts("--threads", value, o->threads, &o->thread_count);
    case OPTION_PROCESSES:
        return bench_parse_counts("--processes", value, o->processes, &o->process_count);
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
    case OPTION_REPORT:
        fprintf(stderr, "mpgpu-bench: --json, --markdown, --plot and --read are gone: "
                        "mpgpu-bench-report prints and draws what --csv has written\n");
        return false;
    }
    return false;
}

static const struct bench_mode *mode_named(const char *word) {
    return bench_parse_name(bench_modes, sizeof *bench_modes, BENCH_MODES, word, strlen(word));
}

/* The mode, if the first argument is a word; the arguments then begin behind it. */
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
    if (o->mode->kind == BENCH_PROGRAMS) /* rounds of 0.1 s */
        o->budget = (struct timing_budget){0.1, 0, 3, 3, 0};
    return true;
}

/* One of FROM and TO. */
static bool is_power(const char *text) {
    double value;
    if (mode_named(text)) {
        fprintf(stderr, "mpgpu-bench: the mode comes before all else: %s\n", text);
        return false;
    }
    return bench_parse_number("FROM TO", text, 6, 37, &value);
}

/* FROM [TO], two powers of two; TO is 26 for a table by default. */
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
    return bench_parse_sizes(o, text);
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

/* Powers of two up to 16 and to the CPUs; none where processes were asked for alone. */
static void set_threads(struct bench_options *o) {
    cpu_set_t cpus;
    int most = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    for (int i = 1; i <= 16 && i <= most && !o->process_count; i *= 2)
        o->threads[o->thread_count++] = i;
}

static bool set_defaults(struct bench_options *o) {
    if (!o->thread_count)
        set_threads(o);
    return (o->sizes || bench_parse_sizes(o, o->mode->sizes)) &&
           (o->shape_count || bench_parse_operations(o, o->mode->operations)) &&
           (o->column_count || bench_parse_columns(o, o->mode->columns)) && columns_fit(o);
}

int bench_options_read(struct bench_options *o, int argc, char **argv) {
    int option;
    *o = (struct bench_options){.factor = 1.1, .budget = {0.3, 0, 5, 101, 1.2}};
    session_init(); /* the user's options, before those that are given here */
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
