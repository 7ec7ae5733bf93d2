/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Random numbers for checks. */
#include "lib/base/random.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>

/* splitmix64 over a counter that starts where the kernel said. */
uint64_t random_word(void) {
    static _Atomic uint64_t counter;
    uint64_t seed = 0;
    const void *bytes = (const void *)getauxval(AT_RANDOM);
    if (bytes)
        memcpy(&seed, bytes, sizeof seed);
    uint64_t x = seed + 0x9e3779b97f4a7c15u * (1 + atomic_fetch_add(&counter, 1));
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t random_modulus(void) {
    const uint64_t top = UINT64_C(1) << 60;
    return top | (random_word() & (top - 1)) | 1;
}

static uint64_t product_modulo(uint64_t a, uint64_t b, uint64_t m) {
    return (uint64_t)((unsigned __int128)a * b % m);
}

/* Miller's test: n is odd, base below n. */
static bool is_strong_probable_prime(uint64_t n, uint64_t base) {
    const int twos = __builtin_ctzll(n - 1);
    uint64_t x = 1;
    for (uint64_t e = (n - 1) >> twos, power = base; e > 0; e >>= 1) {
        if (e & 1)
            x = product_modulo(x, power, n);
        power = product_modulo(power, power, n);
    }
    for (int k = 0; k < twos; k++) {
        if (x == 1)
            return k == 0;
        if (x == n - 1)
            return true;
        x = product_modulo(x, x, n);
    }
    return false;
}

/* The first twelve primes as bases prove every n below 3.18 10^23: Sorenson and Webster, Strong
 * pseudoprimes to twelve prime bases, Mathematics of Computation 86, 2017. */
static bool is_prime(uint64_t n) {
    static const unsigned char bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (size_t i = 0; i < sizeof bases; i++)
        if (n % bases[i] == 0)
            return n == bases[i];
    for (size_t i = 0; i < sizeof bases; i++)
        if (!is_strong_probable_prime(n, bases[i]))
            return false;
    return true;
}

uint64_t random_prime(void) {
    uint64_t n;
    do
        n = random_modulus();
    while (!is_prime(n));
    return n;
}
