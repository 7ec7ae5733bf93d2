/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks Barrett's reduction by residues of the numbers in memory, modulo a random modulus p. The
 * residue of a number x is -2^64 x modulo p (kernels/batch/batch_share.h). */
#include "kernels/modular/barrett.h"

#include "kernels/batch/batch_share.h"
#include "kernels/check/verdict.h"
#include "kernels/modular/barrett_shift.h"

/* What a work-item contributes to the check of a number: sums of residues, and a maximum.
 * found_by_all combines the contributions in the number's first work-item. */
struct found {
    u64 sum[2];
    u32 most;
};

FN struct found found_by_all(struct found f, struct share s, u32 items, u64 p, LOCAL u64 *sums,
                             LOCAL u32 *most) {
    for (u32 step = 1; step < items; step *= 2) {
        sums[LOCAL_ID] = f.sum[0];
        sums[BATCH_THREADS + LOCAL_ID] = f.sum[1];
        most[LOCAL_ID] = f.most;
        BARRIER();
        if (s.item + step < s.items) {
            f.sum[0] = residue_plus(f.sum[0], sums[LOCAL_ID + step], p);
            f.sum[1] = residue_plus(f.sum[1], sums[BATCH_THREADS + LOCAL_ID + step], p);
            f.most = f.most > most[LOCAL_ID + step] ? f.most : most[LOCAL_ID + step];
        }
        BARRIER();
    }
    return f;
}

/* Returns 2 i + 2 if i is the highest of this work-item's words in which r and m differ, plus 1 if
 * r is less there; 0 if none differs. Stops at the first difference unless reads_all. */
FN u32 highest_difference(GLOBAL const u32 *r, GLOBAL const u32 *m, u32 words, u32 reads_all,
                          struct share s) {
    u32 best = 0;
    for (u32 k = s.item; s.is_there && (reads_all || best == 0) && k < words; k += s.items) {
        u32 i = words - 1 - k, here = r[i] != m[i] ? 2 * i + 2 + (r[i] < m[i]) : 0u;
        best = best > here ? best : here;
    }
    return best;
}

FN u64 negative(u64 x, u64 p) {
    return x == 0 ? 0 : p - x;
}

/* Returns 2^(32 words) times 2^64 modulo the check's random modulus p. */
FN u64 power_of_base(u32 words, GLOBAL const u64 *table) {
    const u64 p = table[RESIDUE_M], pinv = table[RESIDUE_MINV];
    u64 power = table[RESIDUE_ONE], square = table[RESIDUE_HIGH];
    for (u32 k = words / 2; k > 0; k /= 2) {
        power = k & 1 ? residue_product(power, square, p, pinv) : power;
        square = residue_product(square, square, p, pinv);
    }
    return power;
}

/* Returns 2^64 x modulo the check's random modulus p, for the number x that was reduced. a and b
 * are the residues of the parts of x. `of` is the kind of x, which says how x consists of these
 * parts (barrett.h). */
FN u64 reduced_number(u32 of, u64 a, u64 b, u32 words, GLOBAL const u64 *table) {
    const u64 p = table[RESIDUE_M], pinv = table[RESIDUE_MINV];
    u64 sum = of == BARRETT_OF_SUM          ? residue_plus(a, b, p)
              : of == BARRETT_OF_DIFFERENCE ? residue_plus(a, negative(b, p), p)
                                            : a;
    if (of == BARRETT_OF_UNIT)
        return table[RESIDUE_ONE];
    if (of == BARRETT_OF_PRODUCT)
        return residue_product(a, b, p, pinv);
    if (of == BARRETT_OF_PAIR)
        sum = residue_plus(residue_product(a, power_of_base(words, table), p, pinv), b, p);
    return negative(sum, p);
}

/* Sets residues[to + i] to the residue of number i of x. */
KERNEL(BATCH_THREADS)
barrett_residue(GLOBAL u64 *residues, u64 to, GLOBAL const u32 *x, u64 x_at, u32 x_step, u64 count,
                u32 words, u32 items, u32 each, GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, BATCH_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const struct share s = share_of(count, items, each);
    u64 sum = part_of_residue(x + x_at + s.index * x_step, words, s, table);
    sum = sum_of_parts(sum, s, items, table[RESIDUE_M], sums);
    if (s.is_there && s.item == 0)
        residues[to + s.index] = sum;
}

/* Checks that each number of r, from word r_at, is the remainder of a number x modulo m: r < m,
 * and x = 2 q m + c m + r with 0 <= c <= BARRETT_MOST_TIMES. Stores the residue of r in
 * residues[to + i], for number i. Other residues are given:
 * - residues[a + i] and residues[b + i] determine that of x (barrett.h)
 * - residues[of_m + i m_one] is that of m
 *
 * q begins at word q_at, with q_step words for each number. If q_step is 0, there is no q. */
KERNEL(BATCH_THREADS)
barrett_check(GLOBAL u32 *verdict, u32 pass, GLOBAL u64 *residues, u64 to, u32 of, u64 a, u64 b,
              u64 of_m, u32 m_one, GLOBAL const u32 *q, u64 q_at, u32 q_step, GLOBAL const u32 *m,
              u32 m_step, u64 first, GLOBAL const u32 *r, u64 r_at, u64 count, u32 words,
              u32 reads_all, u32 items, u32 each, GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, 2 * BATCH_THREADS);
    LOCAL_ARRAY(u32, most, BATCH_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const struct share s = share_of(count, items, each);
    const u64 p = table[RESIDUE_M], pinv = table[RESIDUE_MINV];
    GLOBAL const u32 *rest = r + r_at + s.index * words;
    struct found f = {{0, 0}, 0};
    f.sum[0] = part_of_residue(rest, words, s, table);
    if (q_step)
        f.sum[1] = part_of_residue(q + q_at + s.index * q_step, words, s, table);
    f.most = highest_difference(rest, m + (first + s.index) * m_step, words, reads_all, s);
    f = found_by_all(f, s, items, p, sums, most);
    u32 bad = 0;
    if (s.is_there && s.item == 0) {
        const u64 modulus = residues[of_m + s.index * m_one];
        u64 product = negative(residue_product(f.sum[1], modulus, p, pinv), p);
        /* A difference x = a - b may be negative. So the check of a difference uses r - x in place
         * of x - r: r - x is c m for some c >= 0. */
        u64 sign = of == BARRETT_OF_DIFFERENCE;
        u64 of_a = of == BARRETT_OF_UNIT ? 0 : residues[a + s.index];
        u64 of_b = of == BARRETT_OF_UNIT ? 0 : residues[b + s.index];
        u64 x = reduced_number(of, of_a, of_b, words, table);
        u64 left =
            residue_plus(sign ? negative(x, p) : x, sign ? negative(f.sum[0], p) : f.sum[0], p);
        u32 is_right = 0;
        left = residue_plus(left, residue_plus(product, product, p), p);
        for (u32 c = 0; c <= BARRETT_MOST_TIMES; c++) {
            is_right |= left == 0;
            left = residue_plus(left, modulus, p);
        }
        bad = !is_right || !(f.most & 1);
        residues[to + s.index] = f.sum[0];
    }
    verdict_add(verdict, pass, bad, votes);
}

/* Checks that all exponents are below 2^bits. */
KERNEL(BATCH_THREADS)
barrett_check_lengths(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *e, u64 count, u32 words,
                      u64 bits) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    const u64 i = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID;
    u32 any = 0;
    for (u64 k = bits / 32; i < count && k < words; k++)
        any |= k == bits / 32 ? e[i * words + k] >> bits % 32 : e[i * words + k];
    verdict_add(verdict, pass, any, votes);
}

/* ---- moduli */

/* The results of barrett_normalize and barrett_know. */
struct known_moduli {
    GLOBAL const u32 *kinds, *high, *dividend, *known, *quotient, *rest;
};

/* Checks a part of the constants of modulus i: returns 1 if its kind, its shift and the error of
 * its reciprocal are right. is_known_word checks the words of the reciprocal. */
FN u32 is_known(struct known_moduli f, u64 i, const struct shifted_modulus *s, u32 words) {
    GLOBAL const u32 *known = f.known + i * BARRETT_KNOWN_WORDS(words);
    u32 top = words - 1, high = shifted_modulus_word(s, top), is_right;
    is_right = f.kinds[2 * i] == s->kind && f.kinds[2 * i + 1] == s->shift;
    is_right &= known[BARRETT_SHIFT(words)] == s->shift;
    is_right &= known[BARRETT_REST(words)] == barrett_fraction(f.rest[i * words + top], high);
    for (u32 k = words + 2; k < BARRETT_KNOWN_WORDS(words); k++)
        is_right &= known[k] == 0;
    return is_right;
}

FN u32 is_known_word(struct known_moduli f, u64 i, const struct shifted_modulus *s, u32 words,
                     u32 k) {
    GLOBAL const u32 *dividend = f.dividend + 2 * i * words, *quotient = f.quotient + 2 * i * words;
    u32 top = k == words - 1 ? ~0u >> 1 : ~0u;
    return f.high[i * words + k] == shifted_modulus_word(s, k) && dividend[2 * k] == ~0u &&
           dividend[2 * k + 1] == top && quotient[words + k] == 0 &&
           f.known[i * BARRETT_KNOWN_WORDS(words) + k] == quotient[k];
}

/* Checks the constants of moduli; each work-item checks SPAN words of them. Another launch checks
 * the quotient and its remainder. */
KERNEL(BATCH_THREADS)
barrett_check_known(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *kinds, GLOBAL const u32 *high,
                    GLOBAL const u32 *dividend, GLOBAL const u32 *known, GLOBAL const u32 *quotient,
                    GLOBAL const u32 *rest, GLOBAL const u32 *m, u64 count, u32 words, u32 spans) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    const u64 own = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID, i = own / spans;
    const u32 span = (u32)(own - i * spans);
    const struct known_moduli f = {kinds, high, dividend, known, quotient, rest};
    u32 is_right = 1;
    if (i < count) {
        const struct shifted_modulus s = shifted_modulus_of(m + i * words, words);
        for (u32 k = span * BATCH_SPAN; k < (span + 1) * BATCH_SPAN && k < words; k++)
            is_right &= is_known_word(f, i, &s, words, k);
        is_right &= span != 0 || is_known(f, i, &s, words);
    }
    verdict_add(verdict, pass, !is_right, votes);
}
