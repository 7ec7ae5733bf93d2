/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels for the levels of remainder trees: parts of products of numbers of different lengths, and
 * the fractions that yield the remainders. Lengths and places of numbers are multiples of 4
 * words. */
#include "kernels/trees/trees.h"

#define SPAN TREES_SPAN
#define CARRY_THREADS TREES_THREADS
#include "kernels/batch/batch_resolve.h"
#include "kernels/check/residue.h"

/* A work-item's sum for SPAN words of the result may exceed these by this number of words. */
#define HIGH_WORDS 3

/* Loads words `at` to at + 3 of {x, n}, with `at` a multiple of 4 modulo 2^32. Words outside of the
 * number are 0. */
FN void quad_of(u32 *a, GLOBAL const u32 *x, u32 n, u32 at) {
    a[0] = a[1] = a[2] = a[3] = 0;
    if (at < n)
        LOAD4(GLOBAL, a, x + at);
}

/* Computes the sum of columns c to c + SPAN - 1 of {u, un} {v, vn} in SPAN + HIGH_WORDS words; each
 * column is less than 2^88. */
FN void columns(u32 *r, GLOBAL const u32 *u, u32 un, GLOBAL const u32 *v, u32 vn, u32 c) {
    u32 sum[SPAN][3], w[SPAN + 4];
    u32 begin = c > un ? c - un : 0u, end = MIN32(vn, c + SPAN);
    UNROLL
    for (int q = 0; q < SPAN; q++)
        sum[q][0] = sum[q][1] = sum[q][2] = 0;
    quad_of(w + 4, u, un, c - begin);
    quad_of(w + 8, u, un, c - begin + 4);
    for (u32 b = begin; b < end; b += 4) {
        u32 a[4];
        quad_of(w, u, un, c - b - 4);
        quad_of(a, v, vn, b);
        UNROLL
        for (int q = 0; q < SPAN; q++) {
            UNROLL
            for (int k = 0; k < 4; k++)
                MULTIPLY_ADD(sum[q], w[q - k + 4], a[k]);
        }
        UNROLL
        for (int k = SPAN + 3; k >= 4; k--)
            w[k] = w[k - 4];
    }
    u64 carry = 0;
    UNROLL
    for (int q = 0; q < SPAN; q++) {
        u64 low = (u64)sum[q][1] << 32 | sum[q][0], t = low + carry;
        r[q] = (u32)t;
        carry = (t >> 32) + ((u64)(sum[q][2] + (u32)(t < low)) << 32);
    }
    r[SPAN] = (u32)carry;
    r[SPAN + 1] = (u32)(carry >> 32);
    r[SPAN + 2] = 0;
}

/* Sets each number i of r, i < count, to words `from` to from + rn - 1 of a product.
 *
 * - The factors are number i mod u_count of u and number j of v. If `swap` is 0, j is i. Otherwise
 *   j is i + swap or i - swap: two halves of v are exchanged.
 * - The numbers of r, u and v have rn, un and vn words. r overlaps no operand.
 * - Columns of the product below column `start` are omitted. `start` and `from` are multiples of 4,
 *   start <= from.
 * - From column `start` on, a product has `spans` parts of SPAN words, one for each work-item. A
 *   group computes the parts of `each` products. If `tiles` is above 1, it computes one product, in
 *   `tiles` rounds. */
KERNEL(TREES_THREADS)
tree_middle(GLOBAL u32 *r, u64 r_at, u32 rn, GLOBAL const u32 *u, u64 u_at, u32 un,
            GLOBAL const u32 *v, u64 v_at, u32 vn, u32 from, u32 start, u64 count, u64 u_count,
            u64 swap, u32 spans, u32 each, u32 tiles) {
    LOCAL_ARRAY(u32, high, (TREES_THREADS + 1) * HIGH_WORDS);
    LOCAL_ARRAY(u32, over, TREES_THREADS + 1);
    LOCAL_ARRAY(u32, flags, TREES_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    struct resolve s = {over, flags, rows};
    u32 id = LOCAL_ID, number = tiles > 1 ? 0 : id / spans, carry = 0;
    u64 index = (u64)GROUP_X * each + number;
    u32 is_number = number < each && index < count;
    u64 i = is_number ? index : 0, j = swap == 0 ? i : i < swap ? i + swap : i - swap;
    GLOBAL const u32 *x = u + u_at + (i < u_count ? i : i - u_count) * un;
    GLOBAL const u32 *y = v + v_at + j * vn;
    GLOBAL u32 *to = r + r_at + i * rn;
    for (u32 tile = 0; tile < tiles; tile++) {
        u32 span = tiles > 1 ? tile * TREES_THREADS + id : id - number * spans;
        u32 is_there = is_number && span < spans, c = start + span * SPAN;
        u32 sum[SPAN + HIGH_WORDS], below[SPAN];
        UNROLL
        for (int k = 0; k < SPAN + HIGH_WORDS; k++)
            sum[k] = 0;
        if (is_there)
            columns(sum, x, un, y, vn, c);
        UNROLL
        for (int k = 0; k < HIGH_WORDS; k++)
            high[(id + 1) * HIGH_WORDS + k] = sum[SPAN + k];
        BARRIER();
        UNROLL
        for (int k = 0; k < SPAN; k++)
            below[k] = k < HIGH_WORDS && span > 0 ? high[id * HIGH_WORDS + k] : 0u;
        u32 reaches = span_add(sum, below) & CARRY_GENERATE;
        resolve(sum, reaches, span == 0, 0, &carry, s);
        UNROLL
        for (u32 k = 0; k < SPAN; k += 4)
            if (is_there && c + k >= from && c + k < from + rn)
                STORE4(to + (c + k - from), sum + k);
        /* The first work-item keeps the excess of this tile for the next tile. */
        if (id == 0) {
            over[0] = over[TREES_THREADS];
            for (u32 k = 0; k < HIGH_WORDS; k++)
                high[k] = high[TREES_THREADS * HIGH_WORDS + k];
        }
        BARRIER();
    }
}

/* Scales the numbers x: adds 2^(32 TREES_OFFSET_WORD) to each, and multiplies it by the limb t.
 * Each number has `words` words. The lowest `words` words of the product replace the number. The
 * two words above go to q. */
KERNEL(TREES_THREADS)
tree_scale(GLOBAL u64 *x, u64 x_at, u32 words, GLOBAL u64 *q, u64 q_at, u64 count, u64 t) {
    u64 i = (u64)GROUP_X * TREES_THREADS + LOCAL_ID;
    if (i < count) {
        u64 offset = (u64)1 << (32 * TREES_OFFSET_WORD), carry = 0;
        GLOBAL u64 *f = x + x_at + i * (words / 2);
        for (u32 k = 0; k < words / 2; k++) {
            u64 limb = f[k] + offset, low = limb * t + carry;
            carry = MULHI64(limb, t) + (low < carry);
            offset = limb < offset;
            f[k] = low;
        }
        q[q_at + i] = carry;
    }
}

/* Returns {x, limbs} / 2^(64 limbs) modulo m. */
FN u64 down(GLOBAL const u64 *x, u32 limbs, u64 m, u64 minv) {
    u64 s = 0;
    for (u32 k = 0; k < limbs; k++)
        s = residue_horner(s, 1, x[k], m, minv);
    return s < m ? s : s - m;
}

/* Checks `count` leaves: adds to right[right_at] the number of leaves i for which x equals
 * `expected` modulo m < 2^61. x is q[i] n + r, or (q[i] n + r) n if is_product is set. n and r
 * are numbers i of `limbs` limbs at n_at and r_at. `square` is 2^128.
 *
 * The residues are divided by powers of R = 2^64. So `expected` contains the factor R^-limbs, or
 * R^(-2 limbs - 1) if is_product is set. */
KERNEL(TREES_THREADS)
tree_check(GLOBAL const u64 *n, u64 n_at, GLOBAL const u64 *r, u64 r_at, u32 limbs,
           GLOBAL const u64 *q, u64 q_at, u64 count, u32 is_product, u64 m, u64 minv, u64 square,
           u64 expected, GLOBAL u32 *right, u64 right_at) {
    u64 i = (u64)GROUP_X * TREES_THREADS + LOCAL_ID;
    if (i < count) {
        u64 leaf = down(n + n_at + i * limbs, limbs, m, minv);
        u64 x = residue_product(residue_product(q[q_at + i], leaf, m, minv), square, m, minv);
        x = residue_plus(x, down(r + r_at + i * limbs, limbs, m, minv), m);
        if (is_product)
            x = residue_product(x, leaf, m, minv);
        if (x == expected)
            ATOMIC_INCREMENT(right + right_at);
    }
}

/* Computes the number t of nodes of a tree (lib/trees/tree_split.h): t = t_l q_r + p_l t_r, where
 * the node joins the nodes l and r of the level below. The magnitudes of the products are given:
 * number g of a is t_l q_r, number g of b is p_l t_r. Number g of r becomes the magnitude of t.
 *
 * Numbers have `words` words, a multiple of SPAN; no sum reaches 2^(32 words). Number g belongs
 * to node i = first + g, which joins nodes i and i + apart. `signs` has three words for each node
 * of the level below: 1 if p, q or t is negative. Writes the signs of node i to `made`. A group
 * computes a number in `tiles` tiles. */
KERNEL(TREES_THREADS)
tree_merge(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *a, u64 a_at, GLOBAL const u32 *b, u64 b_at,
           u64 words, GLOBAL u32 *made, u64 made_at, GLOBAL const u32 *signs, u64 signs_at,
           u64 first, u64 apart, u32 tiles) {
    LOCAL_ARRAY(u64, differ, TREES_THREADS);
    LOCAL_ARRAY(u32, over, TREES_THREADS + 1);
    LOCAL_ARRAY(u32, flags, TREES_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    struct resolve s = {over, flags, rows};
    u32 id = LOCAL_ID, carry = 0;
    u64 g = GROUP_X, i = first + g, highest = 0, at = g * words;
    GLOBAL const u32 *left = signs + signs_at + 3 * i, *right = left + 3 * apart;
    u32 sign_a = left[2] ^ right[1], sign_b = left[0] ^ right[2], minus = sign_a != sign_b;
    for (u64 k = id; k < words && highest == 0; k += TREES_THREADS) {
        u64 from = words - 1 - k;
        u32 x = a[a_at + at + from], y = b[b_at + at + from];
        /* Sets `highest` to 2 (i + 1) for the highest differing word i, plus 1 if x is less there;
         * 0 if all words are equal. */
        highest = x == y ? 0 : 2 * (from + 1) + (x < y);
    }
    differ[id] = highest;
    BARRIER();
    for (u32 k = 0; k < TREES_THREADS; k++)
        highest = differ[k] > highest ? differ[k] : highest;
    u32 is_less = (u32)highest & 1u, mask = minus ? ~0u : 0u;
    for (u32 tile = 0; tile < tiles; tile++) {
        u64 begin = ((u64)tile * TREES_THREADS + id) * SPAN;
        u32 is_there = begin < words, x[SPAN], y[SPAN];
        UNROLL
        for (int k = 0; k < SPAN; k++)
            x[k] = y[k] = 0;
        if (is_there) {
            GLOBAL const u32 *more = is_less ? b + b_at : a + a_at;
            GLOBAL const u32 *less = is_less ? a + a_at : b + b_at;
            UNROLL
            for (int k = 0; k < SPAN; k += 4) {
                LOAD4(GLOBAL, x + k, more + at + begin + k);
                LOAD4(GLOBAL, y + k, less + at + begin + k);
            }
        }
        UNROLL
        for (int k = 0; k < SPAN; k++)
            y[k] ^= mask;
        u32 reaches = span_add(x, y) & CARRY_GENERATE;
        resolve(x, reaches, begin == 0, minus, &carry, s);
        UNROLL
        for (int k = 0; k < SPAN; k += 4)
            if (is_there)
                STORE4(r + r_at + at + begin + k, x + k);
        if (id == 0) /* keeps the carry out of this tile for the next tile */
            over[0] = over[TREES_THREADS];
        BARRIER();
    }
    if (id < 3)
        made[made_at + 3 * i + id] = id < 2 ? left[id] ^ right[id] : is_less ? sign_b : sign_a;
}
