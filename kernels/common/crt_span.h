/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The sum of a product's coefficients, from their residues, at steps of one digit (64 bits):
 * each work-item takes DIGITS of them, whose sum fills its span and reaches into the next. */
#ifndef CRT_SPAN_H
#define CRT_SPAN_H

#include "kernels/common/carry.h"
#include "kernels/common/crt.h"

#define DIGITS (SPAN / 2)                /* coefficients a work-item */
#define ACC_WORDS (SPAN - 2 + CRT_WORDS) /* of their sum, below 2^(192 + 155) */
#define OUT_WORDS (ACC_WORDS - SPAN)     /* what reaches into the next work-item's span */
#define OUT_SHARE_WORDS (OUT_WORDS * CARRY_THREADS)

/* {acc, ACC_WORDS} += the coefficients with residues r[i][k] modulo prime i. */
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

/* Add what reaches in from the work-item below to {acc, SPAN}: span_add's flag.  The first
 * work-item gets nothing.  out[OUT_SHARE_WORDS] is local scratch. */
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
