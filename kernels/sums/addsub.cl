/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes r = u + v or r = u - v, the latter as u + ~v + 1. This kernel can resolve the carries
 * between groups if there are few of them; otherwise another launch does
 * (kernels/sums/carry.cl). */
#include "kernels/common/carry_resolve.h"

/* Resolves the carries between groups. It is a function of its own, so that the sum can use all
 * registers. */
NOINLINE void resolve(GLOBAL u32 *r, u64 un, GLOBAL u32 *group_flags, GLOBAL u32 *control,
                      u32 resolves, LOCAL u32 *flags, LOCAL u32 *rows) {
    carry_resolve(r, un, CARRY_CHUNK, group_flags, control, resolves, flags, rows);
}

/* Sets {r, un} to {u, un} + {v, vn}. If `complement` is all ones instead of 0, sets {r, un} to
 * {u, un} + {~v, ~0} + 1, which is the difference. r may be u or v. Groups along x take SPAN *
 * CARRY_THREADS words each. Offsets are in words. r_at is a multiple of 4; the kernel is faster
 * if the other offsets are, too.
 *
 * Behind the end of u, words of u count as all ones, and words of v as zeros. So the carry out of
 * word un - 1 propagates to the last group's flag. If there is a single group, or if this kernel
 * resolves the carries (carry_resolve), this carry is also stored in group_flags[GROUPS_X]. */
KERNEL(CARRY_THREADS)
addsub(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, u64 un, GLOBAL const u32 *v,
       u64 v_at, u64 vn, u32 complement, GLOBAL u32 *group_flags, GLOBAL u32 *control,
       u32 resolves) {
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    u64 at = ((u64)GROUP_X * CARRY_THREADS + LOCAL_ID) * SPAN;
    u32 x[SPAN], y[SPAN];
    u64 u_left = at < un ? un - at : 0, v_left = at < vn ? vn - at : 0;
    span_load(x, u + u_at + at, u_left, u_at % 4 == 0, ~0u);
    span_load(y, v + v_at + at, v_left, v_at % 4 == 0, 0u);
    UNROLL
    for (int i = 0; i < SPAN; i++)
        if ((u32)i < u_left)
            y[i] ^= complement;
    u32 flag = span_add_carry(x, y, at == 0 ? complement & 1u : 0u);
    span_finish(r + r_at + at, u_left, x, flag, 0, flags, rows, group_flags);
    if (GROUPS_X == 1 && LOCAL_ID == 0)
        group_flags[1] = group_flags[0] & CARRY_GENERATE;
    resolve(r + r_at, un, group_flags, control, resolves, flags, rows);
}
