/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Barrett's reduction for batches, modulo even or odd numbers: definitions for the host and the
 * kernels.
 *
 * A number has `words` words of 32 bits; B^n = 2^(32 words). M = m 2^shift has its highest bit set.
 * The reciprocal is I = floor((B^2n / 2 - 1) / M). Its error is e: B^2n / (2 M) = I + e with 0 < e
 * <= 1. */
#ifndef BARRETT_H
#define BARRETT_H

/* The words of constants of a modulus: the reciprocal I, the shift, floor(2^32 e) or a little less
 * for the reciprocal's error e, and zeros. */
#define BARRETT_KNOWN_WORDS(words) ((words) + 4)
#define BARRETT_SHIFT(words) (words)
#define BARRETT_REST(words) ((words) + 1)

/* The values of `kind` of barrett_resolve. */
#define BARRETT_STEP 0 /* the remainder, given an estimated quotient */
#define BARRETT_ADD 1
#define BARRETT_SUB 2

/* The values of the argument `of` of barrett_check: how the number that was reduced consists of
 * numbers a and b. */
#define BARRETT_OF_ONE 0  /* a */
#define BARRETT_OF_PAIR 1 /* a is the upper half, b the lower half */
#define BARRETT_OF_PRODUCT 2
#define BARRETT_OF_SUM 3
#define BARRETT_OF_DIFFERENCE 4
#define BARRETT_OF_UNIT 5 /* 1 */

/* With an estimated quotient, the remainder is less than this number of times the modulus. */
#define BARRETT_MOST_TIMES 6

#define BARRETT_MOST_WORDS 8192 /* of a number */
#define BARRETT_MOST_WINDOW 6   /* the most bits of a window of exponents */

#endif
