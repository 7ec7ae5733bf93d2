/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of an equation between numbers of a composite operation, by their residues; and of one
 * number, whose residue the host knows. */
#include "kernels/check/residue.h"

#define EQUATION_LANES 32  /* work-items for each number's parts */
#define EQUATION_NUMBERS 5
#define EQUATION_THREADS (EQUATION_LANES * EQUATION_NUMBERS)

/* The residue of number LOCAL_ID / EQUATION_LANES, from its `pieces` parts at {parts, parts_at}, to
 * the sums' entry of its first lane.  A lane sums up parts side by side; each of them is `shift`
 * times the one below, in Montgomery form.  Numbers from `count` on have none. */
FN void sum_parts(LOCAL u64 *sums, GLOBAL const u64 *parts, u64 pieces, u32 count, u64 shift,
                  u64 m, u64 minv) {
    u32 number = LOCAL_ID / EQUATION_LANES, lane = LOCAL_ID % EQUATION_LANES;
    u64 each = (pieces + EQUATION_LANES - 1) / EQUATION_LANES, power = shift, sum = 0;
    for (u64 i = each; i-- > 0;) {
        u64 g = lane * each + i, part = 0;
        if (number < count && g < pieces)
            part = parts[number * pieces + g];
        sum = residue_plus(residue_product(sum, shift, m, minv), part, m);
        if (i > 0)
            power = residue_product(power, shift, m, minv);
    }
    sums[LOCAL_ID] = sum;
    BARRIER();
    for (u32 k = 1; k < EQUATION_LANES; k *= 2) {
        if (lane % (2 * k) == 0) {
            u64 above = residue_product(sums[LOCAL_ID + k], power, m, minv);
            sums[LOCAL_ID] = residue_plus(sums[LOCAL_ID], above, m);
        }
        power = residue_product(power, power, m, minv);
        BARRIER();
    }
}

/* a b modulo m, below m. */
FN u64 times(u64 a, u64 b, GLOBAL const u64 *table) {
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    u64 product = residue_product(a % m, b % m, m, minv);
    return residue_product(product, table[RESIDUE_HIGH], m, minv) % m;
}

/* The residues of r, u, v, a and w, in `pieces` parts each as kernels/check/residue.cl leaves them
 * from parts[parts_at] on.  wrong[wrong_at] becomes 1 unless r w = u v + a.  The first `count` have
 * parts; a is 0 where it has none.  w is the number of that index: r itself is number 0, and w is 1
 * where there is none.  One group. */
KERNEL(EQUATION_THREADS)
equation(GLOBAL const u64 *parts, u64 parts_at, u64 pieces, u32 count, u32 w, u64 shift,
         GLOBAL const u32 *table_words, u64 table_at, GLOBAL u32 *wrong, u64 wrong_at) {
    LOCAL_ARRAY(u64, sums, EQUATION_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M];
    sum_parts(sums, parts + parts_at, pieces, count, shift, m, table[RESIDUE_MINV]);
    if (LOCAL_ID == 0) {
        u64 left = sums[0] % m, a = sums[3 * EQUATION_LANES] % m;
        if (w < count)
            left = times(left, sums[w * EQUATION_LANES], table);
        u64 product = times(sums[EQUATION_LANES], sums[2 * EQUATION_LANES], table);
        if (residue_plus(product, a, m) != left)
            wrong[wrong_at] = 1;
    }
}

/* wrong[wrong_at] becomes 1 unless x is congruent to `expected` < m: x in parts as above, number 0
 * of them.  One group. */
KERNEL(EQUATION_THREADS)
expectation(GLOBAL const u64 *parts, u64 parts_at, u64 pieces, u64 shift, u64 expected,
            GLOBAL const u32 *table_words, u64 table_at, GLOBAL u32 *wrong, u64 wrong_at) {
    LOCAL_ARRAY(u64, sums, EQUATION_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M];
    sum_parts(sums, parts + parts_at, pieces, 1, shift, m, table[RESIDUE_MINV]);
    if (LOCAL_ID == 0 && sums[0] % m != expected)
        wrong[wrong_at] = 1;
}
