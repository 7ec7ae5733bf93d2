/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A progress line, if standard error is a terminal. */
#ifndef EXAMPLE_PROGRESS_H
#define EXAMPLE_PROGRESS_H

#include <stdint.h>

/* Begins; `what` stays valid. */
void progress_begin(const char *what);

/* So much of all is done.  At most ten lines a second are printed; one thread calls it. */
void progress_at(uint64_t done, uint64_t all);

/* The line goes away. */
void progress_end(void);

#endif
