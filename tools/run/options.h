/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The options of mpgpu-run. */
#ifndef MPGPU_OPTIONS_H
#define MPGPU_OPTIONS_H

#include <stdbool.h>

struct run_options {
    char *conf;           /* MPGPU_CONF for the program; NULL if it has none */
    bool reports;         /* statistics are asked for */
    bool serves;          /* --serve */
    bool replaces;        /* --replace */
    bool spares_children; /* --no-children */
};

/* Reads the options in front of the program; returns the program's index in `argv`.  Exits with 0
 * behind the text of --help or --version, with 125 if an option is wrong. */
int run_options_read(char **argv, struct run_options *options);

#endif
