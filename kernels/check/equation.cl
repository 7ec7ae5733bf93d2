/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks equations between the numbers of a composite operation by residues. Some residues are
 * computed from parts; others were recorded earlier. */
#include "kernels/check/chain.h"
#include "kernels/check/residue.h"

#define EQUATION_LANES 32 /* work-items that add up the parts of one number */
#define EQUATION_THREADS (EQUATION_LANES * EQUATION_NUMBERS)

/* Computes the residues of `count` numbers from the residues of their parts. Number k has
 * `pieces` parts, from parts[k * pieces]. The lowest part counts once; each further part counts
 * `shift` times as much as the part below. `shift` is in Montgomery form. EQUATION_LANES
 * work-items share a number, and each adds up adjacent parts. At the end, sums[k *
 * EQUATION_LANES] is the residue of number k. */
FN void sum_parts(LOCAL u64 *sums, GLOBAL const u64 *parts, u64 pieces, u32 count, u64 shift, u64 m,
                  u64 minv) {
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

/* Returns a b modulo m, for a and b below m. */
FN u64 times(u64 a, u64 b, GLOBAL const u64 *table) {
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    return residue_product(residue_product(a, b, m, minv), table[RESIDUE_HIGH], m, minv);
}

/* Returns the residue of one number of the equation e r w = f u v + g a + h. `place` selects the
 * number: EQUATION_R (r), EQUATION_W (w), EQUATION_U (u), EQUATION_V (v) or EQUATION_A (a). */
FN u64 number_at(u64 operands, u32 place, LOCAL const u64 *sums, GLOBAL const u64 *check) {
    u32 code = (u32)(operands >> EQUATION_BITS * place) & EQUATION_MASK;
    if (code == 0)
        return 1;
    return code <= EQUATION_NUMBERS ? sums[(code - 1) * EQUATION_LANES] : check[code];
}

FN u32 entry_of(u64 taken, u32 k) {
    return (u32)(taken >> TAKEN_ENTRY(k)) & EQUATION_MASK;
}

/* Computes and records the residues of numbers from parts, which kernels/check/residue.cl has
 * written at parts[parts_at]. Then checks the equation e r w = f u v + g a + h modulo m. Here r,
 * w, u, v and a are the residues of the numbers that `operands` names. If the equation holds,
 * advances the state of the check at check[check_at] (kernels/check/chain.h). Only one group
 * runs. */
KERNEL(EQUATION_THREADS)
equation(GLOBAL const u64 *parts, u64 parts_at, u64 pieces, u64 taken, u64 shift, u64 operands,
         u64 e, u64 f, u64 g, u64 h, GLOBAL const u32 *table_words, u64 table_at, GLOBAL u64 *check,
         u64 check_at) {
    LOCAL_ARRAY(u64, sums, EQUATION_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    GLOBAL u64 *own = check + check_at;
    u64 m = table[RESIDUE_M];
    u32 count = (u32)taken & TAKEN_COUNT;
    sum_parts(sums, parts + parts_at, pieces, count, shift, m, table[RESIDUE_MINV]);
    if (LOCAL_ID == 0) {
        u64 left = times(number_at(operands, EQUATION_R, sums, own),
                         number_at(operands, EQUATION_W, sums, own), table);
        u64 right = times(number_at(operands, EQUATION_U, sums, own),
                          number_at(operands, EQUATION_V, sums, own), table);
        u64 more = times(g, number_at(operands, EQUATION_A, sums, own), table);
        right = residue_plus(residue_plus(times(f, right, table), more, m), h, m);
        if (times(e, left, table) == right)
            own[CHECK_STATE] =
                chain_next(own[CHECK_STATE], chain_equation(operands, taken, e, f, g, h));
        for (u32 k = 0; k < count; k++)
            if (entry_of(taken, k))
                own[entry_of(taken, k)] = sums[k * EQUATION_LANES];
    }
}

/* Computes residues from parts, as the kernel `equation` does. If they equal the recorded residues,
 * the numbers in memory are unchanged, and the kernel advances the state of the check. Only one
 * group runs. */
KERNEL(EQUATION_THREADS)
unchanged(GLOBAL const u64 *parts, u64 parts_at, u64 pieces, u64 taken, u64 shift,
          GLOBAL const u32 *table_words, u64 table_at, GLOBAL u64 *check, u64 check_at) {
    LOCAL_ARRAY(u64, sums, EQUATION_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    GLOBAL u64 *own = check + check_at;
    u32 count = (u32)taken & TAKEN_COUNT, same = 0;
    sum_parts(sums, parts + parts_at, pieces, count, shift, table[RESIDUE_M], table[RESIDUE_MINV]);
    for (u32 k = 0; k < count; k++)
        same += own[entry_of(taken, k)] == sums[k * EQUATION_LANES];
    if (LOCAL_ID == 0 && same == count)
        own[CHECK_STATE] = chain_next(own[CHECK_STATE], taken);
}
