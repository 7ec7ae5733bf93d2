/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Takes Lehmer's steps of Euclid's algorithm by AVX-512 IFMA instructions. The steps follow from
 * the highest 128 bits of the two numbers x and y. They form a matrix k, whose entries are below
 * 2^51. x, y and the entries are arrays of digits of 52 bits, padded with zeros to a multiple of
 * eight digits.
 *
 * Reduction: (x, y) becomes k^-1 (x, y), in four steps.
 *
 * - A digit of the result is first a sum S = (a - b) + (c - d), with |S| <= 2^53 - 2. a and b are
 *   low halves of products of digits. c and d are high halves of the products one place below.
 * - S + 2^53 - 2, which is from 0 to 2^54 - 4, replaces S. The value of the number remains the
 *   same: 2^53 in a digit and -2 in the digit above cancel.
 * - The bits of a digit from bit 52 on, at most 3, are added to the digit above. That digit is then
 *   at most 2^52 + 2, so all remaining carries are 0 or 1.
 * - One addition of two 8-bit masks resolves the carries of eight digits. One mask marks the digits
 *   that send a carry, the other mask the digits that would pass on a carry.
 *
 * The carry out of the highest digit is dropped, since the result is not negative and fits into the
 * digits.
 *
 * Products of matrices: a digit of (x, y) k is the sum of two low and two high halves, below
 * 2^54. */
#include "lib/algorithms/euclid/digit_steps.h"

#include <string.h>

#include "lib/algorithms/euclid/quotients.h"
#include "lib/gmp/normalize.h"
#include "lib/process/ifma.h"

#ifdef HAVE_IFMA_CODE

/* LEAST: numbers of fewer limbs are not converted to digits, because the conversion costs more than
 * it saves. LEAST_BITS: quotients_steps leaves both numbers above 2^t; with t >= LEAST_BITS, the
 * entries of its matrix are below 2^51. */
enum { BITS = 52, LANES = 8, LEAST = 12, LEAST_BITS = QUOTIENTS_BITS - BITS + 1 };

/* How many digits an array has room for: those of LEHMER_LIMBS limbs, a vector for a carry, and a
 * vector that may be read behind them. */
enum { ROOM = (LEHMER_LIMBS * GMP_NUMB_BITS + BITS - 1) / BITS / LANES * LANES + 3 * LANES };

static const mp_limb_t mask = ((mp_limb_t)1 << BITS) - 1;

struct numbers {
    mp_limb_t x[2][ROOM], e[2][2][ROOM];
    size_t n, en; /* number of digits of the longer x[i], of the longest e[i][j] */
};

static size_t digits_of(size_t limbs) {
    return (limbs * GMP_NUMB_BITS + BITS - 1) / BITS;
}

static size_t vectors_of(size_t digits) {
    return (digits + LANES - 1) / LANES;
}

/* Splits {xp, n} into the 52-bit digits d, and sets the digits above them to 0. */
static void split(mp_limb_t *d, mp_srcptr xp, size_t n) {
    const size_t digits = digits_of(n);
    for (size_t i = 0; i < digits; i++) {
        const size_t at = i * BITS, limb = at / GMP_NUMB_BITS;
        const unsigned shift = at % GMP_NUMB_BITS;
        mp_limb_t x = xp[limb] >> shift;
        if (shift > GMP_NUMB_BITS - BITS && limb + 1 < n)
            x |= xp[limb + 1] << (GMP_NUMB_BITS - shift);
        d[i] = x & mask;
    }
    memset(d + digits, 0, (vectors_of(digits + 1) * LANES + LANES - digits) * sizeof *d);
}

/* Joins the 52-bit digits d to the limbs {xp, n}. The digits above limb n - 1 must be 0. */
static void join(mp_ptr xp, size_t n, const mp_limb_t *d) {
    quotients_pair sum = 0;
    unsigned at = 0;
    for (size_t i = 0; i < n; d++) {
        sum |= (quotients_pair)*d << at;
        at += BITS;
        if (at >= GMP_NUMB_BITS) {
            xp[i++] = (mp_limb_t)sum;
            sum >>= GMP_NUMB_BITS;
            at -= GMP_NUMB_BITS;
        }
    }
}

/* What a vector of eight digits passes to the vector above: the bits of its sums above bit 51, and
 * the carry of 0 or 1 out of its highest digit. */
struct carries {
    __m512i high;
    unsigned bit;
};

/* Returns the 52-bit digits of eight sums below 2^54. Adds the carries *c of the vector below, and
 * sets *c to the carries of this vector. */
IFMA_CODE static inline __m512i resolve(__m512i sums, struct carries *c) {
    const __m512i all = _mm512_set1_epi64((long long)mask), one = _mm512_set1_epi64(1);
    const __m512i high = _mm512_srli_epi64(sums, BITS);
    __m512i d = _mm512_add_epi64(_mm512_and_si512(sums, all),
                                 _mm512_alignr_epi64(high, c->high, LANES - 1));
    const unsigned sends = _mm512_cmpgt_epu64_mask(d, all),
                   passes = _mm512_cmpeq_epu64_mask(d, all);
    const unsigned sum = passes + (sends << 1 | c->bit);
    c->high = high;
    c->bit = sum >> LANES;
    d = _mm512_mask_add_epi64(d, (__mmask8)(sum ^ passes), d, one);
    return _mm512_and_si512(d, all);
}

/* What one result of a matrix product passes from a vector of digits to the vector above: the high
 * halves of the products of digits, and the carries. */
struct row {
    __m512i high;
    struct carries c;
};

IFMA_CODE static inline __m512i put(struct row *r, __m512i low, __m512i high, __m512i offset) {
    __m512i sums = _mm512_add_epi64(low, _mm512_alignr_epi64(high, r->high, LANES - 1));
    r->high = high;
    return resolve(_mm512_add_epi64(sums, offset), &r->c);
}

IFMA_CODE static inline __m512i low_of(__m512i a, __m512i b) {
    return _mm512_madd52lo_epu64(_mm512_setzero_si512(), a, b);
}

IFMA_CODE static inline __m512i high_of(__m512i a, __m512i b) {
    return _mm512_madd52hi_epu64(_mm512_setzero_si512(), a, b);
}

IFMA_CODE static struct row no_row(void) {
    const __m512i zero = _mm512_setzero_si512();
    return (struct row){zero, {zero, 0}};
}

/* Multiplies the vector (x, y) by the inverse of the matrix k. The results must not be negative. */
IFMA_CODE static void reduce(mp_limb_t *xp, mp_limb_t *yp, size_t vectors,
                             const struct quotients_matrix *k) {
    const __m512i k00 = _mm512_set1_epi64((long long)k->e[0][0]),
                  k01 = _mm512_set1_epi64((long long)k->e[0][1]),
                  k10 = _mm512_set1_epi64((long long)k->e[1][0]),
                  k11 = _mm512_set1_epi64((long long)k->e[1][1]);
    const __m512i usual = _mm512_set1_epi64((2LL << BITS) - 2);
    __m512i offset = _mm512_mask_set1_epi64(usual, 1, 2LL << BITS); /* nothing is subtracted from
                                                                     * digit 0, since no digit is
                                                                     * below it */
    struct row s = no_row(), t = no_row();
    for (size_t i = 0; i < LANES * vectors; i += LANES, offset = usual) {
        const __m512i x = _mm512_loadu_si512(xp + i), y = _mm512_loadu_si512(yp + i);
        _mm512_storeu_si512(xp + i,
                            put(&s, _mm512_sub_epi64(low_of(k11, x), low_of(k01, y)),
                                _mm512_sub_epi64(high_of(k11, x), high_of(k01, y)), offset));
        _mm512_storeu_si512(yp + i,
                            put(&t, _mm512_sub_epi64(low_of(k00, y), low_of(k10, x)),
                                _mm512_sub_epi64(high_of(k00, y), high_of(k10, x)), offset));
    }
}

/* Multiplies the row vector (x, y) by the matrix k. */
IFMA_CODE static void multiply(mp_limb_t *xp, mp_limb_t *yp, size_t vectors,
                               const struct quotients_matrix *k) {
    const __m512i k00 = _mm512_set1_epi64((long long)k->e[0][0]),
                  k01 = _mm512_set1_epi64((long long)k->e[0][1]),
                  k10 = _mm512_set1_epi64((long long)k->e[1][0]),
                  k11 = _mm512_set1_epi64((long long)k->e[1][1]), none = _mm512_setzero_si512();
    struct row s = no_row(), t = no_row();
    for (size_t i = 0; i < LANES * vectors; i += LANES) {
        const __m512i x = _mm512_loadu_si512(xp + i), y = _mm512_loadu_si512(yp + i);
        _mm512_storeu_si512(xp + i, put(&s, _mm512_madd52lo_epu64(low_of(k00, x), k10, y),
                                        _mm512_madd52hi_epu64(high_of(k00, x), k10, y), none));
        _mm512_storeu_si512(yp + i, put(&t, _mm512_madd52lo_epu64(low_of(k01, x), k11, y),
                                        _mm512_madd52hi_epu64(high_of(k01, x), k11, y), none));
    }
}

/* Returns floor(x / 2^p), which is below 2^128, for the number x of digits d. */
static quotients_pair top_of(const mp_limb_t *d, size_t p) {
    const unsigned shift = p % BITS;
    d += p / BITS;
    quotients_pair x = (quotients_pair)d[0] >> shift | (quotients_pair)d[1] << (BITS - shift) |
                       (quotients_pair)d[2] << (2 * BITS - shift);
    return shift > 3 * BITS - QUOTIENTS_BITS ? x | (quotients_pair)d[3] << (3 * BITS - shift) : x;
}

/* Multiplies the matrix of k by q. The matrix's entries may become one digit longer. Sets the
 * digits above the entries to 0. */
static void multiply_matrix(struct numbers *k, const struct quotients_matrix *q) {
    const size_t n = k->en, vectors = vectors_of(n + 1);
    for (int i = 0; i < 2; i++)
        multiply(k->e[i][0], k->e[i][1], vectors, q);
    k->en += (k->e[0][0][n] | k->e[0][1][n] | k->e[1][0][n] | k->e[1][1][n]) != 0;
    for (int i = 0; i < 4 && k->en % LANES == 0; i++)
        memset(k->e[i / 2][i % 2] + k->en, 0, LANES * sizeof(mp_limb_t));
}

/* Takes the steps of Euclid's algorithm that the highest 128 bits of the numbers determine.
 * Returns false if they determine no step. */
static bool few_steps(struct numbers *k, size_t least, struct symbol *symbol) {
    struct quotients_matrix q;
    const size_t n = k->n * BITS + GMP_NUMB_BITS - BITS -
                     (size_t)__builtin_clzl(k->x[0][k->n - 1] | k->x[1][k->n - 1]);
    const size_t p = n > QUOTIENTS_BITS ? n - QUOTIENTS_BITS : 0;
    const size_t t = least + 1 > p + LEAST_BITS ? least + 1 - p : LEAST_BITS;
    if (t >= QUOTIENTS_BITS ||
        !quotients_steps(&q, top_of(k->x[0], p), top_of(k->x[1], p), (unsigned)t, symbol))
        return false;
    reduce(k->x[0], k->x[1], vectors_of(k->n), &q);
    while (k->n > 0 && (k->x[0][k->n - 1] | k->x[1][k->n - 1]) == 0)
        k->n--;
    multiply_matrix(k, &q);
    return true;
}

static void set_matrix(struct lehmer_matrix *m, const struct numbers *k) {
    m->n = (k->en * BITS + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS;
    for (int i = 0; i < 4; i++)
        join(m->e[i / 2][i % 2], m->n, k->e[i / 2][i % 2]);
    while (m->n > 1 && (m->e[0][0][m->n - 1] | m->e[0][1][m->n - 1] | m->e[1][0][m->n - 1] |
                        m->e[1][1][m->n - 1]) == 0)
        m->n--;
}

static size_t steps(mp_ptr *x, size_t n, size_t t, struct lehmer_matrix *m) {
    struct numbers k;
    k.n = digits_of(n);
    k.en = 1;
    for (int i = 0; i < 2; i++)
        split(k.x[i], x[i], n);
    for (int i = 0; i < 4; i++)
        split(k.e[i / 2][i % 2], m->e[i / 2][i % 2], 1);
    while (k.n > 0 && (k.x[0][k.n - 1] | k.x[1][k.n - 1]) == 0)
        k.n--;
    while (few_steps(&k, t, m->symbol))
        ;
    for (int i = 0; i < 2; i++)
        join(x[i], n, k.x[i]);
    while (n > 0 && (x[0][n - 1] | x[1][n - 1]) == 0)
        n--;
    set_matrix(m, &k);
    return n;
}

#else

enum { LEAST = LEHMER_LIMBS + 1 };

static size_t steps(mp_ptr *x, size_t n, size_t t, struct lehmer_matrix *m) {
    (void)x, (void)t, (void)m;
    return n;
}

#endif

size_t digit_steps(mp_ptr *x, size_t n, size_t t, struct lehmer_matrix *m) {
    return n < LEAST || !ifma_is_usable() ? n : steps(x, n, t, m);
}
