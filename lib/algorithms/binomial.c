/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Binomial coefficients.
 *
 * If n is not much larger than k, C(n, k) is the product of its prime powers.  The exponent of p is
 * the number of borrows of n - k in base p (Kummer).  The exponent of 2 is popcount(k) +
 * popcount(n-k) - popcount(n).  If n is much larger, a product tree computes n (n-1) ... (n-k+1),
 * which is divided by k!. */
#include "config.h"

#include "lib/algorithms/binomial.h"

#include <limits.h>
#include <stdatomic.h>

#include "lib/algorithms/composite.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/algorithms/factorial.h"
#include "lib/algorithms/factors.h"
#include "lib/algorithms/primes.h"
#include "lib/base/min.h"
#include "lib/gmp/real.h"
#include "lib/process/thread_pool.h"

/* A sieve finds the primes of C(n, k) if n / k is below SIEVED; otherwise a product tree computes
 * C(n, k). */
enum { SIEVED = 64 };

/* C(n, k) = C(n, n - k): returns the smaller index. */
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

/* ---- the prime factors of C(n, k), collected by several threads if n is large */

/* Each thread sieves pieces of PIECE numbers; one thread sieves all for n below FOR_THREADS. PIECE
 * is less than two segments of the sieve, because a segment may begin a few numbers before the
 * piece. */
enum { FOR_THREADS = 1 << 22, PIECE = 2 * PRIMES_SEGMENT - 1000 };

/* The primes above the square root of n, divided into pieces. Each thread takes the next piece that
 * no thread has taken. */
struct pieces {
    unsigned long n, k, first;
    atomic_ulong next;
};

/* The state of one thread, which collects the prime factors that are in its pieces. */
struct collector {
    struct pieces *of;
    struct factors f;
    struct primes *s;
    unsigned long p; /* the next prime; 0 after the last */
};

static void skip(struct collector *t, unsigned long last) {
    if (!t->p || t->p > last)
        return;
    primes_skip(t->s, last);
    t->p = primes_next(t->s);
}

/* Collects the primes p <= `end` that divide C(n, k), for p above the square root of n. p divides
 * C(n, k) at most once, because n has two digits in base p. One test serves all primes with equal
 * quotients n / p, k / p and (n - k) / p. */
static void collect(struct collector *t, unsigned long end) {
    unsigned long n = t->of->n, k = t->of->k;
    while (t->p && t->p <= end) {
        unsigned long of_n = n / t->p, of_k = k / t->p, rest = (n - k) / t->p;
        unsigned long last = min_u64(n / of_n, end);
        if (of_k)
            last = min_u64(last, k / of_k);
        if (rest)
            last = min_u64(last, (n - k) / rest);
        if (of_n == of_k + rest)
            skip(t, last);
        else
            for (; t->p && t->p <= last; t->p = primes_next(t->s))
                factors_add(&t->f, t->p);
    }
}

static void collect_pieces(void *argument) {
    struct collector *t = argument;
    const struct pieces *a = t->of;
    while (t->s) {
        unsigned long from = a->first + PIECE * atomic_fetch_add(&t->of->next, 1ul);
        if (from > a->n)
            break;
        skip(t, from - 1);
        collect(t, min_u64(from + PIECE - 1, a->n));
    }
}

/* Opens a collector at the first piece.  If memory is missing, t->s is NULL, and the collector
 * collects nothing. */
static void collector_open(struct collector *t, struct pieces *of) {
    *t = (struct collector){.of = of, .s = primes_open(of->n)};
    factors_init(&t->f);
    t->p = t->s ? primes_next(t->s) : 0;
    if (of->first > 0)
        skip(t, of->first - 1);
}

static void collector_close(struct collector *t) {
    factors_clear(&t->f);
    if (t->s)
        primes_close(t->s);
}

static bool has_pieces(const struct pieces *a) {
    return a->first + PIECE * atomic_load(&a->next) <= a->n;
}

/* Collects the factors of collector i, in a thread of the pool.  The caller has opened collector 0;
 * the others are opened here if pieces are left. */
static void collect_part(void *collectors, unsigned i) {
    struct collector *t = (struct collector *)collectors + i;
    if (i > 0 && has_pieces(t->of))
        collector_open(t, t->of);
    collect_pieces(t);
}

/* Collects the prime factors of C(n, k) above the square root of n with several threads. Adds to
 * t->f the factors that the other threads collected. */
static void collect_together(struct collector *t) {
    unsigned threads = t->of->n < FOR_THREADS ? 1 : thread_pool_width();
    struct collector all[THREAD_POOL_WIDTH] = {*t};
    for (unsigned i = 1; i < threads; i++) {
        all[i].of = t->of;
        factors_init(&all[i].f);
    }
    thread_pool_run(threads, collect_part, all);
    *t = all[0];
    for (unsigned i = 1; i < threads; i++) {
        factors_join(&t->f, &all[i].f);
        collector_close(&all[i]);
    }
}

/* Collects all prime factors of C(n, k), except 2, in t->f. */
static void collect_all(struct collector *t) {
    unsigned long n = t->of->n, k = t->of->k;
    /* factors_add multiplies primes into a limb until the product overflows: each limb is at least
     * two thirds full. */
    factors_reserve(&t->f, binomial_size(n, k) / 2 * 3);
    for (; t->p && t->p <= n / t->p; t->p = primes_next(t->s))
        for (unsigned count = borrows(n, k, t->p); count > 0; count--)
            factors_add(&t->f, t->p);
    t->of->first = t->p ? t->p : n;
    collect_together(t);
}

static bool by_primes(struct composite *w, mpz_ptr x, unsigned long n, unsigned long k) {
    struct pieces pieces = {.n = n, .k = k};
    struct collector t;
    int twos = __builtin_popcountl(k) + __builtin_popcountl(n - k) - __builtin_popcountl(n);
    collector_open(&t, &pieces);
    if (t.s)
        collect_all(&t);
    bool done = t.s && factors_product(w, &t.f, (unsigned long)twos, x);
    collector_close(&t);
    return done;
}

/* x = x / k!, which must be an integer. */
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

/* x = (n-a) (n-a-1) ... (n-c+1), for a < c. */
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

/* Returns `limbs`; or 0, which leaves the call to GMP, if the result may be too long for an mpz. */
static size_t if_it_fits(size_t limbs) {
    return limbs > INT_MAX / 2 ? 0 : limbs;
}

/* Uses the bounds (n/k)^k <= C(n, k) < (n e/k)^k for k <= n/2. */
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
