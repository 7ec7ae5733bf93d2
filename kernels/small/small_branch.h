/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For small_ntt.cl and batch_ntt.cl: cuts transforms of SMALL_DIGITS(LOG_N) digits into branches,
 * each of which one work-group transforms. */
#ifndef SMALL_BRANCH_H
#define SMALL_BRANCH_H

#include "kernels/small/small.h"

#if SMALL_LOG_VALUES(LOG_N) == 2
#define LOG_V 2
#else
#define LOG_V 3
#endif
#define BRANCHES SMALL_BRANCHES(LOG_N)
#define LOG_M SMALL_LOG_BRANCH(LOG_N)
#include "kernels/ntt/group_transform.h"

#define BRANCH_ARRAYS (PRIMES * BRANCHES)

/* Returns the prime, the branch and the local memory of the group that computes array `array` of
 * the coefficients. The arrays are ordered by prime, then by branch. Three branches are the
 * polynomials modulo x^M - 1, x^M - i and x^M + i, where i = W[1] is the root of -1. In the tree
 * of kernels/common/tables.h they are nodes 0, 2 and 3. */
FN struct place place_of_array(GLOBAL const u32 *tables, u32 array, LOCAL u32 *share) {
    u32 branch = array % BRANCHES, skips = BRANCHES == 3 && branch > 0;
    return place_of(tables, array / BRANCHES, branch + skips, share);
}

/* Computes the coefficients of {x, words}, which has up to SMALL_DIGITS(LOG_N) digits, in this
 * group's branch. */
FN void coefficients_in_branch(u32 *a, GLOBAL const u32 *x, u32 words, struct place at) {
#if BRANCHES == 1
    digits(a, x, words, at);
#elif BRANCHES == 3
    u32 root = at.table[TABLE_V + 1];
    EACH(j, LOG_V - TOP)
    EACH(k, TOP) {
        u32 low = digit(x, words, TOP_POINT(j, k), at);
        u32 middle = digit(x, words, TOP_POINT(j, k) + (1u << LOG_M), at);
        u32 high = digit(x, words, TOP_POINT(j, k) + (2u << LOG_M), at);
        u32 rotated = at.root ? mod_mul(middle, root, at.m.p, at.m.pinv) : middle;
        low = at.root ? mod_sub(low, high, at.m.p) : mod_add(low, high, at.m.p);
        a[(j << TOP) + k] =
            at.root == 3 ? mod_sub(low, rotated, at.m.p) : mod_add(low, rotated, at.m.p);
    }
#else
    EACH(j, LOG_V - TOP)
    EACH(k, TOP) {
        u32 low = digit(x, words, TOP_POINT(j, k), at);
        u32 high = digit(x, words, TOP_POINT(j, k) + (1u << LOG_M), at);
        a[(j << TOP) + k] = at.root ? mod_sub(low, high, at.m.p) : mod_add(low, high, at.m.p);
    }
#endif
}

#endif
