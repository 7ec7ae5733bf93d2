/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The odd primes in order, by a sieve of one segment at a time. */
#ifndef MPGPU_PRIMES_H
#define MPGPU_PRIMES_H

#include <stdbool.h>
#include <stddef.h>

/* The sieve works on PRIMES_SEGMENT numbers at a time, and stores up to PRIMES_AT_ONCE primes for
 * the caller. */
enum { PRIMES_SEGMENT = 30 << 15, PRIMES_AT_ONCE = 512 };

/* The primes that are found but not yet returned: found[next .. count-1].  In primes.c this struct
 * is the first member of a larger one. */
struct primes {
    size_t next, count;
    unsigned long found[PRIMES_AT_ONCE];
};

/* Opens a sieve for the odd primes up to `most`, at most 2^62.  Returns NULL if memory is missing;
 * otherwise primes_close must follow. */
struct primes *primes_open(unsigned long most);

/* Finds the next primes.  Returns false after the last. */
bool primes_find(struct primes *s);

/* Returns the next prime, beginning with 3; 0 after the last. */
static inline unsigned long primes_next(struct primes *s) {
    return s->next < s->count || primes_find(s) ? s->found[s->next++] : 0;
}

/* Skips the primes up to n that primes_next has not returned yet.  It does not sieve segments that
 * it skips. */
void primes_skip(struct primes *s, unsigned long n);

/* Restarts the sieve: primes_next returns 3 next. */
void primes_rewind(struct primes *s);

void primes_close(struct primes *s);

#endif
