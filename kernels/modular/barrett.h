/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Batches modulo even or odd numbers, by Barrett's reduction: its products are batch products.
 * Shared by the host and the kernels.  Words are of 32 bits, `words` a number.
 *
 * Let B^n = 2^(32 words), and M = m 2^shift with its highest bit set.  The reciprocal is I =
 * floor((B^2n / 2 - 1) / M), and B^2n / (2 M) = I + e with 0 < e <= 1. */
#ifndef BARRETT_H
#define BARRETT_H

/* The constants of each modulus: I, the shift, floor(2^32 e) or a little less, and zeros. */
#define BARRETT_KNOWN_WORDS(words) ((words) + 4)
#define BARRETT_SHIFT(words) (words)
#define BARRETT_REST(words) ((words) + 1)

/* What barrett_settle computes. */
#define BARRETT_STEP 0 /* the rest after the quotient was estimated */
#define BARRETT_ADD 1
#define BARRETT_SUB 2

/* What barrett_check takes for the number that was reduced, of two numbers a and b. */
#define BARRETT_OF_ONE 0  /* a */
#define BARRETT_OF_PAIR 1 /* a B^n + b */
#define BARRETT_OF_PRODUCT 2
#define BARRETT_OF_SUM 3
#define BARRETT_OF_DIFFERENCE 4
#define BARRETT_OF_UNIT 5 /* 1 */

/* The rest of an estimated quotient is less than BARRETT_MOST_TIMES times the modulus. */
#define BARRETT_MOST_TIMES 6

#define BARRETT_MOST_WORDS 8192 /* of a number */
#define BARRETT_MOST_WINDOW 6   /* bits of an exponent at a time */

#endif
