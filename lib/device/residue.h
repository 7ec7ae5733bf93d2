/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of numbers in host memory modulo an odd m below 2^61. A modulus of special form would
 * not do: modulo 2^61 - 1, for instance, words in the wrong order are not detected. */
#ifndef MPGPU_RESIDUE_H
#define MPGPU_RESIDUE_H

#include <stddef.h>
#include <stdint.h>

#define RESIDUE_MODULUS 0x1c9b7d24e6a35f87u /* for known answers */

/* Returns {x, n} modulo m, for words of 32 bits, least significant first. */
static inline uint64_t residue_of(const uint32_t *x, size_t n, uint64_t m) {
    uint64_t r = n % 2 ? x[n - 1] % m : 0;
    for (n -= n % 2; n > 0; n -= 2)
        r = (uint64_t)((((unsigned __int128)r << 64) | (uint64_t)x[n - 1] << 32 | x[n - 2]) % m);
    return r;
}

static inline uint64_t residue_mul(uint64_t a, uint64_t b) {
    return (uint64_t)((unsigned __int128)a * b % RESIDUE_MODULUS);
}

static inline uint64_t residue_add(uint64_t a, uint64_t b) {
    return (a + b) % RESIDUE_MODULUS; /* both below 2^61 */
}

/* Returns 2^(32 words) modulo RESIDUE_MODULUS. */
static inline uint64_t residue_of_power(size_t words) {
    uint64_t power = 1;
    while (words-- > 0)
        power = residue_mul(power, UINT64_C(1) << 32);
    return power;
}

#endif
