/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Euclid's algorithm by Lehmer's method, in place: nothing is allocated. Steps are found with the
 * highest 128 bits of the numbers a and b, and then applied to a and b. The following bounds show
 * that no intermediate value overflows.
 *
 * Let x = floor(a / 2^p) and y = floor(b / 2^p) be below 2^128. Steps change x and y to x', y' >
 * 2^t. Let k be the matrix of these steps: (x, y) = k (x', y'). Then the entries of k are less
 * than 2^(128-t). The same steps change a and b to k^-1 (a, b). These results differ from 2^p x'
 * and 2^p y' by less than 2^(p+128-t).
 *
 * Let t >= 65. Then the results are more than 2^(p+t) (1 - 1/4), and the entries of k are less
 * than 2^63. The difference of two products of an entry and a limb is less than 2^127. Their sum
 * is less than 2^128 - 2^64.
 *
 * Let m be the matrix of all steps, the product of the matrices k. Let all results exceed 2^s,
 * and let the numbers have n limbs before the first step. Then the entries of m are below 2^(64 n
 * - s), so they have at most n - floor(s / 64) limbs. */
#include "lib/algorithms/lehmer.h"

#include "lib/algorithms/composite.h"
#include "lib/algorithms/euclid/digit_steps.h"
#include "lib/algorithms/euclid/quotients.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

__extension__ typedef __int128 signed_pair;

struct leaf {
    mp_ptr x[2];             /* the two numbers */
    struct lehmer_matrix *m; /* the matrix of the steps so far */
    size_t n;                /* limbs of the longer number */
    size_t t;
};

/* Multiplies the column vector of the numbers {xp, n} and {yp, n} by the inverse of the matrix k.
 * The results must not be negative. */
static void reduce_limbs(mp_ptr xp, mp_ptr yp, size_t n, const struct quotients_matrix *k) {
    const mp_limb_t k00 = k->e[0][0], k01 = k->e[0][1], k10 = k->e[1][0], k11 = k->e[1][1];
    signed_pair s = 0, t = 0;
    for (size_t i = 0; i < n; i++) {
        mp_limb_t x = xp[i], y = yp[i];
        s += (signed_pair)((quotients_pair)k11 * x - (quotients_pair)k01 * y);
        t += (signed_pair)((quotients_pair)k00 * y - (quotients_pair)k10 * x);
        xp[i] = (mp_limb_t)s;
        yp[i] = (mp_limb_t)t;
        s >>= GMP_NUMB_BITS;
        t >>= GMP_NUMB_BITS;
    }
}

/* Multiplies the row vector of the numbers {xp, n} and {yp, n} by the matrix k. The results may be
 * one limb longer. */
static void multiply_limbs(mp_ptr xp, mp_ptr yp, size_t n, const struct quotients_matrix *k) {
    const mp_limb_t k00 = k->e[0][0], k01 = k->e[0][1], k10 = k->e[1][0], k11 = k->e[1][1];
    quotients_pair s = 0, t = 0;
    for (size_t i = 0; i < n; i++) {
        mp_limb_t x = xp[i], y = yp[i];
        s += (quotients_pair)k00 * x + (quotients_pair)k10 * y;
        t += (quotients_pair)k01 * x + (quotients_pair)k11 * y;
        xp[i] = (mp_limb_t)s;
        yp[i] = (mp_limb_t)t;
        s >>= GMP_NUMB_BITS;
        t >>= GMP_NUMB_BITS;
    }
    xp[n] = (mp_limb_t)s;
    yp[n] = (mp_limb_t)t;
}

static void shorten_numbers(struct leaf *l) {
    while (l->n > 0 && (l->x[0][l->n - 1] | l->x[1][l->n - 1]) == 0)
        l->n--;
}

static void lengthen_matrix(struct leaf *l) {
    const size_t n = l->m->n;
    mp_ptr(*e)[2] = l->m->e;
    l->m->n += (e[0][0][n] | e[0][1][n] | e[1][0][n] | e[1][1][n]) != 0;
}

/* Returns floor(x / 2^p), which is below 2^128, for x of n limbs and 64 n - p <= 192. */
static quotients_pair top_of(const mp_limb_t *xp, size_t n, size_t p) {
    size_t i = p / GMP_NUMB_BITS;
    unsigned shift = p % GMP_NUMB_BITS;
    quotients_pair low = (quotients_pair)(i + 1 < n ? xp[i + 1] : 0) << GMP_NUMB_BITS | xp[i];
    mp_limb_t high = i + 2 < n ? xp[i + 2] : 0;
    return shift ? low >> shift | (quotients_pair)high << (QUOTIENTS_BITS - shift) : low;
}

/* Takes the steps of Euclid's algorithm that the numbers' highest 128 bits determine.  Returns
 * false, and changes nothing, if they determine no step. */
static bool limb_steps(struct leaf *l) {
    struct quotients_matrix k;
    size_t n = l->n * GMP_NUMB_BITS - (size_t)__builtin_clzl(l->x[0][l->n - 1] | l->x[1][l->n - 1]);
    size_t p = n > QUOTIENTS_BITS ? n - QUOTIENTS_BITS : 0;
    size_t t = l->t + 1 > p + QUOTIENTS_LEAST ? l->t + 1 - p : QUOTIENTS_LEAST;
    if (t >= QUOTIENTS_BITS ||
        !quotients_steps(&k, top_of(l->x[0], l->n, p), top_of(l->x[1], l->n, p), (unsigned)t,
                         l->m->symbol))
        return false;
    reduce_limbs(l->x[0], l->x[1], l->n, &k);
    shorten_numbers(l);
    for (int i = 0; i < 2; i++)
        multiply_limbs(l->m->e[i][0], l->m->e[i][1], l->m->n, &k);
    lengthen_matrix(l);
    return true;
}

/* e and y are entries of the matrix m, of m->n limbs; q has qn limbs. Sets {r, m->n + qn + 1} to e
 * + q y. */
static void add_product(mp_ptr r, const struct lehmer_matrix *m, mp_srcptr e, mp_srcptr q,
                        size_t qn, mp_srcptr y) {
    composite_real_mul(r, q, qn, y, m->n);
    r[m->n + qn] = mpn_add(r, r, (mp_size_t)(m->n + qn), e, (mp_size_t)m->n);
}

/* Multiplies the matrix by that of a step: column `to` grows by q times the other column. */
static void add_step(struct lehmer_matrix *m, int to, mp_srcptr q, size_t qn) {
    mp_limb_t r[2][2 * LEHMER_LIMBS + 4];
    size_t n = m->n + qn + 1;
    for (int i = 0; i < 2; i++)
        add_product(r[i], m, m->e[i][to], q, qn, m->e[i][!to]);
    while (n > m->n && (r[0][n - 1] | r[1][n - 1]) == 0)
        n--;
    for (int i = 0; i < 2; i++) {
        mpn_copyi(m->e[i][to], r[i], (mp_size_t)n);
        mpn_zero(m->e[i][!to] + m->n, (mp_size_t)(n - m->n));
    }
    m->n = n;
}

/* Takes one step of Euclid's algorithm by a division.  Returns false, and changes nothing, if the
 * remainder would not be above 2^t. */
static bool long_step(struct leaf *l) {
    mp_limb_t q[LEHMER_LIMBS + 1], r[LEHMER_LIMBS];
    bool to = mpn_cmp(l->x[0], l->x[1], (mp_size_t)l->n) < 0; /* index of the number that changes */
    size_t dn = normalize(l->x[!to], l->n);
    if (normalize_bits(l->x[!to], dn) <= l->t)
        return false;
    real.mpn_tdiv_qr(q, r, 0, l->x[to], (mp_size_t)l->n, l->x[!to], (mp_size_t)dn);
    if (normalize_bits(r, dn) <= l->t)
        return false;
    mpn_zero(l->x[to], (mp_size_t)l->n);
    mpn_copyi(l->x[to], r, (mp_size_t)dn);
    add_step(l->m, !to, q, normalize(q, l->n - dn + 1));
    shorten_numbers(l);
    if (l->m->symbol)
        symbol_step(l->m->symbol, to, q[0]);
    return true;
}

size_t lehmer_reduce(mp_ptr *x, size_t n, size_t t, struct lehmer_matrix *m) {
    m->n = 1;
    for (int i = 0; i < 4; i++)
        m->e[i / 2][i % 2][0] = i % 3 == 0;
    struct leaf l = {{x[0], x[1]}, m, digit_steps(x, n, t, m), t};
    while (limb_steps(&l) || (l.n * GMP_NUMB_BITS > t + GMP_NUMB_BITS && long_step(&l)))
        ;
    return l.n;
}
