/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Adds up the coefficients of a product, given by residues modulo the five primes. Coefficient k
 * has the weight 2^(64 k). Each work-item sums DIGITS coefficients. The sum fills the work-item's
 * span of SPAN words, and exceeds this span by OUT_WORDS words. */
#ifndef CRT_SPAN_H
#define CRT_SPAN_H

#include "kernels/common/carry.h"
#include "kernels/common/crt.h"

#define DIGITS (SPAN / 2) /* coefficients of a work-item */
/* words of the sum of these DIGITS coefficients, which is below 2^(192 + 155) */
#define ACC_WORDS (SPAN - 2 + CRT_WORDS)
#define OUT_WORDS (ACC_WORDS - SPAN) /* words of the sum that exceed the span */
#define OUT_SHARE_WORDS (OUT_WORDS * CARRY_THREADS)

/* Adds DIGITS coefficients to {acc, ACC_WORDS}; r[i][k] is the residue of coefficient k modulo
 * prime i. */
FN void span_of_residues(u32 *acc, u32 (*r)[DIGITS]) {
    UNROLL
    for (int k = 0; k < DIGITS; k++) {
        u32 x[CRT_WORDS], residues[PRIMES];
        UNROLL
        for (int i = 0; i < PRIMES; i++)
            residues[i] = r[i][k];
        crt_combine(x, residues);
        words_add_at(acc, ACC_WORDS, 2 * k, x);
    }
}

/* Adds to {acc, SPAN} the words by which the sum of the previous work-item exceeds that work-item's
 * span. The first work-item adds 0. Returns the flag of span_add. out[OUT_SHARE_WORDS] is
 * scratch. */
FN u32 span_add_below(u32 *acc, LOCAL u32 *out) {
    u32 id = LOCAL_ID, above[SPAN];
    UNROLL
    for (int i = 0; i < OUT_WORDS; i++)
        out[i * CARRY_THREADS + id] = acc[SPAN + i];
    BARRIER();
    UNROLL
    for (int i = 0; i < SPAN; i++)
        above[i] = i < OUT_WORDS && id > 0
                       ? out[(i < OUT_WORDS ? i : 0) * CARRY_THREADS + (id - (id > 0))]
                       : 0u;
    return span_add(acc, above);
}

#endif
