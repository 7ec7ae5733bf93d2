/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The second half of small_ntt.cl and batch_ntt.cl: computes the product from its coefficients
 * modulo each prime, tile by tile. */
#ifndef SMALL_SUM_H
#define SMALL_SUM_H

#include "kernels/common/carry_resolve.h"
#include "kernels/common/crt_span.h"
#include "kernels/check/residue.h"

/* A tile of the sum consists of TILE spans, of SPAN words each. TILE + 1 work-items compute a
 * tile. The first work-item has the span below the tile; it only computes what this span adds to
 * the tile. */
#define TILE (CARRY_THREADS - 1)
#define TILES(words) (((words) + SPAN * TILE - 1) / (SPAN * TILE))

#if defined(BARRIER_CLUSTER) && TILES(2 * SMALL_DIGITS(LOG_N)) > GROUPS
#error "a tile a group"
#endif

/* Computes coefficients first to first + DIGITS - 1 of a product modulo p. y has the product
 * modulo one, two or three polynomials (branches, small.h).
 *
 * Two branches a and b: the product's lower half is a + b, its upper half a - b. The factor 1/2
 * is in the branches already.
 *
 * Three branches a, b and c: the product is p0 + p1 y + p2 y^2 with y = x^M. a, b and c are its
 * values at y = 1, i and -i, each divided by 4. With s = b + c and t = (b - c) / i, the thirds of
 * the product are p0 = 2 a - t + s, p1 = 2 t, p2 = 2 a - t - s. */
FN void coefficients(u32 *r, GLOBAL const u32 *y, u32 first, GLOBAL const u32 *table) {
#if BRANCHES == 1
    LOAD4(GLOBAL, r, y + first);
#elif BRANCHES == 3
    u32 p = table[TABLE_P], pinv = table[TABLE_PINV], inverse = table[TABLE_V_INVERSE + 1];
    u32 n = first & ((1u << LOG_M) - 1u), third = first >> LOG_M, b[DIGITS], c[DIGITS];
    LOAD4(GLOBAL, r, y + n);
    LOAD4(GLOBAL, b, y + (1u << LOG_M) + n);
    LOAD4(GLOBAL, c, y + (2u << LOG_M) + n);
    UNROLL
    for (int k = 0; k < DIGITS; k++) {
        u32 s = mod_add(b[k], c[k], p), t = mod_mul(b[k] + p - c[k], inverse, p, pinv);
        u32 outer = mod_sub(mod_add(r[k], r[k], p), t, p);
        r[k] = third == 0   ? mod_add(outer, s, p)
               : third == 1 ? mod_add(t, t, p)
                            : mod_sub(outer, s, p);
    }
#else
    u32 p = table[TABLE_P];
    u32 n = first & ((1u << LOG_M) - 1u), b[DIGITS];
    LOAD4(GLOBAL, r, y + n);
    LOAD4(GLOBAL, b, y + (1u << LOG_M) + n);
    UNROLL
    for (int k = 0; k < DIGITS; k++)
        r[k] = first >> LOG_M ? mod_sub(r[k], b[k], p) : mod_add(r[k], b[k], p);
#endif
}

/* Adds the coefficients from coefficient `first` to {acc, ACC_WORDS}. */
FN void span_of_coefficients(u32 *acc, GLOBAL const u32 *y, u32 first, GLOBAL const u32 *tables) {
    u32 r[PRIMES][DIGITS];
    UNROLL
    for (int i = 0; i < PRIMES; i++)
        coefficients(r[i], y + i * SMALL_DIGITS(LOG_N), first, tables + i * TABLE_WORDS);
    span_of_residues(acc, r);
}

/* What the functions here need to sum a product: the coefficients, the result, and local memory. */
struct sum {
    GLOBAL const u32 *y, *tables;
    GLOBAL u32 *r;
    u32 words;
    LOCAL u32 *share, *flags, *rows;
    /* The table of residues, or 0. */
    GLOBAL const u64 *residues;
    /* 1 if r is not aligned to four words. */
    u32 unaligned;
};

/* The values for the host's check of a part of the product (kernels/small/small.h). */
struct checked {
    u64 residue, sum;
};

FN struct checked checked_plus(struct checked a, struct checked b, u64 m) {
    struct checked c = {residue_plus(a.residue, b.residue, m), a.sum + b.sum};
    return c;
}

/* Computes this work-item's span of a tile, without the carry from the span below. Leaves the flags
 * of the tile's spans in s.rows. */
FN void tile_begin(u32 *acc, u32 tile, struct sum s) {
    /* A span is SPAN words of the result. Spans are numbered from 1; span 0 is below the result,
     * and has no coefficients. */
    u32 id = LOCAL_ID, span = tile * TILE + id;
    UNROLL
    for (int i = 0; i < ACC_WORDS; i++)
        acc[i] = 0;
    if (span > 0 && (span - 1) * DIGITS < SMALL_DIGITS(LOG_N))
        span_of_coefficients(acc, s.y, (span - 1) * DIGITS, s.tables);
    u32 flag = span_add_below(acc, s.share);
    carry_rows(id > 0 ? flag : CARRY_PROPAGATE, s.flags, s.rows);
}

/* Returns the values by which the host checks the span at word `at`. The table of residues must
 * have a weight for word `at`. */
FN struct checked checked_span(const u32 *span, u32 at, GLOBAL const u64 *table) {
    struct checked c = {residue_of_span(span, at / SPAN, table), 0};
    UNROLL
    for (u32 i = 0; i < SPAN; i += 2)
        c.sum += small_mixed(span[i] | (u64)span[i + 1] << 32) * (at + i + 1);
    return c;
}

/* Propagates *carry, the carry into the tile (TILE spans of words), to this work-item's span, and
 * stores the span in the result. *carry becomes the carry out of the tile. Returns what the span
 * adds to the check's sums; zeros without a check. */
FN struct checked tile_end(u32 *acc, u32 tile, u32 *carry, struct sum s) {
    struct checked none = {0, 0};
    u32 span = tile * TILE + LOCAL_ID, at = (span - 1) * SPAN, group;
    span_increment(acc, carry_in_group(s.rows, 0, *carry, &group));
    *carry = group & CARRY_GENERATE;
    if (LOCAL_ID == 0 || at >= s.words)
        return none;
    if (s.unaligned) {
        UNROLL
        for (u32 i = 0; i < SPAN; i++)
            if (at + i < s.words)
                s.r[at + i] = acc[i];
    } else
        span_store(s.r + at, s.words - at, acc);
    return s.residues ? checked_span(acc, at, s.residues) : none;
}

#if defined(BARRIER_CLUSTER)
/* Sums the coefficients of a product: each group sums one tile, and all groups run at the same
 * time. */
FN struct checked sum_of_tiles(GLOBAL u32 *control, struct sum s) {
    u32 acc[ACC_WORDS], group, carry = 0;
    tile_begin(acc, GROUP_X, s);
    carry_in_group(s.rows, 0, 0, &group);
    if (LOCAL_ID == 0)
        control[1 + GROUP_X] = group;
    BARRIER_CLUSTER();
    for (u32 i = 0; i < GROUP_X; i++) {
        u32 flag = control[1 + i];
        carry = (flag & CARRY_GENERATE) | (flag >> 1 & carry);
    }
    return tile_end(acc, GROUP_X, &carry, s);
}

#else
/* Sums the coefficients of a product in one group: `tiles` tiles, one after the other. */
FN struct checked sum_of_tiles(u32 tiles, struct sum s) {
    struct checked sum = {0, 0};
    u32 carry = 0;
    BARRIER();
    for (u32 tile = 0; tile < tiles; tile++) {
        u32 acc[ACC_WORDS];
        tile_begin(acc, tile, s);
        struct checked term = tile_end(acc, tile, &carry, s);
        if (s.residues)
            sum = checked_plus(sum, term, s.residues[RESIDUE_M]);
    }
    return sum;
}
#endif

#endif
