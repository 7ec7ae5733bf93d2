/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One pass of a transform over distant rows: LOG_R levels of the tree at once. A work-group
 * transforms R = 2^LOG_R rows of C adjacent columns in local memory. Work-items hold 16 values in
 * registers, and exchange values through local memory after every 4 levels.
 *
 * The data of one prime consist of segments: R rows of S = 2^log_s words each (S >= C). Segment i
 * is node first_node + i of the tree. The first prime's data begin at data_at. Groups along x take
 * the blocks of C columns of one segment after another. Groups along y take the primes of one
 * transform after another. In the first pass, groups along x take the primes too, so that groups of
 * adjacent primes read the operand from the cache. */
#include "kernels/common/radix.h"
#include "kernels/common/tables.h"
#include "kernels/ntt/geometry.h"
#if defined(ON_CPU)
#include "kernels/ntt/simd_strided.h"
#else

#if LOG_R < 5 || LOG_R > 10
#error "LOG_R: levels of the pass, 5 to 10"
#endif
#define LOG_POINTS STRIDED_LOG_POINTS(LOG_R)
#define LOG_C (LOG_POINTS - LOG_R)
#define POINTS (1 << LOG_POINTS)
#define THREADS (POINTS / 16)
#define STAGES ((LOG_R + 3) / 4)
/* LAST_Q is the number of levels of the last stage of a forward pass, whose blocks are the
 * smallest. The inverse pass begins with this stage. */
#if LOG_R % 4 == 0
#define LAST_Q 4
#elif LOG_R % 4 == 1
#define LAST_Q 1
#elif LOG_R % 4 == 2
#define LAST_Q 2
#else
#define LAST_Q 3
#endif
/* Number of levels before the last stage. */
#define LAST_DONE (LOG_R - LAST_Q)

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define radix_forward_last CAT(radix_forward_, LAST_Q)
#define radix_inverse_last CAT(radix_inverse_, LAST_Q)

/* The prime, segment and columns of a work-item's group. */
struct place {
    struct modulus m;
    GLOBAL const u32 *table;
    /* The number of the segment, and the number of its node in its level. A node is a ring of the
     * transform's tree (tables.h). */
    u32 segment, node;
    u32 first_column;
    u32 log_s;
    /* Offset of the segment's first row from the data of the first prime, in words. */
    u64 origin;
};

FN struct place place_of_group(GLOBAL const u32 *tables, u32 group, u32 prime, u32 log_s,
                               u32 segments, u32 first_node) {
    struct place at;
    at.table = tables + prime % PRIMES * TABLE_WORDS;
    at.m.p = at.table[TABLE_P];
    at.m.pinv = at.table[TABLE_PINV];
    at.m.zero = at.table[TABLE_ZERO];
    at.segment = group >> (log_s - LOG_C);
    at.node = first_node + at.segment;
    at.first_column = (group << LOG_C) & ((1u << log_s) - 1u);
    at.log_s = log_s;
    at.origin = ((u64)prime * segments + at.segment) << (log_s + LOG_R);
    return at;
}

/* A butterfly of q levels after `done` levels: its values are in rows row, row + step, row + 2 step
 * ... of column `column`. */
struct task {
    u32 row, step, column, node;
};

FN struct task task_of(u32 index, u32 q, u32 done, u32 node) {
    struct task t;
    u32 log_step = LOG_R - done - q, rest = index >> LOG_C, block = rest >> log_step;
    t.column = index & ((1u << LOG_C) - 1u);
    t.row = block << (LOG_R - done) | (rest & ((1u << log_step) - 1u));
    t.step = 1u << log_step;
    t.node = node << done | block;
    return t;
}

#define EACH(k, q) UNROLL for (u32 k = 0; k < 1u << (q); k++)

/* The index of value k of a task in data and in local memory. */
#define IN_DATA(t, k)                                                                              \
    (at.origin + ((u64)(t).row << at.log_s) + at.first_column + (t).column +                       \
     (u64)((t).step << at.log_s) * (k))
#define IN_LOCAL(t, k) (((t).row << LOG_C | (t).column) + (k) * ((t).step << LOG_C))

/* An operand {src, words}. `full` is the count of its digits of two words. If there is a digit of
 * one word, its index is `last` and its high word is `high`. */
struct operand {
    GLOBAL const u32 *src;
    u32 full;
    u32 last, high;
};

/* Loads digits of the operand as lazy residues: the `count` digits n, n + step, n + 2 step and so
 * on. A residue is the digit divided by 2^32 (TABLE_SCALE_DIGITS). Digits behind the operand's end
 * are 0. A digit 2^32 high + low is congruent to c high + low, where c = 2^32 mod p. This number is
 * at most (2^32 - 1) p. */
FN void digits(u32 *a, u32 count, struct operand x, u32 n, u32 step, u32 c, struct modulus m) {
    u32 low[16], high[16];
    GLOBAL const u32 *src = x.src + 2 * (u64)n;
    if (n + (count - 1) * step < x.full) {
        UNROLL
        for (u32 k = 0; k < count; k++)
            LOAD2(GLOBAL, low[k], high[k], src + 2 * (u64)step * k);
    } else {
        UNROLL
        for (u32 k = 0; k < count; k++) {
            low[k] = high[k] = 0;
            if (n + k * step < x.full)
                LOAD2(GLOBAL, low[k], high[k], src + 2 * (u64)step * k);
            else if (n + k * step == x.last)
                low[k] = src[2 * (u64)step * k], high[k] = x.high;
        }
    }
    UNROLL
    for (u32 k = 0; k < count; k++)
        a[k] = lazy_reduce((u64)high[k] * c + low[k], m);
}

/* Returns the sum of digits n, n + step, n + 2 step ... of the number {src, words}, divided by
 * 2^32. Digits have two words. There may be at most 2^31 of them. If `words` is odd, last_high
 * replaces the missing high word of the last digit. */
FN u32 digits_summed(GLOBAL const u32 *src, u64 words, u32 last_high, u64 n, u64 step,
                     GLOBAL const u32 *table, struct modulus m) {
    u64 low = 0, high = 0;
    for (; 2 * n < words; n += step) {
        low += src[2 * n];
        high += 2 * n + 1 < words ? src[2 * n + 1] : last_high;
    }
    high += low >> 32;
    u32 x = lazy_reduce((u64)(u32)high * table[TABLE_LOW] + (u32)low, m);
    return mod_add(mod_canonical(x, m.p),
                   mod_mul((u32)(high >> 32), table[TABLE_HIGH], m.p, m.pinv), m.p);
}

/* Returns coefficient n of a longer number modulo x^M - 1 (root 0) or x^M + 1 (root 1). */
FN u32 ring_digit(struct operand x, u64 words, u32 n, u64 length, u32 root, GLOBAL const u32 *table,
                  struct modulus m) {
    if (root == 0)
        return digits_summed(x.src, words, x.high, n, length, table, m);
    return mod_sub(digits_summed(x.src, words, x.high, n, 2 * length, table, m),
                   digits_summed(x.src, words, x.high, n + length, 2 * length, table, m), m.p);
}

/* Computes the stages after the first and stores the values in data. */
FN void forward_tail(u32 *a, GLOBAL u32 *data, LOCAL u32 *share, struct place at) {
    struct task t = task_of(LOCAL_ID, 4, 0, at.node);
    GLOBAL const u32 *w = at.table + TABLE_W;
    EACH(k, 4) share[IN_LOCAL(t, k)] = a[k];
#if STAGES == 3
    BARRIER();
    t = task_of(LOCAL_ID, 4, 4, at.node);
    EACH(k, 4) a[k] = share[IN_LOCAL(t, k)];
    radix_forward_4(a, w, t.node, at.m);
    EACH(k, 4) share[IN_LOCAL(t, k)] = a[k];
#endif
    BARRIER_GLOBAL(); /* in `forward` other work-items loaded the values replaced here */
    EACH(i, 4 - LAST_Q) {
        u32 b[1 << LAST_Q];
        t = task_of(LOCAL_ID + i * THREADS, LAST_Q, LAST_DONE, at.node);
        EACH(k, LAST_Q) b[k] = share[IN_LOCAL(t, k)];
        radix_forward_last(b, w, t.node, at.m);
        EACH(k, LAST_Q) data[IN_DATA(t, k)] = b[k];
    }
}

/* The first pass of an operand's transform, from the digits of the operand {src + src_at, words},
 * src_at even. Computes the first LOG_R levels in the ring x^M - 1 (root 0) or x^M + 1 (root 1).
 *
 * If `width` is 0, groups with GROUP_Y = 1 transform a second operand, {src2 + src2_at, words2},
 * to data2.
 *
 * Otherwise the operands are entries of a matrix, in two's complement of `words` words, an even
 * number. A block of `width` columns begins at src_at in a matrix of `columns` columns. Groups
 * with GROUP_Y = y transform entry first + y of the block. The transforms follow one another in
 * data. */
KERNEL_DENSE(THREADS, 1536 / THREADS)
forward_first(GLOBAL u32 *RESTRICT data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 log_s,
              u32 root, GLOBAL const u32 *RESTRICT src, u64 src_at, u64 words,
              GLOBAL u32 *RESTRICT data2, GLOBAL const u32 *RESTRICT src2, u64 src2_at, u64 words2,
              u64 first, u32 width, u64 columns) {
    LOCAL_ARRAY(u32, share, POINTS);
    GLOBAL u32 *to = data + data_at;
    GLOBAL const u32 *from = src + src_at;
    u32 last_high = 0;
    struct place at = place_of_group(tables, GROUP_X / PRIMES, GROUP_X % PRIMES, log_s, 1, root);
    if (width) {
        const u64 e = first + GROUP_Y;
        to += e * PRIMES << (log_s + LOG_R);
        from += (e / width * columns + e % width) * words;
        /* The last digit of a negative entry is 2^64 too large. Replaces it by the digit minus 2^64
         * plus 2^33 p, which is positive and below 2^64. */
        if (from[words - 1] >> 31)
            last_high = from[--words] + 2 * at.m.p;
    } else if (GROUP_Y) {
        to = data2 + data_at;
        from = src2 + src2_at;
        words = words2;
    }
    struct task t = task_of(LOCAL_ID, 4, 0, at.node);
    struct operand x = {from, (u32)(words / 2), words % 2 ? (u32)(words / 2) : ~0u, last_high};
    GLOBAL const u32 *w = at.table + TABLE_W;
    u32 log_m = log_s + LOG_R, n = (t.row << log_s) + at.first_column + t.column;
    u32 step = t.step << log_s, a[16];
    if (words <= (u64)1 << log_m) {
        digits(a, 8, x, n, step, at.table[TABLE_LOW], at.m);
        EACH(k, 3) a[k + 8] = a[k];
    } else {
        struct factor f;
        factors(&f, w, t.node, 1);
        if (words <= (u64)2 << log_m)
            digits(a, 16, x, n, step, at.table[TABLE_LOW], at.m);
        else
            UNROLL
        for (u32 k = 0; k < 16; k++)
            a[k] = ring_digit(x, words, n + k * step, (u64)1 << log_m, root, at.table, at.m);
        EACH(k, 3) forward_butterfly(a + k, a + k + 8, f, at.m);
    }
    radix_forward_3(a, w, 2 * t.node, at.m);
    radix_forward_3(a + 8, w, 2 * t.node + 1, at.m);
    forward_tail(a, to, share, at);
}

/* Computes a later pass of the forward transform, in place. */
KERNEL_DENSE(THREADS, 1536 / THREADS)
forward(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 log_s, u32 segments,
        u32 first_node) {
    LOCAL_ARRAY(u32, share, POINTS);
    data += data_at;
    struct place at = place_of_group(tables, GROUP_X, GROUP_Y, log_s, segments, first_node);
    struct task t = task_of(LOCAL_ID, 4, 0, at.node);
    u32 a[16];
    EACH(k, 4) a[k] = data[IN_DATA(t, k)];
    radix_forward_4(a, at.table + TABLE_W, t.node, at.m);
    forward_tail(a, data, share, at);
}

/* Computes a pass of the inverse transform, in place, without the factor 1 / R. */
KERNEL_DENSE(THREADS, 1536 / THREADS)
inverse(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 log_s, u32 segments,
        u32 first_node) {
    LOCAL_ARRAY(u32, share, POINTS);
    data += data_at;
    struct place at = place_of_group(tables, GROUP_X, GROUP_Y, log_s, segments, first_node);
    GLOBAL const u32 *wi = at.table + TABLE_W_INVERSE;
    struct task t = task_of(LOCAL_ID, 4, 0, at.node);
    u32 a[16];
    EACH(i, 4 - LAST_Q) {
        u32 b[1 << LAST_Q];
        struct task last = task_of(LOCAL_ID + i * THREADS, LAST_Q, LAST_DONE, at.node);
        EACH(k, LAST_Q) b[k] = data[IN_DATA(last, k)];
        radix_inverse_last(b, wi, last.node, at.m);
        EACH(k, LAST_Q) share[IN_LOCAL(last, k)] = b[k];
    }
    BARRIER_GLOBAL(); /* the values below replace values that other work-items loaded */
#if STAGES == 3
    struct task middle = task_of(LOCAL_ID, 4, 4, at.node);
    EACH(k, 4) a[k] = share[IN_LOCAL(middle, k)];
    radix_inverse_4(a, wi, middle.node, at.m);
    EACH(k, 4) share[IN_LOCAL(middle, k)] = a[k];
    BARRIER();
#endif
    EACH(k, 4) a[k] = share[IN_LOCAL(t, k)];
    radix_inverse_4(a, wi, t.node, at.m);
    EACH(k, 4) data[IN_DATA(t, k)] = a[k];
}

#endif
