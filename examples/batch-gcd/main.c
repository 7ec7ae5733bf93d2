/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds prime factors that RSA moduli have in common: computes one product of all moduli and its
 * remainders, instead of a gcd for each pair. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples/batch-gcd/crew.h"
#include "examples/batch-gcd/factors.h"
#include "examples/batch-gcd/generate.h"
#include "examples/batch-gcd/report.h"

static const char usage[] =
    "Usage: batch-gcd [OPTION]... FILE\n"
    "Find moduli with common factors.  FILE (- is standard input) has one a line: decimal\n"
    "digits, or hexadecimal ones, with 0x or a letter.  Other lines are named and skipped.\n"
    "  --hex            all lines are hexadecimal\n"
    "  --gmp            by GMP on all CPUs, without the device\n"
    "  --json           print JSON instead of text\n"
    "  -o, --output OUT write to OUT instead of standard output\n"
    "  -t, --threads N  number of threads (1 to 256; default: one a CPU)\n"
    "  --generate COUNT,BITS,PAIRS,SEED\n"
    "                   without FILE: print moduli; PAIRS pairs of them share a prime\n"
    "  --help           print this text\n"
    "Exit status: 0; 1 after an error, or if no line is a number above 1; 2 for bad arguments.\n";

struct options {
    bool is_hexadecimal, by_gmp, is_json, generates;
    const char *output, *file;
    struct generate_options generate;
};

static int bad_argument(const char *what, const char *argument) {
    fprintf(stderr, "batch-gcd: %s%s%s%s\n%s", what, argument ? ": '" : "",
            argument ? argument : "", argument ? "'" : "", usage);
    return 2;
}

static bool is_threads(const char *text) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    crew_threads = (unsigned)n;
    return text[0] >= '0' && text[0] <= '9' && !*end && n >= 1 && n <= 256;
}

enum { HEX = 256, GMP, JSON, GENERATE, HELP };

static const struct option names[] = {
    {"hex", no_argument, NULL, HEX},           {"gmp", no_argument, NULL, GMP},
    {"json", no_argument, NULL, JSON},         {"output", required_argument, NULL, 'o'},
    {"threads", required_argument, NULL, 't'}, {"generate", required_argument, NULL, GENERATE},
    {"help", no_argument, NULL, HELP},         {NULL, 0, NULL, 0}};

/* Handles one command-line option. Returns 0; 2 for an invalid option, 3 for --help. */
static int take_option(struct options *o, int option, char **argv) {
    switch (option) {
    case HEX:
        o->is_hexadecimal = true;
        return 0;
    case GMP:
        o->by_gmp = true;
        return 0;
    case JSON:
        o->is_json = true;
        return 0;
    case 'o':
        o->output = optarg;
        return 0;
    case 't':
        return is_threads(optarg) ? 0 : bad_argument("not a number of threads", optarg);
    case GENERATE:
        o->generates = true;
        return generate_parse(&o->generate, optarg)
                   ? bad_argument("not COUNT,BITS,PAIRS,SEED", optarg)
                   : 0;
    case HELP:
        return 3;
    default:
        return bad_argument("unknown option, or one without its value", argv[optind - 1]);
    }
}

static int parse(struct options *o, int argc, char **argv) {
    int option, status = 0;
    opterr = 0;
    while (status == 0 && (option = getopt_long(argc, argv, "o:t:", names, NULL)) != -1)
        status = take_option(o, option, argv);
    if (status)
        return status;
    if (o->generates ? optind < argc : argc - optind > 1)
        return bad_argument("one argument too many", argv[argc - 1]);
    if (!o->generates && optind == argc)
        return bad_argument("FILE is missing", NULL);
    o->file = argv[optind];
    return 0;
}

/* Returns 0 on success, 1 if a file cannot be written, and -1 if an error message was printed. */
static int run(const struct options *o, FILE *out) {
    size_t count;
    if (o->generates)
        return generate(out, &o->generate) ? 1 : 0;
    crew_progress("reading");
    struct moduli m = moduli_read(o->file, o->is_hexadecimal);
    if (m.count == 0 && m.bad_count > 0) {
        fprintf(stderr, "batch-gcd: %s: no line is a number above 1\n", o->file);
        moduli_free(&m);
        return -1;
    }
    struct found *f = factors_find(&m, o->by_gmp, &count);
    int failed = (o->is_json ? report_json : report_text)(out, &m, f, count);
    factors_free(f, count);
    moduli_free(&m);
    return failed;
}

int main(int argc, char **argv) {
    struct options o = {0};
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    crew_threads = cpus < 1 ? 1 : cpus > 256 ? 256 : (unsigned)cpus;
    int status = parse(&o, argc, argv);
    if (status == 3)
        return fputs(usage, stdout) == EOF || fflush(stdout) == EOF;
    if (status)
        return status;
    if (o.by_gmp || o.generates)
        /* Sets the variable before the first call of the library, which reads it. */
        setenv("MPGPU_CONF", "backend:none", 1);
    FILE *out = o.output ? fopen(o.output, "w") : stdout;
    if (!out)
        crew_die(o.output, strerror(errno));
    status = run(&o, out);
    if (o.output && fclose(out) != 0)
        status = 1;
    if (status == 1)
        crew_die(o.output ? o.output : "standard output", strerror(errno));
    return status ? 1 : 0;
}
