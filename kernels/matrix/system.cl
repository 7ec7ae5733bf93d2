/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Solves systems of linear equations A X = B for integers, modulo many primes at once: the
 * determinant of A, and the numerators det(A) X (doc/design/matrices.md).
 *
 * Residues of [A | B] are in Montgomery form (kernels/common/modular.h): that of prime q, row i and
 * column j at (q rows + i) width + j. Each group of each launch adds to the verdict
 * (kernels/check/verdict.h). */
#include "kernels/check/verdict.h"
#include "kernels/common/modular.h"
#include "kernels/matrix/system.h"

#if SYSTEM_THREADS != VERDICT_THREADS
#error "all work-items vote"
#endif

/* A prime with its constants (SYSTEM_PRIME_WORDS). */
struct system_prime {
    u32 p, pinv, one, square;
};

FN struct system_prime system_prime_of(GLOBAL const u32 *table, u32 index) {
    GLOBAL const u32 *at = table + SYSTEM_PRIME_WORDS * index;
    struct system_prime m;
    m.p = at[SYSTEM_P];
    m.pinv = at[SYSTEM_PINV];
    m.one = at[SYSTEM_ONE];
    m.square = at[SYSTEM_SQUARE];
    return m;
}

/* Returns 2^32 s + w in Montgomery form, for s in Montgomery form and any word w. */
FN u32 append_word(u32 s, u32 w, struct system_prime m) {
    return mod_add(mod_mul(s, m.square, m.p, m.pinv), mod_mul(w, m.square, m.p, m.pinv), m.p);
}

/* Returns 1 / x, both in Montgomery form: x^(p - 2). */
FN u32 invert(u32 x, struct system_prime m) {
    u32 power = m.one;
    for (u32 e = m.p - 2; e > 0; e >>= 1) {
        if (e & 1)
            power = mod_mul(power, x, m.p, m.pinv);
        x = mod_mul(x, x, m.p, m.pinv);
    }
    return power;
}

/* Stores the residues of `count` entries modulo the prime with index GROUP_Y. Entries have
 * `words` words in two's complement. The input has rows of `columns` entries. The output has rows
 * of `width` residues; a row's residues go to its columns from `offset` on. */
KERNEL(SYSTEM_THREADS)
system_residues(GLOBAL u32 *verdict, u32 pass, GLOBAL u32 *out, GLOBAL const u32 *entries,
                u64 entries_at, u64 count, u64 columns, u64 width, u64 offset, u32 words,
                GLOBAL const u32 *table) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    const struct system_prime m = system_prime_of(table, GROUP_Y);
    const u64 e = (u64)GROUP_X * SYSTEM_THREADS + LOCAL_ID;
    if (e < count) {
        GLOBAL const u32 *x = entries + entries_at + e * words;
        u32 s = x[words - 1] >> 31 ? m.p - m.one : 0u; /* words above a negative number are -1 */
        for (u32 w = words; w-- > 0;)
            s = append_word(s, x[w], m);
        out[(GROUP_Y * (count / columns) + e / columns) * width + offset + e % columns] = s;
    }
    verdict_add(verdict, pass, 0, votes);
}

/* Performs step k of the elimination modulo prime GROUP_X. The pivot is the first residue other
 * than 0 in column k, from row k down. Swaps its row with row k, divides row k by the pivot, and
 * multiplies the determinant by the pivot. If there is no pivot, the determinant becomes 0 and
 * remains so. */
KERNEL(SYSTEM_THREADS)
system_pivot(GLOBAL u32 *verdict, u32 pass, GLOBAL u32 *a, GLOBAL u32 *det, u32 k, u32 rows,
             u32 width, GLOBAL const u32 *table) {
    LOCAL_ARRAY(u32, firsts, SYSTEM_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    LOCAL_ARRAY(u32, inverse, 4);
    const struct system_prime m = system_prime_of(table, GROUP_X);
    u32 first = rows;
    a += (u64)GROUP_X * rows * width;
    for (u32 i = k + LOCAL_ID; i < rows && first == rows; i += SYSTEM_THREADS)
        first = a[(u64)i * width + k] ? i : rows;
    firsts[LOCAL_ID] = first;
    BARRIER_GLOBAL(); /* after this, other work-items overwrite the column */
    for (u32 step = SYSTEM_THREADS / 2; step > 0; step /= 2) {
        if (LOCAL_ID < step)
            firsts[LOCAL_ID] = MIN32(firsts[LOCAL_ID], firsts[LOCAL_ID + step]);
        BARRIER();
    }
    first = firsts[0];
    if (LOCAL_ID == 0) {
        u32 pivot = first < rows ? a[(u64)first * width + k] : 0u;
        u32 d = mod_mul(k ? det[GROUP_X] : m.one, pivot, m.p, m.pinv);
        det[GROUP_X] = first == k ? d : mod_sub(0u, d, m.p);
        inverse[0] = invert(pivot, m);
    }
    BARRIER();
    for (u32 j = k + LOCAL_ID; j < width && first < rows; j += SYSTEM_THREADS) {
        u32 above = a[(u64)k * width + j], below = a[(u64)first * width + j];
        a[(u64)first * width + j] = above;
        a[(u64)k * width + j] = mod_mul(below, inverse[0], m.p, m.pinv);
    }
    verdict_add(verdict, pass, 0, votes);
}

/* Subtracts multiples of row k from rows `begin` to rows - 1, except from row k itself. These
 * multiples would make column k zero; only the columns after column k are computed. Group (x, y)
 * computes tile x modulo prime y; `tiles` tiles are side by side. */
KERNEL(SYSTEM_THREADS)
system_update(GLOBAL u32 *verdict, u32 pass, GLOBAL u32 *a, u32 begin, u32 k, u32 rows, u32 width,
              u32 tiles, GLOBAL const u32 *table) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    const struct system_prime m = system_prime_of(table, GROUP_Y);
    const u32 j = k + 1 + GROUP_X % tiles * SYSTEM_COLUMNS + LOCAL_ID % SYSTEM_COLUMNS;
    const u32 top = begin + GROUP_X / tiles * SYSTEM_ROWS;
    const u32 end = rows - top < SYSTEM_ROWS ? rows : top + SYSTEM_ROWS;
    a += (u64)GROUP_Y * rows * width;
    if (j < width) {
        const u32 x = a[(u64)k * width + j];
        for (u32 i = top + LOCAL_ID / SYSTEM_COLUMNS; i < end; i += SYSTEM_THREADS / SYSTEM_COLUMNS)
            if (i != k) {
                GLOBAL u32 *row = a + (u64)i * width;
                row[j] = mod_sub(row[j], mod_mul(x, row[k], m.p, m.pinv), m.p);
            }
    }
    verdict_add(verdict, pass, 0, votes);
}

/* Stores the determinant and the numerators of the solution modulo chosen primes. The numerators
 * are a matrix of `columns` columns, row by row; the determinant follows it. GROUP_Y g computes
 * modulo the prime with index chosen[chosen_at + g]. */
KERNEL(SYSTEM_THREADS)
system_gather(GLOBAL u32 *verdict, u32 pass, GLOBAL u32 *y, u64 y_at, GLOBAL const u32 *a,
              GLOBAL const u32 *det, GLOBAL const u32 *chosen, u64 chosen_at, u32 rows, u32 columns,
              GLOBAL const u32 *table) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    const u32 q = chosen[chosen_at + GROUP_Y];
    const struct system_prime m = system_prime_of(table, q);
    const u64 count = (u64)rows * columns, width = (u64)rows + columns;
    const u64 e = (u64)GROUP_X * SYSTEM_THREADS + LOCAL_ID;
    if (e < count) {
        u64 at = (q * (u64)rows + e / columns) * width + rows + e % columns;
        y[y_at + GROUP_Y * (count + 1) + e] = mod_mul(a[at], det[q], m.p, m.pinv);
    } else if (e == count)
        y[y_at + GROUP_Y * (count + 1) + e] = det[q];
    verdict_add(verdict, pass, 0, votes);
}

/* Computes the weights of the Chinese remainder theorem. The weight for each of `primes` primes p
 * is M / p, of `words` words; M is the product of all primes, and is in the table at product_at.
 * Also stores the inverse of each weight modulo p, not in Montgomery form. */
KERNEL(SYSTEM_THREADS)
system_weights(GLOBAL u32 *verdict, u32 pass, GLOBAL u32 *weights, GLOBAL u32 *inverses,
               u64 product_at, u32 words, u32 primes, GLOBAL const u32 *table) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    const u32 q = GROUP_X * SYSTEM_THREADS + LOCAL_ID;
    if (q < primes) {
        const struct system_prime m = system_prime_of(table, q);
        u32 rest = 0, s = 0;
        for (u32 j = words; j-- > 0;) {
            u64 x = (u64)rest << 32 | table[product_at + j];
            u32 quotient = (u32)(x / m.p);
            rest = (u32)x - quotient * m.p;
            s = append_word(s, quotient, m);
            weights[(u64)q * words + j] = quotient;
        }
        inverses[q] = mod_mul(1u, invert(s, m), m.p, m.pinv);
    }
    verdict_add(verdict, pass, 0, votes);
}

/* Restores one entry of the result from its residues: group GROUP_X computes entry GROUP_X, of
 * `words` words in two's complement. Votes "bad" if the entry does not fit `words` words.
 *
 * - p_q are the `primes` primes, M is their product, and y_q is the entry's residue modulo p_q.
 * - c_q is y_q / (M / p_q) modulo p_q.
 * - The entry is
 *
 *     x = sum over q of c_q M / p_q  -  round(sum over q of c_q / p_q) M,   |x| < 2^-64 M.
 *
 * Wrong residues modulo one or two primes are always found. They add a multiple of M / (p_1 p_2) >
 * 2^-62 M that is not a multiple of M. M is at least 2^64 times as large as any number that fits,
 * so the wrong entry does not fit.
 *
 * Bounds. c_q / p_q is computed in units of 2^-48, and is too small by less than 2 units. So the
 * sum over 2^15 primes is too small by less than 2^-32. The sum is below 2^63. A product of c_q and
 * a word is below 2^63, so 2^14 such products fit 96 bits. */
KERNEL(SYSTEM_THREADS)
system_restore(GLOBAL u32 *verdict, u32 pass, GLOBAL u32 *out, u32 words, GLOBAL const u32 *y,
               u64 count, u32 primes, GLOBAL const u32 *weights, GLOBAL const u32 *inverses,
               u64 product_at, u32 product_words, GLOBAL const u32 *table) {
    LOCAL_ARRAY(u64, sums, SYSTEM_THREADS);
    LOCAL_ARRAY(u32, lows, SYSTEM_THREADS);
    LOCAL_ARRAY(u32, factors, SYSTEM_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    u64 quotient = 0;
    s64 carry = 0;
    u32 bad = 0, sign = 0;
    for (u32 q = LOCAL_ID; q < primes; q += SYSTEM_THREADS) {
        const struct system_prime m = system_prime_of(table, q);
        u32 c = mod_mul(y[q * count + GROUP_X], inverses[q], m.p, m.pinv);
        quotient += (c * (~(u64)0 / m.p)) >> 16;
    }
    sums[LOCAL_ID] = quotient;
    BARRIER();
    quotient = (u64)1 << 47;
    for (u32 i = 0; i < SYSTEM_THREADS; i++)
        quotient += sums[i];
    quotient >>= 48;
    for (u32 at = 0; at < product_words; at += SYSTEM_THREADS) {
        const u32 j = at + LOCAL_ID;
        u64 low = 0, high = 0;
        for (u32 from = 0; from < primes; from += SYSTEM_THREADS) {
            const u32 left = primes - from < SYSTEM_THREADS ? primes - from : SYSTEM_THREADS;
            BARRIER();
            if (LOCAL_ID < left) {
                const struct system_prime m = system_prime_of(table, from + LOCAL_ID);
                factors[LOCAL_ID] = mod_mul(y[(from + LOCAL_ID) * count + GROUP_X],
                                            inverses[from + LOCAL_ID], m.p, m.pinv);
            }
            BARRIER();
            for (u32 i = 0; i < (j < product_words ? left : 0u); i++) {
                u64 product = (u64)factors[i] * weights[(u64)(from + i) * product_words + j];
                low += (u32)product;
                high += product >> 32;
            }
        }
        if (j < product_words) {
            u64 product = quotient * table[product_at + j];
            low -= (u32)product;
            high -= product >> 32;
        }
        BARRIER();
        lows[LOCAL_ID] = (u32)low;
        sums[LOCAL_ID] = high + (u64)((s64)low >> 32);
        BARRIER();
        for (u32 i = 0; LOCAL_ID == 0 && i < SYSTEM_THREADS && at + i < product_words; i++) {
            u32 word;
            carry += lows[i];
            word = (u32)carry;
            carry = (carry >> 32) + (s64)sums[i];
            if (at + i < words)
                out[(u64)GROUP_X * words + at + i] = word;
            sign = at + i == words - 1 ? 0u - (word >> 31) : sign;
            bad |= at + i >= words ? word ^ sign : 0u;
        }
    }
    verdict_add(verdict, pass, bad, votes);
}

/* Compares the residues of two numbers modulo `primes` primes: of the number in `residues`, and of
 * entry `entry` of y, which has `count` entries for each prime. Votes "bad" if a residue
 * differs. */
KERNEL(SYSTEM_THREADS)
system_compare(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *residues, GLOBAL const u32 *y,
               u64 count, u64 entry, u32 primes) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    const u32 q = GROUP_X * SYSTEM_THREADS + LOCAL_ID;
    const u32 bad = q < primes ? residues[q] ^ y[q * count + entry] : 0u;
    verdict_add(verdict, pass, bad, votes);
}
