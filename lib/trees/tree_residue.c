/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues by Montgomery's method: a limb costs two products. */
#include "lib/trees/tree_residue.h"

/* {x, limbs} R^-limbs. */
static uint64_t down(const uint64_t *x, uint64_t limbs, struct check_modulus q) {
    uint64_t s = 0;
    for (uint64_t i = 0; i < limbs; i++)
        s = residue_horner(s, 1, x[i], q.m, q.minv);
    return s % q.m;
}

/* x R^times. */
static uint64_t up(uint64_t x, uint64_t times, struct check_modulus q) {
    return residue_product(x, modulus_power_of_words(2 * times, q), q.m, q.minv) % q.m;
}

uint64_t tree_residue(const uint64_t *x, uint64_t limbs, struct check_modulus q) {
    return up(down(x, limbs, q), limbs, q);
}

uint64_t tree_residue_of_product(const uint64_t *x, uint64_t count, uint64_t limbs,
                                 struct check_modulus q) {
    uint64_t product = 1;
    for (uint64_t i = 0; i < count; i++)
        product = residue_product(product, down(x + i * limbs, limbs, q), q.m, q.minv);
    return up(product % q.m, count * (limbs + 1), q);
}

uint64_t tree_residue_down(uint64_t x, uint64_t times, struct check_modulus q) {
    for (uint64_t i = 0; i < times; i++)
        x = residue_product(x, 1, q.m, q.minv);
    return x % q.m;
}

uint64_t tree_residue_square(struct check_modulus q) {
    return modulus_mul(q.one, q.one, q);
}
