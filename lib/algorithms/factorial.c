/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Factorials by squares and swings (P. Luschny, Swing, divide and conquer the factorial).
 *
 *     n! = floor(n/2)!^2 * swing(n),    swing(n) = product of p^(number of odd floor(n / p^i))
 *
 * over the primes p <= n, since floor(n/p^i) is 2 floor(floor(n/2) / p^i) or 1 more.  A
 * swing has about n bits, n! has log n times that: so nearly all is one square.  Of odd parts
 * the same is true without p = 2; and for an odd n, n!! = n! / (2^k k!), k = floor(n/2), whose
 * odd part is that of k! swing(n). */
#include "lib/algorithms/factorial.h"

#include "lib/algorithms/factors.h"
#include "lib/algorithms/primes.h"
#include "lib/gmp/real.h"
#include "lib/algorithms/composite_mpz.h"

static void add_swing(struct factors *f, unsigned long n, unsigned long p) {
    for (unsigned long q = n / p; q > 0; q /= p)
        if (q & 1)
            factors_add(f, p);
}

/* The odd part of swing(n); s has the primes up to n or more. */
static int odd_swing(struct composite *w, mpz_ptr x, unsigned long n, struct primes *s) {
    struct factors f;
    factors_init(&f);
    primes_rewind(s);
    for (unsigned long p = primes_next(s); p && p <= n; p = primes_next(s))
        add_swing(&f, n, p);
    int done = factors_product(w, &f, x);
    factors_clear(&f);
    return done;
}

/* x = x y, and y the swing of n. */
static int times_swing(struct composite *w, mpz_ptr x, mpz_ptr y, unsigned long n, struct primes *s) {
    if (!odd_swing(w, y, n, s))
        return 0;
    composite_mpz_mul(w, x, x, y);
    return 1;
}

/* As long as the products are, GMP's. */
static unsigned first_halving(unsigned long n) {
    unsigned halvings = 0;
    while (n >> halvings > 20 &&
           !call_is_small(factorial_limbs(n >> halvings) / 2, &thresholds.mul))
        halvings++;
    return halvings;
}

static int odd_part(struct composite *w, mpz_ptr x, mpz_ptr y, unsigned long n, struct primes *s) {
    unsigned halvings = first_halving(n);
    unsigned long k = n >> halvings;
    int done = 1;
    real.mpz_fac_ui(x, k);
    mpz_tdiv_q_2exp(x, x, factorial_twos(k));
    while (done && halvings-- > 0) {
        composite_mpz_mul(w, x, x, x);
        done = times_swing(w, x, y, n >> halvings, s);
    }
    return done;
}

/* Of n!, or of n!! if `swing` alone is to be the last step. */
static int factorial(struct composite *w, mpz_ptr x, unsigned long n, int is_double) {
    struct primes *s = primes_open(n);
    if (!s)
        return 0;
    mpz_t y;
    mpz_init(y);
    int done = odd_part(w, x, y, is_double ? n / 2 : n, s);
    if (done && is_double)
        done = times_swing(w, x, y, n, s);
    mpz_clear(y);
    primes_close(s);
    return done;
}

int factorial_odd(struct composite *w, mpz_ptr x, unsigned long n) {
    return factorial(w, x, n, 0);
}

int factorial_double(struct composite *w, mpz_ptr x, unsigned long n) {
    return factorial(w, x, n, 1);
}
