/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The turning point of a product: the last LOG_R levels of the transform on
 * segments that lie together, the products point by point, and the way back up.
 *
 * Segment i is node b = first_node + i, the ring x^R - W[b]^2; with x = r y,
 * r = exp(brev(b) / R), it becomes y^R - 1, the tree's own top, so the twiddles are the
 * first R / 2 of the table whatever the length, and only the powers of r depend on b.
 * Which R-th root r is does not matter: the way back undoes it.
 *
 * Groups: x over chunks of POINTS words (2^(12 - LOG_R) segments), y over primes; the
 * first prime's data begin at data_at.  Transformed operands are kept in an order of their own:
 * value k of work-item i at k * THREADS + i of its chunk. */
#include "platform.h"
#if defined(ON_CPU)
#include "wide_contiguous.h"
#else
#include "radix.h"
#include "tables.h"

#if LOG_R != 8 && LOG_R != 12
#error "LOG_R: levels of the pass, 8 or 12"
#endif
#define LOG_POINTS 12
#define POINTS (1 << LOG_POINTS)
#define THREADS (POINTS / 16)
#define PADDED(i) ((i) + ((i) >> 4)) /* keeps strides of 16 off the same bank */
#define EACH(k) UNROLL for (u32 k = 0; k < 16; k++)

/* A group's prime, chunk, and the powers of r for this work-item. */
struct place {
    struct modulus m;
    GLOBAL const u32 *table;
    u64 origin; /* of the chunk, in words */
    u32 row;    /* of this work-item's first value within its segment, at the outermost stage */
    u32 root;   /* r = w^root */
};

FN u32 reverse_bits(u32 x) {
    x = (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
    x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
    x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
    x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
    return x << 16 | x >> 16;
}

FN struct place place_of_group(GLOBAL const u32 *tables, u32 chunks, u32 first_node) {
    struct place at;
    at.table = tables + GROUP_Y * TABLE_WORDS;
    at.m.p = at.table[TABLE_P];
    at.m.pinv = at.table[TABLE_PINV];
    at.origin = ((u64)GROUP_Y * chunks + GROUP_X) << LOG_POINTS;
#if LOG_R == 12
    at.row = LOCAL_ID;
    u32 node = first_node + GROUP_X;
#else
    at.row = LOCAL_ID & 15u;
    u32 node = first_node + (GROUP_X << 4 | LOCAL_ID >> 4);
#endif
    at.root = reverse_bits(node) >> (32 - PRIMES_LOG_ORDER + LOG_R);
    return at;
}

/* w^e in Montgomery form, e taken modulo 2^25. */
FN u32 power(u32 e, struct place at) {
    u32 coarse = e >> LOG_FINE & ((1u << (PRIMES_LOG_ORDER - LOG_FINE)) - 1u);
    return mod_mul(at.table[TABLE_COARSE + coarse],
                   at.table[TABLE_FINE + (e & ((1u << LOG_FINE) - 1u))], at.m.p, at.m.pinv);
}

/* a[k] times r^(row + k R / 16), or with sign = -1 its inverse. */
FN void twist(u32 *a, u32 sign, struct place at) {
    u32 factor = power(sign * at.root * at.row, at),
        step = power(sign * at.root << (LOG_R - 4), at);
    EACH(k) {
        a[k] = mod_mul(a[k], factor, at.m.p, at.m.pinv);
        factor = mod_mul(factor, step, at.m.p, at.m.pinv);
    }
}

/* The stage after `done` levels: this work-item's first point in the chunk. */
FN u32 first_point(u32 done) {
    u32 log_step = LOG_R - done - 4;
    return (LOCAL_ID >> log_step) << (log_step + 4) | (LOCAL_ID & ((1u << log_step) - 1u));
}

FN u32 node_of(u32 done) {
    return LOCAL_ID >> (LOG_R - done - 4) & ((1u << done) - 1u);
}

FN void local_load(u32 *a, LOCAL const u32 *share, u32 done) {
    u32 i = first_point(done);
    EACH(k) a[k] = share[PADDED(i + (k << (LOG_R - done - 4)))];
}

FN void local_store(LOCAL u32 *share, const u32 *a, u32 done) {
    u32 i = first_point(done);
    EACH(k) share[PADDED(i + (k << (LOG_R - done - 4)))] = a[k];
}

/* From data in order to all LOG_R levels down, in registers. */
FN void down(u32 *a, GLOBAL const u32 *data, LOCAL u32 *share, struct place at) {
    GLOBAL const u32 *w = at.table + TABLE_W;
    u32 i = first_point(0);
    EACH(k) a[k] = data[at.origin + i + (k << (LOG_R - 4))];
    twist(a, 1u, at);
    radix_forward_4(a, w, 0, at.m);
    local_store(share, a, 0);
    BARRIER();
#if LOG_R == 12
    local_load(a, share, 4);
    radix_forward_4(a, w, node_of(4), at.m);
    local_store(share, a, 4);
    BARRIER();
#endif
    local_load(a, share, LOG_R - 4);
    radix_forward_4(a, w, node_of(LOG_R - 4), at.m);
}

/* And back; the barriers before and between keep the readers of `down` apart. */
FN void up(GLOBAL u32 *data, u32 *a, LOCAL u32 *share, struct place at) {
    GLOBAL const u32 *wi = at.table + TABLE_W_INVERSE;
    radix_inverse_4(a, wi, node_of(LOG_R - 4), at.m);
    local_store(share, a, LOG_R - 4);
    BARRIER();
#if LOG_R == 12
    local_load(a, share, 4);
    radix_inverse_4(a, wi, node_of(4), at.m);
    local_store(share, a, 4);
    BARRIER();
#endif
    local_load(a, share, 0);
    radix_inverse_4(a, wi, 0, at.m);
    twist(a, ~0u, at);
    u32 i = first_point(0);
    EACH(k) data[at.origin + i + (k << (LOG_R - 4))] = a[k];
}

/* Finish the transform of an operand, in place. */
KERNEL(THREADS)
forward_last(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
             u32 first_node) {
    LOCAL_ARRAY(u32, share, PADDED(POINTS));
    struct place at = place_of_group(tables, chunks, first_node);
    u32 a[16];
    data += data_at;
    down(a, data, share, at);
    EACH(k) data[at.origin + k * THREADS + LOCAL_ID] = a[k];
}

/* data = data times the finished transform `other`, over these levels and back. */
KERNEL(THREADS)
multiply(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
         u32 first_node, GLOBAL const u32 *RESTRICT other, u64 other_at) {
    LOCAL_ARRAY(u32, share, PADDED(POINTS));
    struct place at = place_of_group(tables, chunks, first_node);
    u32 a[16];
    data += data_at;
    down(a, data, share, at);
    other += other_at + at.origin + LOCAL_ID;
    EACH(k) a[k] = mod_mul(a[k], other[k * THREADS], at.m.p, at.m.pinv);
    up(data, a, share, at);
}

/* data = the sum of `count` products of finished transforms, over these levels back:
 * those at kept_at, kept_at + stride ... times those in the slots `slot`, slot - 1 ... of
 * `window`, where the last of `slots` follows slot 0; slot s is at window_at + s stride. */
KERNEL(THREADS)
multiply_sum(GLOBAL u32 *RESTRICT data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
             u32 first_node, GLOBAL const u32 *kept, u64 kept_at, GLOBAL const u32 *window,
             u64 window_at, u64 stride, u32 slot, u32 slots, u32 count) {
    LOCAL_ARRAY(u32, share, PADDED(POINTS));
    struct place at = place_of_group(tables, chunks, first_node);
    u32 a[16];
    EACH(k) a[k] = 0;
    kept += kept_at + at.origin + LOCAL_ID;
    window += window_at + at.origin + LOCAL_ID;
    for (u32 i = 0; i < count; i++) {
        GLOBAL const u32 *x = kept + i * stride, *y = window + slot * stride;
        EACH(k)
        a[k] = mod_add(a[k], mod_mul(x[k * THREADS], y[k * THREADS], at.m.p, at.m.pinv), at.m.p);
        slot = slot > 0 ? slot - 1 : slots - 1;
    }
    up(data + data_at, a, share, at);
}

/* data = its square, over these levels and back. */
KERNEL(THREADS)
square(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
       u32 first_node) {
    LOCAL_ARRAY(u32, share, PADDED(POINTS));
    struct place at = place_of_group(tables, chunks, first_node);
    u32 a[16];
    data += data_at;
    down(a, data, share, at);
    EACH(k) a[k] = mod_mul(a[k], a[k], at.m.p, at.m.pinv);
    up(data, a, share, at);
}

#endif
