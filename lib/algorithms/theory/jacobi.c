/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Jacobi's symbol.  The half-gcd algorithm (lib/algorithms/hgcd.h) reduces the two numbers, as in
 * gcd.c, and each step updates the symbol. */
#include "lib/algorithms/theory/jacobi.h"

#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/hgcd.h"
#include "lib/algorithms/theory/symbol.h"
#include "lib/gmp/real.h"

/* GMP computes the symbol if a number has fewer than LEAST limbs, or is below LEAST_PRODUCTS times
 * the device's threshold for products. */
enum { LEAST = 16, LEAST_PRODUCTS = 8 };

struct jacobi {
    struct composite *w;
    struct symbol symbol;
    mpz_t x[2];
};

static unsigned low_bits(mpz_srcptr x) {
    return x->_mp_size ? (unsigned)x->_mp_d[0] & 7 : 0;
}

/* Sets x[0] to |a|, x[1] to |b| without its factors 2, and the symbol's sign accordingly. (a/2) is
 * -1 for a = 3 and 5 modulo 8; (a/-1) is the sign of a; (-1/b) is -1 for b = 3 modulo 4. */
static void jacobi_init(struct jacobi *k, struct composite *w, mpz_srcptr a, mpz_srcptr b) {
    mp_bitcnt_t twos = mpn_scan1(b->_mp_d, 0);
    unsigned a_is_3_or_5 = (low_bits(a) >> 1 ^ low_bits(a) >> 2) & 1;
    k->w = w;
    mpz_init(k->x[0]);
    mpz_init(k->x[1]);
    mpz_set(k->x[0], a);
    mpz_tdiv_q_2exp(k->x[1], b, twos);
    k->x[0]->_mp_size = (int)mpz_size(a);
    k->x[1]->_mp_size = (int)mpz_size(k->x[1]);
    unsigned b_is_3 = low_bits(k->x[1]) >> 1 & 1;
    k->symbol = (struct symbol){.x = {low_bits(k->x[0]) & 3, low_bits(k->x[1]) & 3}};
    k->symbol.denominator = 1;
    k->symbol.is_negated = (a_is_3_or_5 & (unsigned)(twos & 1)) ^
                           ((unsigned)(a->_mp_size < 0) & ((unsigned)(b->_mp_size < 0) ^ b_is_3));
}

static void jacobi_clear(struct jacobi *k) {
    mpz_clear(k->x[0]);
    mpz_clear(k->x[1]);
}

/* Replaces the larger number by its remainder modulo the smaller. */
static void divide(struct jacobi *k) {
    unsigned i = mpz_cmp(k->x[0], k->x[1]) < 0;
    mpz_t q;
    mpz_init(q);
    divide_mpz_tdiv_qr(k->w, q, k->x[i], k->x[i], k->x[!i]);
    symbol_step(&k->symbol, i, q->_mp_size ? q->_mp_d[0] : 0);
    mpz_clear(q);
}

static void shorten(struct jacobi *k) {
    size_t a_bits = composite_mpz_bits(k->x[0]), b_bits = composite_mpz_bits(k->x[1]);
    struct hgcd h;
    hgcd_init(&h, &k->symbol);
    if (!hgcd_reduce(k->w, k->x[0], k->x[1], (a_bits < b_bits ? b_bits : a_bits) / 4 * 3 + 1, &h))
        divide(k);
    hgcd_clear(&h);
}

static bool is_short(mpz_srcptr x) {
    size_t n = mpz_size(x);
    return n < LEAST || thresholds_is_small(n / LEAST_PRODUCTS, &thresholds.mul);
}

int jacobi_mpz(struct composite *w, mpz_srcptr a, mpz_srcptr b) {
    if (((a->_mp_d[0] | b->_mp_d[0]) & 1) == 0)
        return 0;
    struct jacobi k;
    jacobi_init(&k, w, a, b);
    while (!is_short(k.x[0]) && !is_short(k.x[1]))
        shorten(&k);
    unsigned i = k.symbol.denominator;
    int symbol = real.mpz_jacobi(k.x[!i], k.x[i]);
    jacobi_clear(&k);
    return k.symbol.is_negated ? -symbol : symbol;
}
