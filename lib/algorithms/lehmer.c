/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Lehmer's way of Euclid's algorithm (Knuth 4.5.2, algorithm L), with two limbs of a and b.
 *
 * Let x = floor(a / 2^p), y = floor(b / 2^p) be below 2^128, and (x, y) = m (x', y') by steps that
 * leave x', y' >= 2^t.  Then the entries of m are at most 2^(128-t), and what the same steps
 * make of a and b, m^-1 (a, b), differs from 2^p x' and 2^p y' by less than 2^(p+128-t).  With
 * t >= 66 it is more than 2^(p+65), and entries of m are less than 2^62 and fit in a limb. */
#include "lib/algorithms/lehmer.h"

#include "lib/algorithms/composite.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

__extension__ typedef unsigned __int128 two_limbs;

enum { TOP_BITS = 2 * GMP_NUMB_BITS, LEAST_BITS = GMP_NUMB_BITS + 2 };

/* The matrix of the steps. */
struct small {
    mp_limb_t e[2][2];
};

/* x modulo y, and the quotient, nearly always a small one. */
static inline two_limbs divide(two_limbs x, two_limbs y, mp_limb_t *q) {
    x -= y;
    for (mp_limb_t i = 1; i <= 4; i++, x -= y)
        if (x < y) {
            *q = i;
            return x;
        }
    *q = 5 + (mp_limb_t)(x / y);
    return x % y;
}

/* Steps of x >= y, then of y, by turns, that leave both at least `least` > 0.  A symbol that
 * follows them has x as its number `larger`. */
static inline __attribute__((always_inline)) void alternate(struct small *m, two_limbs x,
                                                            two_limbs y, two_limbs least,
                                                            struct symbol *symbol,
                                                            unsigned larger) {
    mp_limb_t q, e00 = 1, e01 = 0, e10 = 0, e11 = 1;
    for (;;) {
        two_limbs rest = divide(x, y, &q);
        if (rest < least)
            break;
        x = rest;
        if (symbol)
            symbol_step(symbol, larger, q);
        e01 += q * e00;
        e11 += q * e10;
        rest = divide(y, x, &q);
        if (rest < least)
            break;
        y = rest;
        if (symbol)
            symbol_step(symbol, !larger, q);
        e00 += q * e01;
        e10 += q * e11;
    }
    *m = (struct small){{{e00, e01}, {e10, e11}}};
}

/* The same for any x, y; false if there is no step. */
static bool small_steps(struct small *m, two_limbs x, two_limbs y, two_limbs least,
                        struct symbol *symbol) {
    struct small k;
    if (x < least || y < least)
        return false;
    if (symbol)
        alternate(&k, x < y ? y : x, x < y ? x : y, least, symbol, x < y);
    else
        alternate(&k, x < y ? y : x, x < y ? x : y, least, NULL, 0);
    *m = x < y ? (struct small){{{k.e[1][1], k.e[1][0]}, {k.e[0][1], k.e[0][0]}}} : k;
    return k.e[0][1] != 0;
}

static mp_limb_t limb_at(mpz_srcptr x, size_t i) {
    return i < mpz_size(x) ? x->_mp_d[i] : 0;
}

/* floor(x / 2^p), which is below 2^128. */
static two_limbs top_of(mpz_srcptr x, size_t p) {
    size_t i = p / GMP_NUMB_BITS;
    unsigned shift = p % GMP_NUMB_BITS;
    two_limbs low = (two_limbs)limb_at(x, i + 1) << GMP_NUMB_BITS | limb_at(x, i);
    return shift ? low >> shift | (two_limbs)limb_at(x, i + 2) << (TOP_BITS - shift) : low;
}

/* r = c x + d y. */
static void sum(mpz_ptr r, mpz_srcptr x, mp_limb_t c, mpz_srcptr y, mp_limb_t d) {
    size_t xn = mpz_size(x), yn = mpz_size(y);
    if (xn < yn) {
        sum(r, y, d, x, c);
        return;
    }
    mp_ptr rp = composite_mpz_grow(r, xn + 2);
    rp[xn] = xn ? real.mpn_mul_1(rp, x->_mp_d, (mp_size_t)xn, c) : 0;
    rp[xn + 1] = 0;
    if (yn) {
        mp_limb_t carry = real.mpn_addmul_1(rp, y->_mp_d, (mp_size_t)yn, d);
        real.mpn_add_1(rp + yn, rp + yn, (mp_size_t)(xn + 2 - yn), carry);
    }
    r->_mp_size = (int)normalize(rp, xn + 2);
}

/* r = c x - d y, which is not negative. */
static void difference(mpz_ptr r, mpz_srcptr x, mp_limb_t c, mpz_srcptr y, mp_limb_t d) {
    size_t xn = mpz_size(x), yn = mpz_size(y), n = xn < yn ? yn : xn;
    mp_ptr rp = composite_mpz_grow(r, n + 1);
    rp[xn] = real.mpn_mul_1(rp, x->_mp_d, (mp_size_t)xn, c);
    for (size_t i = xn + 1; i <= n; i++)
        rp[i] = 0;
    mp_limb_t borrow = real.mpn_submul_1(rp, y->_mp_d, (mp_size_t)yn, d);
    real.mpn_sub_1(rp + yn, rp + yn, (mp_size_t)(n + 1 - yn), borrow);
    r->_mp_size = (int)normalize(rp, n + 1);
}

/* (a, b) = k^-1 (a, b). */
static void reduce(struct lehmer_scratch *l, mpz_ptr a, mpz_ptr b, const struct small *k) {
    difference(l->x, a, k->e[1][1], b, k->e[0][1]);
    difference(l->y, b, k->e[0][0], a, k->e[1][0]);
    mpz_swap(a, l->x);
    mpz_swap(b, l->y);
}

/* m = m k. */
static void multiply(struct lehmer_scratch *l, struct lehmer_matrix *m, const struct small *k) {
    for (int i = 0; i < 2; i++) {
        sum(l->x, m->e[i][0], k->e[0][0], m->e[i][1], k->e[1][0]);
        sum(l->y, m->e[i][0], k->e[0][1], m->e[i][1], k->e[1][1]);
        mpz_swap(m->e[i][0], l->x);
        mpz_swap(m->e[i][1], l->y);
    }
}

bool lehmer_steps(struct lehmer_scratch *l, mpz_ptr a, mpz_ptr b, size_t s,
                  struct lehmer_matrix *m) {
    size_t an = composite_mpz_bits(a), bn = composite_mpz_bits(b), n = an < bn ? bn : an;
    size_t p = n > TOP_BITS ? n - TOP_BITS : 0;
    size_t t = s + 1 > p + LEAST_BITS ? s + 1 - p : LEAST_BITS;
    struct small k;
    if (t >= TOP_BITS || !small_steps(&k, top_of(a, p), top_of(b, p), (two_limbs)1 << t, m->symbol))
        return false;
    reduce(l, a, b, &k);
    multiply(l, m, &k);
    return true;
}
