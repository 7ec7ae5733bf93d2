/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels of linear cost for composite operations: one moves and shifts parts of numbers, one
 * chooses between two numbers by a carry. */
#include "kernels/check/chain.h"
#include "kernels/common/carry.h"

/* Returns word i of {x + x_at, words}, 0 beyond either end: i may be "negative". */
FN u32 word_of(GLOBAL const u32 *x, u64 x_at, u64 words, u64 i) {
    return i < words ? x[x_at + i] : 0u;
}

/* Sets {r, rn} to floor({u, un} / 2^(32 skip + bits)), with bits < 32 and zeros behind u's end.
 * skip is taken modulo 2^64, so it may be "negative". Inverts all words if `complement` is all
 * ones, not if it is 0. One word for each work-item; r does not overlap u. */
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

/* Sets {r, rn} to {v, vn} if bit 0 of flags[flag_at] is set, otherwise to {u, un}, with zeros
 * behind the ends. r may be u or v; `kept` does not overlap r.
 *
 * If `demand` is 0, stores the bit in kept[kept_at]. Otherwise kept[kept_at] and the next word
 * are the state of a check. Bit 0 of `demand` is the value that the flag's bit must have. If the
 * bit has this value, the kernel advances the state by `demand` (kernels/check/chain.h). `demand`
 * is a multiple of 4, plus 2 or 3. */
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
