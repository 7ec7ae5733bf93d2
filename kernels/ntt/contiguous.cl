/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The point-wise pass of a product. It computes the last LOG_R levels of the forward transform on
 * adjacent segments, the point-wise products, and the first LOG_R levels of the inverse transform.
 *
 * A group computes a chunk of 4096 words. The chunk is the ring of node b of the tree (tables.h),
 * modulo x^4096 - W[b]^2, or for LOG_R = 8 the 16 segments below such a node. There are 2^l nodes l
 * levels below the chunk's node. Node i of these has the number 2^l + i in the group, and the
 * factor W[2^l b + i]. The group computes the factors of the first 8 levels. A table contains those
 * of the last 4 levels.
 *
 * Let r = exp(brev(b) / 4096) and x = r y. The group multiplies the 16 values of a node by the
 * powers of r, which turns the node into y^16 - W[i]^2. The inverse transform undoes this.
 *
 * Groups along x take chunks, groups along y primes. In kernels without a second operand, groups
 * along y take the primes of one transform after another. The first prime's data begin at data_at.
 * In a transformed operand, value k of work-item i is at k * THREADS + i of the chunk.
 *
 * With SUM_ALONE (contiguous_sum.cl), the program has only the kernels multiply_sum and
 * inverse_first, because few products need them and each kernel takes time to build. */
#include "kernels/common/powers.h"
#include "kernels/common/radix.h"
#include "kernels/common/tables.h"
#include "kernels/ntt/geometry.h"
#if defined(ON_CPU)
#include "kernels/ntt/simd_contiguous.h"
#else

#if LOG_R != 8 && LOG_R != 12
#error "LOG_R: levels of the pass, 8 or 12"
#endif
#define LOG_POINTS CONTIGUOUS_LOG_POINTS
#define POINTS (1 << LOG_POINTS)
#define THREADS (POINTS / 16)
/* PADDED spreads indices so that strides of 16 use different memory banks. */
#define PADDED(i) ((i) + ((i) >> 4))
#define EACH(k) UNROLL for (u32 k = 0; k < 16; k++)
#define LAST_DONE (LOG_POINTS - 4)
/* Local memory has THREADS pairs {w, quotient} for the factors of the group's nodes, then 16 pairs
 * for the powers of r (file's first comment). */
#define LOCAL_FACTORS (THREADS + 16)

FACTORS(LOCAL, _local)
RADIX(4, LOCAL, _local)

/* Loads the factors of the last four levels from TABLE_LAST. */
FN void factors_last(struct factor *f, GLOBAL const u32 *w, u32 n, u32 count) {
    u32 l = count == 1 ? 0 : count == 2 ? 1 : count == 4 ? 2 : 3;
    if (l == 0)
        LOAD2(GLOBAL, f[0].w, f[0].quotient, w + 2 * n);
    UNROLL
    for (u32 k = 0; 2 * k + 1 < count; k++) {
        u32 two[4];
        LOAD4(GLOBAL, two, w + LAST_PAIRS(l, k) + 4 * (n >> l));
        f[2 * k].w = two[0], f[2 * k].quotient = two[1];
        f[2 * k + 1].w = two[2], f[2 * k + 1].quotient = two[3];
    }
}
RADIX(4, GLOBAL, _last)

/* The prime, chunk and node of a group. */
struct place {
    struct modulus m;
    GLOBAL const u32 *table;
    /* Offset of the chunk, in words. */
    u64 origin;
    u32 node;
};

FN struct place place_of_group(GLOBAL const u32 *tables, u32 chunks, u32 first_node) {
    struct place at;
    at.table = tables + GROUP_Y % PRIMES * TABLE_WORDS;
    at.m.p = at.table[TABLE_P];
    at.m.pinv = at.table[TABLE_PINV];
    at.m.zero = at.table[TABLE_ZERO];
    at.origin = ((u64)GROUP_Y * chunks + GROUP_X) << LOG_POINTS;
    at.node = (first_node >> (LOG_POINTS - LOG_R)) + GROUP_X;
    return at;
}

/* Stores the factor w^e, with e taken modulo 2^25, in factors[0] and factors[1]. */
FN void put_power(LOCAL u32 *factors, u32 e, struct place at) {
    struct factor f = factor_of(power_of_root(at.table, e, at.m.p, at.m.pinv), at.m);
    factors[0] = f.w;
    factors[1] = f.quotient;
}

/* Computes the factors that the group needs, in local memory, or their inverses if sign = -1.
 * These are the factors W[n] = w^(2^24 brev(n)) of the nodes n below the group's node b, and
 * powers of r = w^(2^13 brev(b)). kernels/common/tables.h defines w and brev. */
FN void put_factors(LOCAL u32 *factors, u32 sign, struct place at) {
    u32 id = LOCAL_ID, l = 31u - LEADING_ZEROS32(id | 1u);
    u32 node = (at.node << l) + (id & ((1u << l) - 1u));
    put_power(factors + 2 * id, sign * (reverse_bits(node) >> (33 - PRIMES_LOG_ORDER)), at);
    if (id < 16)
        put_power(factors + 2 * (THREADS + id),
                  sign * id * (reverse_bits(at.node) >> (32 - PRIMES_LOG_ORDER + LOG_POINTS)), at);
}

/* Multiplies a[k] by r^k (file comment above). The powers of r follow the group's factors in local
 * memory. */
FN void twist(u32 *a, LOCAL const u32 *factors, struct modulus m) {
    UNROLL
    for (u32 k = 1; k < 16; k++) {
        struct factor f;
        LOAD2(LOCAL, f.w, f.quotient, factors + 2 * (THREADS + k));
        a[k] = lazy_mul(a[k], f, m.p);
    }
}

/* In the stage after `done` levels, the values of a work-item are STEP apart in the chunk, and
 * PADDED_STEP apart with padding. first_value returns the padded place of the first value. */
#define STEP(done) (1u << (LOG_POINTS - 4 - (done)))
#define PADDED_STEP(done) (STEP(done) + STEP(done) / 16)
FN u32 first_value(u32 done) {
    u32 i = (LOCAL_ID & ~(STEP(done) - 1u)) << 4 | (LOCAL_ID & (STEP(done) - 1u));
    return PADDED(i);
}

/* Returns the number of the node (a ring of the transform's tree, tables.h) on which this work-item
 * works in the stage after `done` levels. */
FN u32 node_of(u32 done) {
    return (1u << done) + LOCAL_ID / STEP(done);
}

FN void local_load(u32 *a, LOCAL const u32 *share, u32 done) {
    share += first_value(done);
    EACH(k) a[k] = share[k * PADDED_STEP(done)];
}

FN void local_store(LOCAL u32 *share, const u32 *a, u32 done) {
    share += first_value(done);
    EACH(k) share[k * PADDED_STEP(done)] = a[k];
}

/* Loads the work-item's values of the chunk: value k of adjacent work-items is in adjacent
 * words. */
FN void load(u32 *a, GLOBAL const u32 *data, struct place at) {
    data += at.origin + LOCAL_ID;
    EACH(k) a[k] = data[k * THREADS];
}

/* Computes all LOG_R levels of the forward transform, in registers. put_factors must have been
 * called. */
FN void chunk_forward(u32 *a, LOCAL u32 *share, LOCAL const u32 *factors, struct place at) {
    /* Waits until all work-items have stored their factors, and have read their values of
     * `share`. */
    BARRIER();
#if LOG_R == 12
    radix_forward_4_local(a, factors, node_of(0), at.m);
#endif
    local_store(share, a, 0);
    BARRIER();
    local_load(a, share, 4);
    radix_forward_4_local(a, factors, node_of(4), at.m);
    local_store(share, a, 4);
    BARRIER();
    local_load(a, share, LAST_DONE);
    twist(a, factors, at.m);
    radix_forward_4_last(a, at.table + TABLE_LAST, LOCAL_ID, at.m);
}

/* Computes all LOG_R levels of the inverse transform and stores the values in data. */
FN void chunk_inverse(GLOBAL u32 *data, u32 *a, LOCAL u32 *share, LOCAL u32 *factors,
                      struct place at) {
    /* Waits until all work-items have read the factors and their values from local memory. */
    BARRIER();
    put_factors(factors, ~0u, at);
    radix_inverse_4_last(a, at.table + TABLE_LAST_INVERSE, LOCAL_ID, at.m);
    BARRIER();
    twist(a, factors, at.m);
    local_store(share, a, LAST_DONE);
    BARRIER();
    local_load(a, share, 4);
    radix_inverse_4_local(a, factors, node_of(4), at.m);
    local_store(share, a, 4);
    BARRIER();
    local_load(a, share, 0);
#if LOG_R == 12
    radix_inverse_4_local(a, factors, node_of(0), at.m);
#endif
    data += at.origin + LOCAL_ID;
    EACH(k) data[k * THREADS] = a[k];
}

/* Returns the product of two lazy residues, divided by 2^32, as a lazy residue. */
FN u32 point_mul(u32 a, u32 b, struct modulus m) {
    return lazy_reduce((u64)mod_canonical(a, m.p) * b, m);
}

#if defined(SUM_ALONE)

/* Sets data to the sum of `count` products of complete transforms, and computes this pass's levels
 * of the inverse transform.
 *
 * One factor of product i is at kept_at + i stride. The other factor is in a slot of `window`; slot
 * s is at window_at + s stride. Product 0 takes slot `slot`, and each next product takes the next
 * lower slot. After slot 0, slot `slots` - 1 follows. */
KERNEL_DENSE(THREADS, 5)
multiply_sum(GLOBAL u32 *RESTRICT data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
             u32 first_node, GLOBAL const u32 *kept, u64 kept_at, GLOBAL const u32 *window,
             u64 window_at, u64 stride, u32 slot, u32 slots, u32 count) {
    LOCAL_ARRAY(u32, share, PADDED(POINTS));
    LOCAL_ARRAY(u32, factors, 2 * LOCAL_FACTORS);
    struct place at = place_of_group(tables, chunks, first_node);
    u32 a[16];
    EACH(k) a[k] = 0;
    kept += kept_at + at.origin + LOCAL_ID;
    window += window_at + at.origin + LOCAL_ID;
    for (u32 i = 0; i < count; i++) {
        GLOBAL const u32 *x = kept + i * stride, *y = window + slot * stride;
        EACH(k)
        a[k] = mod_add(a[k], mod_canonical(point_mul(x[k * THREADS], y[k * THREADS], at.m), at.m.p),
                       at.m.p);
        slot = slot > 0 ? slot - 1 : slots - 1;
    }
    chunk_inverse(data + data_at, a, share, factors, at);
}

/* Computes the first levels of an inverse transform in place. */
KERNEL_DENSE(THREADS, 5)
inverse_first(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
              u32 first_node) {
    LOCAL_ARRAY(u32, share, PADDED(POINTS));
    LOCAL_ARRAY(u32, factors, 2 * LOCAL_FACTORS);
    struct place at = place_of_group(tables, chunks, first_node);
    u32 a[16];
    data += data_at;
    load(a, data, at);
    chunk_inverse(data, a, share, factors, at);
}

#else

/* Computes the last levels of an operand's forward transform in place. These are the levels of this
 * pass. */
KERNEL_DENSE(THREADS, 5)
forward_last(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
             u32 first_node) {
    LOCAL_ARRAY(u32, share, PADDED(POINTS));
    LOCAL_ARRAY(u32, factors, 2 * LOCAL_FACTORS);
    struct place at = place_of_group(tables, chunks, first_node);
    u32 a[16];
    data += data_at;
    load(a, data, at);
    put_factors(factors, 1u, at);
    chunk_forward(a, share, factors, at);
    data += at.origin + LOCAL_ID;
    EACH(k) data[k * THREADS] = a[k];
}

/* Completes the forward transform of data, multiplies it by the complete transform `other`, and
 * computes this pass's levels of the inverse transform. */
KERNEL_DENSE(THREADS, 5)
multiply(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
         u32 first_node, GLOBAL const u32 *RESTRICT other, u64 other_at) {
    LOCAL_ARRAY(u32, share, PADDED(POINTS));
    LOCAL_ARRAY(u32, factors, 2 * LOCAL_FACTORS);
    struct place at = place_of_group(tables, chunks, first_node);
    u32 a[16];
    data += data_at;
    load(a, data, at);
    put_factors(factors, 1u, at);
    chunk_forward(a, share, factors, at);
    other += other_at + at.origin + LOCAL_ID;
    EACH(k) a[k] = point_mul(a[k], other[k * THREADS], at.m);
    chunk_inverse(data, a, share, factors, at);
}

#if LOCAL_BYTES >= PAIR_LOCAL_BYTES
/* Completes the forward transforms of data and of `other`, multiplies them, and computes this
 * pass's levels of the inverse transform. The result replaces data. */
KERNEL_DENSE(THREADS, 5)
multiply_pair(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
              u32 first_node, GLOBAL const u32 *RESTRICT other, u64 other_at) {
    LOCAL_ARRAY(u32, share, PADDED(POINTS));
    LOCAL_ARRAY(u32, factors, 2 * LOCAL_FACTORS);
    LOCAL_ARRAY(u32, held, POINTS);
    struct place at = place_of_group(tables, chunks, first_node);
    u32 a[16];
    load(a, other + other_at, at);
    put_factors(factors, 1u, at);
    chunk_forward(a, share, factors, at);
    EACH(k) held[k * THREADS + LOCAL_ID] = a[k];
    data += data_at;
    load(a, data, at);
    at.table +=
        /* Adding 0 from memory keeps the compiler from holding the first transform's factors in
         * registers. */
        at.m.zero;
    chunk_forward(a, share, factors, at);
    EACH(k) a[k] = point_mul(a[k], held[k * THREADS + LOCAL_ID], at.m);
    chunk_inverse(data, a, share, factors, at);
}
#endif

/* Completes the forward transform of data, squares it, and computes this pass's levels of the
 * inverse transform. */
KERNEL_DENSE(THREADS, 5)
square(GLOBAL u32 *data, u64 data_at, GLOBAL const u32 *RESTRICT tables, u32 chunks,
       u32 first_node) {
    LOCAL_ARRAY(u32, share, PADDED(POINTS));
    LOCAL_ARRAY(u32, factors, 2 * LOCAL_FACTORS);
    struct place at = place_of_group(tables, chunks, first_node);
    u32 a[16];
    data += data_at;
    load(a, data, at);
    put_factors(factors, 1u, at);
    chunk_forward(a, share, factors, at);
    EACH(k) a[k] = point_mul(a[k], a[k], at.m);
    chunk_inverse(data, a, share, factors, at);
}

#endif

#endif
