/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Checks gcds, inverses and quotients of batches by residues of the numbers in memory, modulo a
 * random modulus M, and by records of the steps. Each group without an error adds to the verdict
 * (kernels/check/verdict.h). */
#include "kernels/batch/batch_share.h"
#include "kernels/check/verdict.h"
#include "kernels/modular/euclid.h"
#include "kernels/modular/tracking.h"
#include "kernels/modular/euclid_residues.h"

/* A work-item's contribution to the check of a number: sums of residues, and maxima. found_by_all
 * combines the contributions in the number's first work-item, all at once, because PoCL takes long
 * to build each barrier. */
#define CHECK_SUMS 4
#define CHECK_MOST 2
struct found {
    u64 sum[CHECK_SUMS];
    u32 most[CHECK_MOST];
};

FN struct found found_by_all(struct found f, struct share s, u32 items, u64 m, LOCAL u64 *sums) {
    for (u32 step = 1; step < items; step *= 2) {
        for (int k = 0; k < CHECK_SUMS; k++)
            sums[k * BATCH_THREADS + LOCAL_ID] = f.sum[k];
        sums[CHECK_SUMS * BATCH_THREADS + LOCAL_ID] = (u64)f.most[1] << 32 | f.most[0];
        BARRIER();
        if (s.item + step < s.items) {
            u64 most = sums[CHECK_SUMS * BATCH_THREADS + LOCAL_ID + step];
            for (int k = 0; k < CHECK_SUMS; k++)
                f.sum[k] = residue_plus(f.sum[k], sums[k * BATCH_THREADS + LOCAL_ID + step], m);
            f.most[0] = f.most[0] > (u32)most ? f.most[0] : (u32)most;
            f.most[1] = f.most[1] > (u32)(most >> 32) ? f.most[1] : (u32)(most >> 32);
        }
        BARRIER();
    }
    return f;
}

FN struct found nothing_found(void) {
    struct found f;
    for (int k = 0; k < CHECK_SUMS; k++)
        f.sum[k] = 0;
    f.most[0] = f.most[1] = 0;
    return f;
}

/* Returns 2 i + 2 if i is the highest of this work-item's words in which x and y differ, plus 1 if
 * x is less in this word. Returns 0 if there is no difference. */
FN u32 less_at(GLOBAL const u32 *x, GLOBAL const u32 *y, u32 words, struct share s) {
    u32 best = 0;
    for (u32 i = s.item; s.is_there && i < words; i += s.items)
        if (x[i] != y[i])
            best = 2 * i + 2 + (x[i] < y[i]);
    return best;
}

/* Returns a value for the lowest 1 of x | y in this work-item's words. Lower bits have greater
 * values; it is 0 if there is no 1. */
FN u32 lowest_bit(GLOBAL const u32 *x, GLOBAL const u32 *y, u32 words, struct share s) {
    u32 best = 0;
    for (u32 i = s.item; s.is_there && best == 0 && i < words; i += s.items) {
        u32 any = x[i] | y[i];
        if (any)
            best = ~(32 * i + 31 - LEADING_ZEROS32(any & (0u - any)));
    }
    return best;
}

/* Returns 1 if a b = c d modulo M. The four numbers are at most M. */
FN u32 are_equal(u64 a, u64 b, u64 c, u64 d, u64 m, u64 minv) {
    return residue_product(a, b, m, minv) == residue_product(c, d, m, minv);
}

FN u64 negative_if(u32 is_negative, u64 x, u64 m) {
    return is_negative && x != 0 ? m - x : x;
}

/* Returns 1 if f and h, residues modulo M, are multiples of g, the gcd that the division steps
 * have found. `record` has the matrix of the steps. With the lower row (c, d) of this
 * matrix, g d must give f, and -g c must give h. */
FN u32 are_multiples(u64 f, u64 h, u64 g, GLOBAL const u64 *record, GLOBAL const u64 *table) {
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const u64 power = power_of_jumps((u32)record[RECORD_JUMPS], table);
    const u64 c = record[RECORD_MATRIX + 2] % m, d = record[RECORD_MATRIX + 3] % m;
    /* Multiplies g by 2^64, because `power` has this factor. */
    u64 high = residue_product(g, table[RESIDUE_HIGH], m, minv);
    return are_equal(f, power, d, high, m, minv) &&
           are_equal(h, power, negative_if(1, c, m), high, m, minv);
}

/* Returns 1 if the determinant of the steps' matrix is the expected power of 2. */
FN u32 is_unimodular(GLOBAL const u64 *record, GLOBAL const u64 *table) {
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    GLOBAL const u64 *p = record + RECORD_MATRIX;
    u64 first = residue_product(p[0], p[3] % m, m, minv);
    u64 second = residue_product(p[1], p[2] % m, m, minv);
    u64 det = residue_plus(first, negative_if(1, second, m), m);
    /* power_of_jumps returns 2^64 times the expected determinant, but `det` is divided by 2^64. So
     * two products by 1 divide `power` by 2^64 twice. */
    u64 power = power_of_jumps((u32)record[RECORD_JUMPS], table);
    power = residue_product(1, residue_product(1, power, m, minv), m, minv);
    return det == power;
}

/* Checks r = gcd(u, v). r must divide u and v, and have the trailing zeros that u and v have in
 * common. The determinant of the steps' matrix must be a power of 2. Then a linear combination of u
 * / r and v / r is a power of 2, so no greater number divides u and v. */
KERNEL(BATCH_THREADS)
batch_check_gcd(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *r, GLOBAL const u64 *record,
                GLOBAL const u32 *u, GLOBAL const u32 *v, u64 first, u64 count, u32 words,
                u32 items, u32 each, GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, (CHECK_SUMS + 1) * BATCH_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const struct share s = share_of(count, items, each);
    const u64 m = table[RESIDUE_M], at = (first + s.index) * words;
    struct found found = nothing_found();
    found.sum[0] = part_of_residue(u + at, words, s, table);
    found.sum[1] = part_of_residue(v + at, words, s, table);
    found.sum[2] = part_of_residue(r + at, words, s, table);
    found.most[0] = lowest_bit(u + at, v + at, words, s);
    found.most[1] = lowest_bit(r + at, r + at, words, s);
    found = found_by_all(found, s, items, table[RESIDUE_M], sums);
    u64 of_u = plain(found.sum[0], table[RESIDUE_M], table[RESIDUE_MINV]);
    u64 of_v = plain(found.sum[1], table[RESIDUE_M], table[RESIDUE_MINV]);
    u64 of_r = plain(found.sum[2], table[RESIDUE_M], table[RESIDUE_MINV]);
    u32 bit = found.most[0];
    u32 own = found.most[1], bad = 0;
    if (s.is_there && s.item == 0) {
        GLOBAL const u64 *steps = record + s.index * EUCLID_RECORD;
        const u32 flags = (u32)steps[RECORD_FLAGS], swapped = flags & FLAG_SWAPPED;
        of_r = negative_if(flags & FLAG_NEGATIVE, of_r, m);
        bad = bit != own ||
              !are_multiples(swapped ? of_v : of_u, swapped ? of_u : of_v, of_r, steps, table) ||
              !is_unimodular(steps, table);
    }
    verdict_add(verdict, pass, bad, votes);
}

/* Returns 1 if r h + x f = 1, where x follows from the record of the steps. Then r is the inverse
 * of h modulo f. */
FN u32 is_inverse(u64 r, u64 f, u64 h, GLOBAL const u64 *record, GLOBAL const u64 *table) {
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const u32 negative = (u32)record[RECORD_FLAGS] & FLAG_NEGATIVE;
    /* p is the entry of the steps' matrix in the record, k the cofactor there, both modulo m. x is
     * p - h k, or -p - h k if `negative` is set. `sum` becomes (r h + x f) / 2^128 modulo m. */
    u64 p = negative_if(negative, record[RECORD_MATRIX] % m, m), k = record[RECORD_COFACTOR] % m;
    u64 sum = residue_product(residue_product(r, h, m, minv), 1, m, minv);
    sum = residue_plus(sum, residue_product(residue_product(p, f, m, minv), 1, m, minv), m);
    u64 product = residue_product(residue_product(h, k, m, minv), f, m, minv);
    sum = residue_plus(sum, negative_if(1, product, m), m);
    return sum == residue_product(residue_product(1, 1, m, minv), 1, m, minv);
}

/* Checks the results of batch_inverse. If is_odd, every v must be odd: the host then omits
 * batch_inverse_even, which even v would need. */
KERNEL(BATCH_THREADS)
batch_check_inverse(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *r, GLOBAL const u64 *exists,
                    GLOBAL const u32 *g, GLOBAL const u64 *record, GLOBAL const u32 *u,
                    GLOBAL const u32 *v, u64 v_step, u64 r_first, u64 first, u64 count, u32 words,
                    u32 items, u32 each, u32 is_odd, GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, (CHECK_SUMS + 1) * BATCH_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const struct share s = share_of(count, items, each);
    const u64 r_at = (r_first + s.index) * words, at = (first + s.index) * words,
              v_at = (first + s.index) * v_step;
    const u32 known = s.is_there ? (u32)exists[first + s.index] : 1u;
    const u32 v_odd = s.is_there ? v[v_at] & 1u : 1u, u_odd = s.is_there ? u[at] & 1u : 1u;
    struct found found = nothing_found();
    found.sum[0] = part_of_residue(u + at, words, s, table);
    found.sum[1] = part_of_residue(v + v_at, words, s, table);
    found.sum[2] = part_of_residue(known ? r + r_at : g + s.index * words, words, s, table);
    found.most[1] = less_at(r + r_at, v_odd ? v + v_at : u + at, words, s);
    found.most[0] = lowest_bit(r + r_at, r + r_at, words, s);
    found = found_by_all(found, s, items, table[RESIDUE_M], sums);
    u64 of_u = plain(found.sum[0], table[RESIDUE_M], table[RESIDUE_MINV]);
    u64 of_v = plain(found.sum[1], table[RESIDUE_M], table[RESIDUE_MINV]);
    u64 of_r = plain(found.sum[2], table[RESIDUE_M], table[RESIDUE_MINV]);
    u32 any = found.most[0];
    u32 below = found.most[1], bad = 0;
    if (s.is_there && s.item == 0) {
        GLOBAL const u64 *steps = record + s.index * EUCLID_RECORD;
        const u64 m = table[RESIDUE_M], f = v_odd ? of_v : of_u, h = v_odd ? of_u : of_v;
        const u64 signed_r = negative_if((u32)steps[RECORD_FLAGS] & FLAG_NEGATIVE, of_r, m);
        u32 right;
        if (exists[first + s.index] == 1)
            right = (below & 1) && (f == 1 ? any == 0 : is_inverse(of_r, f, h, steps, table));
        else
            right =
                exists[first + s.index] == 0 && any == 0 &&
                ((!v_odd && !u_odd) || (of_r != 1 && are_multiples(f, h, signed_r, steps, table)));
        bad = !right || (is_odd && !v_odd);
    }
    verdict_add(verdict, pass, bad, votes);
}

/* Returns this work-item's part of the check that r < d. sum[0] and sum[1] are parts of the
 * residues of -r and of d, both multiplied by -2^64. most[0] is what less_at returns for r and
 * d. */
FN struct found rest_and_divisor(GLOBAL const u32 *r, GLOBAL const u32 *d, u32 words,
                                 struct share s, GLOBAL const u64 *table) {
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    struct found f = nothing_found();
    for (u32 i = s.item; s.is_there && i * CHECK_SPAN < words; i += s.items) {
        const u32 at = i * CHECK_SPAN, left = words - at, by_four = words % 4 == 0;
        u32 x[CHECK_SPAN], y[CHECK_SPAN];
        load_up(x, r + at, left, by_four);
        load_up(y, d + at, left, by_four);
        UNROLL
        for (u32 k = 0; k < CHECK_SPAN; k++)
            f.most[0] = x[k] != y[k] ? 2 * (at + k) + 2 + (u32)(x[k] < y[k]) : f.most[0];
        const u64 up = table[RESIDUE_UP + i];
        u64 rest = residue_product(residue_span_down(x, m, minv), up, m, minv);
        u64 own = residue_product(residue_span_down(y, m, minv), up, m, minv);
        f.sum[0] = residue_plus(f.sum[0], rest ? m - rest : 0, m);
        f.sum[1] = residue_plus(f.sum[1], own, m);
    }
    return f;
}

/* Checks that n = q d + r and r < d. n and q have n_words words, d and r d_words words. */
KERNEL(BATCH_THREADS)
batch_check_divide(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *q, GLOBAL const u32 *r,
                   GLOBAL const u32 *n, GLOBAL const u32 *d, u64 d_step, u64 first, u64 count,
                   u32 n_words, u32 d_words, u32 items, u32 each, GLOBAL const u32 *table_words,
                   u64 table_at) {
    LOCAL_ARRAY(u64, sums, (CHECK_SUMS + 1) * BATCH_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const struct share s = share_of(count, items, each);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const u64 index = first + s.index;
    const u64 n_at = index * n_words, r_at = index * d_words, d_at = index * d_step;
    struct found found = rest_and_divisor(r + r_at, d + d_at, d_words, s, table);
    found.sum[0] = residue_plus(found.sum[0], part_of_residue(n + n_at, n_words, s, table), m);
    found.sum[2] = part_of_residue(q + n_at, n_words, s, table);
    found = found_by_all(found, s, items, m, sums);
    u32 below = found.most[0];
    /* `product` is 2^64 q d, and the sum found is -2^64 (n - r). If q and r are right, both add up
     * to 0 modulo m. */
    u64 product = residue_product(found.sum[2], found.sum[1], m, minv);
    u32 bad =
        s.is_there && s.item == 0 && (!(below & 1) || residue_plus(product, found.sum[0], m) != 0);
    verdict_add(verdict, pass, bad, votes);
}

/* ---- even moduli */

/* Writes the inverses of u modulo v to r. If v is odd, batch_inverse has computed the inverse,
 * which is copied. If v is even, batch_inverse has computed the inverse s of v modulo u. Then r
 * becomes v - q, where q = v s / u was computed before, or 1 if u is 1.
 *
 * r, u and v have all numbers. `inverse` and q have only this launch's numbers, from number
 * `first`; those of q have q_words words. */
KERNEL(BATCH_THREADS)
batch_inverse_even(GLOBAL u32 *r, GLOBAL const u64 *exists, GLOBAL const u32 *inverse,
                   GLOBAL const u32 *q, u32 q_words, GLOBAL const u32 *u, GLOBAL const u32 *v,
                   u64 v_step, u64 first, u64 count, u32 words) {
    const u64 own = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID, index = first + own;
    if (own >= count)
        return;
    r += index * words, u += index * words, v += index * v_step;
    inverse += own * words, q += own * q_words;
    const u32 is_even = exists[index] && !(v[0] & 1u);
    u32 more = u[0] ^ 1u;
    u64 borrow = 0;
    for (u32 i = 1; i < words; i++)
        more |= u[i];
    for (u32 i = 0; i < words; i++) {
        u64 rest = (u64)v[i] - q[i] - borrow;
        u32 of_even = more ? (u32)rest : i == 0;
        r[i] = is_even ? of_even : inverse[i];
        borrow = rest >> 63;
    }
}

/* Checks the results of batch_inverse_even. If v is even, r must be below v, and r u + v s must be
 * 1 + v u, where s is the inverse of v modulo u. If u is 1, r must be 1 instead. If v is odd, r
 * must equal the number that batch_check_inverse has checked. */
KERNEL(BATCH_THREADS)
batch_check_even(GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *r, GLOBAL const u64 *exists,
                 GLOBAL const u32 *inverse, GLOBAL const u32 *u, GLOBAL const u32 *v, u64 v_step,
                 u64 first, u64 count, u32 words, u32 items, u32 each,
                 GLOBAL const u32 *table_words, u64 table_at) {
    LOCAL_ARRAY(u64, sums, (CHECK_SUMS + 1) * BATCH_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const struct share s = share_of(count, items, each);
    const u64 m = table[RESIDUE_M], minv = table[RESIDUE_MINV];
    const u64 at = (first + s.index) * words, v_at = (first + s.index) * v_step;
    struct found found = nothing_found();
    found.sum[0] = part_of_residue(r + at, words, s, table);
    found.sum[1] = part_of_residue(inverse + s.index * words, words, s, table);
    found.sum[2] = part_of_residue(u + at, words, s, table);
    found.sum[3] = part_of_residue(v + v_at, words, s, table);
    found.most[0] = less_at(r + at, v + v_at, words, s);
    found.most[1] = less_at(r + at, inverse + s.index * words, words, s);
    found = found_by_all(found, s, items, table[RESIDUE_M], sums);
    u64 of_r = plain(found.sum[0], table[RESIDUE_M], table[RESIDUE_MINV]);
    u64 of_s = plain(found.sum[1], table[RESIDUE_M], table[RESIDUE_MINV]);
    u64 of_u = plain(found.sum[2], table[RESIDUE_M], table[RESIDUE_MINV]);
    u64 of_v = plain(found.sum[3], table[RESIDUE_M], table[RESIDUE_MINV]);
    u32 below = found.most[0], differs = found.most[1]; /* `differs` is 0 if r equals `inverse` */
    u32 bad = 0;
    if (s.is_there && s.item == 0) {
        const u32 is_even = exists[first + s.index] && !(v[v_at] & 1u);
        u64 left = residue_plus(residue_product(of_r, of_u, m, minv),
                                residue_product(of_v, of_s, m, minv), m);
        u64 right =
            residue_plus(residue_product(1, 1, m, minv), residue_product(of_v, of_u, m, minv), m);
        bad = is_even ? !(below & 1) || (of_u == 1 ? of_r != 1 : left != right) : differs != 0;
    }
    verdict_add(verdict, pass, bad, votes);
}

/* ---- operations modulo odd numbers (kernels/modular/traced.h) */

/* Returns 2 i + 2 if i is the highest of this work-item's words in which x and y differ, plus 1 if
 * x is less in this word. Returns 0 if there is no difference. */
FN u32 less_from_top(GLOBAL const u32 *x, GLOBAL const u32 *y, u32 words, struct share s,
                     u32 items) {
    u32 best = 0, i = s.item + (words - 1) / items * items;
    for (u32 k = 0; s.is_there && best == 0 && k < words; k += items) {
        if (i < words && x[i] != y[i])
            best = 2 * i + 2 + (x[i] < y[i]);
        i -= items;
    }
    return best;
}

/* Returns to the first work-item of a number the maximum of `best` over its work-items. */
FN u32 most_of_parts(u32 best, struct share s, u32 items, LOCAL u64 *sums) {
    for (u32 step = 1; step < items; step *= 2) {
        sums[LOCAL_ID] = best;
        BARRIER();
        if (s.item + step < s.items)
            best = best > (u32)sums[LOCAL_ID + step] ? best : (u32)sums[LOCAL_ID + step];
        BARRIER();
    }
    return best;
}

/* Checks the numbers x in memory by the residues that every operation has updated (traced.h). The
 * residue of number i must be record[record_at + i] - nonce - 1, times table[scale_at]. If
 * is_below is set, number i must also be less than number i of m. x_step and m_step are the
 * distances between numbers, in words. */
KERNEL(BATCH_THREADS)
batch_check_traced(GLOBAL u32 *verdict, u32 pass, GLOBAL const u64 *record, u64 record_at,
                   u32 scale_at, GLOBAL const u32 *x, u64 x_step, GLOBAL const u32 *m, u64 m_step,
                   u32 is_below, u64 count, u32 words, u32 items, u32 each,
                   GLOBAL const u32 *table_words, u64 table_at, u64 nonce) {
    LOCAL_ARRAY(u64, sums, BATCH_THREADS);
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    GLOBAL const u64 *table = (GLOBAL const u64 *)(table_words + table_at);
    const struct share s = share_of(count, items, each);
    const u64 p = table[RESIDUE_M];
    u64 sum = part_of_residue(x + s.index * x_step, words, s, table);
    u32 best = 1, bad = 0;
    if (is_below)
        best = less_from_top(x + s.index * x_step, m + s.index * m_step, words, s, items);
    sum = sum_of_parts(sum, s, items, p, sums);
    best = most_of_parts(best, s, items, sums);
    if (s.is_there && s.item == 0) {
        u64 left = record[record_at + s.index] - nonce;
        u64 traced = residue_product(left - 1, table[scale_at], p, table[RESIDUE_MINV]);
        bad = left == 0 || left > p || !(best & 1) || residue_plus(traced, sum, p) != 0;
    }
    verdict_add(verdict, pass, bad, votes);
}

/* ---- zeros and even numbers */

/* Adds the count of zeros in v to found[at], and the count of even numbers to found[at + 1]. Each
 * group adds to the verdict to show that it has run. */
KERNEL(BATCH_THREADS)
batch_look(GLOBAL u32 *found, u32 at, GLOBAL u32 *verdict, u32 pass, GLOBAL const u32 *v, u64 count,
           u32 words) {
    LOCAL_ARRAY(u32, votes, VERDICT_THREADS);
    const u64 index = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID;
    GLOBAL const u32 *x = v + index * words;
    const u32 most = index < count ? words : 0u;
    u32 i = 0;
    while (i < most && x[i] == 0)
        i++;
    if (most && i == most)
        ATOMIC_INCREMENT(found + at);
    if (most && !(x[0] & 1u))
        ATOMIC_INCREMENT(found + at + 1);
    verdict_add(verdict, pass, 0, votes);
}

/* Fills r with `count` copies of the number v, of `words` words. */
KERNEL(BATCH_THREADS)
batch_spread(GLOBAL u32 *r, GLOBAL const u32 *v, u64 count, u32 words) {
    const u64 i = (u64)GROUP_X * BATCH_THREADS + LOCAL_ID;
    if (i < count * words)
        r[i] = v[i % words];
}
