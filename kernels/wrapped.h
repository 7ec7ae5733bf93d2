/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What wraps round in a product modulo B^n - 1 or B^n + 1, modulo an odd m < 2^61
 * (kernels/residue.h): the check of such products (lib/check.c).
 *
 * u and v have N digits to the base b, b^N = B^n.  Of u v the terms u_i v_j b^(i+j) with i + j < N
 * stay where they are, L in all; of the others, B^n H, the multiple of B^n goes round.
 * Modulo m, with
 *     x_i = sum of v_j b^(j - (N - i)) over j < N - i,
 * v is x_0 B^n, L is B^n times the sum of all u_i x_i, and so
 *     H = (u v - L) / B^n = u x_0 - sum of u_i x_i.
 * Downwards, x_i = (x_(i+1) + v_(N-1-i)) / b: where b is 2^64, the R of Montgomery's products,
 * that takes half of one.
 *
 * A part of that are the digits i of u from k to k + c - 1, and those of v that enter their x_i
 * when it begins with 0.  Products of two residues are a b / R. */
#ifndef WRAPPED_H
#define WRAPPED_H

#include "residue.h"

struct wrapped_part {
    u64 u, x, sum; /* the digits of u / R, from b^0 on; x_k; the sum of u_i x_i, / R^2 */
};
#define WRAPPED_ENTRIES 3

/* (x + limb) / R; x is at most m, and so is that. */
FN u64 wrapped_step(u64 x, u64 limb, u64 m, u64 minv) {
    u64 sum = x + limb;
    return residue_product(sum, 1, m, minv) + (sum < limb);
}

/* Of two parts, the lower one of `limbs` limbs: up is B^limbs, down 1 / B^limbs, times R. */
FN struct wrapped_part wrapped_join(struct wrapped_part low, struct wrapped_part high, u64 up,
                                    u64 down, u64 m, u64 minv) {
    u64 x = residue_product(high.x, down, m, minv);
    struct wrapped_part both;
    both.u = residue_plus(low.u, residue_product(high.u, up, m, minv), m);
    both.x = residue_plus(low.x, x, m);
    both.sum = residue_plus(low.sum, high.sum, m);
    both.sum = residue_plus(both.sum, residue_product(low.u, x, m, minv), m);
    return both;
}

#endif
