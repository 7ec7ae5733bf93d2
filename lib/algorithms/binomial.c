/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Binomial coefficients.
 *
 * Where n is not much larger than k, from the primes: that of p in C(n, k) is the number of
 * borrows of n - k in base p (Kummer), and that of 2 is popcount(k) + popcount(n-k) -
 * popcount(n).  Else n (n-1) ... (n-k+1), as a tree, over k!. */
#include "lib/algorithms/binomial.h"

#include <limits.h>

#include "lib/algorithms/composite.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/factorial.h"
#include "lib/algorithms/factors.h"
#include "lib/algorithms/primes.h"
#include "lib/base/min.h"
#include "lib/gmp/real.h"

/* The primes up to n are sieved where they are at most so many times the k factors. */
enum { SIEVED = 64 };

/* C(n, k) = C(n, n - k). */
static unsigned long fewer(unsigned long n, unsigned long k) {
    return n - k < k ? n - k : k;
}

static unsigned borrows(unsigned long n, unsigned long k, unsigned long p) {
    unsigned count = 0, borrow = 0;
    for (; n >= p; n /= p, k /= p) {
        borrow = n % p < k % p + borrow;
        count += borrow;
    }
    return count;
}

/* From p on, whose square is above n: n has two digits in base p, so there is one borrow or none,
 * and the same as long as the quotients of n, k and n - k by p are. */
static void add_large(struct factors *f, struct primes *s, unsigned long p, unsigned long n,
                      unsigned long k) {
    while (p) {
        unsigned long of_n = n / p, of_k = k / p, rest = (n - k) / p, last = n / of_n;
        if (of_k)
            last = min_u64(last, k / of_k);
        if (rest)
            last = min_u64(last, (n - k) / rest);
        if (of_n == of_k + rest) {
            primes_skip(s, last);
            p = primes_next(s);
        } else
            for (; p && p <= last; p = primes_next(s))
                factors_add(f, p);
    }
}

static bool by_primes(struct composite *w, mpz_ptr x, unsigned long n, unsigned long k) {
    struct factors f;
    struct primes *s = primes_open(n);
    if (!s)
        return false;
    factors_init(&f);
    factors_reserve(&f, binomial_size(n, k) / 2 * 3); /* limbs are two thirds full at least */
    unsigned long p = primes_next(s);
    for (; p && p <= n / p; p = primes_next(s))
        for (unsigned count = borrows(n, k, p); count > 0; count--)
            factors_add(&f, p);
    add_large(&f, s, p, n, k);
    int twos = __builtin_popcountl(k) + __builtin_popcountl(n - k) - __builtin_popcountl(n);
    bool done = factors_product(w, &f, (unsigned long)twos, x);
    factors_clear(&f);
    primes_close(s);
    return done;
}

/* x = x / k!, which is an integer. */
static bool over_factorial(struct composite *w, mpz_ptr x, unsigned long k) {
    mpz_t d;
    mpz_init(d);
    bool done = factorial_odd(w, d, k);
    if (done) {
        mpz_tdiv_q_2exp(x, x, factorial_twos(k));
        divide_mpz_exact(w, x, x, d);
    }
    mpz_clear(d);
    return done;
}

static bool by_words(struct composite *w, mpz_ptr x, unsigned long n, unsigned long k) {
    struct factors f;
    factors_init(&f);
    for (unsigned long i = 0; i < k && !f.failed; i++)
        factors_add(&f, n - i);
    bool done = factors_product(w, &f, 0, x) && over_factorial(w, x, k);
    factors_clear(&f);
    return done;
}

static bool of_words(struct composite *w, mpz_ptr x, unsigned long n, unsigned long k) {
    k = fewer(n, k);
    return n / k < SIEVED ? by_primes(w, x, n, k) : by_words(w, x, n, k);
}

/* x = (n-a) (n-a-1) ... (n-c+1), a < c. */
static void descending(struct composite *w, mpz_ptr x, mpz_srcptr n, unsigned long a,
                       unsigned long c) {
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

/* What an mpz may not be able to hold is for GMP to say. */
static size_t if_it_fits(size_t limbs) {
    return limbs > INT_MAX / 2 ? 0 : limbs;
}

/* (n/k)^k <= C(n, k) < (n e/k)^k, for k <= n/2. */
size_t binomial_size(unsigned long n, unsigned long k) {
    size_t bits;
    if (k > n || fewer(n, k) == 0)
        return 0;
    k = fewer(n, k);
    return __builtin_mul_overflow(k, (size_t)bit_length(n / k), &bits)
               ? 0
               : if_it_fits(bits / GMP_NUMB_BITS);
}

size_t binomial_mpz_size(mpz_srcptr n, unsigned long k) {
    size_t limbs;
    if (mpz_size(n) <= 1)
        return binomial_size(mpz_get_ui(n), k);
    return __builtin_mul_overflow(k, mpz_size(n), &limbs) ? 0 : if_it_fits(limbs);
}

bool binomial_ui(struct composite *w, mpz_ptr r, unsigned long n, unsigned long k) {
    mpz_t x;
    mpz_init(x);
    bool done = of_words(w, x, n, k);
    if (done)
        mpz_swap(r, x);
    mpz_clear(x);
    return done;
}

bool binomial_mpz(struct composite *w, mpz_ptr r, mpz_srcptr n, unsigned long k) {
    mpz_t x;
    if (mpz_size(n) <= 1)
        return binomial_ui(w, r, mpz_get_ui(n), k);
    mpz_init(x);
    descending(w, x, n, 0, k);
    bool done = over_factorial(w, x, k);
    if (done)
        mpz_swap(r, x);
    mpz_clear(x);
    return done;
}
