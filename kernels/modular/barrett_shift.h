/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Numbers times 2^shift, and the constants of a modulus that need no products. */
#ifndef BARRETT_SHIFT_H
#define BARRETT_SHIFT_H

#include "kernels/common/platform.h"
#include "kernels/modular/barrett.h"
#include "kernels/modular/modular.h"

/* The number lo + B^n hi, or lo if has_hi is 0, with `words` words in each of lo and hi.
 * shifted_word multiplies it by 2^shift. */
struct pair {
    GLOBAL const u32 *hi, *lo;
    u32 words, has_hi;
};

/*@ requires x.words <= BARRETT_MOST_WORDS && \valid_read(x.lo + (0 .. x.words - 1));
    requires x.has_hi ==> \valid_read(x.hi + (0 .. x.words - 1));
    assigns \nothing;
    ensures k < x.words ==> \result == x.lo[k];
    ensures x.words <= k < 2 * x.words && x.has_hi ==> \result == x.hi[k - x.words];
    ensures k >= 2 * x.words || k >= x.words && !x.has_hi ==> \result == 0; */
FN u32 word_of_pair(struct pair x, u32 k) {
    return k < x.words ? x.lo[k] : x.has_hi && k < 2 * x.words ? x.hi[k - x.words] : 0u;
}

/*@ requires x.words <= BARRETT_MOST_WORDS && \valid_read(x.lo + (0 .. x.words - 1));
    requires x.has_hi ==> \valid_read(x.hi + (0 .. x.words - 1));
    assigns \nothing; */
FN u32 shifted_word(struct pair x, u32 k, u32 shift) {
    u32 down = shift / 32, bits = shift % 32;
    u32 high = k >= down ? word_of_pair(x, k - down) : 0u;
    u32 low = bits && k > down ? word_of_pair(x, k - down - 1) >> (32 - bits) : 0u;
    return high << bits | low;
}

/* Returns the number of zero bits above the highest 1 of {m, words}; for m = 0, all bits but
 * one. */
/*@ requires 1 <= words <= BARRETT_MOST_WORDS && \valid_read(m + (0 .. words - 1));
    assigns \nothing;
    ensures \result < 32 * words; */
FN u32 shift_of(GLOBAL const u32 *m, u32 words) {
    u32 i = words;
    /*@ loop invariant 1 <= i <= words;
        loop assigns i;
        loop variant i; */
    while (i > 1 && m[i - 1] == 0)
        i--;
    return 32 * (words - i) + (m[i - 1] ? LEADING_ZEROS32(m[i - 1]) : 31u);
}

/* A modulus m, its kind (modular.h), and the shift that moves its highest bit to the top of its n
 * words. M = m 2^shift, or 2^(32 n - 1) if m is 0. */
struct shifted_modulus {
    struct pair m;
    u32 shift, kind;
};

/*@ requires 1 <= words <= BARRETT_MOST_WORDS && \valid_read(m + (0 .. words - 1));
    assigns \nothing;
    ensures \result.shift < 32 * words && \result.m.words == words && \result.kind <=
   MODULAR_IS_ZERO; */
FN struct shifted_modulus shifted_modulus_of(GLOBAL const u32 *m, u32 words) {
    struct shifted_modulus s = {{m, m, words, 0}, shift_of(m, words), 0};
    u32 is_zero = s.shift == 32 * words - 1 && m[0] == 0;
    s.kind = is_zero ? MODULAR_IS_ZERO : m[0] & 1u ? MODULAR_IS_ODD : MODULAR_IS_EVEN;
    return s;
}

/*@ requires \valid_read(s) && s->m.words <= BARRETT_MOST_WORDS && s->m.has_hi == 0;
    requires \valid_read(s->m.lo + (0 .. s->m.words - 1));
    assigns \nothing; */
FN u32 shifted_modulus_word(const struct shifted_modulus *s, u32 k) {
    u32 is_top = s->kind == MODULAR_IS_ZERO && k == s->m.words - 1;
    return shifted_word(s->m, k, s->shift) | (is_top ? 1u << 31 : 0u);
}

/* Returns floor(2^32 e), or a little less, for the error e of a reciprocal (barrett.h): the
 * remainder of the division that computed the reciprocal, plus 1, divided by M. `rest` and `high`
 * are the highest words of this remainder and of M. */
/*@ requires rest <= high;
    assigns \nothing;
    ensures \result == rest * 0x100000000 / (high + 1); */
FN u32 barrett_fraction(u32 rest, u32 high) {
    return (u32)(((u64)rest << 32) / ((u64)high + 1));
}

#endif
