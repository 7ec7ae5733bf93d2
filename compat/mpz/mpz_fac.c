/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_fac_ui, mpz_2fac_ui, mpz_mfac_uiui and mpz_primorial_ui. */
#include <limits.h>

#include "lib/algorithms/factorial.h"
#include "lib/algorithms/factors.h"
#include "lib/algorithms/primes.h"
#include "lib/gmp/real.h"

enum { LIMB_NATS = 44 }; /* the product of the primes up to n has about n / log 2 bits */

/* One of these functions of n, and of m for the last, in the place of x; 0 if there is no memory.
 */
typedef int compute(struct composite *w, mpz_ptr x, unsigned long n, unsigned long m);

static int fac(struct composite *w, mpz_ptr x, unsigned long n, unsigned long m) {
    (void)m;
    int done = factorial_odd(w, x, n);
    if (done)
        mpz_mul_2exp(x, x, factorial_twos(n));
    return done;
}

/* For n = 2k: 2^k k!. */
static int fac2(struct composite *w, mpz_ptr x, unsigned long n, unsigned long m) {
    (void)m;
    if (n % 2)
        return factorial_double(w, x, n);
    int done = factorial_odd(w, x, n / 2);
    if (done)
        mpz_mul_2exp(x, x, n / 2 + factorial_twos(n / 2));
    return done;
}

/* n (n-m) (n-2m) ... */
static int mfac(struct composite *w, mpz_ptr x, unsigned long n, unsigned long m) {
    struct factors f;
    factors_init(&f);
    for (unsigned long i = n; !f.failed; i -= m) {
        factors_add(&f, i);
        if (i <= m)
            break;
    }
    int done = factors_product(w, &f, x);
    factors_clear(&f);
    return done;
}

static int primorial(struct composite *w, mpz_ptr x, unsigned long n, unsigned long m) {
    struct factors f;
    struct primes *s = primes_open(n);
    if (!s)
        return 0;
    (void)m;
    factors_init(&f);
    for (unsigned long p = 2; p && !f.failed; p = primes_next(s))
        factors_add(&f, p);
    int done = factors_product(w, &f, x);
    factors_clear(&f);
    primes_close(s);
    return done;
}

/* Limbs of the results, about. */

static inline size_t mfac_limbs(unsigned long n, unsigned long m) {
    return m == 0 ? 0 : m == 1 ? factorial_limbs(n) : factorial_limbs(n) / m;
}

/* n! is less than n^n, which has at most n limbs. */
static inline int is_small(unsigned long n) {
    return call_is_small(n, &thresholds.fac);
}

/* 1 if it has been done. What an mpz may not be able to hold is for GMP to say. */
static int compute_large(enum call_row row, compute *f, mpz_ptr r, unsigned long n, unsigned long m,
                         size_t limbs) {
    struct composite w;
    mpz_t x;
    if (limbs > INT_MAX / 2 || !composite_begin(&w, row, limbs, &thresholds.fac, limbs))
        return 0;
    mpz_init(x);
    int done = f(&w, x, n, m);
    if (done)
        mpz_swap(r, x);
    mpz_clear(x);
    composite_end(&w);
    return done;
}

LARGE void fac_large(mpz_ptr r, unsigned long n) {
    COMPOSITE_FRAME;
    if (!compute_large(CALL_ROW(mpz_fac_ui), fac, r, n, 1, factorial_limbs(n)))
        real.mpz_fac_ui(r, n);
}

EXPORT void mpz_fac_ui(mpz_ptr r, unsigned long n) {
    if (is_small(n))
        real.mpz_fac_ui(r, n);
    else
        fac_large(r, n);
}

LARGE void fac2_large(mpz_ptr r, unsigned long n) {
    COMPOSITE_FRAME;
    if (!compute_large(CALL_ROW(mpz_2fac_ui), fac2, r, n, 2, mfac_limbs(n, 2)))
        real.mpz_2fac_ui(r, n);
}

EXPORT void mpz_2fac_ui(mpz_ptr r, unsigned long n) {
    if (is_small(n))
        real.mpz_2fac_ui(r, n);
    else
        fac2_large(r, n);
}

LARGE void mfac_large(mpz_ptr r, unsigned long n, unsigned long m) {
    COMPOSITE_FRAME;
    if (!compute_large(CALL_ROW(mpz_mfac_uiui),
                       m == 1   ? fac
                       : m == 2 ? fac2
                                : mfac,
                       r, n, m, mfac_limbs(n, m)))
        real.mpz_mfac_uiui(r, n, m);
}

EXPORT void mpz_mfac_uiui(mpz_ptr r, unsigned long n, unsigned long m) {
    if (is_small(n))
        real.mpz_mfac_uiui(r, n, m);
    else
        mfac_large(r, n, m);
}

LARGE void primorial_large(mpz_ptr r, unsigned long n) {
    COMPOSITE_FRAME;
    if (!compute_large(CALL_ROW(mpz_primorial_ui), primorial, r, n, 1, n / LIMB_NATS))
        real.mpz_primorial_ui(r, n);
}

EXPORT void mpz_primorial_ui(mpz_ptr r, unsigned long n) {
    if (is_small(n))
        real.mpz_primorial_ui(r, n);
    else
        primorial_large(r, n);
}
