/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes r = u v, w + u v or w - u v for one limb v. Other kernels resolve the carries between
 * groups. */
#include "kernels/common/carry.h"
#include "kernels/sums/mul_1.h"

/* Returns the limb below word `at`, which is limb at / 2 - 1; 0 behind the number's end. */
FN u64 limb_below(GLOBAL const u32 *x, u64 x_at, u64 words, u64 at) {
    u32 two[2];
    two[0] = at - 2 < words ? x[x_at + at - 2] : 0u;
    two[1] = at - 1 < words ? x[x_at + at - 1] : 0u;
    return limb_of(two);
}

/* Sets {r, rn} to {w, wn} + {u, un} v, or to {w, wn} - {u, un} v if `complement` is all ones,
 * modulo 2^(32 rn). Operands are extended with zeros. Groups along x take SPAN * CARRY_THREADS
 * words each. rn is even; r_at is a multiple of 4, and other offsets are faster if they are
 * multiples of 4 too. r overlaps neither u nor w. */
KERNEL(CARRY_THREADS)
mul_1(GLOBAL u32 *RESTRICT r, u64 r_at, u64 rn, GLOBAL const u32 *RESTRICT u, u64 u_at, u64 un,
      GLOBAL const u32 *RESTRICT w, u64 w_at, u64 wn, u64 v, u32 complement,
      GLOBAL u32 *group_flags) {
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    u64 at = ((u64)GROUP_X * CARRY_THREADS + LOCAL_ID) * SPAN;
    u64 high = complement ? v : 0, low;
    u32 x[SPAN], y[SPAN], factor[SPAN];
    span_load(factor, u + u_at + at, at < un ? un - at : 0, u_at % 4 == 0, 0u);
    span_load(x, w + w_at + at, at < wn ? wn - at : 0, w_at % 4 == 0, 0u);
    if (at > 0) {
        u64 below = limb_below(u, u_at, un, at) ^ ((u64)complement << 32 | complement);
        high = mul_add_limb(below, v, limb_below(w, w_at, wn, at), &low);
    }
    UNROLL
    for (int i = 0; i < SPAN; i++)
        factor[i] ^= complement;
    mul_1_span(x, y, factor, v, x, high, SPAN);
    u32 flag = span_add(x, y);
    span_finish(r + r_at + at, at < rn ? rn - at : 0, x, flag, 0, flags, rows, group_flags);
}
