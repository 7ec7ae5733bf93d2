/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers of device numbers modulo another. */
#ifndef MPGPU_CALC_POWM_H
#define MPGPU_CALC_POWM_H

#include "lib/calc/calc_divide.h"

/* What is known of it on the host. */
struct calc_powm {
    struct calc_divisor by;   /* calc_modulus_plan(bits of the modulus) */
    const uint64_t *exponent; /* more than 1, */
    uint64_t bits;            /* its length */
    bool is_reduced;          /* b has no more bits than the modulus */
};

/* b^exponent modulo the modulus, in by.n quads: the plan for a modulus of so many bits; the modulus
 * as it came, and the first approximation of its reciprocal.  b is of any length and is lost. Every
 * reduction is checked: x y = q d + r, r < d. */
struct number calc_powm(struct calc *c, struct calc_powm *p, struct number b, struct number modulus,
                        struct number first);

/* The products modulo the modulus that it takes. */
uint64_t calc_powm_steps(uint64_t bits);

#endif
