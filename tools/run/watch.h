/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waits for the program and reports on it, for --profile and --estimate. */
#ifndef MPGPU_WATCH_H
#define MPGPU_WATCH_H

#include "tools/run/options.h"

/* Returns in a child, which becomes the program `argv`, with a folder for its profile in
 * options->conf.  The calling process waits for the child, prints the reports, and ends as the
 * child has: with its exit status, or by its signal.  It passes on signals that ask a program to
 * end or that programs define.  Exits with 125 after a line with the reason on failure. */
void run_watch(struct run_options *options, char **argv);

#endif
