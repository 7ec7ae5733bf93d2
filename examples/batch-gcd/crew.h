/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions that all files of batch-gcd use: loops in several threads, memory, messages. */
#ifndef BATCH_GCD_CREW_H
#define BATCH_GCD_CREW_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* The number of threads of crew_work, at least 1. The number of CPUs unless an option sets it. */
extern unsigned crew_threads;

/* Calls work(context, i) for all i < count, in any order, in crew_threads threads. */
void crew_work(void (*work)(void *context, size_t i), void *context, size_t count);

/* Prints why and ends the program.  Any thread may call it. */
_Noreturn void crew_die(const char *what, const char *why);

/* Allocates zeroed memory, which the caller frees; ends the program on failure. */
void *crew_alloc(size_t count, size_t size);
mpz_t *crew_numbers(size_t count);
void crew_free_numbers(mpz_t *x, size_t count);

/* Shows a progress line on stderr if it is a terminal; "" removes the line. */
void crew_progress(const char *what);

#endif
