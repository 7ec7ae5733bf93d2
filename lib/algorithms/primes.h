/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The odd primes in order, by a sieve of a segment at a time. */
#ifndef MPGPU_PRIMES_H
#define MPGPU_PRIMES_H

#include <stdbool.h>
#include <stddef.h>

/* The sieve works on so many numbers at once; so many primes are found for those who ask. */
enum { PRIMES_SEGMENT = 30 << 15, PRIMES_AT_ONCE = 512 };

/* Those that were found and have not been given yet; the rest is the sieve's. */
struct primes {
    size_t next, count;
    unsigned long found[PRIMES_AT_ONCE];
};

/* Those up to `most`, at most 2^62; NULL if there is no memory.  primes_close must follow. */
struct primes *primes_open(unsigned long most);

/* More of them to `found`; false after the last. */
bool primes_find(struct primes *s);

/* The next, 3 the first; 0 after the last. */
static inline unsigned long primes_next(struct primes *s) {
    return s->next < s->count || primes_find(s) ? s->found[s->next++] : 0;
}

/* Those up to n are left out, unless they have been given; without being sieved where they are
 * many. */
void primes_skip(struct primes *s, unsigned long n);

/* From 3 again. */
void primes_rewind(struct primes *s);

void primes_close(struct primes *s);

#endif
