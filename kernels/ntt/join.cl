/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Combines the product P modulo two rings: c = P modulo x^n + 1 and d = P modulo x^m - 1, where m
 * is a power of two below n. P = c + (x^n + 1) q for a q of m coefficients. Modulo x^m - 1, x^n is
 * 1. So d = c + 2 q. */
#include "kernels/common/modular.h"
#include "kernels/common/tables.h"
#include "kernels/ntt/geometry.h"

/* Computes q = (d - c) / 2 modulo x^m - 1 (the file's first comment) for each prime. n is
 * 2^log_n, m is 2^log_m.
 * - From word c_at, y has PRIMES arrays of n lazy residues: n c / 2^96, because the inverse
 *   transform omits its factor 1 / n, and digits() in strided.cl divides operands.
 * - From word d_at, y has PRIMES arrays of m residues: m d / 2^96, which q replaces.
 *
 * The arrays of other products follow. Groups along x take the values of d, four for each
 * work-item. Groups along y take the primes of one product after another. */
KERNEL(JOIN_THREADS)
join(GLOBAL u32 *y, u64 c_at, u64 d_at, GLOBAL const u32 *RESTRICT tables, u32 log_n, u32 log_m) {
    GLOBAL const u32 *table = tables + GROUP_Y % PRIMES * TABLE_WORDS;
    u32 p = table[TABLE_P];
    u32 at = 4 * (GROUP_X * JOIN_THREADS + LOCAL_ID), q[4], sum[4] = {0, 0, 0, 0};
    GLOBAL const u32 *c = y + c_at + ((u64)GROUP_Y << log_n);
    GLOBAL u32 *d = y + d_at + ((u64)GROUP_Y << log_m);
    for (u32 i = at; i < 1u << log_n; i += 1u << log_m) {
        LOAD4(GLOBAL, q, c + i);
        UNROLL
        for (int k = 0; k < 4; k++)
            sum[k] = mod_add(sum[k], mod_canonical(q[k], p), p);
    }
    struct factor c_scale, d_scale;
    LOAD2(GLOBAL, c_scale.w, c_scale.quotient, table + TABLE_SCALE_DIGITS + 2 * (log_n + 1));
    LOAD2(GLOBAL, d_scale.w, d_scale.quotient, table + TABLE_SCALE_DIGITS + 2 * (log_m + 1));
    LOAD4(GLOBAL, q, d + at);
    UNROLL
    for (int k = 0; k < 4; k++)
        q[k] = mod_sub(mod_canonical(lazy_mul(q[k], d_scale, p), p),
                       mod_canonical(lazy_mul(sum[k], c_scale, p), p), p);
    STORE4(d + at, q);
}
