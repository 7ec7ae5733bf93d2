/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots by Newton's iteration from above, half of the root's bits from
 * the other half.
 *
 * Let s = N^(1/n), of b bits, and x = z 2^l > s with x - s <= 2 2^l, where z comes from the root of
 * N / 2^(nl), floor or 1 more, by adding 1.  Then
 *
 *     y = floor(((n-1) x + floor(N / x^(n-1))) / n) >= floor(s),
 *
 * as the mean of n numbers is no less than the root of their product; and without the floors
 * it is at most (n-1)/2 (x-s)^2 / s < 4 (n-1) 2^(2l-b) above s, which is below 1/4 for
 * 2l <= b - 4 - the bits of n.  So y is floor(s) or 1 more, and y^n tells which.  As x has
 * l zero bits, N / x^(n-1) is N / 2^(l(n-1)) by z^(n-1). */
#include "lib/algorithms/root.h"

#include "lib/algorithms/composite.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/sqrt.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/operate/composition.h"
#include "lib/operate/operate_root.h"

/* Roots of fewer bits are GMP's: then it is powers that take the time, and few of them. */
enum { LEAST_BITS = 256 };

static size_t root_bits(mpz_srcptr u, unsigned long n) {
    return (composite_mpz_bits(u) + n - 1) / n;
}

/* The zero bits of x, or 0 where the root is GMP's. */
static size_t low_bits(mpz_srcptr u, unsigned long n) {
    size_t b = root_bits(u, n), n_bits = (size_t)(64 - __builtin_clzl(n));
    return b < LEAST_BITS || b < 4 * n_bits || thresholds_is_small(mpz_size(u), &thresholds.root)
               ? 0
               : (b - 4 - n_bits) / 2;
}

/* p = z^e, e >= 1; p is not z. */
static void power(struct composite *w, mpz_ptr p, mpz_srcptr z, unsigned long e) {
    mpz_set(p, z);
    for (int i = 62 - __builtin_clzl(e); i >= 0; i--) {
        composite_mpz_mul(w, p, p, p);
        if (e >> i & 1)
            composite_mpz_mul(w, p, p, z);
    }
}

/* y = floor(((n-1) z 2^l + floor(N / 2^(l(n-1)) / z^(n-1))) / n); z is lost. */
static void newton(struct composite *w, mpz_ptr y, mpz_srcptr u, mpz_ptr z, size_t l,
                   unsigned long n) {
    mpz_t p;
    mpz_init(p);
    power(w, p, z, n - 1);
    mpz_tdiv_q_2exp(y, u, l * (n - 1));
    divide_mpz_tdiv_q(w, y, y, p);
    mpz_mul_2exp(z, z, l);
    real.mpz_addmul_ui(y, z, n - 1);
    mpz_tdiv_q_ui(y, y, n);
    mpz_clear(p);
}

/* y = the root of u > 0, floor or 1 more. */
static void approximate(struct composite *w, mpz_ptr y, mpz_srcptr u, unsigned long n) {
    size_t l = low_bits(u, n);
    if (l == 0) {
        real.mpz_root(y, u, n);
        return;
    }
    mpz_t high, z;
    mpz_init(high);
    mpz_init(z);
    mpz_tdiv_q_2exp(high, u, l * n);
    approximate(w, z, high, n);
    real.mpz_add_ui(z, z, 1);
    newton(w, y, u, z, l, n);
    mpz_clear(high);
    mpz_clear(z);
}

/* y = floor(root of u), rest = u - y^n, for u > 0. */
static void root(struct composite *w, mpz_ptr y, mpz_ptr rest, mpz_srcptr u, unsigned long n) {
    if (n == 2) {
        sqrt_mpz(w, y, rest, u);
        return;
    }
    approximate(w, y, u, n);
    for (;;) {
        power(w, rest, y, n);
        real.mpz_sub(rest, u, rest);
        if (rest->_mp_size >= 0)
            return;
        real.mpz_sub_ui(y, y, 1);
    }
}

/* x, or nothing where w is NULL. */
static void keep(mpz_ptr w, mpz_ptr x, bool negative) {
    if (!w)
        return;
    if (negative)
        x->_mp_size = -x->_mp_size;
    mpz_set(w, x);
}

size_t root_size(mpz_srcptr u, unsigned long n) {
    const mpz_t magnitude = MPZ_ROINIT_N(u->_mp_d, (mp_size_t)mpz_size(u));
    bool is_error = n < 2 || (n % 2 == 0 && u->_mp_size < 0);
    return is_error || low_bits(magnitude, n) == 0 ? 0 : mpz_size(u);
}

/* The sizes of results whose limbs are there. */
static void set_size(mpz_ptr x, size_t n, bool negative) {
    n = normalize(x->_mp_d, n);
    x->_mp_size = negative ? -(int)n : (int)n;
}

/* From operands to results on the device, where that works; the root is wanted. */
static bool on_device(struct composite *w, mpz_ptr r, mpz_ptr rest, bool *exact, mpz_srcptr u,
                      unsigned long n) {
    struct operate_root x = {.nn = mpz_size(u), .np = u->_mp_d, .k = n, .is_exact = exact};
    size_t sn = operate_root_limbs(&x), rn = operate_root_rest_limbs(&x);
    bool negative = u->_mp_size < 0;
    if (!r || !composition_serves())
        return false;
    x.sp = composite_mpz_grow(r, sn);
    x.rp = rest ? composite_mpz_grow(rest, rn) : NULL;
    x.np = u->_mp_d; /* where r or rest is u */
    enum outcome outcome = operate_root(&x);
    composite_count(w, outcome);
    if (outcome != OUTCOME_DONE)
        return false;
    set_size(r, sn, negative);
    if (rest)
        set_size(rest, rn, negative);
    return true;
}

bool root_mpz(struct composite *w, mpz_ptr r, mpz_ptr rest, mpz_srcptr u, unsigned long n) {
    mpz_t y, z;
    bool is_exact;
    if (on_device(w, r, rest, &is_exact, u, n))
        return is_exact;
    const mpz_t magnitude = MPZ_ROINIT_N(u->_mp_d, (mp_size_t)mpz_size(u));
    mpz_init(y);
    mpz_init(z);
    root(w, y, z, magnitude, n);
    bool exact = z->_mp_size == 0, negative = u->_mp_size < 0;
    keep(r, y, negative);
    keep(rest, z, negative);
    mpz_clear(y);
    mpz_clear(z);
    return exact;
}
