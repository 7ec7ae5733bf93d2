/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For the check of a result: residues of up to four numbers at once, and what wraps round in
 * a product. */
#include "wrapped.h"

/* Vector `index` of 4 words of {x + x_at, words}, zeros behind its end. */
FN void vector_load(u32 *v, GLOBAL const u32 *x, u64 x_at, u64 words, u64 index) {
    u64 at = 4 * index;
    if (x_at % 4 == 0 && at + 4 <= words) {
        LOAD4(GLOBAL, v, x + x_at + at);
    } else {
        UNROLL
        for (int i = 0; i < 4; i++)
            v[i] = at + i < words ? x[x_at + at + i] : 0u;
    }
}

/* Group (g, k) gives the residue of its chunk of number k, steps * RESIDUE_THREADS
 * vectors from g times that on, as out[k * GROUPS_X + g].  The numbers, of which a
 * launch takes the first GROUPS_Y, are {a + a_at, an} and so on; it is quicker where the
 * offsets are multiples of 4.  The table begins at word table_at, which is even. */
KERNEL(RESIDUE_THREADS)
residue(GLOBAL const u32 *a, u64 a_at, u64 an, GLOBAL const u32 *b, u64 b_at, u64 bn,
        GLOBAL const u32 *c, u64 c_at, u64 cn, GLOBAL const u32 *d, u64 d_at, u64 dn,
        GLOBAL const u32 *table_words, u64 table_at, u32 steps, GLOBAL u64 *out) {
    LOCAL_ARRAY(u64, sums, RESIDUE_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    GLOBAL const u32 *x = GROUP_Y == 0 ? a : GROUP_Y == 1 ? b : GROUP_Y == 2 ? c : d;
    u64 x_at = GROUP_Y == 0 ? a_at : GROUP_Y == 1 ? b_at : GROUP_Y == 2 ? c_at : d_at;
    u64 words = GROUP_Y == 0 ? an : GROUP_Y == 1 ? bn : GROUP_Y == 2 ? cn : dn;
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], sum = 0;
    u64 first = (u64)GROUP_X * steps * RESIDUE_THREADS + LOCAL_ID;
    for (u32 k = steps; k-- > 0;) {
        u32 vector[4];
        vector_load(vector, x, x_at, words, first + (u64)k * RESIDUE_THREADS);
        sum = residue_step(sum, vector, table[RESIDUE_ONE], table[RESIDUE_HIGH],
                           table[RESIDUE_STEP], m, minv);
    }
    sums[LOCAL_ID] = residue_product(sum, table[RESIDUE_POWERS + LOCAL_ID], m, minv);
    BARRIER();
    for (u32 count = RESIDUE_THREADS / 2; count > 0; count /= 2) {
        if (LOCAL_ID < count) {
            u64 both = sums[LOCAL_ID] + sums[LOCAL_ID + count];
            sums[LOCAL_ID] = both < m ? both : both - m;
        }
        BARRIER();
    }
    if (LOCAL_ID == 0)
        out[(u64)GROUP_Y * GROUPS_X + GROUP_X] = sums[0];
}

/* Limb i of {x, words}, which are whole limbs on an address of whole limbs; 0 behind its end. */
FN u64 limb(GLOBAL const u32 *x, u64 words, u64 i) {
    u32 low, high;
    if (i >= words / 2)
        return 0;
    LOAD2(GLOBAL, low, high, x + 2 * i);
    return low | (u64)high << 32;
}

/* The digits of u from `first` on, `each` of them, `limbs` limbs each, N in all; base is
 * R b mod m. */
FN struct wrapped_part digits_wrapped(GLOBAL const u32 *u, u64 un, GLOBAL const u32 *v, u64 vn,
                                      u64 first, u32 each, u32 limbs, u64 N, u64 base,
                                      GLOBAL const u64 *table) {
    struct wrapped_part part = {0, 0, 0};
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], high = table[RESIDUE_HIGH];
    u64 end = first + each < N ? first + each : N, u_limb = end * limbs, v_limb = (N - end) * limbs;
    for (u64 i = end; i > first; i--) {
        u64 digit = residue_product(limb(u, un, --u_limb), 1, m, minv);
        for (u32 k = 1; k < limbs; k++)
            digit = residue_product(digit, high, m, minv) +
                    residue_product(limb(u, un, --u_limb), 1, m, minv);
        for (u32 k = 0; k < limbs; k++)
            part.x = wrapped_step(part.x, limb(v, vn, v_limb++), m, minv);
        part.sum = residue_plus(part.sum, residue_product(digit, part.x, m, minv), m);
        part.u = residue_product(part.u, base, m, minv) + digit;
    }
    part.u = residue_product(part.u, table[RESIDUE_ONE], m, minv);
    part.x = residue_product(part.x, table[RESIDUE_ONE], m, minv);
    return part;
}

/* Group g gives the part of its RESIDUE_THREADS times `each` digits as out[out_at +
 * WRAPPED_ENTRIES g] and on; up and down are those of `each` digits (wrapped_join).  u_at and
 * v_at are even. */
KERNEL(RESIDUE_THREADS)
wrapped(GLOBAL const u32 *u, u64 u_at, u64 un, GLOBAL const u32 *v, u64 v_at, u64 vn,
        GLOBAL const u32 *table_words, u64 table_at, u64 N, u32 limbs, u32 each, u64 base, u64 up,
        u64 down, u64 out_at, GLOBAL u64 *out) {
    LOCAL_ARRAY(struct wrapped_part, parts, RESIDUE_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    u32 id = LOCAL_ID;
    parts[id] =
        digits_wrapped(u + u_at, un, v + v_at, vn, ((u64)GROUP_X * RESIDUE_THREADS + id) * each,
                       each, limbs, N, base, table);
    BARRIER();
    for (u32 count = 1; count < RESIDUE_THREADS; count *= 2) {
        if (id % (2 * count) == 0) {
            parts[id] = wrapped_join(parts[id], parts[id + count], up, down, m, minv);
            up = residue_product(up, up, m, minv);
            down = residue_product(down, down, m, minv);
        }
        BARRIER();
    }
    if (id == 0) {
        out_at += (u64)GROUP_X * WRAPPED_ENTRIES;
        out[out_at] = parts[0].u, out[out_at + 1] = parts[0].x, out[out_at + 2] = parts[0].sum;
    }
}
