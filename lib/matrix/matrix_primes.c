/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Primes just below 2^31, and their constants. */
#include "lib/matrix/matrix_primes.h"

#include <string.h>

#include "kernels/matrix/system.h"

static uint32_t power(uint32_t base, uint32_t exponent, uint32_t p) {
    uint64_t r = 1, x = base % p;
    for (; exponent; exponent >>= 1, x = x * x % p)
        if (exponent & 1)
            r = r * x % p;
    return (uint32_t)r;
}

/* Returns true if the odd number n passes the test of Miller and Rabin with the base b. */
static bool passes(uint32_t n, uint32_t b) {
    const int twos = __builtin_ctz(n - 1);
    uint64_t x = power(b, (n - 1) >> twos, n);
    if (x == 1)
        return true;
    for (int i = 0; i < twos; i++, x = x * x % n)
        if (x == n - 1)
            return true;
    return false;
}

/* Returns true if the odd n >= 3 is prime. The bases 2, 3, 5 and 7 prove this below 3,215,031,751
 * (Jaeschke, On strong pseudoprimes to several bases). */
static bool is_prime(uint32_t n) {
    static const uint32_t base[] = {3, 5, 7, 2};
    for (int i = 0; i < 3; i++)
        if (n % base[i] == 0)
            return n == base[i];
    for (int i = 0; i < 4; i++)
        if (!passes(n, base[i]))
            return false;
    return true;
}

uint32_t matrix_primes_next(uint32_t below) {
    uint32_t p = (below - 2) | 1;
    while (!is_prime(p))
        p -= 2;
    return p;
}

void matrix_primes_fill(uint32_t *entry, uint32_t p) {
    const uint64_t one = (UINT64_C(1) << 32) % p;
    uint32_t inverse = p; /* p is its own inverse modulo 2^3; each step doubles the correct bits */
    for (int i = 0; i < 4; i++)
        inverse *= 2 - p * inverse;
    entry[SYSTEM_P] = p;
    entry[SYSTEM_PINV] = inverse;
    entry[SYSTEM_ONE] = (uint32_t)one;
    entry[SYSTEM_SQUARE] = (uint32_t)(one * one % p);
}

void matrix_primes_multiply(uint32_t *to, uint32_t words, const uint32_t *prime, uint32_t count) {
    memset(to, 0, words * sizeof *to);
    to[0] = 1;
    for (uint32_t q = 0; q < count; q++) {
        uint64_t carry = 0;
        for (uint32_t i = 0; i <= q; i++) {
            carry += (uint64_t)to[i] * prime[q];
            to[i] = (uint32_t)carry;
            carry >>= 32;
        }
        if (q + 1 < words)
            to[q + 1] = (uint32_t)carry;
    }
}
