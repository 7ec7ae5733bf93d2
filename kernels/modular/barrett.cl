/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Kernels that run between the batch products of Barrett's reduction (kernels/modular/barrett.h).
 *
 * Arguments named _step are the words from one number to the next, or 0 if all use one number.
 * `first` is the launch's first number of m and of `known`. */
#include "kernels/modular/barrett.h"

#include "kernels/batch/batch.h"
#include "kernels/modular/barrett_shift.h"

#define SPAN BATCH_SPAN
#define CARRY_THREADS BATCH_THREADS
#include "kernels/batch/batch_resolve.h"

/* ---- moduli */

/* Writes the constants of each modulus m that need no products (barrett.h). `kinds` gets m's kind
 * and shift in one limb. `high` gets M, the shifted modulus, or B^n / 2 if m is 0. `dividend` gets
 * B^2n / 2 - 1. */
KERNEL(BATCH_THREADS)
barrett_normalize(GLOBAL u32 *kinds, GLOBAL u32 *high, GLOBAL u32 *dividend, GLOBAL const u32 *m,
                  u64 count, u32 words, u32 spans) {
    const u64 own = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID, i = own / spans;
    const u32 span = (u32)(own - i * spans);
    if (i >= count)
        return;
    const struct shifted_modulus s = shifted_modulus_of(m + i * words, words);
    for (u32 k = span * SPAN; k < (span + 1) * SPAN && k < words; k++) {
        high[i * words + k] = shifted_modulus_word(&s, k);
        dividend[2 * i * words + 2 * k] = ~0u;
        dividend[2 * i * words + 2 * k + 1] = k == words - 1 ? ~0u >> 1 : ~0u;
    }
    if (span == 0) {
        kinds[2 * i] = s.kind;
        kinds[2 * i + 1] = s.shift;
    }
}

/* Writes the constants of each modulus to `known` (barrett.h). `quotient` has 2 * words words for
 * each modulus: the reciprocal I, then zeros. `rest` is the remainder of the division that yielded
 * I; it determines the error of I. */
KERNEL(BATCH_THREADS)
barrett_know(GLOBAL u32 *known, GLOBAL const u32 *kinds, GLOBAL const u32 *quotient,
             GLOBAL const u32 *rest, GLOBAL const u32 *high, u64 count, u32 words) {
    const u32 each = BARRETT_KNOWN_WORDS(words), top = words - 1;
    const u64 at = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID, i = at / each;
    const u32 k = (u32)(at - i * each);
    if (i >= count)
        return;
    known[at] = k < words                   ? quotient[2 * i * words + k]
                : k == BARRETT_SHIFT(words) ? kinds[2 * i + 1]
                : k == BARRETT_REST(words)
                    ? barrett_fraction(rest[i * words + top], high[i * words + top])
                    : 0u;
}

/* ---- a step */

/* Computes y = floor(x 2^shift / B^n), of `words` words, for each number x = {hi, lo}. */
KERNEL(BATCH_THREADS)
barrett_high(GLOBAL u32 *y, GLOBAL const u32 *hi, u64 hi_at, u32 hi_step, u32 has_hi,
             GLOBAL const u32 *lo, u64 lo_at, u32 lo_step, GLOBAL const u32 *known, u32 known_step,
             u64 first, u64 count, u32 words) {
    for (u32 k = 0; k < SPAN; k++) {
        u64 at = ((u64)GROUP_X * SPAN + k) * BATCH_THREADS + LOCAL_ID, i = at / words;
        if (i < count) {
            const struct pair x = {hi + hi_at + i * hi_step, lo + lo_at + i * lo_step, words,
                                   has_hi};
            u32 shift = known[(first + i) * known_step + BARRETT_SHIFT(words)];
            y[at] = shifted_word(x, words + (u32)(at - i * words), shift);
        }
    }
}

/* The number that a work-item computes: a group has several adjacent numbers, or one number in
 * `tiles` tiles. */
struct place {
    u32 number, is_there, words, spans, tiles;
    u64 index;
};

FN struct place place_of(u64 count, u32 words, u32 spans, u32 each, u32 tiles) {
    struct place p = {tiles > 1 ? 0 : LOCAL_ID / spans, 0, words, spans, tiles, 0};
    p.index = (u64)GROUP_X * each + p.number;
    p.is_there = p.number < each && p.index < count;
    return p;
}

/* The terms of a sum of numbers of n words, modulo 2^(32 n): x, plus or minus times_y times y, plus
 * or minus times_m times m. The mask flip_y is ~0 if the term with y is subtracted, otherwise 0;
 * flip_m is the same for m. */
struct terms {
    GLOBAL const u32 *x, *y, *m;
    u32 times_y, flip_y, times_m, flip_m;
};

/* Sets {sum, SPAN} to the sum of the terms' words from word `at`, without carries from below.
 * Returns the part of the sum above SPAN words. */
FN u32 span_of_terms(u32 *sum, struct terms t, u32 at, u32 left, u32 by_four) {
    u32 y[SPAN], m[SPAN];
    u64 carry = 0;
    batch_load(sum, t.x + at, left, by_four);
    batch_load(y, t.y + at, t.times_y ? left : 0u, by_four);
    batch_load(m, t.m + at, left, by_four);
    UNROLL
    for (int i = 0; i < SPAN; i++) {
        carry += sum[i];
        carry += (u64)t.times_y * (y[i] ^ t.flip_y);
        carry += (u64)t.times_m * (m[i] ^ t.flip_m);
        sum[i] = (u32)carry;
        carry >>= 32;
    }
    return (u32)carry;
}

/* Computes the sum of the terms. Stores the sum to {r, words} if `stored`. Sets sign[number] to 1
 * if the sum is negative. The sign bit is the highest bit of the sum's `words` words if is_cut is
 * set; otherwise the highest bit of the excess above these words. */
FN void sum_terms(GLOBAL u32 *r, u32 stored, struct terms t, struct place p, u32 is_cut,
                  LOCAL u32 *sign, struct resolve s) {
    const u32 begin = (t.times_y & t.flip_y) + (t.times_m & t.flip_m);
    u32 carry = 0;
    for (u32 tile = 0; tile < p.tiles; tile++) {
        u32 span = p.tiles > 1 ? tile * BATCH_THREADS + LOCAL_ID : LOCAL_ID - p.number * p.spans;
        u32 left = p.is_there && span < p.spans ? p.words - span * SPAN : 0u, x[SPAN];
        u32 reaches = span_of_terms(x, t, span * SPAN, left, p.words % 4 == 0);
        u32 above = resolve(x, reaches, span == 0, begin, &carry, s) - begin;
        batch_store(r + span * SPAN, stored ? left : 0u, p.words % 4 == 0, x);
        if (left > 0 && left <= SPAN) {
            UNROLL
            for (u32 i = 1; i < SPAN; i++)
                above = i + is_cut == left ? x[i] : above;
            sign[p.number] = above >> 31;
        }
        if (LOCAL_ID == 0)
            /* Keeps the excess of the words summed so far. It is added to the next tile, the words
             * that the group sums in the next round. */
            s.over[0] = s.over[BATCH_THREADS];
        BARRIER();
    }
}

/* Returns 2^32 t / m, or at most 22 less, for the remainder t = x - 2 q m. barrett.h defines M, I
 * and e. The estimated quotient is q = floor(y I / B^n), with y as in barrett_high. f is the
 * highest word of y I modulo B^n.
 *
 * Let X = x 2^shift = y B^n + z. Then t / (2 m) is X / (2 M) - q. This is the sum of the terms f
 * / 2^32, y e / B^n and z / (2 M). Each of these three terms is at most 1. The last term is
 * computed as z I / B^2n. The highest words suffice. */
FN u64 times_of_rest(struct pair x, GLOBAL const u32 *known, u32 f) {
    u32 shift = known[BARRETT_SHIFT(x.words)];
    u32 y = shifted_word(x, 2 * x.words - 1, shift), z = shifted_word(x, x.words - 1, shift);
    u64 sum = f;
    sum += MULHI32(y, known[BARRETT_REST(x.words)]);
    sum += MULHI32(z, known[x.words - 1]);
    return 2 * sum;
}

/* Computes numbers of r from word r_at.
 *
 * - BARRETT_STEP computes the remainder x - 2 y - c m, from 0 to m - 1, for an integer c. With
 *   has_product, y is q m for the estimated quotient q. Otherwise there is no y.
 * - BARRETT_ADD and BARRETT_SUB compute x + y and x - y modulo m, for x and y below m.
 *
 * The sum is computed twice. The first time, the kernel only finds out whether m must be added or
 * subtracted once more. */
KERNEL(BATCH_THREADS)
barrett_resolve(GLOBAL u32 *r, u64 r_at, u32 kind, GLOBAL const u32 *hi, u64 hi_at, u32 hi_step,
                u32 has_hi, GLOBAL const u32 *x, u64 x_at, u32 x_step, GLOBAL const u32 *y,
                u64 y_at, GLOBAL const u32 *product, u32 has_product, GLOBAL const u32 *m,
                u32 m_step, GLOBAL const u32 *known, u32 known_step, u64 first, u64 count,
                u32 words, u32 spans, u32 each, u32 tiles) {
    LOCAL_ARRAY(u32, over, BATCH_THREADS + 1);
    LOCAL_ARRAY(u32, flags, BATCH_THREADS);
    LOCAL_ARRAY(u32, rows, 2 * CARRY_ROWS);
    LOCAL_ARRAY(u32, sign, BATCH_THREADS);
    const struct resolve s = {over, flags, rows};
    const struct place p = place_of(count, words, spans, each, tiles);
    const u64 i = p.is_there ? p.index : 0;
    struct terms t = {
        x + x_at + i * x_step, y + y_at + i * words, m + (first + i) * m_step, 1, 0, 0, 0};
    u32 times = 0, is_near = 1;
    if (kind == BARRETT_STEP) {
        const struct pair both = {hi + hi_at + i * hi_step, t.x, words, has_hi};
        u32 f = has_product ? product[2 * i * words + words - 1] : 0u;
        u64 estimate = times_of_rest(both, known + (first + i) * known_step, f);
        times = (u32)(estimate >> 32);
        is_near = (u32)estimate >= (u32)-64;
        t.times_y = has_product ? 2 : 0;
    }
    t.flip_y = kind == BARRETT_ADD ? 0u : ~0u;
    t.flip_m = kind == BARRETT_SUB ? 0u : ~0u;
    for (u32 pass = 0; pass < 2; pass++) {
        u32 is_negative = pass && p.is_there ? sign[p.number] : 0u;
        u32 more = kind == BARRETT_SUB ? is_negative : (is_near & (is_negative ^ 1u));
        t.times_m = times + (pass ? more : kind != BARRETT_SUB);
        sum_terms(r + r_at + i * words, pass, t, p, kind == BARRETT_STEP, sign, s);
    }
}

/* ---- operands */

/* Returns 1 if {x, words} < {m, words}. */
FN u32 is_below(GLOBAL const u32 *x, GLOBAL const u32 *m, u32 words) {
    u32 i = words;
    while (i > 1 && x[i - 1] == m[i - 1])
        i--;
    return x[i - 1] < m[i - 1];
}

/* Adds to *found the count of numbers of x that are not below their modulus. */
KERNEL(BATCH_THREADS)
barrett_look(GLOBAL u32 *found, GLOBAL const u32 *x, u64 x_at, u32 x_step, GLOBAL const u32 *m,
             u32 m_step, u64 count, u32 words) {
    const u64 i = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID;
    if (i < count && !is_below(x + x_at + i * x_step, m + i * m_step, words))
        ATOMIC_INCREMENT(found);
}

/* ---- powers */

/* For each exponent, adds 1 to found[k], where k is the exponent's number of bits divided by
 * `unit`, rounded up. */
KERNEL(BATCH_THREADS)
barrett_lengths(GLOBAL u32 *found, GLOBAL const u32 *e, u64 count, u32 words, u32 unit) {
    const u64 i = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID;
    if (i >= count)
        return;
    u32 k = words;
    while (k > 0 && e[i * words + k - 1] == 0)
        k--;
    u64 bits = k ? 32 * (u64)k - LEADING_ZEROS32(e[i * words + k - 1]) : 0u;
    ATOMIC_INCREMENT(found + (bits + unit - 1) / unit);
}

/* Sets numbers of r, from word r_at, to 1 modulo m. */
KERNEL(BATCH_THREADS)
barrett_one(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *known, u32 known_step, u64 first, u64 count,
            u32 words) {
    const u64 at = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID, i = at / words;
    if (i < count) {
        u32 is_one = known[(first + i) * known_step + BARRETT_SHIFT(words)] == 32 * words - 1;
        r[r_at + at] = at == i * words && !is_one;
    }
}

/* Returns bits `at` to at + bits - 1 of {e, words}. */
FN u32 window_of(GLOBAL const u32 *e, u32 words, u64 at, u32 bits) {
    u32 k = (u32)(at / 32), low = k < words ? e[k] : 0u, high = k + 1 < words ? e[k + 1] : 0u;
    return (u32)(((u64)high << 32 | low) >> at % 32) & ((1u << bits) - 1u);
}

/* For each i, copies number i of one of the 2^bits batches in `table` to r, from word r_at. A
 * window of exponent i selects the batch. Reads all batches if the exponent is secret. */
KERNEL(BATCH_THREADS)
barrett_entry(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *table, GLOBAL const u32 *e, u64 e_at,
              u32 e_step, u32 e_words, u64 at, u32 bits, u32 is_secret, u64 count, u32 words) {
    const u64 stride = count * words;
    for (u32 k = 0; k < SPAN; k++) {
        u64 to = ((u64)GROUP_X * SPAN + k) * BATCH_THREADS + LOCAL_ID, i = to / words;
        if (i < count) {
            u32 entry = window_of(e + e_at + i * e_step, e_words, at, bits), x = 0;
            if (is_secret)
                for (u32 j = 0; j < 1u << bits; j++) {
                    u32 differs = j ^ entry, mask = ((differs | (0 - differs)) >> 31) - 1u;
                    x |= mask & table[j * stride + to];
                }
            else
                x = table[entry * stride + to];
            r[r_at + to] = x;
        }
    }
}
