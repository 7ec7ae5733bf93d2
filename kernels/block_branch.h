/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For block_ntt.cl and batch_ntt.cl: the branches into which transforms of 2^LOG_N digits are cut,
 * each inside one work-group. */
#ifndef BLOCK_BRANCH_H
#define BLOCK_BRANCH_H

#include "block.h"

#if BLOCK_LOG_VALUES(LOG_N) == 2
#define LOG_V 2
#else
#define LOG_V 3
#endif
#define BRANCHES BLOCK_BRANCHES(LOG_N)
#define LOG_M BLOCK_LOG_BRANCH(LOG_N)
#include "block_transform.h"

/* The coefficients of {x, words}, of up to N digits, in this group's branch. */
FN void coefficients_in_branch(u32 *a, GLOBAL const u32 *x, u32 words, struct place at) {
#if BRANCHES == 1
    digits(a, x, words, at);
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
