/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes a product of N = SMALL_DIGITS(LOG_N) digits in one launch. Operands, result and report
 * may be in the host's memory.
 *
 * First half: each work-group computes the product modulo one prime and one polynomial (a
 * "branch"), by transforms. The polynomials are x^N - 1 alone, or its factors x^(N/2) - 1 and
 * x^(N/2) + 1. For three branches, N = 3 M: they are x^M - 1 and the two factors of x^(2 M) + 1.
 *
 * Second half: sums the coefficients, resolves the carries, and computes the residues that the
 * host compares. Groups that can wait for one another (BARRIER_CLUSTER) compute one tile of this
 * half each; some of them take part in this half only. Otherwise the last group to finish its
 * transforms computes all tiles. In this case no barrier is inside an `if`, because PoCL would
 * need minutes to compile it. */
#include "kernels/small/small.h"

#if LOG_N < SMALL_MIN_LOG || LOG_N > SMALL_MAX_LOG
#error "LOG_N: 8 to 14"
#endif
#include "kernels/small/small_branch.h"
#define GROUPS SMALL_GROUPS(LOG_N)
#define WORKERS BRANCH_ARRAYS

#define CARRY_THREADS THREADS
#include "kernels/small/small_sum.h"

#define SHARE_WORDS (TRANSFORM_WORDS > OUT_SHARE_WORDS ? TRANSFORM_WORDS : OUT_SHARE_WORDS)
#if defined(LOCAL_ID) &&                                                                           \
    4 * (SHARE_WORDS + THREADS + 2 * CARRY_ROWS) + 16 * THREADS != SMALL_LOCAL_BYTES(LOG_N)
#error "SMALL_LOCAL_BYTES"
#endif

/* ---- Transforms */

/* Computes the coefficients of u v, or of u^2 if vn is 0, in this group's branch modulo the group's
 * prime, and stores them in array GROUP_X of y. The arrays are ordered by prime, then by branch. */
FN void product_in_branch(GLOBAL u32 *y, GLOBAL const u32 *u, u32 un, GLOBAL const u32 *v, u32 vn,
                          GLOBAL const u32 *tables, LOCAL u32 *share) {
    struct place at = place_of_array(tables, GROUP_X, share);
    u32 a[VALUES], b[VALUES];
    coefficients_in_branch(a, u, un, at);
    group_forward(a, at);
#if defined(BARRIER_CLUSTER)
    if (vn == 0) {
        EACH(k, LOG_V) b[k] = a[k];
    } else
#endif
    {
        BARRIER();
        coefficients_in_branch(b, vn > 0 ? v : u, vn > 0 ? vn : un, at);
        group_forward(b, at);
    }
    EACH(k, LOG_V) a[k] = mod_mul(a[k], mod_canonical(b[k], at.m.p), at.m.p, at.m.pinv);
    group_inverse(a, at.table[TABLE_SCALE + LOG_N], at);
    y += GROUP_X << LOG_M;
    EACH(j, LOG_V - TOP)
    EACH(k, TOP) y[TOP_POINT(j, k)] = a[(j << TOP) + k];
}

#if defined(BARRIER_CLUSTER)
/* Copies {u, un} and {v, vn} to `work`. Each group copies a part, so that each word crosses the
 * link to the host once. */
FN void fetch(GLOBAL u32 *work, GLOBAL const u32 *u, u32 un, GLOBAL const u32 *v, u32 vn) {
    u32 first = (un + 3) / 4, all = first + (vn + 3) / 4;
    for (u32 i = GROUP_X * THREADS + LOCAL_ID; i < all; i += GROUPS * THREADS) {
        u32 x[4];
        LOAD4(GLOBAL, x, i < first ? u + 4 * i : v + 4 * (i - first));
        STORE4(work + 4 * i, x);
    }
    BARRIER_CLUSTER();
}
#endif

/* ---- Residues that the host compares */

/* Returns the sum of all work-items' x. */
FN struct checked checked_group(struct checked x, LOCAL u64 *sums, u64 m) {
    u32 id = LOCAL_ID;
    sums[id] = x.residue;
    sums[THREADS + id] = x.sum;
    BARRIER();
    for (u32 count = THREADS / 2; count > 0; count /= 2) {
        if (id < count) {
            sums[id] = residue_plus(sums[id], sums[id + count], m);
            sums[THREADS + id] += sums[THREADS + id + count];
        }
        BARRIER();
    }
    struct checked all = {sums[0], sums[THREADS]};
    return all;
}

FN void report_checked(GLOBAL u64 *report, struct checked x) {
    report[REPORT_RESIDUE] = x.residue;
    report[REPORT_SUM] = x.sum + x.residue;
}

/* ---- The kernel */

/* Computes the products of up to eight items (kernels/small/small.h). Sets {r + r_at, un + vn} to
 * {u + u_at, un} {v + v_at, vn}. If vn is 0, sets {r + r_at, 2 un} to the square of {u + u_at,
 * un}. A product has at most 2 N words. Offsets and bases are multiples of 4.
 *
 * - is_behind: if it is not 0, each v is stored behind its u
 * - work: SMALL_WORK_STRIDE words for each slot; the first of them is 0 before and after the
 *   launch
 * - residues_at: place of the table of residues; the report then gets the values that the host
 *   compares. 0: no residues
 *
 * If an item has a ticket, each group writes the ticket to the report at its end. In this case
 * the groups run at the same time, and operands, result and report are in the host's memory. */
KERNEL_CLUSTER(THREADS, GROUPS)
small_ntt(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, GLOBAL const u32 *v, u64 v_at,
          GLOBAL u32 *report_words, u64 report_at, u64 is_behind, GLOBAL const u32 *RESTRICT tables,
          u64 residues_at, GLOBAL u32 *work, u64 item0, u64 item1, u64 item2, u64 item3, u64 item4,
          u64 item5, u64 item6, u64 item7, u64 base0, u64 base1, u64 base2, u64 base3, u64 base4,
          u64 base5, u64 base6, u64 base7) {
    LOCAL_ARRAY(u32, share, SHARE_WORDS);
    LOCAL_ARRAY(u32, flags, THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    LOCAL_ARRAY(u64, sums, 2 * THREADS);
    const u64 item = ITEM_AT(GROUP_Y), skip = BASE_AT(GROUP_Y);
    const u32 un = ITEM_UN(item), vn = ITEM_VN(item);
    work += (u64)ITEM_SLOT(item) * SMALL_WORK_STRIDE;
    GLOBAL u32 *y = work + SMALL_CONTROL_WORDS;
    GLOBAL u64 *report = (GLOBAL u64 *)(report_words + report_at + skip);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(tables + residues_at);
    struct sum s = {y,
                    tables,
                    r + r_at + skip,
                    vn > 0 ? un + vn : 2 * un,
                    share,
                    flags,
                    rows,
                    residues_at > 0 ? table : 0,
                    0};
    u += u_at + skip;
    v += v_at + skip + (is_behind > 0 ? ITEM_BEHIND(un) : 0u);
#if defined(BARRIER_CLUSTER)
    if (ITEM_TICKET(item) > 0) {
        fetch(y + PRIMES * SMALL_DIGITS(LOG_N), u, un, v, vn);
        u = y + PRIMES * SMALL_DIGITS(LOG_N);
        v = u + (un + 3) / 4 * 4;
    }
    if (GROUP_X < WORKERS)
        product_in_branch(y, u, un, v, vn, tables, share);
    BARRIER_CLUSTER();
    struct checked sum = checked_group(sum_of_tiles(work, s), sums, table[RESIDUE_M]);
    if (LOCAL_ID == 0 && residues_at > 0)
        report_checked(report + GROUP_X, sum);
    if (ITEM_TICKET(item) > 0) {
        BARRIER();
        FENCE_HOST();
        if (LOCAL_ID == 0)
            report[REPORT_DONE + GROUP_X] = ITEM_TICKET(item);
    }
#else
    product_in_branch(y, u, un, v, vn, tables, share);
    u32 last = comes_last(work, 1, flags);
    struct checked sum =
        checked_group(sum_of_tiles(last ? TILES(s.words) : 0u, s), sums, table[RESIDUE_M]);
    if (LOCAL_ID == 0 && last && residues_at > 0)
        report_checked(report, sum);
#endif
}
