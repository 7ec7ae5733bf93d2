/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions that all files of batch-gcd use: loops in several threads, memory, messages. */
#ifndef BATCH_GCD_UTIL_H
#define BATCH_GCD_UTIL_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* The number of threads of util_parallel_for, at least 1.  By default, this is the number of
 * CPUs. */
extern unsigned util_threads;

/* Calls work(context, i) for all i < count, in any order, in util_threads threads. */
void util_parallel_for(void (*work)(void *context, size_t i), void *context, size_t count);

/* Prints why and ends the program.  Any thread may call it. */
_Noreturn void util_die(const char *what, const char *why);

/* Allocates zeroed memory, which the caller frees; ends the program on failure. */
void *util_alloc(size_t count, size_t size);
mpz_t *util_numbers(size_t count);
void util_free_numbers(mpz_t *x, size_t count);

/* If util_shows_times, util_time prints the seconds since its first call, and `what`. */
extern bool util_shows_times;
void util_time(const char *what);

/* Shows a progress line on stderr if it is a terminal; "" removes the line.  Calls util_time
 * instead if util_shows_times. */
void util_progress(const char *what);

#endif
