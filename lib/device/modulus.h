/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues on the host modulo the context's random modulus. */
#ifndef MPGPU_MODULUS_H
#define MPGPU_MODULUS_H

#include "kernels/check/residue.h"
#include "lib/device/context.h"

/* Returns a b modulo q.m. */
static inline uint64_t modulus_mul(uint64_t a, uint64_t b, struct check_modulus q) {
    return (uint64_t)((unsigned __int128)a * b % q.m);
}

/* Returns base^exponent modulo q.m. The base and the result are in Montgomery form. */
static inline uint64_t modulus_power(uint64_t base, uint64_t exponent, struct check_modulus q) {
    uint64_t power = q.one;
    for (; exponent; exponent >>= 1, base = residue_product(base, base, q.m, q.minv))
        if (exponent & 1)
            power = residue_product(power, base, q.m, q.minv);
    return power;
}

/* Both return 2^(32 words) modulo q.m: modulus_power_of_words in Montgomery form,
 * modulus_residue_of_power in ordinary form. */
static inline uint64_t modulus_power_of_words(uint64_t words, struct check_modulus q) {
    return modulus_power((uint64_t)(((unsigned __int128)q.one << 32) % q.m), words, q);
}

static inline uint64_t modulus_residue_of_power(uint64_t words, struct check_modulus q) {
    return residue_product(1, modulus_power_of_words(words, q), q.m, q.minv);
}

/* Returns 2^bits modulo q.m, in ordinary form. */
static inline uint64_t modulus_residue_of_bits(uint64_t bits, struct check_modulus q) {
    return modulus_mul(modulus_residue_of_power(bits / 32, q), UINT64_C(1) << bits % 32, q);
}

#endif
