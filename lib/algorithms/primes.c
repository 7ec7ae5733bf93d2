/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The sieve of Eratosthenes, odd numbers only, in segments that fit a first-level cache. */
#include "lib/algorithms/primes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ODDS = 1 << 15, SPAN = 2 * ODDS }; /* numbers of a segment: one byte for each odd one */

struct primes {
    unsigned long most, from, next; /* the segment is from .. from + SPAN, `from` even */
    unsigned char composite[ODDS];  /* of from + 2 i + 1 */
    size_t count;                   /* of the primes that sieve: those up to sqrt(most) */
    uint32_t prime[];
};

static void strike(struct primes *s, unsigned long p) {
    unsigned long first = (s->from + p - 1) / p | 1; /* an odd multiple */
    if (first < p)
        first = p;
    for (unsigned long m = first * p; m - s->from < SPAN; m += 2 * p)
        s->composite[(m - s->from) / 2] = 1;
}

static void sieve(struct primes *s, unsigned long from) {
    s->from = from;
    memset(s->composite, 0, sizeof s->composite);
    for (size_t i = 0; i < s->count && (unsigned long)s->prime[i] * s->prime[i] < from + SPAN; i++)
        strike(s, s->prime[i]);
}

static unsigned long root_of(unsigned long n) {
    unsigned long r = 0;
    for (unsigned long bit = 1ul << 31; bit; bit >>= 1)
        if ((r + bit) * (r + bit) <= n)
            r += bit;
    return r;
}

static bool is_prime(const struct primes *s, unsigned long n) {
    for (size_t i = 0; i < s->count && (unsigned long)s->prime[i] * s->prime[i] <= n; i++)
        if (n % s->prime[i] == 0)
            return false;
    return true;
}

struct primes *primes_open(unsigned long most) {
    unsigned long root = root_of(most);
    struct primes *s = malloc(sizeof *s + (root / 2 + 1) * sizeof s->prime[0]);
    if (!s)
        return NULL;
    s->most = most;
    s->count = 0;
    for (unsigned long n = 3; n <= root; n += 2)
        if (is_prime(s, n))
            s->prime[s->count++] = (uint32_t)n;
    primes_rewind(s);
    return s;
}

void primes_rewind(struct primes *s) {
    s->next = 3;
    sieve(s, 0);
}

unsigned long primes_next(struct primes *s) {
    for (unsigned long n = s->next; n <= s->most; n += 2) {
        if (n - s->from >= SPAN)
            sieve(s, s->from + SPAN);
        if (!s->composite[(n - s->from) / 2]) {
            s->next = n + 2;
            return n;
        }
    }
    s->next = s->most + 1;
    return 0;
}

void primes_close(struct primes *s) {
    free(s);
}
