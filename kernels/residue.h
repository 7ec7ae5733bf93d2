/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of numbers modulo an odd m < 2^61, by Montgomery's method with R = 2^64:
 * the check of results (lib/check.c). */
#ifndef RESIDUE_KERNEL_H
#define RESIDUE_KERNEL_H

#include "platform.h"

#define RESIDUE_THREADS 256 /* work-items a group, each at one vector of 4 words a step */

/* The table: 64-bit entries. c means c 2^64 mod m. */
#define RESIDUE_M 0      /* m itself, */
#define RESIDUE_MINV 1   /* and 1/m mod 2^64 */
#define RESIDUE_ONE 2    /* c = 1 */
#define RESIDUE_HIGH 3   /* c = 2^64: the upper half of a vector */
#define RESIDUE_STEP 4   /* c = 2^(128 RESIDUE_THREADS): a step of the group */
#define RESIDUE_POWERS 8 /* [i]: c = 2^(128 i), i < RESIDUE_THREADS */
#define RESIDUE_ENTRIES (RESIDUE_POWERS + RESIDUE_THREADS)

/* a b / 2^64 mod m, below m, for any a and b < m. */
FN u64 residue_product(u64 a, u64 b, u64 m, u64 minv) {
    u64 high = MULHI64(a, b), h = MULHI64(a * b * minv, m);
    return high - h + (high < h ? m : 0);
}

/* r 2^(128 RESIDUE_THREADS) + the vector x of 4 words, modulo m but not reduced: three
 * terms below m < 2^61.  r may be such a sum. */
FN u64 residue_step(u64 r, const u32 *x, u64 one, u64 high, u64 step, u64 m, u64 minv) {
    return residue_product(r, step, m, minv) +
           residue_product(x[0] | (u64)x[1] << 32, one, m, minv) +
           residue_product(x[2] | (u64)x[3] << 32, high, m, minv);
}

#endif
