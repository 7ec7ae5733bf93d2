/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The arguments of mpgpu-tune. */
#include "config.h"

#include "tools/tune/tune_options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/conf.h"
#include "lib/base/conf_key.h"

static const struct option long_options[] = {
    {"quick", no_argument, NULL, 'q'},         {"backend", required_argument, NULL, 'b'},
    {"device", required_argument, NULL, 'd'},  {"output", required_argument, NULL, 'o'},
    {"seconds", required_argument, NULL, 's'}, {"dry-run", no_argument, NULL, 'n'},
    {"verbose", no_argument, NULL, 'v'},       {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},       {NULL, 0, NULL, 0}};

static void print_help(void) {
    puts("Usage: mpgpu-tune [OPTION]...\n"
         "Measure from which sizes on a device is faster than GMP, and write a profile of it\n"
         "that programs read from then on. The machine should have nothing else to do.\n\n"
         "  -q, --quick         a few measurements, in seconds rather than a minute\n"
         "  -b, --backend NAME  cuda, opencl\n"
         "  -d, --device NAME   a number, or a part of its name\n"
         "  -o, --output FILE   instead of a file in the user's folder of profiles\n"
         "  -s, --seconds N     search for so long; a value not found by then is not written\n"
         "  -n, --dry-run       print the profile, write nothing\n"
         "  -v, --verbose       print every measurement\n"
         "      --help, --version");
}

static int set_conf(enum conf_key_index index, const char *value) {
    const struct conf_key *key = &conf_keys[index];
    if (conf_key_set(key, &mpgpu_conf, value)) {
        mpgpu_conf.source[index] = (struct item_source){"mpgpu-tune", 0};
        return -1;
    }
    fprintf(stderr, "mpgpu-tune: bad value \"%s\" for --%s: it takes %s\n", value, key->name,
            key->help);
    return 2;
}

static int set_seconds(const char *value, struct tune_options *options) {
    char *end;
    options->seconds = strtod(value, &end);
    if (end != value && *end == 0 && options->seconds > 0 && isfinite(options->seconds))
        return -1;
    fprintf(stderr, "mpgpu-tune: bad value \"%s\" for --seconds: it takes a number above 0\n",
            value);
    return 2;
}

static int take(int option, struct tune_options *options) {
    switch (option) {
    case 'q':
        options->quick = true;
        return -1;
    case 'b':
        return set_conf(CONF_KEY_backend, optarg);
    case 'd':
        return set_conf(CONF_KEY_device, optarg);
    case 'o':
        options->output = optarg;
        return -1;
    case 's':
        return set_seconds(optarg, options);
    case 'n':
        options->dry_run = true;
        return -1;
    case 'v':
        options->verbose = true;
        return -1;
    case 'h':
        print_help();
        return 0;
    case 'V':
        printf("mpgpu-tune (mpgpu-gmp) %s\n", PACKAGE_VERSION);
        return 0;
    }
    fprintf(stderr, "mpgpu-tune --help lists the options\n");
    return 2;
}

int tune_parse_arguments(int argc, char **argv, struct tune_options *options) {
    int option, status = -1;
    *options = (struct tune_options){0};
    while (status < 0 && (option = getopt_long(argc, argv, "qb:d:o:s:nv", long_options, NULL)) >= 0)
        status = take(option, options);
    if (status < 0 && optind < argc) {
        fprintf(stderr, "mpgpu-tune: unknown argument %s (mpgpu-tune --help lists them)\n",
                argv[optind]);
        status = 2;
    }
    return status;
}
