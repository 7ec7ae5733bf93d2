/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fibonacci and Lucas numbers, from F[k] and F[k-1] to twice k and so on, as Knuth 1.2.8
 * and its exercises have it. */
#include <limits.h>

#include "lib/gmp/real.h"
#include "lib/algorithms/composite_mpz.h"

enum { LIMB_INDICES = 92 }; /* F[n] has 0.6942 n bits */

/* a = F[k], b = F[k-1]; x and y are room for their squares. */
struct fib {
    struct composite whole;
    unsigned long k;
    mpz_t a, b, x, y;
};

/* k, a and b from k to 2k + odd. */
static void twice(struct fib *f, int odd) {
    composite_mpz_mul(&f->whole, f->x, f->a, f->a);
    composite_mpz_mul(&f->whole, f->y, f->b, f->b);
    real.mpz_add(f->b, f->x, f->y); /* F[2k-1] = F[k]^2 + F[k-1]^2 */
    mpz_mul_2exp(f->a, f->x, 2);
    real.mpz_sub(f->a, f->a, f->y);
    if (f->k % 2)
        real.mpz_sub_ui(f->a, f->a, 2);
    else
        real.mpz_add_ui(f->a, f->a, 2); /* F[2k+1] = 4 F[k]^2 - F[k-1]^2 + 2 (-1)^k */
    real.mpz_sub(odd ? f->b : f->a, f->a, f->b);
    f->k = 2 * f->k + (odd != 0);
}

/* F[n] and F[n-1]; GMP's as long as the squares would be. */
static void fib_to(struct fib *f, unsigned long n) {
    int steps = 0;
    while (n >> steps && !call_is_small((n >> steps) / LIMB_INDICES, &thresholds.sqr))
        steps++;
    f->k = n >> steps;
    real.mpz_fib2_ui(f->a, f->b, f->k);
    while (steps-- > 0)
        twice(f, n >> steps & 1);
}

static int fib_begin(struct fib *f, enum call_row row, unsigned long n) {
    size_t limbs = n / LIMB_INDICES;
    if (limbs > INT_MAX / 2) /* what an mpz cannot hold is for GMP to say */
        limbs = 0;
    if (!composite_begin(&f->whole, row, limbs, &thresholds.fib, limbs))
        return 0;
    mpz_init(f->a);
    mpz_init(f->b);
    mpz_init(f->x);
    mpz_init(f->y);
    return 1;
}

static void fib_end(struct fib *f) {
    mpz_clear(f->a);
    mpz_clear(f->b);
    mpz_clear(f->x);
    mpz_clear(f->y);
    composite_end(&f->whole);
}

/* The division is for few. */
static inline int is_small(unsigned long n) {
    return call_is_small(n, &thresholds.fib) ||
           call_is_small(n / LIMB_INDICES, &thresholds.fib);
}

/* With one product from F[n/2]: F[2k] = F[k] (F[k] + 2 F[k-1]), and
 * F[2k+1] = (2 F[k] + F[k-1]) (2 F[k] - F[k-1]) + 2 (-1)^k. */
static int fib(mpz_ptr r, unsigned long n) {
    struct fib f;
    if (!fib_begin(&f, CALL_ROW(mpz_fib_ui), n))
        return 0;
    fib_to(&f, n / 2);
    if (n % 2) {
        mpz_mul_2exp(f.a, f.a, 1);
        real.mpz_add(f.x, f.a, f.b);
        real.mpz_sub(f.y, f.a, f.b);
        composite_mpz_mul(&f.whole, r, f.x, f.y);
        if (f.k % 2)
            real.mpz_sub_ui(r, r, 2);
        else
            real.mpz_add_ui(r, r, 2);
    } else {
        mpz_mul_2exp(f.b, f.b, 1);
        real.mpz_add(f.b, f.b, f.a);
        composite_mpz_mul(&f.whole, r, f.a, f.b);
    }
    fib_end(&f);
    return 1;
}

LARGE void fib_large(mpz_ptr r, unsigned long n) {
    COMPOSITE_FRAME;
    if (!fib(r, n))
        real.mpz_fib_ui(r, n);
}

EXPORT void mpz_fib_ui(mpz_ptr r, unsigned long n) {
    if (is_small(n))
        real.mpz_fib_ui(r, n);
    else
        fib_large(r, n);
}

static int fib2(mpz_ptr r, mpz_ptr s, unsigned long n) {
    struct fib f;
    if (!fib_begin(&f, CALL_ROW(mpz_fib2_ui), n))
        return 0;
    fib_to(&f, n);
    mpz_swap(r, f.a);
    mpz_swap(s, f.b);
    fib_end(&f);
    return 1;
}

LARGE void fib2_large(mpz_ptr r, mpz_ptr s, unsigned long n) {
    COMPOSITE_FRAME;
    if (!fib2(r, s, n))
        real.mpz_fib2_ui(r, s, n);
}

EXPORT void mpz_fib2_ui(mpz_ptr r, mpz_ptr s, unsigned long n) {
    if (is_small(n))
        real.mpz_fib2_ui(r, s, n);
    else
        fib2_large(r, s, n);
}

/* L[n] = F[n] + 2 F[n-1] and L[n-1] = 2 F[n] - F[n-1], or the first alone. */
static int lucnum(enum call_row row, mpz_ptr r, mpz_ptr s, unsigned long n) {
    struct fib f;
    if (!fib_begin(&f, row, n))
        return 0;
    fib_to(&f, n);
    if (s) {
        mpz_mul_2exp(f.x, f.a, 1);
        real.mpz_sub(f.x, f.x, f.b);
        mpz_swap(s, f.x);
    }
    real.mpz_addmul_ui(f.a, f.b, 2);
    mpz_swap(r, f.a);
    fib_end(&f);
    return 1;
}

LARGE void lucnum_large(mpz_ptr r, unsigned long n) {
    COMPOSITE_FRAME;
    if (!lucnum(CALL_ROW(mpz_lucnum_ui), r, NULL, n))
        real.mpz_lucnum_ui(r, n);
}

EXPORT void mpz_lucnum_ui(mpz_ptr r, unsigned long n) {
    if (is_small(n))
        real.mpz_lucnum_ui(r, n);
    else
        lucnum_large(r, n);
}

LARGE void lucnum2_large(mpz_ptr r, mpz_ptr s, unsigned long n) {
    COMPOSITE_FRAME;
    if (!lucnum(CALL_ROW(mpz_lucnum2_ui), r, s, n))
        real.mpz_lucnum2_ui(r, s, n);
}

EXPORT void mpz_lucnum2_ui(mpz_ptr r, mpz_ptr s, unsigned long n) {
    if (is_small(n))
        real.mpz_lucnum2_ui(r, s, n);
    else
        lucnum2_large(r, s, n);
}
