/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Factorials by squares and swings (P. Luschny, Swing, divide and conquer the factorial).
 *
 *     n! = floor(n/2)!^2 * swing(n),    swing(n) = product of p^(number of odd floor(n / p^i))
 *
 * over the primes p <= n, since floor(n/p^i) is 2 floor(floor(n/2) / p^i) or 1 more. A swing has
 * about n bits, n! about n log n bits. So nearly all the work is the last square.
 *
 * Without the prime 2, the formula gives the odd part of n! from the odd part of floor(n/2)!. For
 * odd n and k = floor(n/2), n!! = n! / (2^k k!). So the odd part of n!! is the odd part of k! times
 * that of swing(n). */
#include "lib/algorithms/factorial.h"

#include "lib/algorithms/composite.h"
#include "lib/algorithms/factors.h"
#include "lib/algorithms/primes.h"
#include "lib/gmp/real.h"
#include "lib/algorithms/limb_tree.h"

static void add_swing(struct factors *f, unsigned long n, unsigned long p) {
    for (unsigned long q = n / p; q > 0; q /= p)
        if (q & 1)
            factors_add(f, p);
}

/* x = the odd part of swing(n) = n! / floor(n/2)!^2. The sieve s finds all primes up to n, or more.
 */
static bool odd_swing(struct composite *w, mpz_ptr x, unsigned long n, struct primes *s) {
    struct factors f;
    factors_init(&f);
    primes_rewind(s);
    for (unsigned long p = primes_next(s); p && p <= n; p = primes_next(s))
        add_swing(&f, n, p);
    bool done = factors_product(w, &f, 0, x);
    factors_clear(&f);
    return done;
}

/* x = x y, for y = the odd part of swing(n) = n! / floor(n/2)!^2. */
static bool mul_swing(struct composite *w, mpz_ptr x, mpz_ptr y, unsigned long n,
                      struct primes *s) {
    if (!odd_swing(w, y, n, s))
        return false;
    composite_mpz_mul(w, x, x, y);
    return true;
}

/* Returns how often n is halved. GMP computes the factorial of the halved n, because products for
 * smaller factorials would be below the device's threshold. */
static unsigned first_halving(unsigned long n) {
    unsigned halvings = 0;
    while (n >> halvings > 20 &&
           !thresholds_is_small(factorial_limbs(n >> halvings) / 2, &thresholds.mul))
        halvings++;
    return halvings;
}

static bool odd_part(struct composite *w, mpz_ptr x, mpz_ptr y, unsigned long n, struct primes *s) {
    unsigned halvings = first_halving(n);
    unsigned long k = n >> halvings;
    bool done = true;
    real.mpz_fac_ui(x, k);
    mpz_tdiv_q_2exp(x, x, factorial_twos(k));
    while (done && halvings-- > 0) {
        composite_mpz_mul(w, x, x, x);
        done = mul_swing(w, x, y, n >> halvings, s);
    }
    return done;
}

/* x = 2^twos times the odd part of n!, or of n!! if is_double is set (n is odd then). The last step
 * to n!! multiplies by swing(n) = n! / floor(n/2)!^2 without squaring. */
static bool odd_on_host(struct composite *w, mpz_ptr x, unsigned long n, bool is_double,
                        unsigned long twos, struct primes *s) {
    mpz_t y;
    mpz_init(y);
    bool done = odd_part(w, x, y, is_double ? n / 2 : n, s);
    if (done && is_double)
        done = mul_swing(w, x, y, n, s);
    if (done)
        mpz_mul_2exp(x, x, twos);
    mpz_clear(y);
    return done;
}

/* ---- on the device: one product tree multiplies all swings */

/* n is halved until the factorial of the halved n has at most START_LIMBS limbs. GMP computes this
 * factorial; the device computes n! from it. */
enum { START_LIMBS = 256, HALVINGS_MOST = 64 };

static unsigned halvings_on_device(unsigned long n, bool is_double) {
    unsigned halvings = is_double;
    while (factorial_limbs(n >> halvings) > START_LIMBS)
        halvings++;
    return halvings;
}

/* Adds to f[h] the odd prime factors of swing(n >> h), for all h < halvings, where swing(m) = m! /
 * floor(m/2)!^2.  For any p, floor((n >> h) / p) equals floor(n / p) >> h. */
static void add_swings(struct factors *f, unsigned halvings, unsigned long n, struct primes *s) {
    unsigned long mask = (1ul << halvings) - 1;
    primes_rewind(s);
    for (unsigned long p = primes_next(s); p; p = primes_next(s))
        for (unsigned long q = n / p; q > 0; q = q < p ? 0 : q / p)
            for (unsigned long bits = q & mask; bits > 0; bits &= bits - 1)
                factors_add(&f[__builtin_ctzl(bits)], p);
}

/* Sets one group of the product tree for each h < halvings: the factors of swing(m) = m! /
 * floor(m/2)!^2 for m = n >> h, the smallest m first. The last group also gets the factor 2^(twos
 * modulo 64). */
static bool make_groups(struct limb_group *groups, struct factors *f, unsigned halvings,
                        bool is_double, unsigned long twos) {
    bool done = true;
    factors_push(&f[0], (mp_limb_t)1 << twos % GMP_NUMB_BITS);
    for (unsigned h = halvings; h-- > 0;) {
        done &= factors_flush(&f[h]);
        groups[halvings - 1 - h] =
            (struct limb_group){f[h].p, f[h].n, f[h].alloc, h > 0 || !is_double};
    }
    return done;
}

/* Computes x = 2^twos times the odd part of n!, or of n!! if is_double is set, by a product tree
 * on the device. `start` is the odd part of (n >> halvings)!. The tree multiplies powers of
 * `start` and of swing(n >> h) for all h < halvings, where swing(m) = m! / floor(m/2)!^2. */
static bool by_groups(struct composite *w, mpz_ptr x, mpz_srcptr start, unsigned halvings,
                      unsigned long n, bool is_double, unsigned long twos, struct primes *s) {
    struct factors f[HALVINGS_MOST];
    struct limb_group groups[HALVINGS_MOST];
    for (unsigned h = 0; h < halvings; h++)
        factors_init(&f[h]);
    add_swings(f, halvings, n, s);
    struct limb_tree t = {.start = start->_mp_d,
                          .start_n = mpz_cmp_ui(start, 1) > 0 ? mpz_size(start) : 0,
                          .groups = groups,
                          .count = halvings};
    bool done = make_groups(groups, f, halvings, is_double, twos) &&
                factors_on_device(w, &t, twos / GMP_NUMB_BITS, x);
    for (unsigned h = 0; h < halvings; h++)
        factors_clear(&f[h]);
    return done;
}

static bool odd_on_device(struct composite *w, mpz_ptr x, unsigned long n, bool is_double,
                          unsigned long twos, struct primes *s) {
    unsigned halvings = halvings_on_device(n, is_double);
    unsigned long k = n >> halvings;
    mpz_t start;
    if (halvings == 0 || thresholds_is_small(factorial_limbs(n), &thresholds.fac) ||
        !job_composites_run())
        return false;
    mpz_init(start);
    real.mpz_fac_ui(start, k);
    mpz_tdiv_q_2exp(start, start, factorial_twos(k));
    bool done = by_groups(w, x, start, halvings, n, is_double, twos, s);
    mpz_clear(start);
    return done;
}

static bool odd_factorial(struct composite *w, mpz_ptr x, unsigned long n, bool is_double,
                          unsigned long twos) {
    struct primes *s = primes_open(n);
    bool done = s && (odd_on_device(w, x, n, is_double, twos, s) ||
                      odd_on_host(w, x, n, is_double, twos, s));
    primes_close(s);
    return done;
}

bool factorial_odd(struct composite *w, mpz_ptr x, unsigned long n) {
    return odd_factorial(w, x, n, false, 0);
}

/* A function below that computes x from n and m; only `multiple` uses m. */
typedef bool compute(struct composite *w, mpz_ptr x, unsigned long n, unsigned long m);

static bool by(compute *f, struct composite *w, mpz_ptr r, unsigned long n, unsigned long m) {
    mpz_t x;
    mpz_init(x);
    bool done = f(w, x, n, m);
    if (done)
        mpz_swap(r, x);
    mpz_clear(x);
    return done;
}

static bool single(struct composite *w, mpz_ptr x, unsigned long n, unsigned long m) {
    (void)m;
    return odd_factorial(w, x, n, false, factorial_twos(n));
}

/* Computes n (n-2) (n-4) ...; for n = 2k that is 2^k k!. */
static bool doubled(struct composite *w, mpz_ptr x, unsigned long n, unsigned long m) {
    (void)m;
    return n % 2 ? odd_factorial(w, x, n, true, 0)
                 : odd_factorial(w, x, n / 2, false, n / 2 + factorial_twos(n / 2));
}

static bool multiple(struct composite *w, mpz_ptr x, unsigned long n, unsigned long m) {
    struct factors f;
    factors_init(&f);
    for (unsigned long i = n; !f.failed; i -= m) {
        factors_add(&f, i);
        if (i <= m)
            break;
    }
    bool done = factors_product(w, &f, 0, x);
    factors_clear(&f);
    return done;
}

static bool primorial(struct composite *w, mpz_ptr x, unsigned long n, unsigned long m) {
    struct factors f;
    struct primes *s = primes_open(n);
    if (!s)
        return false;
    (void)m;
    factors_init(&f);
    for (unsigned long p = 2; p && !f.failed; p = primes_next(s))
        factors_add(&f, p);
    bool done = factors_product(w, &f, 0, x);
    factors_clear(&f);
    primes_close(s);
    return done;
}

bool factorial_multi(struct composite *w, mpz_ptr r, unsigned long n, unsigned long m) {
    return by(m == 1 ? single : m == 2 ? doubled : multiple, w, r, n, m);
}

bool factorial_primorial(struct composite *w, mpz_ptr r, unsigned long n) {
    return by(primorial, w, r, n, 1);
}
