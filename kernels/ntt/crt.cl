/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The last kernel of a product. It computes the product's coefficients from the inverse transforms
 * of its rings: residues become integers of up to 154 bits. (Modulo x^n + 1 alone, coefficients are
 * signed; adding a constant makes them positive: lib/multiply/mulmod.c.) Then it sums the
 * coefficients, each shifted by one digit of 64 bits more than the one before. Other kernels
 * resolve carries between groups.
 *
 * For one ring of n coefficients, m is 0. For two rings, x^n + 1 and x^m - 1, the inputs are c, the
 * product modulo the first ring, and q from join.cl: the product is c + (x^n + 1) q. */
#include "kernels/common/carry.h"
#include "kernels/common/crt.h"
#include "kernels/common/tables.h"
#if defined(ON_CPU)
#include "kernels/ntt/simd_crt.h"
#else
#include "kernels/common/carry_resolve.h"
#include "kernels/common/crt_span.h"

/* Computes the residues, modulo one prime, of DIGITS coefficients from coefficient `at`, a multiple
 * of DIGITS. */
FN void coefficients(u32 *r, GLOBAL const u32 *c, GLOBAL const u32 *q, GLOBAL const u32 *table,
                     u32 at, u32 log_n, u32 m) {
    u32 p = table[TABLE_P], n = 1u << log_n;
    if (at < n) {
        struct factor scale;
        LOAD2(GLOBAL, scale.w, scale.quotient, table + TABLE_SCALE_DIGITS + 2 * log_n);
        LOAD4(GLOBAL, r, c + at);
        UNROLL
        for (int k = 0; k < DIGITS; k++)
            r[k] = mod_canonical(lazy_mul(r[k], scale, p), p);
    } else {
        LOAD4(GLOBAL, r, q + (at - n));
    }
    if (at < m) {
        u32 low[DIGITS];
        LOAD4(GLOBAL, low, q + at);
        UNROLL
        for (int k = 0; k < DIGITS; k++)
            r[k] = mod_add(r[k], low[k], p);
    }
#if SIGNED
    UNROLL
    for (int k = 0; k < DIGITS; k++)
        r[k] = mod_add(r[k], table[TABLE_OFFSET], p);
    if (at == 0)
        r[0] = mod_add(r[0], table[TABLE_OFFSET_FIRST], p);
#endif
}

/* Adds DIGITS coefficients from coefficient `at` to {acc, ACC_WORDS}. */
FN void span_of_coefficients(u32 *acc, GLOBAL const u32 *y, GLOBAL const u32 *tables, u32 at,
                             u32 log_n, u32 m) {
    u32 r[PRIMES][DIGITS];
    UNROLL
    for (int i = 0; i < PRIMES; i++)
        coefficients(r[i], y + ((u64)i << log_n), y + ((u64)PRIMES << log_n) + (u64)i * m,
                     tables + i * TABLE_WORDS, at, log_n, m);
    span_of_residues(acc, r);
}

/* Sets {r + r_at, words} to the number whose coefficients are in y: PRIMES arrays of n = 2^log_n
 * residues, then PRIMES arrays of m residues. Each group along x writes CARRY_THREADS - 1 spans:
 * its first work-item only computes what the span below adds to them. r_at is a multiple of 4. If
 * `resolves` is set, the last group resolves the carries between groups (carry_resolve). */
KERNEL(CARRY_THREADS)
crt(GLOBAL u32 *r, u64 r_at, u64 words, GLOBAL const u32 *RESTRICT y,
    GLOBAL const u32 *RESTRICT tables, u32 log_n, u32 m, GLOBAL u32 *group_flags,
    GLOBAL u32 *control, u32 resolves) {
    LOCAL_ARRAY(u32, out, OUT_SHARE_WORDS);
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    /* Spans of the result are numbered from 1; span 0 is below the result, and has no
     * coefficients. */
    u32 span = GROUP_X * (CARRY_THREADS - 1) + LOCAL_ID;
    u32 acc[ACC_WORDS];
    UNROLL
    for (int i = 0; i < ACC_WORDS; i++)
        acc[i] = 0;
    if (span > 0 && (span - 1) * DIGITS < (1u << log_n) + m)
        span_of_coefficients(acc, y, tables, (span - 1) * DIGITS, log_n, m);
    u32 flag = span_add_below(acc, out);
    u64 at = (u64)(span - 1) * SPAN;
    span_finish(r + r_at + at, at < words ? words - at : 0, acc, flag, 1, flags, rows, group_flags);
    carry_resolve(r + r_at, words, CARRY_CHUNK_ABOVE, group_flags, control, resolves, flags, rows);
}
#endif
