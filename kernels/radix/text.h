/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Texts of digits and leaves of numbers: definitions for the host and the kernels of radix
 * conversion (doc/design/device-radix.md).
 *
 * A text has its most significant digit first.  It is cut into leaves of `digits` digits each, and
 * these into chunks of `per` digits that fit a word; the first chunk of a leaf has `head` digits,
 * 1 <= head <= per.  Leaf 0 is the lowest one, chunk 0 of a leaf its highest. */
#ifndef TEXT_H
#define TEXT_H

#include "kernels/common/platform.h"

#define RADIX_THREADS 128     /* work-items a group, one leaf each, */
#define TEXT_THREADS 256      /* or one chunk, or one word of the text */
#define RADIX_LEAF_WORDS 32   /* the most words of a leaf's number */
#define TEXT_RESIDUE_CHUNKS 8 /* of `per` digits, that a work-item sums */

/* Characters of a text. */
#define TEXT_VALUES 0 /* bytes with the digits' values */
#define TEXT_SMALL 1  /* 0-9a-z; A-Z are read for a-z in bases up to 36 */
#define TEXT_LARGE 2  /* 0-9A-Za-z */
#define TEXT_EXACT 4  /* added to one of these: only what text_character writes is a digit */
#define TEXT_NONE 256 /* the value of a character that is never a digit */

/* Fractions (leaf.cl): units in the last place that are added to make the error positive, and the
 * bound of the error then. */
#define RADIX_BIAS 64
#define RADIX_ERROR 128

/* Flags of a leaf's digits, rounded down (leaf.cl). */
#define LEAF_CLOSE 1u /* the fraction behind them is small: they may be one too many */
#define LEAF_HIGH 2u  /* their fraction is at least 1/2 */
#define LEAF_ZERO 4u  /* they are all zeros */

struct radix_cut {
    u32 base, digits, per, head, chunks;
};

/* Returns base^n, for n up to the digits of a chunk. */
FN u32 text_power(u32 base, u32 n) {
    u32 power = 1;
    for (; n > 0; n--)
        power *= base;
    return power;
}

FN u32 text_character(u32 value, u32 characters) {
    if (characters == TEXT_VALUES)
        return value;
    if (value < 10)
        return '0' + value;
    if (characters == TEXT_LARGE && value >= 36)
        return 'a' + value - 36;
    return (characters == TEXT_LARGE ? 'A' : 'a') + value - 10;
}

/* The value of a character of any case. */
FN u32 text_value_of_any(u32 c, u32 base, u32 characters) {
    if (characters == TEXT_VALUES)
        return c;
    if (c - '0' < 10u)
        return c - '0';
    if (c - 'A' < 26u)
        return c - 'A' + 10u;
    if (c - 'a' < 26u)
        return c - 'a' + (base > 36 ? 36u : 10u);
    return TEXT_NONE;
}

/* Returns the value of a character; TEXT_NONE or another number at or above the base if it is not a
 * digit. */
FN u32 text_value(u32 c, u32 base, u32 characters) {
    const u32 which = characters & (TEXT_EXACT - 1), value = text_value_of_any(c, base, which);
    if (!(characters & TEXT_EXACT) || value >= base)
        return value;
    return text_character(value, which) == c ? value : TEXT_NONE;
}

#if defined(LOCAL_ID)
/* Byte i of a text, of which x has `whole` bytes and `tail` up to eight more. */
FN u32 text_byte(GLOBAL const u32 *x, u64 whole, u64 tail, u64 i) {
    u32 rest = (u32)(i - whole) % 8;
    return i < whole ? x[i / 4] >> (u32)(i % 4) * 8 & 255u : (u32)(tail >> 8 * rest) & 255u;
}
#endif

#endif
