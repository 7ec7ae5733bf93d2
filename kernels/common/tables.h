/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Layout of the table of constants for transforms. The table has TABLE_WORDS words for each prime.
 * lib/device/ntt_tables.c fills it once for a device. It does not depend on the length of
 * transforms. Factors are in Montgomery form, except for pairs {w, quotient}.
 *
 * The transform is a tree of rings of polynomials. A level's node b is the ring modulo x^L -
 * W[b]^2. Its children are node 2b, modulo x^(L/2) - W[b], and node 2b + 1, modulo x^(L/2) +
 * W[b]. So W[2b]^2 = W[b] and W[2b+1]^2 = -W[b].
 *
 * Hence on each level W[b] = exp(brev(b) / 2). Here exp(f) is w^(2^25 f) for the prime's root of
 * unity w of order 2^25. brev(b) is the fraction 0.b0b1b2... in binary, where b0, b1, b2, ... are
 * the bits of b from the lowest. */
#ifndef TABLES_H
#define TABLES_H

#include "kernels/common/primes.h"

#define TABLE_P 0    /* p */
#define TABLE_PINV 1 /* 1/p mod 2^32 */
#define TABLE_LOW 2  /* 1 in Montgomery form, for the low half of a digit */
#define TABLE_HIGH 3 /* 2^32 in Montgomery form, for the high half of a digit */
/* For products with signed coefficients: 2^64 (2^64 - 1) in Montgomery form. A multiple of this
 * number is added to each coefficient to make the coefficient positive. TABLE_OFFSET_FIRST is 2^64;
 * a multiple of 2^64 is added to coefficient 0. */
#define TABLE_OFFSET 4
#define TABLE_OFFSET_FIRST 5
#define TABLE_ZERO 6 /* 0 (modular.h) */
/* Entry m is 2^(32-m) in Montgomery form, so a Montgomery product by it multiplies by 2^(32-m).
 * The factor 2^-m is that of m levels of the inverse transform. The factor 2^32 cancels the 2^-32
 * that a Montgomery product of two plain residues contains. */
#define TABLE_SCALE 16
#define TABLE_ONE 44 /* the number 1, in one word */
/* Scaling factors as in TABLE_SCALE, for products of operands that digits() in strided.cl has
 * divided by 2^32. They are stored as pairs {w, quotient}. */
#define TABLE_SCALE_DIGITS 64
/* The factors W[b] of all nodes b as pairs {w, quotient}, for Shoup's products (modular.h). */
#define TABLE_W 128
/* TABLE_W has 2^LOG_TABLE_W nodes. Small products need that many: they use the subtree of node 3
 * (small_branch.h). */
#define LOG_TABLE_W 13
#define TABLE_W_INVERSE (TABLE_W + (2 << LOG_TABLE_W))
/* The factors of the first 2^LOG_TABLE_V nodes again, as words in Montgomery form (simd.h). Strided
 * passes need no factors of later nodes. */
#define LOG_TABLE_V 12
#define TABLE_V (TABLE_W_INVERSE + (2 << LOG_TABLE_W))
#define TABLE_V_INVERSE (TABLE_V + (1 << LOG_TABLE_V))
/* Entry e is w^e, e < 2^12, where w is the prime's root of unity of order 2^25. */
#define TABLE_FINE (TABLE_V_INVERSE + (1 << LOG_TABLE_V))
#define LOG_FINE 12
#define TABLE_COARSE (TABLE_FINE + (1 << LOG_FINE)) /* entry e is w^(e 2^12), e < 2^13 */
#define TABLE_LAST (TABLE_COARSE + (1 << (PRIMES_LOG_ORDER - LOG_FINE)))
#define TABLE_LAST_INVERSE (TABLE_LAST + LAST_WORDS)
#define TABLE_WORDS (TABLE_LAST_INVERSE + LAST_WORDS)

/* TABLE_LAST repeats the factors of TABLE_W for the nodes of levels 8 to 11, in the order in which
 * contiguous.cl reads them. Each of LAST_NODES work-items reads the factors of one node of level 8
 * and of its descendants. A factor is a pair of two words. The pairs of level 8 come first. The
 * pairs of level 8 + l begin at LAST_PAIRS(l, 0). LAST_PAIRS(l, k) has two pairs for each node of
 * level 8, for its descendants 2 k and 2 k + 1 in level 8 + l. */
#define LAST_NODES 256
#define LAST_PAIRS(l, k) (2 * LAST_NODES + ((1 << ((l)-1)) - 1 + (k)) * 4 * LAST_NODES)
#define LAST_WORDS LAST_PAIRS(4, 0)

#define LOG_SIMD 4 /* binary logarithm of the columns that a CPU processes at once (simd.h) */

#endif
