/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The arguments of mpgpu-tune. */
#ifndef MPGPU_TUNE_OPTIONS_H
#define MPGPU_TUNE_OPTIONS_H

struct tune_options {
    int quick, dry_run, verbose;
    double seconds;     /* that the search may take; 0: any */
    const char *output; /* NULL: the user's file for the device */
};

/* Reads the arguments; backend and device go into mpgpu_conf.  -1, or the status with which
 * the program is to end at once: all is said then. */
int tune_parse_arguments(int argc, char **argv, struct tune_options *options);

#endif
