/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reading the arguments. */
#include "examples/batch-gcd/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/batch-gcd/util.h"

const char options_usage[] =
    "Usage: batch-gcd [OPTION]... FILE\n"
    "Find moduli with common factors.  FILE (- is standard input) has one a line: decimal\n"
    "digits, or hexadecimal ones, with 0x or a letter.  Other lines are named and skipped.\n"
    "  --make SET       write the moduli of FILE to the new file SET instead\n"
    "  --against SET    find those that share a factor with one of SET or of FILE\n"
    "  --add            with --against: then add the moduli of FILE to SET\n"
    "  --hex            all lines are hexadecimal\n"
    "  --gmp            by GMP on all CPUs, without the device\n"
    "  --json           print JSON instead of text\n"
    "  --times          print on standard error when each step begins\n"
    "  -o, --output OUT write to OUT instead of standard output\n"
    "  -t, --threads N  number of threads (1 to 256; default: one a CPU)\n"
    "  --generate COUNT,BITS,PAIRS,SEED\n"
    "                   without FILE: print moduli; PAIRS pairs of them share a prime\n"
    "  --help           print this text\n"
    "Exit status: 0; 1 after an error, or if lines are skipped and no modulus is left; 2 for bad\n"
    "arguments.\n";

static int bad_argument(const char *what, const char *argument) {
    fprintf(stderr, "batch-gcd: %s%s%s%s\n%s", what, argument ? ": '" : "",
            argument ? argument : "", argument ? "'" : "", options_usage);
    return 2;
}

static bool is_threads(const char *text) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    util_threads = (unsigned)n;
    return text[0] >= '0' && text[0] <= '9' && !*end && n >= 1 && n <= 256;
}

enum { HEX = 256, GMP, JSON, ADD, TIMES, MAKE, AGAINST, GENERATE, HELP };

static const struct option names[] = {{"hex", no_argument, NULL, HEX},
                                      {"gmp", no_argument, NULL, GMP},
                                      {"json", no_argument, NULL, JSON},
                                      {"make", required_argument, NULL, MAKE},
                                      {"against", required_argument, NULL, AGAINST},
                                      {"add", no_argument, NULL, ADD},
                                      {"times", no_argument, NULL, TIMES},
                                      {"output", required_argument, NULL, 'o'},
                                      {"threads", required_argument, NULL, 't'},
                                      {"generate", required_argument, NULL, GENERATE},
                                      {"help", no_argument, NULL, HELP},
                                      {NULL, 0, NULL, 0}};

/* Sets the field of an option without a value.  Returns false for other options. */
static bool take_flag(struct options *o, int option) {
    bool *flag[] = {[HEX - HEX] = &o->is_hexadecimal,
                    [GMP - HEX] = &o->by_gmp,
                    [JSON - HEX] = &o->is_json,
                    [ADD - HEX] = &o->adds,
                    [TIMES - HEX] = &util_shows_times};
    if (option < HEX || option > TIMES)
        return false;
    *flag[option - HEX] = true;
    return true;
}

/* Reads an option.  Returns 0; 2 for a bad option, 3 for --help. */
static int take_option(struct options *o, int option, char **argv) {
    if (take_flag(o, option))
        return 0;
    switch (option) {
    case MAKE:
        o->make = optarg;
        return 0;
    case AGAINST:
        o->against = optarg;
        return 0;
    case 'o':
        o->output = strcmp(optarg, "-") ? optarg : NULL;
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

/* Returns 0, or 2 if options do not fit together. */
static int compare(const struct options *o) {
    if ((o->make != NULL) + (o->against != NULL) + o->generates > 1)
        return bad_argument("only one of --make, --against and --generate is possible", NULL);
    if (o->adds && !o->against)
        return bad_argument("--add needs --against", NULL);
    if (o->make && o->is_json)
        return bad_argument("--make prints no JSON", NULL);
    return 0;
}

int options_parse(struct options *o, int argc, char **argv) {
    int option, status = 0;
    opterr = 0;
    while (status == 0 && (option = getopt_long(argc, argv, "o:t:", names, NULL)) != -1)
        status = take_option(o, option, argv);
    status = status ? status : compare(o);
    if (status)
        return status;
    if (o->generates ? optind < argc : argc - optind > 1)
        return bad_argument("one argument too many", argv[argc - 1]);
    if (!o->generates && optind == argc)
        return bad_argument("FILE is missing", NULL);
    o->file = argv[optind];
    return 0;
}
