/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpz_bin_uiui and mpz_bin_ui.
 *
 * Where n is not much larger than k, from the primes: that of p in C(n, k) is the number of
 * borrows of n - k in base p (Kummer), and that of 2 is popcount(k) + popcount(n-k) -
 * popcount(n).  Else n (n-1) ... (n-k+1), as a tree, over k!. */
#include <limits.h>
#include <stdint.h>

#include "lib/algorithms/factorial.h"
#include "lib/algorithms/factors.h"
#include "lib/algorithms/primes.h"
#include "lib/gmp/real.h"
#include "lib/algorithms/composite_mpz.h"

/* The primes up to n are sieved where they are at most so many times the k factors. */
enum { SIEVED = 64 };

static unsigned borrows(unsigned long n, unsigned long k, unsigned long p) {
    unsigned count = 0, borrow = 0;
    for (; n >= p; n /= p, k /= p) {
        borrow = n % p < k % p + borrow;
        count += borrow;
    }
    return count;
}

static int by_primes(struct composite *w, mpz_ptr x, unsigned long n, unsigned long k) {
    struct factors f;
    struct primes *s = primes_open(n);
    if (!s)
        return 0;
    factors_init(&f);
    for (unsigned long p = primes_next(s); p && !f.failed; p = primes_next(s))
        for (unsigned count = p > n - k ? 1 : borrows(n, k, p); count > 0; count--)
            factors_add(&f, p);
    int done = factors_product(w, &f, x);
    factors_clear(&f);
    primes_close(s);
    int twos = __builtin_popcountl(k) + __builtin_popcountl(n - k) - __builtin_popcountl(n);
    if (done)
        mpz_mul_2exp(x, x, (mp_bitcnt_t)twos);
    return done;
}

/* x = x / k!, which is an integer. */
static int over_factorial(struct composite *w, mpz_ptr x, unsigned long k) {
    mpz_t d;
    mpz_init(d);
    int done = factorial_odd(w, d, k);
    if (done) {
        mpz_tdiv_q_2exp(x, x, factorial_twos(k));
        call_open();
        mpz_divexact(x, x, d);
        call_close(&w->call);
    }
    mpz_clear(d);
    return done;
}

static int by_words(struct composite *w, mpz_ptr x, unsigned long n, unsigned long k) {
    struct factors f;
    factors_init(&f);
    for (unsigned long i = 0; i < k && !f.failed; i++)
        factors_add(&f, n - i);
    int done = factors_product(w, &f, x) && over_factorial(w, x, k);
    factors_clear(&f);
    return done;
}

static int binomial(struct composite *w, mpz_ptr x, unsigned long n, unsigned long k) {
    return n / k < SIEVED ? by_primes(w, x, n, k) : by_words(w, x, n, k);
}

/* x = (n-a) (n-a-1) ... (n-c+1), a < c. */
static void descending(struct composite *w, mpz_ptr x, mpz_srcptr n, unsigned long a, unsigned long c) {
    real.mpz_sub_ui(x, n, a);
    if (c - a == 1)
        return;
    mpz_t y;
    unsigned long half = a + (c - a) / 2;
    mpz_init(y);
    descending(w, x, n, a, half);
    descending(w, y, n, half, c);
    composite_mpz_mul(w, x, x, y);
    mpz_clear(y);
}

static unsigned bit_length(unsigned long n) {
    return n ? 64 - (unsigned)__builtin_clzl(n) : 0;
}

/* Limbs of C(n, k), k <= n/2, about: (n/k)^k <= C(n, k) < (n e/k)^k. */
static size_t binomial_limbs(unsigned long n, unsigned long k) {
    size_t bits;
    return k == 0                                                        ? 0
           : __builtin_mul_overflow(k, (size_t)bit_length(n / k), &bits) ? SIZE_MAX
                                                                         : bits / GMP_NUMB_BITS;
}

/* What an mpz may not be able to hold is for GMP to say. */
static int bin_begin(struct composite *w, enum call_row row, size_t limbs) {
    return limbs <= INT_MAX / 2 && composite_begin(w, row, limbs, &thresholds.fac, limbs);
}

static int bin_end(struct composite *w, mpz_ptr r, mpz_ptr x, int done) {
    if (done)
        mpz_swap(r, x);
    mpz_clear(x);
    composite_end(w);
    return done;
}

/* k <= n/2; 1 if it has been done. */
static int bin_words(enum call_row row, mpz_ptr r, unsigned long n, unsigned long k, int negative) {
    struct composite w;
    mpz_t x;
    if (!bin_begin(&w, row, binomial_limbs(n, k)))
        return 0;
    mpz_init(x);
    int done = binomial(&w, x, n, k);
    if (negative)
        x->_mp_size = -x->_mp_size;
    return bin_end(&w, r, x, done);
}

LARGE void bin_uiui_large(mpz_ptr r, unsigned long n, unsigned long k) {
    COMPOSITE_FRAME;
    call_init();
    unsigned long fewer = k <= n && n - k < k ? n - k : k;
    if (k > n || !bin_words(CALL_ROW(mpz_bin_uiui), r, n, fewer, 0))
        real.mpz_bin_uiui(r, n, k);
}

/* C(n, k) is less than n^k, and than 2^n. */
EXPORT void mpz_bin_uiui(mpz_ptr r, unsigned long n, unsigned long k) {
    if (call_is_small(k, &thresholds.fac) ||
        call_is_small(n / GMP_NUMB_BITS, &thresholds.fac))
        real.mpz_bin_uiui(r, n, k);
    else
        bin_uiui_large(r, n, k);
}

/* C(-n, k) = (-1)^k C(n+k-1, k) for n > 0: the upper number that is not negative. */
static int upper(mpz_ptr m, mpz_srcptr n, unsigned long k) {
    if (n->_mp_size >= 0) {
        mpz_set(m, n);
        return 0;
    }
    mpz_neg(m, n);
    real.mpz_add_ui(m, m, k);
    real.mpz_sub_ui(m, m, 1);
    return k & 1;
}

/* C(m, k) for a number m that is no word. */
static int bin_number(mpz_ptr r, mpz_srcptr m, unsigned long k, int negative) {
    struct composite w;
    mpz_t x;
    size_t limbs;
    if (k == 0 || __builtin_mul_overflow(k, mpz_size(m), &limbs) ||
        !bin_begin(&w, CALL_ROW(mpz_bin_ui), limbs))
        return 0;
    mpz_init(x);
    descending(&w, x, m, 0, k);
    int done = over_factorial(&w, x, k);
    if (negative)
        x->_mp_size = -x->_mp_size;
    return bin_end(&w, r, x, done);
}

static int bin_mpz(mpz_ptr r, mpz_srcptr n, unsigned long k) {
    mpz_t m;
    mpz_init(m);
    int negative = upper(m, n, k), done = 0;
    if (mpz_size(m) > 1)
        done = bin_number(r, m, k, negative);
    else if (mpz_get_ui(m) >= k) {
        unsigned long word = mpz_get_ui(m), fewer = word - k < k ? word - k : k;
        done = bin_words(CALL_ROW(mpz_bin_ui), r, word, fewer, negative);
    }
    mpz_clear(m);
    return done;
}

/* No product has more factors than k, nor they more limbs than n and k.  k beyond a long is not
 * small.  (A negative size as an unsigned number is no less than its magnitude.) */
static inline int bin_ui_is_small(size_t nn, unsigned long k) {
    long most;
    return !__builtin_mul_overflow((long)nn + 1, (long)k, &most) &&
           call_is_small((size_t)most, &thresholds.fac);
}

/* GMP's functions are called before it is known whether there is a call for the device. */
LARGE void bin_ui_large(mpz_ptr r, mpz_srcptr n, unsigned long k) {
    COMPOSITE_FRAME;
    call_init();
    if (bin_ui_is_small(mpz_size(n), k) || !bin_mpz(r, n, k))
        real.mpz_bin_ui(r, n, k);
}

EXPORT void mpz_bin_ui(mpz_ptr r, mpz_srcptr n, unsigned long k) {
    if (bin_ui_is_small((unsigned)n->_mp_size, k))
        real.mpz_bin_ui(r, n, k);
    else
        bin_ui_large(r, n, k);
}
