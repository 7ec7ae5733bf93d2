/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the options of mpgpu-run. */
#ifndef MPGPU_OPTIONS_H
#define MPGPU_OPTIONS_H

#include <stdbool.h>

struct run_options {
    char *conf;           /* MPGPU_CONF for the program; NULL if it has none */
    bool reports;         /* statistics or a profile are requested */
    bool serves;          /* --serve */
    bool replaces;        /* --replace */
    bool spares_children; /* --no-children */
    bool needs_device;    /* --require-device */
    const char *page;     /* --profile: the absolute path of the page; NULL without this option */
    const char *times;    /* --estimate: the table of times; NULL without this option */
};

/* Appends "KEY:VALUE" to MPGPU_CONF for the program. */
void run_options_append(struct run_options *options, const char *item);

/* Reads the options in front of the program.  Returns the program's index in `argv`.  Exits with 0
 * after --help or --version, with 125 if an option is wrong. */
int run_options_read(char **argv, struct run_options *options);

#endif
