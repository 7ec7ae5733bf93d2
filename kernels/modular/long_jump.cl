/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds and inverses of many pairs of long numbers by long jumps (long_jump.h): the kernels that run
 * between products of batches. doc/design/euclid-batches.md has the method.
 *
 * Numbers of the same kind are adjacent, and begin at a multiple of SPAN words. Numbers have n
 * words and entries of matrices w words, which are multiples of LONG_JUMP_WORDS. f, g and their
 * cofactors are in one buffer: all f, then all g, then the cofactors of f and g. */
#include "kernels/batch/batch_share.h"
#include "kernels/modular/euclid.h"
#include "kernels/modular/long_jump.h"
#include "kernels/modular/tracking.h"
#include "kernels/modular/euclid_residues.h"
#include "kernels/modular/terms.h"

/* ---- begin */

/* Returns the number of zero bits below the lowest 1 of {x, words}; ~0 if it is zero. */
FN u32 zeros_below(GLOBAL const u32 *x, u32 words) {
    u32 i = 0;
    while (i < words && x[i] == 0)
        i++;
    return i < words ? 32 * i + 31 - LEADING_ZEROS32(x[i] & (0u - x[i])) : ~0u;
}

/* Begins the steps of each pair u, v of `words` words: chooses which operand becomes f. For gcds,
 * also finds the common zero bits, by which both operands are divided. Sets the signed words above
 * the numbers to 0, and begins the record: no steps so far. A work-item computes one pair. */
KERNEL(BATCH_THREADS)
long_jump_begin(GLOBAL u32 *info, GLOBAL u32 *deltas, GLOBAL u32 *tops, u64 tops_at,
                GLOBAL u64 *record, u64 record_at, GLOBAL const u32 *u, u64 u_at,
                GLOBAL const u32 *v, u64 v_at, u64 v_step, u64 count, u32 words, u32 is_gcd) {
    const u64 i = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID;
    if (i >= count)
        return;
    const u32 of_u = zeros_below(u + u_at + i * words, words),
              of_v = zeros_below(v + v_at + i * v_step, words);
    const u32 swapped = is_gcd ? of_v < of_u : of_v > 0u, least = swapped ? of_v : of_u;
    info[LONG_JUMP_INFO * i] = is_gcd && least != ~0u ? least : 0u;
    info[LONG_JUMP_INFO * i + 1] = is_gcd ? swapped : swapped | (of_u > 0u ? swapped << 1 : 0u);
    deltas[i] = 1;
    for (u32 k = 0; k < 4; k++)
        tops[tops_at + k * count + i] = 0;
    record += record_at + i * EUCLID_RECORD;
    for (u32 k = 0; k < EUCLID_RECORD; k++)
        record[k] = k == RECORD_MATRIX || k == RECORD_MATRIX + 3;
    record[RECORD_FLAGS] = swapped ? FLAG_SWAPPED : 0u;
}

/* Returns word k of {x, words} divided by 2^shift. */
FN u32 word_below(GLOBAL const u32 *x, u32 words, u32 k, u32 shift) {
    const u32 at = k + shift / 32;
    const u32 low = at < words ? x[at] : 0u, high = at + 1 < words ? x[at + 1] : 0u;
    return (u32)(((u64)high << 32 | low) >> shift % 32);
}

/* Stores f and g, of n words each. For a gcd, f is the operand with fewer zero bits at the bottom.
 * For an inverse, f is the modulus if that is odd, otherwise the other operand; if both are even, g
 * is 0. For inverses also stores the modulus, and the cofactors 0 and B^begin, with B = 2^32. */
KERNEL(BATCH_THREADS)
long_jump_load(GLOBAL u32 *x, GLOBAL u32 *modulus, GLOBAL const u32 *info, GLOBAL const u32 *u,
               u64 u_at, GLOBAL const u32 *v, u64 v_at, u64 v_step, u64 count, u32 words, u32 n,
               u32 begin, u32 is_gcd) {
    for (u32 k = 0; k < SPAN; k++) {
        const u64 at = ((u64)GROUP_X * SPAN + k) * BATCH_THREADS + LOCAL_ID, i = at / n;
        if (i >= count)
            return;
        const u32 j = (u32)(at - i * n), shift = info[LONG_JUMP_INFO * i],
                  chosen = info[LONG_JUMP_INFO * i + 1];
        const u32 of_u = word_below(u + u_at + i * words, words, j, shift),
                  of_v = word_below(v + v_at + i * v_step, words, j, shift);
        const u32 is_u = is_gcd ? ~chosen & 1u : chosen & 1u;
        x[at] = is_u ? of_u : of_v;
        x[count * n + at] = chosen & 2u ? 0u : is_u ? of_v : of_u;
        if (!is_gcd) {
            modulus[at] = x[at];
            x[2 * count * n + at] = 0;
            x[3 * count * n + at] = j == begin;
        }
    }
}

/* ---- sums of products */

/* One sum of products: a x + b y, and q times the modulus if `terms` is 3. a, b and q have w words;
 * x, y and the modulus have n words. The products were computed without regard to signs, by blocks
 * of w words of the longer factor. In memory, all products by one block precede those by the next
 * block. */
struct row {
    GLOBAL const u32 *product, *a, *b, *x, *y, *q, *modulus;
    u64 step; /* words from one product's numbers to the next product's */
    u32 w, n, terms, above_x, above_y;
};

/* Adds words of a product, from word `at`, to {sum, SPAN}. The product is number z of the r.terms
 * products that a sum consists of. */
FN u32 add_blocks(u32 *sum, struct row r, u32 z, u32 at, u32 is_there) {
    const u32 j = at / r.w, w = r.w, blocks = r.n / w, is_wanted = z < r.terms;
    const u64 block = r.step * r.terms;
    const struct term low = {r.product + (j < blocks ? j : 0u) * block + z * r.step, j * w,
                             j < blocks ? (j + 1) * w : 0u, is_wanted, 0},
                      high = {r.product + (j > 0 ? j - 1 : 0u) * block + z * r.step + w, j * w,
                              j > 0 && j <= blocks ? (j + 1) * w : 0u, is_wanted, 0};
    const u32 over = add_term(sum, low, at, is_there);
    return over + add_term(sum, high, at, is_there);
}

/* Returns the term that corrects a product of {x, w} and {other, n}, which was computed without
 * signs, if x is negative: minus B^w times {other, n}, with B = 2^32. */
FN struct term sign_term(GLOBAL const u32 *x, GLOBAL const u32 *other, u32 w, u32 n) {
    const struct term t = {other, w, w + n, x[w - 1] >> 31, ~0u};
    return t;
}

/* Returns the term for the signed word `above` that a number has above its n words: `above` times
 * B^n times the factor {x, w}, with B = 2^32. */
FN struct term above_term(GLOBAL const u32 *x, u32 above, u32 w, u32 n) {
    const u32 flip = 0u - (above >> 31);
    const struct term t = {x, n, n + w, (above ^ flip) - flip, flip};
    return t;
}

/* Computes sums of products (struct row), `parts` sums for each number, and stores words `skip` to
 * skip + stored - 1 of each sum. Sum number `part` uses row part / columns of the matrix {a, b},
 * {c, d}, and the x and y of column part % columns. If there is one column, x is f and y is g; if
 * there are two, they are the columns of another matrix. Part k of number i is stored at r_at + (k
 * count + i) r_step. If is_above is set, stores word skip + stored, the sum's excess, in `tops`.
 * `above` says what x and y have above n words (LONG_JUMP_CUT and others). If has_multiple is set,
 * adds q times the modulus. */
KERNEL(BATCH_THREADS)
long_jump_sum(GLOBAL u32 *r, u64 r_at, u32 r_step, u32 skip, u32 stored, GLOBAL u32 *tops,
              u64 tops_at, u32 is_above, GLOBAL const u32 *product, GLOBAL const u32 *matrix,
              u64 matrix_at, GLOBAL const u32 *x, u64 x_at, u32 x_step, GLOBAL const u32 *x_tops,
              u64 x_tops_at, u32 above, GLOBAL const u32 *q, u64 q_at, GLOBAL const u32 *modulus,
              u32 m_step, u32 has_multiple, u64 count, u32 first, u32 parts, u32 columns, u32 w,
              u32 n, u32 spans, u32 each, u32 tiles) {
    MEMORY(m);
    const struct place p = place_of(count * parts, spans, each, tiles);
    const u64 index = p.is_there ? p.index : 0, k = index / count, i = index - k * count;
    const u32 part = first + (u32)k, row = part / columns, column = part - row * columns;
    struct row s;
    s.terms = 2 + has_multiple, s.w = w, s.n = n, s.step = 2 * count * w;
    s.product = product + k * (n / w) * s.terms * s.step + 2 * i * w;
    s.a = matrix + matrix_at + (2 * row * count + i) * w, s.b = s.a + count * w;
    s.x = x + x_at + (column * count + i) * x_step, s.y = s.x + columns * count * x_step;
    s.q = has_multiple ? q + q_at + i * w : s.a,
    s.modulus = has_multiple ? modulus + i * m_step : s.x;
    s.above_x = above == LONG_JUMP_CUT    ? 0u
                : above == LONG_JUMP_TOPS ? x_tops[x_tops_at + i]
                                          : 0u - (s.x[n - 1] >> 31);
    s.above_y = above == LONG_JUMP_CUT    ? 0u
                : above == LONG_JUMP_TOPS ? x_tops[x_tops_at + count + i]
                                          : 0u - (s.y[n - 1] >> 31);
    struct term c = sign_term(s.q, s.modulus, w, n);
    c.times = has_multiple ? c.times : 0u;
    const struct term a = sign_term(s.a, s.x, w, n), b = sign_term(s.b, s.y, w, n),
                      d = above_term(s.a, s.above_x, w, n), e = above_term(s.b, s.above_y, w, n);
    const u32 minus = a.times + b.times + c.times + (d.times & d.flip) + (e.times & e.flip);
    u32 carry = 0;
    for (u32 tile = 0; tile < tiles; tile++) {
        const u32 span = tiles > 1 ? tile * BATCH_THREADS + LOCAL_ID : LOCAL_ID - p.number * spans;
        const u32 is_there = p.is_there && span < spans, at = span * SPAN;
        u32 y[SPAN] = {0}, over = add_blocks(y, s, 0, at, is_there);
        over += add_blocks(y, s, 1, at, is_there);
        over += add_blocks(y, s, 2, at, is_there && has_multiple);
        over += add_term(y, a, at, is_there);
        over += add_term(y, b, at, is_there);
        over += add_term(y, c, at, is_there);
        over += add_term(y, d, at, is_there);
        over += add_term(y, e, at, is_there);
        resolve(y, over, span == 0, minus, &carry, m.s);
        for (u32 j = 0; j < SPAN && is_there; j++)
            if (at + j >= skip && at + j - skip < stored)
                r[r_at + index * r_step + at + j - skip] = y[j];
            else if (at + j == skip + stored && is_above)
                tops[tops_at + index] = y[j];
        if (LOCAL_ID == 0)
            m.s.over[0] = m.s.over[BATCH_THREADS];
        BARRIER();
    }
}

/* Reduces each q modulo B^from, with B = 2^32, to the remainder of least magnitude: fills the words
 * above its lowest `from` words with their sign. q has w words. */
KERNEL(BATCH_THREADS)
long_jump_trim(GLOBAL u32 *q, u64 q_at, u64 count, u32 w, u32 from) {
    const u64 at = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID, i = at / (w - from);
    GLOBAL u32 *own = q + q_at + i * w;
    if (i < count)
        own[from + (u32)(at - i * (w - from))] = 0u - (own[from - 1] >> 31);
}

/* Sets each number's matrix to the identity. */
KERNEL(BATCH_THREADS)
long_jump_identity(GLOBAL u32 *matrix, u64 matrix_at, u64 count, u32 w) {
    const u64 at = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID, i = at / w, entry = i / count;
    if (entry < 4)
        matrix[matrix_at + at] = at == i * w && (entry == 0 || entry == 3);
}

/* ---- inverses of the moduli modulo powers of 2 */

/* Stores word j of y, and word j of -y, for an odd y. */
FN void store_both(GLOBAL u32 *minus, GLOBAL u32 *plus, u32 word, u32 j) {
    plus[j] = word;
    minus[j] = j ? ~word : 0u - word;
}

/* Computes y = 1/m modulo B^LONG_JUMP_WORDS for each modulus m, and -y. Numbers begin at multiples
 * of `step` words. A work-item computes one number. */
KERNEL(BATCH_THREADS)
long_jump_invert(GLOBAL u32 *minus, u64 minus_at, GLOBAL u32 *plus, u64 plus_at,
                 GLOBAL const u32 *modulus, u32 m_step, u64 count, u32 step) {
    const u64 i = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID;
    u32 rest[LONG_JUMP_WORDS];
    if (i >= count)
        return;
    GLOBAL const u32 *m = modulus + i * m_step;
    u32 x = 3u * m[0] ^ 2u; /* right modulo 2^5 */
    x *= 2u - m[0] * x;
    x *= 2u - m[0] * x;
    x *= 2u - m[0] * x;
    for (u32 j = 0; j < LONG_JUMP_WORDS; j++)
        rest[j] = j == 0;
    for (u32 j = 0; j < LONG_JUMP_WORDS; j++) {
        const u32 word = rest[j] * x;
        u64 borrow = 0;
        for (u32 k = j; k < LONG_JUMP_WORDS; k++) {
            borrow += (u64)word * m[k - j];
            const u32 low = (u32)borrow, is_less = rest[k] < low;
            rest[k] -= low;
            borrow = (borrow >> 32) + is_less;
        }
        store_both(minus + minus_at + i * step, plus + plus_at + i * step, word, j);
    }
}

/* Extends y = 1/m and -y from w to 2 w words: `next` has the words of y from word w. */
KERNEL(BATCH_THREADS)
long_jump_extend(GLOBAL u32 *minus, u64 minus_at, GLOBAL u32 *plus, u64 plus_at,
                 GLOBAL const u32 *next, u64 count, u32 w, u32 step) {
    const u64 at = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID, i = at / w;
    if (i < count)
        store_both(minus + minus_at + i * step, plus + plus_at + i * step, next[at],
                   w + (u32)(at - i * w));
}

/* ---- records */

/* Returns the residue of {x, words} in two's complement to the first work-item of a number. */
FN u64 residue_of_signed(GLOBAL const u32 *x, u32 words, struct share s, u32 items,
                         GLOBAL const u64 *table, LOCAL u64 *sums) {
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const u32 flip = s.is_there ? 0u - (x[words - 1] >> 31) : 0u;
    u64 sum = 0;
    for (u32 i = s.item; s.is_there && i * CHECK_SPAN < words; i += s.items) {
        u32 a[CHECK_SPAN];
        load_up(a, x + i * CHECK_SPAN, words - i * CHECK_SPAN, 1);
        UNROLL
        for (u32 k = 0; k < CHECK_SPAN; k++)
            a[k] ^= flip;
        sum = residue_plus(
            sum, residue_product(residue_span_down(a, m, minv), table[RESIDUE_UP + i], m, minv), m);
    }
    const u64 size = plain(sum_of_parts(sum, s, items, m, sums), m, minv);
    /* the negative of x is ~x + 1 */
    return flip ? m - 1 - size : size;
}

/* Updates each record after a long jump of `steps` steps. `has` selects what is applied: the jump's
 * matrix, the multiples q of the modulus, or both (LONG_JUMP_HAS_MATRIX and others). */
KERNEL(BATCH_THREADS)
long_jump_record(GLOBAL u64 *record, u64 record_at, GLOBAL const u32 *matrix, u64 matrix_at,
                 GLOBAL const u32 *q, u64 q_at, u32 has, u64 count, u32 w, u32 steps, u32 items,
                 u32 each, GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, BATCH_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const struct share s = share_of(count, items, each);
    const u64 i = s.is_there ? s.index : 0;
    u64 e[6] = {0};
    for (u32 k = 0; k < 6; k++)
        if (k < 4)
            e[k] = residue_of_signed(matrix + matrix_at + (k * count + i) * w, w, s, items, table,
                                     sums);
        else if (has & LONG_JUMP_HAS_MULTIPLES)
            e[k] =
                residue_of_signed(q + q_at + ((k - 4) * count + i) * w, w, s, items, table, sums);
    if (!s.is_there || s.item)
        return;
    const u64 down =
        residue_product(power_of_steps(steps / 4, table), table[RESIDUE_HIGH], m, minv);
    record += record_at + i * EUCLID_RECORD;
    if (has & LONG_JUMP_HAS_MATRIX) {
        for (u32 k = 0; k < 2; k++) {
            const u64 x = record[RECORD_MATRIX + k], y = record[RECORD_MATRIX + k + 2];
            for (u32 row = 0; row < 2; row++) {
                const u64 sum = residue_plus(residue_product(e[2 * row], x, m, minv),
                                             residue_product(e[2 * row + 1], y, m, minv), m);
                record[RECORD_MATRIX + k + 2 * row] = residue_product(sum, down, m, minv);
            }
        }
        record[RECORD_STEPS] += steps / 4;
    }
    const u64 x = record[RECORD_COFACTOR], y = record[RECORD_OTHER_COFACTOR];
    for (u32 row = 0; row < 2; row++) {
        const u64 sum = residue_plus(residue_product(e[2 * row], x, m, minv),
                                     residue_product(e[2 * row + 1], y, m, minv), m);
        const u64 more = residue_product(e[4 + row], 1, m, minv);
        record[row ? RECORD_OTHER_COFACTOR : RECORD_COFACTOR] =
            residue_product(residue_plus(sum, more, m), down, m, minv);
    }
}

/* ---- ends */

/* Adds to found[found_at] the count of numbers whose g is not 0. Adds to found[found_at + 1 + k]
 * the count of numbers for which the longer of f and g has k LONG_JUMP_WORDS words, rounded up. A
 * work-item looks at one number. */
KERNEL(BATCH_THREADS)
long_jump_look(GLOBAL u32 *found, u64 found_at, GLOBAL const u32 *x, u32 x_step, u64 tops_at,
               u64 count, u32 n) {
    const u64 i = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID;
    if (i >= count)
        return;
    GLOBAL const u32 *f = x + i * x_step, *g = x + (count + i) * x_step;
    const u32 of_f = x[tops_at + i], of_g = x[tops_at + count + i];
    u32 words = n, is_any = of_g;
    while (words > 0 && f[words - 1] == of_f && g[words - 1] == of_g)
        words--;
    for (u32 k = words; k > 0 && !is_any; k--)
        is_any = g[k - 1];
    found += found_at;
    if (is_any)
        ATOMIC_INCREMENT(found);
    ATOMIC_INCREMENT(found + 1 + (words + LONG_JUMP_WORDS - 1) / LONG_JUMP_WORDS);
}

/* Returns word k of |f|, for an f that is odd or not negative. `above`, 0 or ~0, is the word above
 * {f, n}: the sign of f. */
FN u32 magnitude_word(GLOBAL const u32 *f, u32 n, u32 k, u32 above) {
    const u32 word = k < n ? f[k] : above;
    return k ? word ^ above : (word ^ above) - above;
}

/* Stores r = |f| times 2^shift, of `words` words; `info` has the shift. Records the sign of f. */
KERNEL(BATCH_THREADS)
long_jump_store(GLOBAL u32 *r, u64 r_at, GLOBAL u64 *record, u64 record_at, GLOBAL const u32 *x,
                u32 x_step, u64 tops_at, GLOBAL const u32 *info, u64 count, u32 words, u32 n) {
    for (u32 k = 0; k < SPAN; k++) {
        const u64 at = ((u64)GROUP_X * SPAN + k) * BATCH_THREADS + LOCAL_ID, i = at / words;
        if (i >= count)
            return;
        GLOBAL const u32 *f = x + i * x_step;
        const u32 above = x[tops_at + i], shift = info[LONG_JUMP_INFO * i],
                  j = (u32)(at - i * words);
        const u32 from = j - shift / 32;
        const u32 high = j >= shift / 32 ? magnitude_word(f, n, from, above) : 0u,
                  low = j > shift / 32 ? magnitude_word(f, n, from - 1, above) : 0u;
        r[r_at + at] = (u32)(((u64)high << 32 | low) >> (32 - shift % 32));
        if (j == 0 && above)
            record[record_at + i * EUCLID_RECORD + RECORD_FLAGS] |= FLAG_NEGATIVE;
    }
}

/* Ends each record, and finds the inverses that exist: |f| must be 1, and the operands must not
 * both be even. f has n words. The signs of f begin at tops_at in x, the signs of its cofactors at
 * tops_at + 2 count in `cofactors`. Replaces word 0 of `info` by 1 if there is an inverse other
 * than 0, plus 2 if f is negative. A work-item computes one number. */
KERNEL(BATCH_THREADS)
long_jump_end(GLOBAL u64 *exists, u64 first, GLOBAL u64 *record, u64 record_at, GLOBAL u32 *info,
              GLOBAL const u32 *x, u32 x_step, u64 tops_at, GLOBAL const u32 *cofactors,
              GLOBAL const u32 *modulus, u32 m_words, u64 count, u32 n,
              GLOBAL const u32 *table_words, u64 table_at) {
    const u64 i = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID;
    const u64 m = ((GLOBAL const u64 *)(table_words + table_at))[RESIDUE_M];
    if (i >= count)
        return;
    GLOBAL const u32 *f = x + i * x_step, *of_modulus = modulus + i * m_words;
    const u32 above = x[tops_at + i], negative = above >> 31;
    u32 is_one = magnitude_word(f, n, 0, above) == 1 && !(info[LONG_JUMP_INFO * i + 1] & 2u);
    for (u32 k = 1; k < n && is_one; k++)
        is_one = f[k] == above;
    u32 is_of_one = of_modulus[0] == 1;
    for (u32 k = 1; k < m_words && is_of_one; k++)
        is_of_one = of_modulus[k] == 0;
    const u32 below_zero = negative ^ (cofactors[tops_at + 2 * count + i] >> 31);
    info[LONG_JUMP_INFO * i] = (is_one && !is_of_one) | negative << 1;
    exists[first + i] = is_one;
    record += record_at + i * EUCLID_RECORD;
    u64 k = record[RECORD_COFACTOR];
    k = negative && k ? m - k : k;
    record[RECORD_COFACTOR] = residue_plus(k, below_zero, m);
    record[RECORD_FLAGS] |= is_one ? FLAG_EXISTS : 0u;
}

/* Stores the inverses, of `words` words each. An inverse is the cofactor of f, negated if f is
 * negative, plus the modulus if the result is below 0. It is 0 if `info` says that there is none.
 * Cofactors and moduli have n words; their signs are at tops_at. */
KERNEL(BATCH_THREADS)
long_jump_inverse(GLOBAL u32 *r, u64 r_at, GLOBAL const u32 *x, u64 x_at, u64 tops_at,
                  GLOBAL const u32 *modulus, GLOBAL const u32 *info, u64 count, u32 words, u32 n,
                  u32 each, u32 tiles) {
    MEMORY(m);
    const struct place p = place_of(count, n / SPAN, each, tiles);
    const u64 i = p.is_there ? p.index : 0;
    const u32 is_kept = info[LONG_JUMP_INFO * i] & 1u, flip = 0u - (info[LONG_JUMP_INFO * i] >> 1);
    const u32 is_below = (flip ^ x[tops_at + i]) >> 31;
    const struct term d = {x + x_at + i * n, 0, n, is_kept, flip},
                      e = {modulus + i * n, 0, n, is_kept & is_below, 0};
    u32 carry = 0;
    for (u32 tile = 0; tile < tiles; tile++) {
        const u32 span =
            tiles > 1 ? tile * BATCH_THREADS + LOCAL_ID : LOCAL_ID - p.number * p.spans;
        const u32 is_there = p.is_there && span < p.spans, at = span * SPAN;
        u32 y[SPAN] = {0}, over = add_term(y, d, at, is_there);
        over += add_term(y, e, at, is_there);
        resolve(y, over, span == 0, is_kept & flip, &carry, m.s);
        for (u32 j = 0; j < SPAN && is_there; j++)
            if (at + j < words)
                r[r_at + i * words + at + j] = y[j];
        if (LOCAL_ID == 0)
            m.s.over[0] = m.s.over[BATCH_THREADS];
        BARRIER();
    }
}
