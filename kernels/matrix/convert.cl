/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Converts entries of a matrix to residues modulo many primes, and back. An entry is a number of
 * `words` words in two's complement.
 *
 * A group converts MATRIX_ENTRIES entries. Work-item LOCAL_ID computes a part of the result for
 * entry LOCAL_ID % MATRIX_ENTRIES: MATRIX_EACH residues, or MATRIX_EACH words of the number.
 * LOCAL_ID / MATRIX_ENTRIES selects the part. Both kernels compute a product of matrices: the
 * entries' words, or residues, times a table of constants. */
#include "kernels/matrix/passing.h"
#include "kernels/matrix/residues.h"

#define TEAM (LOCAL_ID / MATRIX_ENTRIES)
#define ENTRY (LOCAL_ID % MATRIX_ENTRIES)
#define STRIDE (MATRIX_CHUNK + 1)

/* Adds x times each of MATRIX_EACH constants to the sums. */
FN void add_products(u64 *sums, u32 x, GLOBAL const u32 *constants) {
    u32 c[MATRIX_EACH];
    UNROLL
    for (int i = 0; i < MATRIX_EACH; i += 4)
        LOAD4(GLOBAL, c + i, constants + i);
    UNROLL
    for (int i = 0; i < MATRIX_EACH; i++)
        sums[i] += (u64)x * c[i];
}

/* Computes the residues of a matrix's entries modulo `primes` primes, a multiple of MATRIX_EACH.
 *
 * - The entries are first + line line_step + i inner_step, for line < lines and i < inner.
 * - The residue modulo prime q of entry (line, i) is stored at ((q lines) + line) padded + i. From
 *   i = inner to padded - 1, zeros are stored.
 * - A line has blocks of 32 entries. Group x converts block x mod (padded / 32) of line x / (padded
 *   / 32).
 * - Row w of the table at `powers_at` has 2^(32 w) mod p for each prime p. Row `words` has the
 *   residues of -2^(32 words), which are added for negative entries.
 * - Sums are below (words + 1) 2^46, so `words` is at most 2^16. */
KERNEL(MATRIX_THREADS)
matrix_residues(GLOBAL u16 *out, GLOBAL const u32 *entries, u64 first, u64 line_step,
                u64 inner_step, u32 lines, u32 inner, u32 padded, u32 words,
                GLOBAL const u32 *table, u32 primes, u64 powers_at) {
    LOCAL_ARRAY(u32, share, MATRIX_ENTRIES * STRIDE);
    const u32 blocks = padded / MATRIX_ENTRIES;
    const u32 line = GROUP_X / blocks, begin = GROUP_X % blocks * MATRIX_ENTRIES;
    const u64 from = first + line * line_step + begin * inner_step;
    for (u32 q = TEAM * MATRIX_EACH; q - TEAM * MATRIX_EACH < primes; q += MATRIX_CHUNK) {
        GLOBAL const u32 *powers = table + powers_at + q;
        const u32 is_prime = q < primes;
        u64 sums[MATRIX_EACH];
        u32 top = 0;
        UNROLL
        for (int i = 0; i < MATRIX_EACH; i++)
            sums[i] = 0;
        for (u32 at = 0; at < words; at += MATRIX_CHUNK) {
            const u32 left = words - at < MATRIX_CHUNK ? words - at : MATRIX_CHUNK;
            BARRIER();
            for (u32 k = LOCAL_ID; k < MATRIX_ENTRIES * MATRIX_CHUNK; k += MATRIX_THREADS) {
                const u32 e = k / MATRIX_CHUNK, w = k % MATRIX_CHUNK;
                share[e * STRIDE + w] = begin + e < inner && w < left
                                            ? entries[(from + e * inner_step) * words + at + w]
                                            : 0u;
            }
            BARRIER();
            for (u32 w = 0; w < (is_prime ? left : 0u); w++)
                add_products(sums, share[ENTRY * STRIDE + w], powers + (u64)(at + w) * primes);
            top = share[ENTRY * STRIDE + left - 1];
        }
        for (u32 w = 0; w < (is_prime ? 1u : 0u); w++)
            add_products(sums, top >> 31, powers + (u64)words * primes);
        for (u32 i = 0; i < (is_prime ? MATRIX_EACH : 0u); i++)
            out[((u64)(q + i) * lines + line) * padded + begin + ENTRY] =
                (u16)matrix_pack(matrix_reduce(sums[i], matrix_prime_of(table, q + i)));
    }
}

/* Computes the entries x of a block of a matrix from residues modulo `primes` primes p_q. M is
 * the product of all primes. The kernel of the product has multiplied the residue modulo p_q by
 * the prime's factor (MATRIX_SCALE); the result is y_q. Then
 *
 *     x = sum over q of y_q M / p_q  -  round(sum over q of y_q / p_q) M,   |x| <= M / 4.
 *
 * - y: y_q of entry e is at q count + e
 * - out: entry e of the block is entry first + e / columns row_step + e % columns of the matrix,
 *   of `words` words
 * - table: M / p_q is at weights_at + q width, M at weights_at + primes width; `width` is a
 *   multiple of MATRIX_EACH
 *
 * The rounded sum is computed from floor(2^32 / p_q), in units of 2^-32. It is too small by less
 * than primes 2^-18 < 1/8 before rounding, so it is rounded correctly. Sums are below 2^14 2^11
 * 2^32 = 2^57. */
KERNEL(MATRIX_THREADS)
matrix_restore(GLOBAL u32 *out, GLOBAL const u16 *y, u64 count, u64 first, u32 columns,
               u64 row_step, u32 words, GLOBAL const u32 *table, u32 primes, u64 weights_at,
               u32 width) {
    LOCAL_ARRAY(u64, parts, MATRIX_THREADS);
    LOCAL_ARRAY(u32, lows, MATRIX_THREADS);
    LOCAL_ARRAY(u32, states, MATRIX_THREADS);
    LOCAL_ARRAY(s32, overs, MATRIX_THREADS);
    const u64 index = (u64)GROUP_X * MATRIX_ENTRIES + ENTRY, e = index < count ? index : count - 1;
    const u64 to = first + e / columns * row_step + e % columns;
    u64 part = 0, quotient = (u64)1 << 31;
    s64 carry = 0;
    for (u32 q = TEAM; q < primes; q += MATRIX_THREADS / MATRIX_ENTRIES)
        part += (u64)y[q * count + e] * table[MATRIX_PRIME_WORDS * q + MATRIX_INVERSE_HIGH];
    parts[LOCAL_ID] = part;
    BARRIER();
    for (u32 i = ENTRY; i < MATRIX_THREADS; i += MATRIX_ENTRIES)
        quotient += parts[i];
    quotient >>= 32;
    for (u32 at = 0; at < width; at += MATRIX_CHUNK) {
        const u32 word = at + TEAM * MATRIX_EACH;
        GLOBAL const u32 *weights = table + weights_at + word;
        u64 sums[MATRIX_EACH];
        u32 x[MATRIX_EACH];
        struct passing t;
        UNROLL
        for (int i = 0; i < MATRIX_EACH; i++)
            sums[i] = 0;
        for (u32 q = 0; q < (word < width ? primes : 0u); q++)
            add_products(sums, y[q * count + e], weights + (u64)q * width);
        for (u32 i = 0; i < (word < width ? MATRIX_EACH : 0u); i++)
            sums[i] -= quotient * weights[(u64)primes * width + i];
        resolve(x, sums, &t);
        BARRIER();
        lows[LOCAL_ID] = t.low;
        states[LOCAL_ID] = t.state;
        overs[LOCAL_ID] = t.over;
        BARRIER();
        s64 own = 0;
        for (u32 k = 0; k < MATRIX_THREADS / MATRIX_ENTRIES; k++) {
            const u32 i = k * MATRIX_ENTRIES + ENTRY;
            t.low = lows[i], t.state = states[i], t.over = overs[i];
            own = k == TEAM ? carry : own;
            carry = carry_through(t, carry);
        }
        for (u32 i = 0; i < MATRIX_EACH; i++) {
            own += x[i];
            if (word + i < words && index < count)
                out[to * words + word + i] = (u32)own;
            own >>= 32;
        }
    }
}
