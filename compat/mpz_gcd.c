/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_gcd: three quarters of the longer number's bits are left by steps that its higher half tells,
 * then of those, and so on; GMP takes the rest. */
#include "hgcd.h"
#include "real.h"

/* a = a modulo b. */
static void divide(struct whole *w, mpz_ptr a, mpz_srcptr b) {
    call_open();
    mpz_tdiv_r(a, a, b);
    call_close(&w->call);
}

/* Fewer bits of a >= b > 0. */
static void shorten(struct whole *w, mpz_ptr a, mpz_ptr b) {
    struct lehmer_matrix m;
    hgcd_init(&m);
    if (!hgcd(w, a, b, whole_mpz_bits(a) / 4 * 3 + 1, &m))
        divide(w, a, b);
    hgcd_clear(&m);
}

/* Of fewer limbs GMP takes the gcd, once one is begun. */
enum { LEAST = 16, LEAST_PRODUCTS = 8 };

static int is_short(mpz_srcptr b) {
    size_t n = mpz_size(b);
    return n < LEAST || call_is_small(n / LEAST_PRODUCTS, &session_thresholds.mul);
}

/* a = gcd(a, b), a, b >= 0; b is lost. */
static void gcd(struct whole *w, mpz_ptr a, mpz_ptr b) {
    for (;;) {
        if (mpz_cmp(a, b) < 0)
            mpz_swap(a, b);
        if (is_short(b))
            break;
        shorten(w, a, b);
    }
    real.mpz_gcd(a, a, b);
}

LARGE void gcd_large(mpz_ptr g, mpz_srcptr u, mpz_srcptr v) {
    struct whole w;
    size_t un = mpz_size(u), vn = mpz_size(v);
    mpz_t a, b;
    if (!whole_begin(&w, CALL_ROW(mpz_gcd), call_smaller(un, vn), &session_thresholds.gcd,
                     un + vn)) {
        real.mpz_gcd(g, u, v);
        return;
    }
    mpz_init(a);
    mpz_init(b);
    mpz_set(a, u);
    mpz_set(b, v);
    a->_mp_size = (int)un;
    b->_mp_size = (int)vn;
    gcd(&w, a, b);
    mpz_set(g, a);
    mpz_clear(a);
    mpz_clear(b);
    whole_end(&w);
}

EXPORT void mpz_gcd(mpz_ptr g, mpz_srcptr u, mpz_srcptr v) {
    if (call_is_small(call_square(u->_mp_size), &session_squares.gcd) ||
        call_is_small(call_square(v->_mp_size), &session_squares.gcd))
        real.mpz_gcd(g, u, v);
    else
        gcd_large(g, u, v);
}
