/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the wrapped part of a product modulo B^n - 1 or B^n + 1, modulo an odd m < 2^61
 * (kernels/check/residue.h). The host checks the product by this part (lib/multiply/check.c).
 *
 * The wrapped part. u and v have N digits to the base b, and b^N = B^n.
 *
 * - The terms u_i v_j b^(i+j) of u v with i + j >= N wrap around. Their sum is B^n H.
 * - H is the sum of v_j a_(N-j) over all j.
 * - a_i = u_i + u_(i+1) b + ... is the quotient of u by b^i. From the top down, a_i = a_(i+1) b +
 *   u_i.
 *
 * A part of this computation has some adjacent digits i of u, and the digits N - 1 - i of v, which
 * are multiplied by a_(i+1). In a part, a_(i+1) is computed from the part's digits of u alone. A
 * product of residues a and b is a b / R, with R = 2^64. */
#ifndef WRAPAROUND_H
#define WRAPAROUND_H

#include "kernels/check/residue.h"

#define WRAPAROUND_THREADS 128 /* work-items of a group */
#define WRAPAROUND_TILE 8      /* limbs of each work-item that a group reads at once */

struct wraparound_part {
    /* The residues of a part modulo m, with R = 2^64. The file's first comment defines a_i and N.
     *
     * - u: the number that consists of the part's digits of u, divided by R
     * - v: the number that consists of the part's digits of v
     * - sum: the sum of v_j a_(N-j) over the part's digits j of v, divided by R^2 */
    u64 u, v, sum;
};
#define WRAPAROUND_ENTRIES 3
#define WRAPAROUND_MOST 512 /* the most parts (work-groups) whose residues are combined */

/* Returns limb i of {x, limbs}, or 0 behind the end. x is aligned to two words. */
FN u64 limb(GLOBAL const u32 *x, u64 limbs, u64 i) {
    u32 low, high;
    if (i >= limbs)
        return 0;
    LOAD2(GLOBAL, low, high, x + 2 * i);
    return low | (u64)high << 32;
}

/* The state of a work-item that reads its limbs, those of u downwards and those of v upwards. */
struct wraparound_walk {
    /* u: the residue of the limbs of u that were read, divided by R = 2^64. v: the residue of the
     * limbs of v that were read, divided by 2^64 once for each of these limbs. */
    u64 u, v;
    /* above: the residue of the digits of u above the current digit. digit: the residue of the
     * current digit of v. If digits have several limbs, `digit` is divided by B once for each limb
     * that was read. */
    u64 above, digit;
    u32 place;              /* limbs of the current digit that have been read */
    struct residue_sum sum; /* the sum of `above` times `digit` over all digits */
};

/* Processes the next limbs of u and v. A digit has `limbs` limbs. `above` and sum.high stay below 2
 * m, where 4 m < 2^63. */
FN void wraparound_next(struct wraparound_walk *w, u64 u, u64 v, u32 limbs, u64 high, u64 m,
                        u64 minv) {
    w->digit = limbs == 1 ? v : residue_horner(w->digit, 1, v, m, minv);
    w->v = residue_horner(w->v, 1, v, m, minv);
    w->u = residue_horner(w->u, high, u, m, minv);
    if (++w->place < limbs)
        return;
    w->sum = residue_sum_add(w->sum, w->digit, w->above);
    w->sum.high -= w->sum.high < 2 * m ? 0 : 2 * m;
    w->above = w->u;
    w->digit = w->place = 0;
}

/* Returns the part of a work-item that has read all its limbs. The arguments are residues modulo
 * m:
 * - up: 2^(64 (n + 1)) for a part of n limbs
 * - base: 2^(64 (k + 1)) for digits of k >= 2 limbs, 2^64 for digits of one limb
 * - one: 2^64 */
FN struct wraparound_part wraparound_end(const struct wraparound_walk *w, u64 base, u64 up, u64 one,
                                         u64 m, u64 minv) {
    struct wraparound_part part;
    part.u = residue_product(w->u, one, m, minv);
    part.v = residue_product(w->v, up, m, minv);
    part.sum = residue_product(residue_reduce(w->sum, m, minv), base, m, minv);
    return part;
}

/* Returns the part that consists of two adjacent parts. over_low and over_high are R B^limbs for
 * the limbs of `low` and of `high`. */
FN struct wraparound_part wraparound_join(struct wraparound_part low, struct wraparound_part high,
                                          u64 over_low, u64 over_high, u64 m, u64 minv) {
    struct wraparound_part both;
    both.u = residue_plus(low.u, residue_product(high.u, over_low, m, minv), m);
    both.v = residue_plus(high.v, residue_product(low.v, over_high, m, minv), m);
    both.sum = residue_plus(low.sum, high.sum, m);
    both.sum = residue_plus(both.sum, residue_product(high.u, low.v, m, minv), m);
    return both;
}

#endif
