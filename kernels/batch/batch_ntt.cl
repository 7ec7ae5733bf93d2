/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies many pairs of numbers by transforms modulo five primes (Oancea and Watt 2024,
 * arXiv:2405.14642, section 4). Each transform has 2^LOG_N digits and is computed inside
 * work-groups. Two launches compute many products, each by the method of small_ntt.cl. */
#include "kernels/batch/batch.h"

#if LOG_N < BATCH_MIN_LOG || LOG_N > BATCH_MAX_LOG
#error "LOG_N: 10 to 13"
#endif
#include "kernels/common/platform.h"
/* With BARRIER_CLUSTER, the headers below would make groups wait for one another; here each group
 * works alone. */
#undef BARRIER_CLUSTER
#include "kernels/small/small_branch.h"

#define CARRY_THREADS THREADS
#include "kernels/small/small_sum.h"

#define AT_ONCE (1024 / THREADS) /* groups that should fit on a multiprocessor at once */

/* Computes the coefficients of number i of u times number i of v, modulo each of the five primes.
 * Stores them as number i of y, which has PRIMES << LOG_N words. BRANCH_ARRAYS groups compute one
 * product. Offsets and distances (_at, _step) are in words and must be even. If u and v are the
 * same numbers, one transform is saved. */
KERNEL_DENSE(THREADS, AT_ONCE)
batch_transform(GLOBAL u32 *y, GLOBAL const u32 *u, u64 u_at, u32 u_step, GLOBAL const u32 *v,
                u64 v_at, u32 v_step, u32 words, GLOBAL const u32 *tables) {
    LOCAL_ARRAY(u32, share, TRANSFORM_WORDS);
    u32 number = GROUP_X / BRANCH_ARRAYS, array = GROUP_X - number * BRANCH_ARRAYS;
    struct place at = place_of_array(tables, array, share);
    u32 is_square = u == v && u_at == v_at && u_step == v_step, a[VALUES], b[VALUES];
    EACH(k, LOG_V) b[k] = 0;
    for (u32 factor = is_square; factor < 2; factor++) {
        EACH(k, LOG_V) a[k] = b[k];
        GLOBAL const u32 *x =
            factor ? v + v_at + (u64)number * v_step : u + u_at + (u64)number * u_step;
        coefficients_in_branch(b, x, words, at);
        BARRIER();
        group_forward(b, at);
    }
    EACH(k, LOG_V)
    a[k] = mod_mul(is_square ? b[k] : a[k], mod_canonical(b[k], at.m.p), at.m.p, at.m.pinv);
    group_inverse(a, at.table[TABLE_SCALE + LOG_N], at);
    y += (u64)number * (PRIMES << LOG_N) + (array << LOG_M);
    EACH(j, LOG_V - TOP)
    EACH(k, TOP) y[TOP_POINT(j, k)] = a[(j << TOP) + k];
}

/* Adds up the coefficients y to the low result_words words of each product, and stores these from
 * word r_at of r, which must be even. result_words is at most 2^(LOG_N + 1). One group computes one
 * product. May omit the words below word `from`, and with them their carry, which is 0 or 1. */
KERNEL(THREADS)
batch_carry(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *y, u32 result_words, u32 from,
            GLOBAL const u32 *tables) {
    LOCAL_ARRAY(u32, share, OUT_SHARE_WORDS);
    LOCAL_ARRAY(u32, flags, THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    struct sum s = {y + (u64)GROUP_X * (PRIMES << LOG_N),
                    tables,
                    r + r_at + (u64)GROUP_X * result_words,
                    result_words,
                    share,
                    flags,
                    rows,
                    0,
                    (result_words | r_at) % 4 != 0};
    u32 carry = 0;
    BARRIER();
    for (u32 tile = from / (SPAN * TILE); tile < TILES(result_words); tile++) {
        u32 acc[ACC_WORDS];
        tile_begin(acc, tile, s);
        tile_end(acc, tile, &carry, s);
    }
}
