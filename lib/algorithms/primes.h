/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The odd primes in order, by a sieve of a segment at a time. */
#ifndef MPGPU_PRIMES_H
#define MPGPU_PRIMES_H

struct primes;

/* Those up to `most`, at most 2^62; NULL if there is no memory.  primes_close must follow. */
struct primes *primes_open(unsigned long most);

/* The next, 3 the first; 0 after the last. */
unsigned long primes_next(struct primes *s);

/* From 3 again. */
void primes_rewind(struct primes *s);

void primes_close(struct primes *s);

#endif
