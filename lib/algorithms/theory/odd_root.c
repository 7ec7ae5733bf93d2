/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Odd k-th roots of u modulo powers of two, by Newton's iteration for z = u^(-1/k).  If the lowest
 * t limbs of z are right, a step
 *
 *     z + z (1 - u z^k) / k
 *
 * makes the lowest 2t limbs right. An integer root of b bits is computed modulo a power of two with
 * at least one limb more. If it has more than b bits, u is no k-th power. This rejects nearly all
 * numbers that are no powers. */
#include "lib/algorithms/theory/odd_root.h"

#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

__extension__ typedef unsigned __int128 two_limbs;

/* The lowest limb proves that a number has no root of up to SHORT_BITS bits, except for one in 2^16
 * numbers. */
enum { SHORT_BITS = 48 };

/* Returns 1 / k modulo 2^64. */
static mp_limb_t inverse(mp_limb_t k) {
    mp_limb_t x = k; /* k itself equals 1 / k in its lowest 3 bits */
    for (int i = 0; i < 5; i++)
        x *= 2 - k * x;
    return x;
}

/* Returns u^(1/k) modulo 2^64.  It is a power of u, because the order of each odd number divides
 * 2^62. */
static mp_limb_t limb_root(mp_limb_t u, mp_limb_t k) {
    mp_limb_t x = 1, e = inverse(k) & (~(mp_limb_t)0 >> 2);
    for (; e; e >>= 1, u *= u)
        if (e & 1)
            x *= u;
    return x;
}

/* x = x modulo 2^(64 n), for x >= 0. */
static void cut(mpz_ptr x, size_t n) {
    size_t limbs = mpz_size(x);
    x->_mp_size = (int)normalize(x->_mp_d, limbs < n ? limbs : n);
}

/* r = x y modulo 2^(64 n); r may be x or y. */
static void multiply(struct composite *w, mpz_ptr r, mpz_srcptr x, mpz_srcptr y, size_t n) {
    composite_mpz_mul(w, r, x, y);
    cut(r, n);
}

/* p = z^e modulo 2^(64 n), e >= 1; p is not z. */
static void power(struct composite *w, mpz_ptr p, mpz_srcptr z, unsigned long e, size_t n) {
    mpz_set(p, z);
    for (int i = 62 - __builtin_clzl(e); i >= 0; i--) {
        multiply(w, p, p, p, n);
        if (e >> i & 1)
            multiply(w, p, p, z, n);
    }
}

/* x = x / k modulo 2^(64 n), for x of at most n limbs and k odd. */
static void divide(mpz_ptr x, mp_limb_t k, size_t n) {
    mp_limb_t from_k = inverse(k), carry = 0;
    mp_ptr xp = composite_mpz_grow(x, n);
    for (size_t i = mpz_size(x); i < n; i++)
        xp[i] = 0;
    for (size_t i = 0; i < n; i++) {
        mp_limb_t limb = xp[i] - carry, borrow = xp[i] < carry;
        xp[i] = limb * from_k;
        carry = (mp_limb_t)((two_limbs)xp[i] * k >> GMP_NUMB_BITS) + borrow;
    }
    x->_mp_size = (int)normalize(xp, n);
}

/* x = c - x modulo 2^(64 n) */
static void subtract_from(mpz_ptr x, mp_limb_t c, size_t n) {
    mpz_t b;
    mpz_init(b);
    real.mpz_ui_sub(x, c, x);
    if (x->_mp_size < 0) {
        mpz_set_ui(b, 1);
        mpz_mul_2exp(b, b, n * GMP_NUMB_BITS);
        real.mpz_add(x, x, b);
    }
    mpz_clear(b);
}

/* Extends z = u^(-1/k) from (n + 1) / 2 to n limbs by one step of Newton's iteration. */
static void newton(struct composite *w, mpz_ptr z, mpz_srcptr u, unsigned long k, size_t n) {
    const mpz_t low =
        MPZ_ROINIT_N(u->_mp_d, (mp_size_t)normalize(u->_mp_d, min_u64(n, mpz_size(u))));
    mpz_t t;
    mpz_init(t);
    power(w, t, z, k, n);
    multiply(w, t, t, low, n);
    subtract_from(t, k + 1, n);
    divide(t, k, n);
    multiply(w, z, z, t, n);
    mpz_clear(t);
}

/* z = u^(-1/k) modulo 2^(64 n) */
static void inverse_root(struct composite *w, mpz_ptr z, mpz_srcptr u, unsigned long k, size_t n) {
    if (n > 1) {
        inverse_root(w, z, u, k, (n + 1) / 2);
        newton(w, z, u, k, n);
    } else
        mpz_set_ui(z, inverse(limb_root(u->_mp_d[0], k)));
}

/* r = u^(1/k) modulo 2^(64 n) */
static void root(struct composite *w, mpz_ptr r, mpz_srcptr u, unsigned long k, size_t n) {
    const mpz_t low =
        MPZ_ROINIT_N(u->_mp_d, (mp_size_t)normalize(u->_mp_d, min_u64(n, mpz_size(u))));
    mpz_t z;
    mpz_init(z);
    inverse_root(w, z, u, k, n);
    power(w, r, z, k - 1, n);
    multiply(w, r, r, low, n);
    mpz_clear(z);
}

/* Returns true if r^k = u. */
static bool is_root(struct composite *w, mpz_srcptr r, mpz_srcptr u, unsigned long k) {
    mpz_t p;
    mpz_init(p);
    power(w, p, r, k, ~(size_t)0);
    bool is_it = mpz_cmp(p, u) == 0;
    mpz_clear(p);
    return is_it;
}

bool odd_root_exists(struct composite *w, mpz_srcptr u, unsigned long k) {
    size_t bits = (composite_mpz_bits(u) + k - 1) / k;
    mp_limb_t limb = bits <= SHORT_BITS ? limb_root(u->_mp_d[0], k) : 0;
    if (limb >> SHORT_BITS || (bits < SHORT_BITS && limb >> bits))
        return false;
    mpz_t r;
    mpz_init(r);
    if (bits <= SHORT_BITS)
        mpz_set_ui(r, limb);
    else
        root(w, r, u, k, bits / GMP_NUMB_BITS + 2);
    bool exists = composite_mpz_bits(r) <= bits && is_root(w, r, u, k);
    mpz_clear(r);
    return exists;
}
