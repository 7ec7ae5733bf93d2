/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Residues of numbers in doubles (doubles.h). Every operation on a number also updates the number's
 * residue (traced.h). The stored residue of x, a number of N digits, is 2^64 x / R with R = 2^(52
 * N). */
#ifndef DOUBLES_TRACE_H
#define DOUBLES_TRACE_H

#include "kernels/modular/doubles.h"
#include "kernels/modular/traced.h"

struct doubles_trace {
    /* for numbers in words; residues are divided by 2^(32 rows) */
    struct trace words;
    /* for numbers in digits of 52 bits; residues are divided by Montgomery's R */
    struct trace digits;
    /* Multiplying by `down`, 2^64 times 2^(-rows / 2), converts the residue of a number in words to
     * the residue of the same number in digits. `up`, 2^64 times 2^(rows / 2), does the reverse. */
    u64 down, up;
};

/*@ requires x < p < 0x2000000000000000;
    assigns \nothing;
    ensures \result < p; */
FN u64 residue_half(u64 x, u64 times, u64 p) {
    /*@ loop invariant x < p;
        loop assigns x, times;
        loop variant times; */
    for (; times > 0; times--)
        x = (x + (x & 1 ? p : 0)) >> 1;
    return x;
}

/*@ requires x < p < 0x2000000000000000;
    assigns \nothing;
    ensures \result < p; */
FN u64 residue_double(u64 x, u64 times, u64 p) {
    /*@ loop invariant x < p;
        loop assigns x, times;
        loop variant times; */
    for (; times > 0; times--)
        x = residue_plus(x, x, p);
    return x;
}

FN void doubles_trace_begin(struct doubles_trace *c, GLOBAL const u64 *table, struct team t) {
    u32 above = TEAM == 1 ? 0 : t.rows / LANE_WORDS - 1 - t.lane;
    trace_begin(&c->words, table, t);
    c->digits = c->words;
    c->down = residue_half(table[RESIDUE_ONE], t.rows / 2, c->words.p);
    c->up = residue_double(table[RESIDUE_ONE], t.rows / 2, c->words.p);
    c->digits.weight = 0;
    if (c->words.weight) /* words.weight contains a factor -1 for lane_down; digits.weight must
                          * not */
        c->digits.weight = residue_half(trace_minus(c->words.weight, &c->words),
                                        LANE_WORDS / 2 * above, c->words.p);
}

/* Returns the residue of {from, words}, a number in memory of at most `rows` words. */
FN u64 doubles_trace_load(GLOBAL const u32 *from, u32 words, const struct doubles_trace *c,
                          struct team t) {
    u64 x = trace_load(from, words, &c->words, t);
    return residue_product(x, c->down, c->words.p, c->words.pinv);
}

FN void doubles_trace_modulus(struct doubles_trace *c, GLOBAL const u32 *m, u32 words,
                              struct team t) {
    struct trace *d = &c->digits;
    d->of_m = doubles_trace_load(m, words, c, t);
    d->m_weight = residue_product(d->weight, d->of_m, d->p, d->pinv);
}

/* Converts x, the stored residue of a number in digits, to the residue of this number in words. */
FN u64 doubles_trace_up(u64 x, const struct doubles_trace *c) {
    return residue_product(x, c->up, c->words.p, c->words.pinv);
}

/* Returns the sum, modulo P, of this lane's (work-item's) n digits, with digit k divided by 2^(52
 * (n - k)). Digits must be from -2^51 to 2^51 - 1. The result is below P + 2^12. */
FN u64 doubles_down(BOX const u64 *x, const struct trace *c, struct team t) {
    u64 s = 0;
    for (u32 k = 0; k < (TEAM == 1 ? t.rows * 5 / 8 : LANE_DIGITS); k++) {
        u64 sum = s + digit_bits(AS_DOUBLE(x[k])) + (c->p - DIGIT_HALF);
        u64 q = (0 - sum * c->pinv) & DIGIT_MASK, low = q * c->p;
        s = (MULHI64(q, c->p) + (low + sum < low)) << 12 | (low + sum) >> 52;
    }
    return s;
}

/* Returns the residue of the number whose digits x the work-items of a team share; all of them get
 * it. */
FN u64 doubles_trace_of(BOX const u64 *x, const struct trace *c, struct team t) {
    u64 part = residue_product(doubles_down(x, c, t), c->weight, c->p, c->pinv);
    return trace_sum(part, c, t);
}

#endif
