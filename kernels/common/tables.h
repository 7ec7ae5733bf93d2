/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Layout of the table of constants that the transforms read: TABLE_WORDS words a
 * prime, filled by lib/device/ntt_tables.c once a device.  Nothing in it depends on the
 * transform length.  Factors are in Montgomery form, but for pairs {w, quotient}.
 *
 * w is the prime's root of unity of order 2^25, brev(b) the reversal of b as a
 * fraction: bits b0 b1 b2 ... (lowest first) give 0.b0b1b2... in binary.
 *
 * The transform is a tree of rings: node b of a level is x^L - W[b]^2, and splits
 * into its children 2b, x^(L/2) - W[b], and 2b + 1, x^(L/2) + W[b].  Then
 * W[b] = exp(brev(b) / 2) does not depend on the level, since W[2b]^2 = W[b] and
 * W[2b+1]^2 = -W[b]; exp(f) stands for w^(2^25 f). */
#ifndef TABLES_H
#define TABLES_H

#include "kernels/common/primes.h"

#define TABLE_P 0             /* p */
#define TABLE_PINV 1          /* 1/p mod 2^32 */
#define TABLE_LOW 2           /* 1: the low half of a digit counts once */
#define TABLE_HIGH 3          /* 2^32: the high half */
#define TABLE_OFFSET 4        /* what makes signed coefficients positive; plain, */
#define TABLE_OFFSET_FIRST 5  /* and more for the first */
#define TABLE_ZERO 6          /* 0 (modular.h) */
#define TABLE_SCALE 16        /* [m] = 2^(32-m): undoes m levels and one plain product */
#define TABLE_ONE 44          /* the number 1, one word */
#define TABLE_SCALE_DIGITS 64 /* the same for what strided.cl's digits() give, {w, quotient} */
#define TABLE_W 128           /* {w, quotient}, for Shoup's products (modular.h) */
#define LOG_TABLE_W 13        /* the parents of 2^12 points below node 3 (small_branch.h) */
#define TABLE_W_INVERSE (TABLE_W + (2 << LOG_TABLE_W))
/* The first nodes again, one word each in Montgomery form (simd.h): strided passes end at most
 * 25 - 12 levels down. */
#define LOG_TABLE_V 12
#define TABLE_V (TABLE_W_INVERSE + (2 << LOG_TABLE_W))
#define TABLE_V_INVERSE (TABLE_V + (1 << LOG_TABLE_V))
#define TABLE_FINE (TABLE_V_INVERSE + (1 << LOG_TABLE_V)) /* w^e, e < 2^12 */
#define LOG_FINE 12
#define TABLE_COARSE (TABLE_FINE + (1 << LOG_FINE)) /* w^(e 2^12), e < 2^13 */
#define TABLE_LAST (TABLE_COARSE + (1 << (PRIMES_LOG_ORDER - LOG_FINE)))
#define TABLE_LAST_INVERSE (TABLE_LAST + LAST_WORDS)
#define TABLE_WORDS (TABLE_LAST_INVERSE + LAST_WORDS)

/* TABLE_LAST: the nodes of the levels 8 to 11 of the tree again, in the order in which
 * contiguous.cl reads them: one work-item for each of LAST_NODES nodes.  First {w, quotient} of the
 * nodes; then, l levels below, of their descendants 2 k and 2 k + 1: for each k, the descendants of
 * all nodes, from LAST_PAIRS(l, k) on. */
#define LAST_NODES 256
#define LAST_PAIRS(l, k) (2 * LAST_NODES + ((1 << ((l)-1)) - 1 + (k)) * 4 * LAST_NODES)
#define LAST_WORDS LAST_PAIRS(4, 0)

#define LOG_SIMD 4 /* columns that a CPU takes at once (simd.h) */

#endif
