/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The wrapped part of a cyclic product, for the check of the result.  With BALANCED, the digits are
 * not whole limbs, but digits of a product by floating-point transforms
 * (kernels/check/balanced.h). */
#include "kernels/check/key.h"
#include "kernels/check/wraparound.h"

#if BALANCED
#include "kernels/check/balanced.h"
#endif

/* Limb i of {x, limbs}, 0 behind its end. */
FN u64 limb(GLOBAL const u32 *x, u32 limbs, u32 i) {
    u32 low, high;
    if (i >= limbs)
        return 0;
    LOAD2(GLOBAL, low, high, x + 2 * (u64)i);
    return low | (u64)high << 32;
}

#if BALANCED
/* Returns a limb in balanced digits, of a number modulo B^n - 1 or, if plus, B^n + 1. */
FN struct balanced_limb limb_in_ring(GLOBAL const u32 *x, u32 limbs, u32 i, u32 n, u32 plus,
                                     u64 m) {
    s32 below = (s32)(limb(x, limbs, i > 0 ? i - 1 : n - 1) >> 63);
    if (i >= n)
        below = 0;
    return balanced_limb(i < n ? limb(x, limbs, i) : 0, i == 0 && plus ? -below : below, m);
}

/* The sum gets more by x / R: low is 1 / R.  As in wraparound_next, sum.high stays below 2 m. */
FN void wraparound_add(struct wraparound_walk *w, u64 x, u64 low, u64 m) {
    w->sum = residue_sum_add(w->sum, x, low);
    w->sum.high -= w->sum.high < 2 * m ? 0 : 2 * m;
}
#endif

/* Limb i of u and limb n - 1 - i of v.  If `counts`, the part that they wrap around is added to the
 * sum. */
struct limbs {
    GLOBAL const u32 *u, *v;
    u32 u_limbs, v_limbs, n, plus;
    u64 m, down; /* 1 / R */
};
FN void limbs_read(const struct limbs *l, u32 i, u32 counts, u64 *u, u64 *v,
                   struct wraparound_walk *w) {
#if BALANCED
    struct balanced_limb a = limb_in_ring(l->u, l->u_limbs, i, l->n, l->plus, l->m);
    struct balanced_limb b = limb_in_ring(l->v, l->v_limbs, l->n - 1 - i, l->n, l->plus, l->m);
    *u = a.word, *v = b.word;
    if (counts && i < l->n)
        wraparound_add(w, balanced_wrapped(a.digit, b.digit, l->m), l->down, l->m);
#else
    (void)w, (void)counts;
    *u = limb(l->u, l->u_limbs, i);
    *v = limb(l->v, l->v_limbs, l->n - 1 - i);
#endif
}

#if !defined(ON_CPU)
#define TILE WRAPAROUND_TILE             /* limbs of each work-item that a group reads at once, */
#define PITCH (TILE + 1)                 /* distance of two work-items' limbs: other banks */
#define ROWS (WRAPAROUND_THREADS / TILE) /* work-items loaded in a step */
#endif

/* Group g gives the part of its WRAPAROUND_THREADS times `each` limbs, whole digits of `digit`
 * limbs, as out[out_at + WRAPAROUND_ENTRIES g] and on, by the key; n < 2^31 limbs in all.  Numbers
 * are whole limbs on addresses of whole limbs.  base and up: wraparound_end.  For balanced digits
 * `digit` is 1, and plus says that the modulus is B^n + 1. */
KERNEL(WRAPAROUND_THREADS)
wraparound(GLOBAL const u32 *u, u64 u_at, u64 un, GLOBAL const u32 *v, u64 v_at, u64 vn,
           GLOBAL const u32 *table_words, u64 table_at, u32 n, u32 digit, u32 plus, u32 each,
           u64 base, u64 up, u64 out_at, u64 key, GLOBAL u64 *out) {
    LOCAL_ARRAY(struct wraparound_part, parts, WRAPAROUND_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV], high = table[RESIDUE_HIGH];
    struct wraparound_walk walk = {0, 0, 0, 0, 0, {0, 0}};
    u32 id = LOCAL_ID;
    u64 mine = id == 0 ? key_of(key, out) : 0;
    struct limbs from = {u + u_at, v + v_at, (u32)(un / 2), (u32)(vn / 2), n, plus, m, 0};
    from.down = residue_product(1, 1, m, minv);
#if defined(ON_CPU)
    u32 last = (GROUP_X * WRAPAROUND_THREADS + id + 1) * each - 1;
    for (u32 k = 0; k < each; k++) {
        u64 a, b;
        limbs_read(&from, last - k, 1, &a, &b, &walk);
        wraparound_next(&walk, a, b, digit, high, m, minv);
    }
#else
    LOCAL_ARRAY(u64, us, WRAPAROUND_THREADS * PITCH);
    LOCAL_ARRAY(u64, vs, WRAPAROUND_THREADS * PITCH);
    u32 row = id / TILE, column = id % TILE;
    u32 last = (GROUP_X * WRAPAROUND_THREADS + row + 1) * each - 1 - column;
    for (u32 done = 0; done < each; done += TILE) {
        BARRIER();
        UNROLL
        for (u32 k = 0; k < TILE; k++) {
            u32 to = (row + k * ROWS) * PITCH + column;
            u64 a, b;
            limbs_read(&from, last - done + k * ROWS * each, done + column < each, &a, &b, &walk);
            us[to] = a, vs[to] = b;
        }
        BARRIER();
        for (u32 k = 0; k < TILE && done + k < each; k++)
            wraparound_next(&walk, us[id * PITCH + k], vs[id * PITCH + k], digit, high, m, minv);
    }
#endif
    parts[id] = wraparound_end(&walk, base, up, table[RESIDUE_ONE], m, minv);
    for (u32 count = 1; count < WRAPAROUND_THREADS; count *= 2) {
        BARRIER();
        if (id % (2 * count) == 0) {
            parts[id] = wraparound_join(parts[id], parts[id + count], up, up, m, minv);
            up = residue_product(up, up, m, minv);
        }
    }
    if (id == 0) {
        out_at += (u64)GROUP_X * WRAPAROUND_ENTRIES;
        out[out_at] = parts[0].u ^ mine;
        out[out_at + 1] = parts[0].v ^ mine;
        out[out_at + 2] = parts[0].sum ^ mine;
    }
}
