/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Definitions for the host and the kernels of radix conversion: texts of digits, and leaves, which
 * are parts of a text that one work-item converts to a number (doc/design/device-radix.md).
 *
 * A text has its most significant digit first. It is cut into leaves of `digits` digits each. A
 * leaf is cut into chunks of `per` digits, which fit a word; the first chunk of a leaf has `head`
 * digits, 1 <= head <= per. Leaf 0 is the lowest leaf; chunk 0 is the highest chunk of a leaf. */
#ifndef TEXT_H
#define TEXT_H

#include "kernels/common/platform.h"

/* Work-items of a group, in kernels where each converts one leaf (a part of the text). */
#define RADIX_THREADS 128
/* Work-items of a group that convert one chunk each, or write one word of the text each. */
#define TEXT_THREADS 256
/* The most words of a leaf's number. */
#define RADIX_LEAF_WORDS 32
/* Chunks of `per` digits that a work-item of text_residue sums. */
#define TEXT_RESIDUE_CHUNKS 8

/* The kinds of characters of a text. */
#define TEXT_VALUES 0 /* bytes with the digits' values */
#define TEXT_SMALL 1  /* 0-9a-z; in bases up to 36, A-Z are read as a-z */
#define TEXT_LARGE 2  /* 0-9A-Za-z */
/* A flag that is added to a kind: only characters that text_character writes are digits, so a
 * letter's other case is not. */
#define TEXT_EXACT 4
#define TEXT_NONE 256 /* the value of a character that is never a digit */

/* For fractions (leaf.cl): RADIX_BIAS units in the last place are added to make the error positive;
 * the error is then less than RADIX_ERROR units. */
#define RADIX_BIAS 64
#define RADIX_ERROR 128

/* Flags of a leaf's digits, which are rounded down (leaf.cl). */
/* The fraction below the digits is close to 0, so the digits may be too large by 1. */
#define LEAF_CLOSE 1u
#define LEAF_HIGH 2u /* the leaf's fraction is at least 1/2 */
#define LEAF_ZERO 4u /* the leaf's digits are all zeros */

struct radix_cut {
    u32 base, digits, per, head, chunks;
};

/* Returns base^n, for n up to the number of digits of a chunk. */
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

/* Returns the value of a character, where upper or lower case does not matter unless the base is
 * above 36. */
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

/* Returns the value of a character. If the character is not a digit, returns TEXT_NONE or another
 * number that is at least the base. */
FN u32 text_value(u32 c, u32 base, u32 characters) {
    const u32 which = characters & (TEXT_EXACT - 1), value = text_value_of_any(c, base, which);
    if (!(characters & TEXT_EXACT) || value >= base)
        return value;
    return text_character(value, which) == c ? value : TEXT_NONE;
}

#if defined(LOCAL_ID)
/* Returns byte i of a text. The first `whole` bytes are in x, and up to eight more in `tail`. */
FN u32 text_byte(GLOBAL const u32 *x, u64 whole, u64 tail, u64 i) {
    u32 rest = (u32)(i - whole) % 8;
    return i < whole ? x[i / 4] >> (u32)(i % 4) * 8 & 255u : (u32)(tail >> 8 * rest) & 255u;
}
#endif

#endif
