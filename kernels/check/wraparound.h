/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The wrapped part of a product modulo B^n - 1 or B^n + 1, modulo an odd m < 2^61
 * (kernels/check/residue.h): the check of such products (lib/multiply/check.c).
 *
 * u and v have N digits to the base b, b^N = B^n.  Of u v the terms u_i v_j b^(i+j) with i + j >= N
 * go round: B^n H in all, so
 *     H = sum of v_j a_(N-j), where a_i = u_i + u_(i+1) b + ... is the quotient of u by b^i.
 * Downwards, a_i = a_(i+1) b + u_i.
 *
 * A part of that are the digits i of u from k to k + c - 1, and those of v, N - 1 - i, that meet
 * a_(i+1): of the part alone.  Products of two residues are a b / R, R = 2^64. */
#ifndef WRAPAROUND_H
#define WRAPAROUND_H

#include "kernels/check/residue.h"

#define WRAPAROUND_THREADS 128 /* work-items a group */
#define WRAPAROUND_TILE 8      /* limbs of each work-item that a group reads at once */

struct wraparound_part {
    u64 u, v, sum; /* digits of u / R and of v, from b^0; the sum of v_j a_(N-j), / R^2 */
};
#define WRAPAROUND_ENTRIES 3

/* The limbs read so far: of u downwards, of v upwards: */
struct wraparound_walk {
    u64 u, v;         /* of u / R, of v / B^limbs; */
    u64 above, digit; /* u before this digit, v's digit / B^limbs (itself if it is one limb); */
    u32 place;        /* limbs of the digit; */
    struct residue_sum sum; /* the sum of above times digit */
};

/* Takes the next limbs; a digit has `limbs` limbs.  above is below 2 m, sum.high too: 4 m <
 * 2^63. */
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

/* The part: base is R B^digit, or R; up R B^limbs, one R mod m. */
FN struct wraparound_part wraparound_end(const struct wraparound_walk *w, u64 base, u64 up, u64 one,
                                         u64 m, u64 minv) {
    struct wraparound_part part;
    part.u = residue_product(w->u, one, m, minv);
    part.v = residue_product(w->v, up, m, minv);
    part.sum = residue_product(residue_reduce(w->sum, m, minv), base, m, minv);
    return part;
}

/* Of two parts: `over_low` and `over_high` are B^(limbs of that part) times R. */
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
