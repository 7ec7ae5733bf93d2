/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Calls a function for each index below a count, in several threads. Also allocates memory and
 * shows progress. */
#ifndef BATCH_GCD_CREW_H
#define BATCH_GCD_CREW_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* The number of threads, at least 1. The default is the number of CPUs. */
extern unsigned crew_threads;

/* Calls work(context, i) once for each i < count, in any order, in all threads. */
void crew_work(void (*work)(void *context, size_t i), void *context, size_t count);

/* Prints `what` and the reason `why`, and ends the program. */
_Noreturn void crew_die(const char *what, const char *why);

/* Allocates zeroed memory, which the caller frees; ends the program on failure. */
void *crew_alloc(size_t count, size_t size);
mpz_t *crew_numbers(size_t count);
void crew_free_numbers(mpz_t *x, size_t count);

/* Shows `what` as a progress line if stderr is a terminal. An empty string removes the line. */
void crew_progress(const char *what);

#endif
