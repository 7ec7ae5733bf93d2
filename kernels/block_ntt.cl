/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A product in one launch: its transforms, of 2^LOG_N digits, inside one work-group for
 * each prime; then the sum of the coefficients, its carries, and the residues for the
 * check of the product.  Operands, result and report may lie in memory of the host.
 *
 * Where groups can wait for one another (BARRIER_TOGETHER) there are BLOCK_GROUPS of them,
 * which share the second half, a tile each.  Elsewhere there are PRIMES, and none ever waits:
 * the last to arrive does all tiles.  Barriers there stand in no branch: PoCL would need
 * minutes to compile that.
 *
 * A work-item holds 2^LOG_V values; of the LOG_N levels the topmost step takes what
 * LOG_V leaves over. */
#include "block.h"

#if LOG_N < BLOCK_MIN_LOG || LOG_N > BLOCK_MAX_LOG
#error "LOG_N: 8 to 13"
#endif
#if BLOCK_LOG_VALUES(LOG_N) == 2
#define LOG_V 2
#elif BLOCK_LOG_VALUES(LOG_N) == 3
#define LOG_V 3
#else
#define LOG_V 4
#endif
#define THREADS (1 << (LOG_N - LOG_V))
#define CARRY_THREADS THREADS
#include "carry.h"
#include "crt.h"
#include "radix.h"
#include "residue.h"
#include "tables.h"

#define VALUES (1 << LOG_V)
#if LOG_N % LOG_V == 0
#define TOP LOG_V
#elif LOG_N % LOG_V == 1
#define TOP 1
#elif LOG_N % LOG_V == 2
#define TOP 2
#else
#define TOP 3
#endif
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define radix_forward_top CAT(radix_forward_, TOP)
#define radix_inverse_top CAT(radix_inverse_, TOP)
#define radix_forward_step CAT(radix_forward_, LOG_V)
#define radix_inverse_step CAT(radix_inverse_, LOG_V)

#define DIGITS (SPAN / 2)                /* coefficients of a span */
#define ACC_WORDS (SPAN - 2 + CRT_WORDS) /* of their sum */
#define OUT_WORDS (ACC_WORDS - SPAN)     /* what reaches into the next span */
#define TILE (THREADS - 1) /* spans; the first work-item only computes what reaches in */
#define TILES(words) (((words) + SPAN * TILE - 1) / (SPAN * TILE))

#define PADDED(i) ((i) + ((i) >> LOG_V)) /* keeps strides of 2^LOG_V off the same bank */
#define TRANSFORM_WORDS PADDED(1 << LOG_N)
#define SUM_WORDS (OUT_WORDS * THREADS)
#define SHARE_WORDS (TRANSFORM_WORDS > SUM_WORDS ? TRANSFORM_WORDS : SUM_WORDS)
#define EACH(k, q) UNROLL for (u32 k = 0; k < 1u << (q); k++)

#if defined(BARRIER_TOGETHER) && TILES(2 << LOG_N) > BLOCK_GROUPS
#error "a tile a group"
#endif

/* ---- transforms */

struct place {
    struct modulus m;
    GLOBAL const u32 *table;
    LOCAL u32 *share;
};

/* A set of 2^q points that a step takes q levels down after `done` levels: the first of
 * them; they stand 2^low apart, low = LOG_N - done - q, below node set >> low. */
FN u32 point_of(u32 set, u32 low, u32 q) {
    return (set >> low) << (low + q) | (set & ((1u << low) - 1u));
}

/* Digit n of {x, words}, modulo p; 0 behind its end. */
FN u32 digit(GLOBAL const u32 *x, u32 words, u32 n, struct place at) {
    u32 low = 0, high = 0;
    if (2 * n + 1 < words) {
        u64 both = ((GLOBAL const u64 *)x)[n];
        low = (u32)both;
        high = (u32)(both >> 32);
    } else if (2 * n < words)
        low = x[2 * n];
    return mod_add(mod_mul(low, at.table[TABLE_LOW], at.m.p, at.m.pinv),
                   mod_mul(high, at.table[TABLE_HIGH], at.m.p, at.m.pinv), at.m.p);
}

FN void local_store(const u32 *a, u32 done, struct place at) {
    u32 low = LOG_N - done - LOG_V, i = point_of(LOCAL_ID, low, LOG_V);
    EACH(k, LOG_V) at.share[PADDED(i + (k << low))] = a[k];
}

FN void local_load(u32 *a, u32 done, struct place at) {
    u32 low = LOG_N - done - LOG_V, i = point_of(LOCAL_ID, low, LOG_V);
    EACH(k, LOG_V) a[k] = at.share[PADDED(i + (k << low))];
}

/* The transform of {x, words}, in registers. */
FN void down(u32 *a, GLOBAL const u32 *x, u32 words, struct place at) {
    GLOBAL const u32 *w = at.table + TABLE_W;
    EACH(j, LOG_V - TOP) {
        u32 *b = a + (j << TOP), i = LOCAL_ID + j * THREADS;
        EACH(k, TOP) b[k] = digit(x, words, i + (k << (LOG_N - TOP)), at);
        radix_forward_top(b, w, 0, at.m);
        EACH(k, TOP) at.share[PADDED(i + (k << (LOG_N - TOP)))] = b[k];
    }
    UNROLL
    for (u32 done = TOP; done < LOG_N; done += LOG_V) {
        BARRIER();
        local_load(a, done, at);
        radix_forward_step(a, w, LOCAL_ID >> (LOG_N - done - LOG_V), at.m);
        if (done + LOG_V < LOG_N)
            local_store(a, done, at);
    }
}

/* The way back, into y, with the factor that is due. */
FN void up(GLOBAL u32 *y, u32 *a, struct place at) {
    GLOBAL const u32 *wi = at.table + TABLE_W_INVERSE;
    u32 scale = at.table[TABLE_SCALE + LOG_N];
    UNROLL
    for (u32 done = LOG_N - LOG_V; done + LOG_V > TOP; done -= LOG_V) {
        if (done + LOG_V < LOG_N) {
            BARRIER();
            local_load(a, done, at);
        }
        radix_inverse_step(a, wi, LOCAL_ID >> (LOG_N - done - LOG_V), at.m);
        local_store(a, done, at);
    }
    BARRIER();
    EACH(j, LOG_V - TOP) {
        u32 *b = a + (j << TOP), i = LOCAL_ID + j * THREADS;
        EACH(k, TOP) b[k] = at.share[PADDED(i + (k << (LOG_N - TOP)))];
        radix_inverse_top(b, wi, 0, at.m);
        EACH(k, TOP)
        y[i + (k << (LOG_N - TOP))] = mod_mul(b[k], scale, at.m.p, at.m.pinv);
    }
}

/* The coefficients of u v, or of u^2 where vn is 0, modulo this group's prime: array
 * GROUP_X of y. */
FN void product_modulo_prime(GLOBAL u32 *y, GLOBAL const u32 *u, u32 un, GLOBAL const u32 *v,
                             u32 vn, GLOBAL const u32 *tables, LOCAL u32 *share) {
    GLOBAL const u32 *table = tables + GROUP_X * TABLE_WORDS;
    struct place at = {{table[TABLE_P], table[TABLE_PINV], table[TABLE_ZERO]}, table, share};
    u32 a[VALUES], b[VALUES];
    down(a, u, un, at);
#if defined(BARRIER_TOGETHER)
    if (vn == 0) {
        EACH(k, LOG_V) b[k] = a[k];
    } else
#endif
    {
        BARRIER();
        down(b, vn > 0 ? v : u, vn > 0 ? vn : un, at);
    }
    EACH(k, LOG_V) a[k] = mod_mul(a[k], mod_canonical(b[k], at.m.p), at.m.p, at.m.pinv);
    up(y + (GROUP_X << LOG_N), a, at);
}

#if defined(BARRIER_TOGETHER)
/* {u, un} and {v, vn} to work, each group its share: over the link each word comes once. */
FN void fetch(GLOBAL u32 *work, GLOBAL const u32 *u, u32 un, GLOBAL const u32 *v, u32 vn) {
    u32 first = (un + 3) / 4, all = first + (vn + 3) / 4;
    for (u32 i = GROUP_X * THREADS + LOCAL_ID; i < all; i += BLOCK_GROUPS * THREADS) {
        u32 x[4];
        LOAD4(GLOBAL, x, i < first ? u + 4 * i : v + 4 * (i - first));
        STORE4(work + 4 * i, x);
    }
    BARRIER_TOGETHER();
}
#endif

/* ---- residues */

/* The sum of all work-items' x, modulo m, for the first of them. */
FN u64 sum_of_group(u64 x, LOCAL u64 *sums, u64 m) {
    u32 id = LOCAL_ID;
    sums[id] = x;
    BARRIER();
    for (u32 count = THREADS / 2; count > 0; count /= 2) {
        if (id < count)
            sums[id] = residue_plus(sums[id], sums[id + count], m);
        BARRIER();
    }
    x = sums[0];
    BARRIER();
    return x;
}

/* Words [at, at + SPAN) of {x, words}, at a multiple of SPAN; zeros behind its end. */
FN void span_load(u32 *a, GLOBAL const u32 *x, u32 words, u32 at) {
    if (at + SPAN <= words) {
        UNROLL
        for (int i = 0; i < SPAN; i += 4)
            LOAD4(GLOBAL, a + i, x + at + i);
    } else {
        UNROLL
        for (int i = 0; i < SPAN; i++)
            a[i] = at + i < words ? x[at + i] : 0u;
    }
}

/* What part number `part` of `parts` of {x, words} gives to its residue, for the first
 * work-item. */
FN u64 residue_of_part(GLOBAL const u32 *x, u32 words, u32 part, u32 parts, GLOBAL const u64 *table,
                       LOCAL u64 *sums) {
    u64 sum = 0, m = table[RESIDUE_M];
    for (u32 span = part * THREADS + LOCAL_ID; span * SPAN < words; span += parts * THREADS) {
        u32 a[SPAN];
        span_load(a, x, words, span * SPAN);
        sum = residue_plus(sum, residue_of_span(a, span, table), m);
    }
    return sum_of_group(sum, sums, m);
}

/* Where the residues go. */
struct check {
    GLOBAL const u64 *table;
    GLOBAL u64 *report;
    u32 wanted; /* 0 or 1 */
    LOCAL u64 *sums;
};

/* Part `part` of the residues of both operands, into the report's entry `part`. */
FN void residues_of_operands(GLOBAL const u32 *u, u32 un, GLOBAL const u32 *v, u32 vn, u32 part,
                             u32 parts, struct check c) {
    u64 of_u = residue_of_part(u, c.wanted ? un : 0u, part, parts, c.table, c.sums);
    u64 of_v = residue_of_part(v, c.wanted ? vn : 0u, part, parts, c.table, c.sums);
    if (c.wanted && LOCAL_ID == 0) {
        c.report[REPORT_U + part] = of_u;
        c.report[REPORT_V + part] = of_v;
    }
}

/* ---- from the coefficients to the product */

/* The sum of the coefficients from `first` on, {acc, ACC_WORDS}. */
FN void span_of_coefficients(u32 *acc, GLOBAL const u32 *y, u32 first) {
    u32 r[PRIMES][DIGITS];
    UNROLL
    for (int i = 0; i < PRIMES; i++)
        LOAD4(GLOBAL, r[i], y + (i << LOG_N) + first);
    UNROLL
    for (int k = 0; k < DIGITS; k++) {
        u32 x[CRT_WORDS], residues[PRIMES];
        UNROLL
        for (int i = 0; i < PRIMES; i++)
            residues[i] = r[i][k];
        crt_combine(x, residues);
        words_add_at(acc, ACC_WORDS, 2 * k, x);
    }
}

/* What the second half works with. */
struct sum {
    GLOBAL const u32 *y;
    GLOBAL u32 *r;
    u32 words;
    LOCAL u32 *share, *flags, *rows;
    GLOBAL const u64 *residues; /* their table, or 0 */
};

/* This work-item's span of a tile, without the carry from the one below it, whose rows
 * of flags are left in s.rows. */
FN void tile_begin(u32 *acc, u32 tile, struct sum s) {
    u32 id = LOCAL_ID, span = tile * TILE + id; /* counted from 1 */
    u32 above[SPAN];
    UNROLL
    for (int i = 0; i < ACC_WORDS; i++)
        acc[i] = 0;
    if (span > 0 && (span - 1) * DIGITS < 1u << LOG_N)
        span_of_coefficients(acc, s.y, (span - 1) * DIGITS);
    UNROLL
    for (int i = 0; i < OUT_WORDS; i++)
        s.share[i * THREADS + id] = acc[SPAN + i];
    BARRIER();
    UNROLL
    for (int i = 0; i < SPAN; i++)
        above[i] = i < OUT_WORDS && id > 0
                       ? s.share[(i < OUT_WORDS ? i : 0) * THREADS + (id - (id > 0))]
                       : 0u;
    u32 flag = span_add(acc, above);
    carry_rows(id > 0 ? flag : CARRY_PROPAGATE, s.flags, s.rows);
}

/* The rest: the carry, 0 or 1, that comes into the tile; the span into r.  Its residue. */
FN u64 tile_end(u32 *acc, u32 tile, u32 *carry, struct sum s) {
    u32 span = tile * TILE + LOCAL_ID, at = (span - 1) * SPAN, group;
    span_increment(acc, carry_in_group(s.rows, 0, *carry, &group));
    *carry = group & CARRY_GENERATE;
    if (LOCAL_ID == 0 || at >= s.words)
        return 0;
    if (at + SPAN <= s.words) {
        UNROLL
        for (int i = 0; i < SPAN; i += 4)
            STORE4(s.r + at + i, acc + i);
    } else {
        UNROLL
        for (int i = 0; i < SPAN; i++)
            if (at + i < s.words)
                s.r[at + i] = acc[i];
    }
    return s.residues ? residue_of_span(acc, span - 1, s.residues) : 0u;
}

#if defined(BARRIER_TOGETHER)
/* A tile to each group, all at once. */
FN u64 sum_of_tiles(GLOBAL u32 *control, struct sum s) {
    u32 acc[ACC_WORDS], group, carry = 0;
    tile_begin(acc, GROUP_X, s);
    carry_in_group(s.rows, 0, 0, &group);
    if (LOCAL_ID == 0)
        control[1 + GROUP_X] = group;
    BARRIER_TOGETHER();
    for (u32 i = 0; i < GROUP_X; i++) {
        u32 flag = control[1 + i];
        carry = (flag & CARRY_GENERATE) | (flag >> 1 & carry);
    }
    return tile_end(acc, GROUP_X, &carry, s);
}

#else
/* Whether this group comes last; what the others wrote is seen by it then. */
FN u32 comes_last(GLOBAL u32 *control, LOCAL u32 *scratch) {
    FENCE_DEVICE();
    BARRIER();
    if (LOCAL_ID == 0) {
        scratch[0] = ATOMIC_INCREMENT(control) == GROUPS_X - 1;
        if (scratch[0])
            *control = 0; /* for the next launch */
    }
    BARRIER();
    FENCE_DEVICE();
    return scratch[0];
}

/* So many tiles, one after the other. */
FN u64 sum_of_tiles(u32 tiles, struct sum s) {
    u32 carry = 0;
    u64 sum = 0;
    BARRIER();
    for (u32 tile = 0; tile < tiles; tile++) {
        u32 acc[ACC_WORDS];
        tile_begin(acc, tile, s);
        u64 term = tile_end(acc, tile, &carry, s);
        if (s.residues)
            sum = residue_plus(sum, term, s.residues[RESIDUE_M]);
    }
    return sum;
}
#endif

/* ---- the kernel */

/* {r + r_at, words} = {u + u_at, un} {v + v_at, vn}, or the square of u where vn is 0; words
 * is the sum of theirs, at most 2^(LOG_N + 1).  The offsets are multiples of 4.  `work` has
 * BLOCK_WORK_WORDS words, of which the first is 0 before and after.  Where residues_at is
 * not 0 the report has residues by the table there.  Where `launch` is not 0, for which
 * groups must run together, all may lie far away, and the report ends in that number. */
KERNEL_TOGETHER(THREADS, BLOCK_GROUPS)
block_ntt(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *u, u64 u_at, u32 un, GLOBAL const u32 *v,
          u64 v_at, u32 vn, GLOBAL u32 *report_words, u64 report_at, u64 launch,
          GLOBAL const u32 *RESTRICT tables, u64 residues_at, GLOBAL u32 *work) {
    LOCAL_ARRAY(u32, share, SHARE_WORDS);
    LOCAL_ARRAY(u32, flags, THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    LOCAL_ARRAY(u64, sums, THREADS);
    GLOBAL u32 *y = work + BLOCK_CONTROL_WORDS;
    GLOBAL u64 *report = (GLOBAL u64 *)(report_words + report_at);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(tables + residues_at);
    struct check c = {table, report, residues_at > 0, sums};
    struct sum s = {y,     r + r_at, vn > 0 ? un + vn : 2 * un,  share,
                    flags, rows,     residues_at > 0 ? table : 0};
    u += u_at;
    v += v_at;
#if defined(BARRIER_TOGETHER)
    if (launch > 0) {
        fetch(y + (PRIMES << LOG_N), u, un, v, vn);
        u = y + (PRIMES << LOG_N);
        v = u + (un + 3) / 4 * 4;
    }
    if (GROUP_X < PRIMES)
        product_modulo_prime(y, u, un, v, vn, tables, share);
    else
        residues_of_operands(u, un, v, vn, GROUP_X - PRIMES, BLOCK_GROUPS - PRIMES, c);
    BARRIER_TOGETHER();
    u64 sum = sum_of_group(sum_of_tiles(work, s), sums, table[RESIDUE_M]);
    if (LOCAL_ID == 0 && residues_at > 0)
        report[REPORT_PRODUCT + GROUP_X] = sum;
    if (launch > 0) {
        BARRIER();
        FENCE_HOST();
        if (LOCAL_ID == 0)
            report[REPORT_DONE + GROUP_X] = launch;
    }
#else
    residues_of_operands(u, un, v, vn, GROUP_X, PRIMES, c);
    product_modulo_prime(y, u, un, v, vn, tables, share);
    u32 last = comes_last(work, flags);
    u64 sum = sum_of_group(sum_of_tiles(last ? TILES(s.words) : 0u, s), sums, table[RESIDUE_M]);
    if (LOCAL_ID == 0 && last && residues_at > 0)
        report[REPORT_PRODUCT] = sum;
#endif
}
