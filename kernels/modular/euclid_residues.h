/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues modulo the check's modulus M (kernels/check/residue.h) for the checks of gcds and
 * inverses. Include tracking.h and batch_share.h first. */
#ifndef EUCLID_RESIDUES_H
#define EUCLID_RESIDUES_H

/* Returns the residue of a number; `sum` is the residue of -2^64 times the number. */
FN u64 plain(u64 sum, u64 m, u64 minv) {
    u64 minus = residue_product(1, sum, m, minv);
    return minus == 0 ? 0 : m - minus;
}

/* Returns 2^(-28 jumps) times 2^64 modulo M. */
FN u64 power_of_jumps(u32 jumps, GLOBAL const u64 *table) {
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    u64 power = table[RESIDUE_ONE];
    u64 square = residue_product(residue_divide(1, 0, m, minv) % m, table[RESIDUE_HIGH], m, minv);
    for (; jumps > 0; jumps /= 2) {
        power = jumps & 1 ? residue_product(power, square, m, minv) : power;
        square = residue_product(square, square, m, minv);
    }
    return power;
}

#endif
