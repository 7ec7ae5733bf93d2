/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The same for many numbers, by several threads; memory; progress. */
#ifndef BATCH_GCD_CREW_H
#define BATCH_GCD_CREW_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* 1 and more; the CPUs' number unless it is set. */
extern unsigned crew_threads;

/* work(context, i) for all i < count, in any order, by all threads. */
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
