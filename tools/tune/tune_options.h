/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The arguments of mpgpu-tune. */
#ifndef MPGPU_TUNE_OPTIONS_H
#define MPGPU_TUNE_OPTIONS_H

#include <stdbool.h>

struct tune_options {
    bool quick, dry_run, verbose;
    double seconds;     /* for the search; 0: no limit */
    const char *output; /* NULL: the user's file for the device */
};

/* Reads the arguments; backend and device go into mpgpu_conf.  Returns -1, or the status with which
 * the program is to end at once. */
int tune_parse_arguments(int argc, char **argv, struct tune_options *options);

#endif
