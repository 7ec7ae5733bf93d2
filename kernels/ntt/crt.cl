/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The last kernel of a product. From the residues that the inverse transforms leave, it computes
 * the product's coefficients, integers of up to 154 bits, and sums them. Coefficient k has the
 * weight 2^(64 k). Other kernels resolve carries between groups. With SIGNED, coefficients are
 * signed, and an added constant makes them positive (lib/multiply/mulmod.c,
 * lib/matrix/matrix_long.c).
 *
 * For one ring of n coefficients, m is 0. For two rings, x^n + 1 and x^m - 1, the inputs are
 * polynomials: c, the product modulo x^n + 1, and q from join.cl. The product is c + (x^n + 1)
 * q. */
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
                     u32 at, u32 log_n, u32 m, u32 offset, u32 offset_first) {
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
    const u32 added = mod_mul(offset, table[TABLE_OFFSET], p, table[TABLE_PINV]);
    UNROLL
    for (int k = 0; k < DIGITS; k++)
        r[k] = mod_add(r[k], added, p);
    if (at == 0)
        r[0] = mod_add(r[0], mod_mul(offset_first, table[TABLE_OFFSET_FIRST], p, table[TABLE_PINV]),
                       p);
#endif
}

/* Adds DIGITS coefficients from coefficient `at` to {acc, ACC_WORDS}. */
FN void span_of_coefficients(u32 *acc, GLOBAL const u32 *c, GLOBAL const u32 *q,
                             GLOBAL const u32 *tables, u32 at, u32 log_n, u32 m, u32 offset,
                             u32 offset_first) {
    u32 r[PRIMES][DIGITS];
    UNROLL
    for (int i = 0; i < PRIMES; i++)
        coefficients(r[i], c + ((u64)i << log_n), q + (u64)i * m, tables + i * TABLE_WORDS, at,
                     log_n, m, offset, offset_first);
    span_of_residues(acc, r);
}

/* Computes a number from residues of its coefficients in y: sets {r + r_at, words} to the sum of
 * coefficient k times 2^(64 k).
 *
 * - y has two polynomials, c and q, as residues of coefficients modulo PRIMES primes; see the
 *   file's first comment. c is stored from word c_at, as PRIMES arrays of 2^log_n residues; q from
 *   word q_at, as PRIMES arrays of m residues.
 * - With SIGNED, adds offset * 2^64 (2^64 - 1) to each coefficient, and offset_first * 2^64 to the
 *   first one.
 * - The groups of row GROUP_Y of the launch compute number GROUP_Y. Results are r_step words apart;
 *   the numbers' residues follow one another in y.
 * - Each work-item sums the coefficients for SPAN words of the result. The sum is longer than SPAN
 *   words; its excess is added to the next work-item's words. A group writes SPAN (CARRY_THREADS -
 *   1) words: its first work-item stores nothing, and only computes the excess from below.
 * - If `resolves` is set, there must be one number; the last group resolves the carries between
 *   groups (carry_resolve). Otherwise the groups' flags are stored, number after number.
 *
 * r_at must be a multiple of 4. */
KERNEL_DENSE(CARRY_THREADS, 6)
crt(GLOBAL u32 *r, u64 r_at, u64 r_step, u64 words, GLOBAL const u32 *RESTRICT y, u64 c_at,
    u64 q_at, GLOBAL const u32 *RESTRICT tables, u32 log_n, u32 m, u32 offset, u32 offset_first,
    GLOBAL u32 *group_flags, GLOBAL u32 *control, u32 resolves) {
    LOCAL_ARRAY(u32, out, OUT_SHARE_WORDS);
    LOCAL_ARRAY(u32, flags, CARRY_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    /* A span is SPAN words of the result. Spans are numbered from 1; span 0 is below the result,
     * and has no coefficients. */
    u32 span = GROUP_X * (CARRY_THREADS - 1) + LOCAL_ID;
    u32 acc[ACC_WORDS];
    r += r_at + GROUP_Y * r_step;
    group_flags += GROUP_Y * GROUPS_X;
    UNROLL
    for (int i = 0; i < ACC_WORDS; i++)
        acc[i] = 0;
    if (span > 0 && (span - 1) * DIGITS < (1u << log_n) + m)
        span_of_coefficients(acc, y + c_at + ((u64)(GROUP_Y * PRIMES) << log_n),
                             y + q_at + (u64)(GROUP_Y * PRIMES) * m, tables, (span - 1) * DIGITS,
                             log_n, m, offset, offset_first);
    u32 flag = span_add_below(acc, out);
    u64 at = (u64)(span - 1) * SPAN;
    span_finish(r + at, at < words ? words - at : 0, acc, flag, 1, flags, rows, group_flags);
    carry_resolve(r, words, CARRY_CHUNK_ABOVE, group_flags, control, resolves, flags, rows);
}
#endif
