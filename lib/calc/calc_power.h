/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers: square, and multiply by the base where the exponent has a bit.
 *
 * The check: the result's residue modulo the context's random modulus, beside the power of the
 * base's residue that the host computes.  It covers what the device is given too. */
#ifndef MPGPU_CALC_POWER_H
#define MPGPU_CALC_POWER_H

#include "lib/calc/calc.h"

/* 2^shift {base, base_limbs}^exponent, shift < 64; start = base^(exponent >> steps).  Their highest
 * limbs are not 0. */
struct calc_power {
    const uint64_t *base, *start;
    uint64_t base_limbs, start_limbs, exponent;
    unsigned steps, shift;
};

/* The result's bits: one or two too many at most, as long as exponents are below 2^50. */
uint64_t calc_power_bits(const struct calc_power *p);

/* The result, of calc_words(calc_power_bits) words, taken from the room. */
struct number calc_power(struct calc *c, const struct calc_power *p);

#endif
