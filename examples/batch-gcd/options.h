/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Parses the options of batch-gcd. */
#ifndef BATCH_GCD_OPTIONS_H
#define BATCH_GCD_OPTIONS_H

#include <stdbool.h>

#include "examples/batch-gcd/generate.h"

struct options {
    bool is_hexadecimal, by_gmp, is_json, generates, adds;
    const char *output, *file;
    /* the set's file to create (--make) or to test against (--against), or NULL */
    const char *make, *against;
    struct generate_options generate;
};

extern const char options_usage[];

/* Reads the arguments; -t sets util_threads, --times util_shows_times.  Returns 0; 2 after a
 * message about a bad argument; 3 for --help. */
int options_parse(struct options *o, int argc, char **argv);

#endif
