/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shows a progress line if standard error is a terminal. */
#ifndef EXAMPLE_PROGRESS_H
#define EXAMPLE_PROGRESS_H

#include <stdint.h>

/* Begins a progress line with the text `what`, which must remain valid until progress_end. */
void progress_begin(const char *what);

/* Shows that `done` of `all` units are done. Prints at most ten lines a second. Only one thread
 * may call it. */
void progress_at(uint64_t done, uint64_t all);

/* Erases the progress line. */
void progress_end(void);

#endif
