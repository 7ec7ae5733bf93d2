/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waits for the program and prints the reports of --profile and --estimate. */
#ifndef MPGPU_WATCH_H
#define MPGPU_WATCH_H

#include "tools/run/options.h"

/* Forks.  In the child, returns, so that the caller executes the program `argv`; options->conf then
 * names a folder for the program's profile.  The calling process waits for the child, prints the
 * reports, and ends as the child did, with its exit status or by its signal.  It passes signals
 * such as SIGTERM and SIGUSR1 on to the child.  On failure, prints a line with the reason and exits
 * with 125. */
void run_watch(struct run_options *options, char **argv);

#endif
