/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Random numbers for checks. */
#include "lib/base/random.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>

/* Returns the next number of the generator splitmix64, whose counter starts at a random number from
 * the kernel. */
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
