/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The check of an equation between numbers of a composite operation, by their residues; and of one
 * number, whose residue the host knows. */
#include "kernels/check/residue.h"

#define EQUATION_THREADS 32

/* The residues of r, u, v, a and w, in `pieces` parts each as kernels/check/residue.cl leaves them
 * from parts[parts_at] on; a part is 2^(...) = `shift` times the one below, in Montgomery form.
 * wrong[wrong_at] becomes 1 unless r w = u v + a.  The first `count` have parts; a is 0 and w is 1
 * where it has none.  One group. */
KERNEL(EQUATION_THREADS)
equation(GLOBAL const u64 *parts, u64 parts_at, u64 pieces, u32 count, u64 shift,
         GLOBAL const u32 *table_words, u64 table_at, GLOBAL u32 *wrong, u64 wrong_at) {
    LOCAL_ARRAY(u64, residue, EQUATION_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], sum = 0;
    if (LOCAL_ID < count)
        for (u64 g = pieces; g-- > 0;)
            sum = residue_plus(residue_product(sum, shift, m, minv),
                               parts[parts_at + LOCAL_ID * pieces + g], m);
    residue[LOCAL_ID] = sum % m;
    BARRIER();
    if (LOCAL_ID == 0) {
        u64 product = residue_product(residue[1], residue[2], m, minv);
        product = residue_product(product, table[RESIDUE_HIGH], m, minv);
        u64 left = residue[0];
        if (count > 4) {
            left = residue_product(left, residue[4], m, minv);
            left = residue_product(left, table[RESIDUE_HIGH], m, minv);
        }
        if (residue_plus(product, residue[3], m) != left)
            wrong[wrong_at] = 1;
    }
}

/* wrong[wrong_at] becomes 1 unless x is congruent to `expected` < m: x in parts as above, number 0
 * of them.  One group. */
KERNEL(EQUATION_THREADS)
expectation(GLOBAL const u64 *parts, u64 parts_at, u64 pieces, u64 shift, u64 expected,
            GLOBAL const u32 *table_words, u64 table_at, GLOBAL u32 *wrong, u64 wrong_at) {
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], sum = 0;
    if (LOCAL_ID == 0) {
        for (u64 g = pieces; g-- > 0;)
            sum = residue_plus(residue_product(sum, shift, m, minv), parts[parts_at + g], m);
        if (sum % m != expected)
            wrong[wrong_at] = 1;
    }
}
