/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Euclid's algorithm by Lehmer's method.  The numbers a, b and the matrix m of the steps are in
 * arrays on the stack, so nothing is allocated until the end.
 *
 * Let x = floor(a / 2^p), y = floor(b / 2^p) be below 2^128, and (x, y) = k (x', y') by steps that
 * leave x', y' > 2^t.  Then the entries of k are less than 2^(128-t).  The same steps change a and
 * b to k^-1 (a, b), which differs from 2^p x' and 2^p y' by less than 2^(p+128-t).  For t >= 65 the
 * results are more than 2^(p+t) (1 - 1/4), and the entries of k are less than 2^63.  So a
 * difference of two products of entries and limbs is less than 2^127, and a sum less than 2^128 -
 * 2^64.
 *
 * For initial numbers a0, b0 and results above 2^t, the entries of m are less than a0 / 2^t or b0 /
 * 2^t.  So they have no more limbs than a0 or b0. */
#include "lib/algorithms/lehmer.h"

#include "lib/algorithms/composite.h"
#include "lib/algorithms/euclid/quotients.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

__extension__ typedef __int128 signed_pair;

enum { ROOM = LEHMER_LIMBS + 2 };

struct leaf {
    mp_limb_t x[2][ROOM], e[2][2][ROOM]; /* the two numbers; the matrix of the steps so far */
    size_t n, en; /* limbs of the longer number; limbs of the longest entry of e */
    size_t t;
    struct symbol *symbol;
};

/* (x, y) = k^-1 (x, y), which must not be negative. */
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

/* (x, y) = (x, y) k, which may be one limb longer. */
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
    const size_t n = l->en;
    l->en += (l->e[0][0][n] | l->e[0][1][n] | l->e[1][0][n] | l->e[1][1][n]) != 0;
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
    if (t >= QUOTIENTS_BITS || !quotients_steps(&k, top_of(l->x[0], l->n, p),
                                                top_of(l->x[1], l->n, p), (unsigned)t, l->symbol))
        return false;
    reduce_limbs(l->x[0], l->x[1], l->n, &k);
    shorten_numbers(l);
    for (int i = 0; i < 2; i++)
        multiply_limbs(l->e[i][0], l->e[i][1], l->en, &k);
    lengthen_matrix(l);
    return true;
}

/* Adds q x to rp, which has ROOM limbs, for q = {qp, qn} and x = {xp, l->en}. */
static void add_product(struct leaf *l, mp_ptr rp, const mp_limb_t *qp, size_t qn,
                        const mp_limb_t *xp) {
    mp_limb_t product[2 * ROOM];
    size_t xn = normalize(xp, l->en);
    if (xn == 0)
        return;
    composite_real_mul(product, qp, qn, xp, xn);
    mpn_add(rp, rp, ROOM, product, (mp_size_t)normalize(product, qn + xn));
}

/* Takes one step of Euclid's algorithm by a division.  Returns false, and changes nothing, if the
 * remainder would not be above 2^t. */
static bool long_step(struct leaf *l) {
    mp_limb_t q[ROOM], r[ROOM];
    bool to = mpn_cmp(l->x[0], l->x[1], (mp_size_t)l->n) < 0; /* index of the number that changes */
    size_t dn = normalize(l->x[!to], l->n);
    if (normalize_bits(l->x[!to], dn) <= l->t)
        return false;
    real.mpn_tdiv_qr(q, r, 0, l->x[to], (mp_size_t)l->n, l->x[!to], (mp_size_t)dn);
    if (normalize_bits(r, dn) <= l->t)
        return false;
    size_t qn = normalize(q, l->n - dn + 1);
    mpn_zero(l->x[to], (mp_size_t)l->n);
    mpn_copyi(l->x[to], r, (mp_size_t)dn);
    shorten_numbers(l);
    for (int i = 0; i < 2; i++)
        add_product(l, l->e[i][!to], q, qn, l->e[i][to]);
    for (l->en = ROOM - 1; (l->e[0][0][l->en - 1] | l->e[0][1][l->en - 1] | l->e[1][0][l->en - 1] |
                            l->e[1][1][l->en - 1]) == 0;)
        l->en--;
    if (l->symbol)
        symbol_step(l->symbol, to, q[0]);
    return true;
}

static void from_mpz(mp_ptr xp, mpz_srcptr x) {
    size_t n = mpz_size(x);
    mpn_copyi(xp, x->_mp_d, (mp_size_t)n);
    mpn_zero(xp + n, (mp_size_t)(ROOM - n));
}

static void to_mpz(mpz_ptr x, const mp_limb_t *xp, size_t n) {
    n = normalize(xp, n);
    mpn_copyi(composite_mpz_grow(x, n), xp, (mp_size_t)n);
    x->_mp_size = (int)n;
}

void lehmer_reduce(mpz_ptr a, mpz_ptr b, size_t t, struct lehmer_matrix *m) {
    struct leaf l;
    size_t an = mpz_size(a), bn = mpz_size(b);
    l.n = an < bn ? bn : an;
    l.t = t;
    l.symbol = m->symbol;
    l.en = 1;
    from_mpz(l.x[0], a);
    from_mpz(l.x[1], b);
    for (int i = 0; i < 4; i++) {
        mpn_zero(l.e[i / 2][i % 2], ROOM);
        l.e[i / 2][i % 2][0] = i % 3 == 0;
    }
    while (limb_steps(&l) || (l.n * GMP_NUMB_BITS > t + GMP_NUMB_BITS && long_step(&l)))
        ;
    to_mpz(a, l.x[0], l.n);
    to_mpz(b, l.x[1], l.n);
    for (int i = 0; i < 4; i++)
        to_mpz(m->e[i / 2][i % 2], l.e[i / 2][i % 2], l.en);
}
