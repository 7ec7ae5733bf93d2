/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests Lucas's primality test without the tests that usually run before it, also on composite
 * numbers. Tests roots of odd degree, too. Compares most results with GMP's. The device is a
 * mock. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/primes.h"
#include "lib/algorithms/theory/lucas.h"
#include "lib/algorithms/theory/odd_root.h"
#include "lib/algorithms/theory/perfect_power.h"
#include "lib/algorithms/theory/probable_prime.h"
#include "lib/gmp/real.h"
#include "tests/support/mock.h"
#include "tests/support/testing.h"

enum { ROUNDS = 1500, LEAST_BITS = 66, MOST_BITS = 260, MERSENNE = 140 };

/* Runs a test as the body of a composite operation (a GMP function that computes several
 * products). */
static void inside(void (*test)(struct composite *w)) {
    struct composite_call c;
    call_init();
    ck_assert(composite_call_begin(&c, CALL_ROW(mpz_gcd), 1000, &thresholds.gcd, 1000));
    test(&c.composite);
    composite_call_end(&c);
}

static bool passes_lucas(struct composite *w, mpz_srcptr n) {
    struct modular m;
    ck_assert(modular_init(&m, w, n));
    bool passes = lucas_passes(&m);
    ck_assert(!m.failed);
    modular_clear(&m);
    return passes;
}

/* Checks that Lucas's test agrees with GMP about n. A random composite n that passes Lucas's
 * test is so rare that no case here has one. */
static void check_prime(struct composite *w, mpz_srcptr n) {
    int wanted = real.mpz_probab_prime_p(n, 30) != 0;
    bool own;
    ck_assert_int_eq(passes_lucas(w, n), wanted);
    ck_assert(probable_prime_decide(w, n, 30, &own));
    ck_assert_int_eq(own, wanted);
    ck_assert(!wanted || !probable_prime_has_factor(n));
}

static void random_number(mpz_ptr x, size_t bits) {
    testing_limbs(mpz_limbs_write(x, (mp_size_t)(bits / GMP_NUMB_BITS + 1)),
                  bits / GMP_NUMB_BITS + 1);
    mpz_limbs_finish(x, (mp_size_t)(bits / GMP_NUMB_BITS + 1));
    mpz_setbit(x, bits);
    mpz_setbit(x, 0);
}

static void check_random(struct composite *w) {
    mpz_t n;
    mpz_init(n);
    for (int i = 0; i < ROUNDS; i++) {
        random_number(n, LEAST_BITS + testing_below(MOST_BITS - LEAST_BITS));
        if (i % 2)
            real.mpz_nextprime(n, n);
        /* leaves out numbers with small factors: GMP, too, finds these factors before it runs
         * Lucas's test */
        if (mpz_gcd_ui(NULL, n, 3 * 5 * 7 * 11 * 13) == 1)
            check_prime(w, n);
    }
    mpz_clear(n);
}

START_TEST(test_random_numbers) {
    inside(check_random);
}
END_TEST

/* Tests numbers n for which n + 1 or n - 1 is divisible by a high power of 2. */
static void check_powers_of_2(struct composite *w) {
    mpz_t n;
    mpz_init(n);
    for (unsigned long e = LEAST_BITS; e < MERSENNE; e++)
        for (unsigned long h = 1; h < 60; h += 2)
            for (int sign = -1; sign <= 1; sign += 2) {
                mpz_set_ui(n, h);
                mpz_mul_2exp(n, n, e);
                if (sign > 0)
                    real.mpz_add_ui(n, n, 1);
                else
                    real.mpz_sub_ui(n, n, 1);
                if (mpz_gcd_ui(NULL, n, 3 * 5 * 7 * 11 * 13) == 1)
                    check_prime(w, n);
            }
    mpz_clear(n);
}

START_TEST(test_powers_of_2) {
    inside(check_powers_of_2);
}
END_TEST

/* Sets u = r^k for a prime r. In half of the cases an even number is added, so that u is no
 * power. Returns true if u is a power. */
static bool make_power(mpz_ptr u, unsigned long k, size_t bits) {
    mpz_t r;
    mpz_init(r);
    random_number(r, bits);
    real.mpz_nextprime(r, r);
    real.mpz_pow_ui(u, r, k);
    bool is_power = testing_below(2);
    if (!is_power) {
        mpz_set_ui(r, 0);
        mpz_setbit(r, 1 + testing_below(composite_mpz_bits(u)));
        real.mpz_add(u, u, r);
    }
    mpz_clear(r);
    return is_power;
}

static void check_roots(struct composite *w) {
    static const unsigned long exponents[] = {3, 5, 7, 11, 13, 31, 61, 127, 251, 509};
    mpz_t u;
    mpz_init(u);
    for (int i = 0; i < ROUNDS; i++) {
        unsigned long k = exponents[testing_below(sizeof exponents / sizeof *exponents)];
        bool is_power = make_power(u, k, 1 + testing_below(4000 / k)), own;
        ck_assert_int_eq(odd_root_exists(w, u, k), is_power);
        if (mpz_size(u) > 1) {
            ck_assert(perfect_power_decide(w, u, &own));
            ck_assert_int_eq(own, real.mpz_perfect_power_p(u) != 0);
        }
    }
    mpz_clear(u);
}

START_TEST(test_roots) {
    inside(check_roots);
}
END_TEST

/* ---- primes */

/* Checks the primes that a sieve returns. Now and then the test makes the sieve skip ahead by a
 * random distance, which may be longer than a segment of the sieve. */
START_TEST(test_primes) {
    static const unsigned long most[] = {2, 3, 30, 240, PRIMES_SEGMENT - 1, 5 * PRIMES_SEGMENT};
    mpz_t wanted;
    mpz_init(wanted);
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        struct primes *s = primes_open(most[k]);
        ck_assert_ptr_nonnull(s);
        for (int round = 0; round < 2; round++) {
            unsigned long p = 0;
            mpz_set_ui(wanted, 2);
            do {
                if (testing_below(100) == 0) {
                    unsigned long n = p + testing_below(testing_below(2) ? 300 : most[k]);
                    primes_skip(s, n);
                    if (mpz_cmp_ui(wanted, n) < 0)
                        mpz_set_ui(wanted, n);
                }
                mpz_nextprime(wanted, wanted);
                p = primes_next(s);
                ck_assert_uint_eq(p, mpz_cmp_ui(wanted, most[k]) > 0 ? 0 : mpz_get_ui(wanted));
            } while (p);
            primes_rewind(s);
        }
        primes_close(s);
    }
    mpz_clear(wanted);
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("theory", 120,
                        TESTS(ONCE(test_random_numbers), ONCE(test_powers_of_2), ONCE(test_roots),
                              ONCE(test_primes)));
}
