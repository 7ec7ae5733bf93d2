/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Linear steps of composite operations: parts of numbers moved and shifted, choices that depend on
 * a carry. */
#include "kernels/check/chain.h"
#include "kernels/common/carry.h"

/* Word i of {x + x_at, words}, 0 beyond either end: i may be "negative". */
FN u32 word_of(GLOBAL const u32 *x, u64 x_at, u64 words, u64 i) {
    return i < words ? x[x_at + i] : 0u;
}

/* {r, rn} = floor({u, un} / 2^(32 skip + bits)), bits < 32, skip modulo 2^64 and so perhaps
 * negative; zeros behind u's end.  Then each word is changed by `complement`, all ones or 0.  One
 * word a work-item; r apart from u. */
KERNEL(CARRY_THREADS)
window(GLOBAL u32 *RESTRICT r, u64 r_at, u64 rn, GLOBAL const u32 *RESTRICT u, u64 u_at, u64 un,
       u64 skip, u32 bits, u32 complement) {
    u64 i = (u64)GROUP_X * CARRY_THREADS + LOCAL_ID;
    if (i < rn) {
        u32 low = word_of(u, u_at, un, i + skip);
        if (bits)
            low = low >> bits | word_of(u, u_at, un, i + skip + 1) << (32 - bits);
        r[r_at + i] = low ^ complement;
    }
}

/* {r, rn} = {v, vn} if bit 0 of flags[flag_at] is set, otherwise {u, un}, with zeros behind the
 * ends.  Sets kept[kept_at] to this bit.  With a `demand` of 2 + b plus a multiple of 4, a check's
 * state of two words is there instead, and it advances if the bit is b (kernels/check/chain.h).  r
 * may be u or v; `kept` is another number. */
KERNEL(CARRY_THREADS)
choose(GLOBAL u32 *r, u64 r_at, u64 rn, GLOBAL const u32 *u, u64 u_at, u64 un, GLOBAL const u32 *v,
       u64 v_at, u64 vn, GLOBAL const u32 *flags, u64 flag_at, u32 demand, GLOBAL u32 *kept,
       u64 kept_at) {
    u64 i = (u64)GROUP_X * CARRY_THREADS + LOCAL_ID;
    u32 flag = flags[flag_at] & 1u;
    if (i < rn)
        r[r_at + i] = flag ? word_of(v, v_at, vn, i) : word_of(u, u_at, un, i);
    if (i == 0 && !demand)
        kept[kept_at] = flag;
    if (i == 0 && demand && flag == (demand & 1u)) {
        u64 state = kept[kept_at] | (u64)kept[kept_at + 1] << 32;
        state = chain_next(state, demand);
        kept[kept_at] = (u32)state;
        kept[kept_at + 1] = (u32)(state >> 32);
    }
}
