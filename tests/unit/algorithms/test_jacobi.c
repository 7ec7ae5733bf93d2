/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the Jacobi symbol, which the library updates at each step of Euclid's algorithm. Tests all
 * pairs of small numbers, with each quotient subtracted at once or in several parts, and long
 * numbers with a mock device. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/theory/jacobi.h"
#include "lib/algorithms/theory/symbol.h"
#include "lib/gmp/real.h"
#include "tests/support/mock.h"
#include "tests/support/testing.h"

enum { SMALL = 1500, MOST = 300, ROUNDS = 3000 };

/* Returns the Jacobi symbol (a/b) for odd b, computed by Euclid's steps. With `parts`, a quotient
 * may be subtracted in several random parts. */
static int symbol_of(unsigned long a, unsigned long b, bool parts) {
    struct symbol s = {.x = {a & 3, b & 3}, .denominator = 1};
    unsigned long x[2] = {a, b};
    while (x[0] && x[1]) {
        unsigned i = x[0] < x[1];
        unsigned long q = x[i] / x[!i];
        if (parts && q > 1)
            q = 1 + testing_below(q);
        if (i == s.denominator && x[i] == q * x[!i] && x[!i] % 2 == 0)
            ck_abort_msg("an odd denominator is no multiple of an even number");
        x[i] -= q * x[!i];
        symbol_step(&s, i, q);
    }
    ck_assert_uint_eq(x[s.denominator] % 2, 1);
    ck_assert_uint_eq(x[!s.denominator], 0);
    int symbol = x[s.denominator] == 1;
    return s.is_negated ? -symbol : symbol;
}

START_TEST(test_small_numbers) {
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    call_init();
    for (unsigned long i = 1; i < SMALL; i++)
        for (unsigned long j = 1; j < SMALL; j += 2) {
            mpz_set_ui(a, i);
            mpz_set_ui(b, j);
            ck_assert_int_eq(symbol_of(i, j, _i), real.mpz_jacobi(a, b));
        }
    mpz_clears(a, b, NULL);
}
END_TEST

START_TEST(test_long_quotients) {
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    call_init();
    for (int i = 0; i < 1000000; i++) {
        unsigned long x = 1 + testing_below(1ul << (1 + testing_below(62))),
                      y = 1 | testing_below(1ul << (1 + testing_below(62)));
        mpz_set_ui(a, x);
        mpz_set_ui(b, y);
        ck_assert_int_eq(symbol_of(x, y, i % 2), real.mpz_jacobi(a, b));
    }
    mpz_clears(a, b, NULL);
}
END_TEST

/* Makes two numbers that are not both even. Their quotients in Euclid's algorithm have one to three
 * bits, except some long ones. */
static void make_chain(mpz_ptr a, mpz_ptr b, size_t bits) {
    mpz_t q;
    mpz_init(q);
    mpz_set_ui(a, 1 + testing_below(4));
    mpz_set_ui(b, 1);
    while (composite_mpz_bits(a) < bits) {
        mpz_set_ui(q, 1 + testing_below(4));
        if (testing_below(40) == 0)
            mpz_setbit(q, testing_below(300));
        real.mpz_addmul(b, a, q);
        mpz_swap(a, b);
    }
    mpz_clear(q);
}

static void long_numbers(struct composite *w) {
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        make_chain(a, b, (2 + testing_size(MOST)) * GMP_NUMB_BITS);
        if (testing_below(2))
            mpz_swap(a, b);
        if (testing_below(4) == 0)
            mpz_mul_2exp(b, b, testing_below(100));
        if (testing_below(4) == 0)
            mpz_neg(a, a);
        if (testing_below(4) == 0)
            mpz_neg(b, b);
        ck_assert_int_eq(jacobi_mpz(w, a, b), real.mpz_jacobi(a, b));
    }
    mpz_clears(a, b, NULL);
}

START_TEST(test_long_numbers) {
    struct composite_call c;
    mock.fails_at_times = _i;
    call_init();
    ck_assert(composite_call_begin(&c, CALL_ROW(mpz_jacobi), 1000, &thresholds.gcd, 1000));
    long_numbers(&c.composite);
    composite_call_end(&c);
    ck_assert_int_gt(mock.calls, 0);
}
END_TEST

int main(void) {
    testing_random();
    return testing_main(
        "jacobi", 120,
        TESTS(LOOP(test_small_numbers, 2), ONCE(test_long_quotients), LOOP(test_long_numbers, 2)));
}
