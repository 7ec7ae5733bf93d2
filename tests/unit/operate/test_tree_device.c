/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests factorials, binomials and powers on the device of every backend, compared with GMP's,
 * and product trees that are refused. MPGPU_TEST_TREES: number of random cases of each.
 * tests/unit/job/test_composites.c tests the jobs. */
#include <string.h>

#include "lib/algorithms/binomial.h"
#include "lib/algorithms/factorial.h"
#include "lib/algorithms/limb_tree.h"
#include "lib/algorithms/power.h"
#include "lib/base/thresholds.h"
#include "lib/gmp/real.h"
#include "tests/support/composite.h"

static unsigned long rounds(void) {
    return testing_option("MPGPU_TEST_TREES", 3);
}

START_TEST(no_tree) {
    const struct limb_group group = {.n = 0};
    struct limb_tree t = {.groups = &group, .count = 1};
    ck_assert(!limb_tree_open(&t));
}
END_TEST

/* ---- whole GMP functions, with all thresholds at one limb */

static void thresholds_at_one(void) {
    thresholds.fac = thresholds.fib = thresholds.pow = 1;
}

static void compare_composite(struct composite *w, mpz_srcptr x, mpz_srcptr right, const char *what,
                              unsigned long n, unsigned long k) {
    ck_assert_msg(mpz_cmp(x, right) == 0, "%s of %lu, %lu: wrong", what, n, k);
    ck_assert_msg(w->sent > 0, "%s of %lu, %lu: not by the device", what, n, k);
    *w = (struct composite){0};
}

START_TEST(factorials) {
    composite_open(backends[_i]);
    thresholds_at_one();
    struct composite w = {0};
    mpz_t x, right;
    mpz_init(x);
    mpz_init(right);
    for (unsigned long i = 0; i < rounds(); i++) {
        unsigned long n = 3500 + testing_below(8000) * (i + 1), m = 3 + testing_below(100);
        ck_assert(factorial_multi(&w, x, n, 1));
        real.mpz_fac_ui(right, n);
        compare_composite(&w, x, right, "factorial", n, 1);
        ck_assert(factorial_multi(&w, x, 2 * n + i % 2, 2));
        real.mpz_2fac_ui(right, 2 * n + i % 2);
        compare_composite(&w, x, right, "factorial", 2 * n + i % 2, 2);
        ck_assert(factorial_multi(&w, x, n, m));
        real.mpz_mfac_uiui(right, n, m);
        compare_composite(&w, x, right, "factorial", n, m);
        ck_assert(factorial_primorial(&w, x, n));
        real.mpz_primorial_ui(right, n);
        compare_composite(&w, x, right, "primorial", n, 0);
    }
    mpz_clear(x);
    mpz_clear(right);
}
END_TEST

START_TEST(binomials) {
    composite_open(backends[_i]);
    thresholds_at_one();
    struct composite w = {0};
    mpz_t x, right;
    mpz_init(x);
    mpz_init(right);
    for (unsigned long i = 0; i < rounds(); i++) {
        unsigned long k = 1000 + testing_below(4000 * (i + 1)), n = 2 * k + testing_below(80) * k;
        if (i % 3 == 0)
            n = 2 * k;
        if (i == 1 && _i == 0) { /* several threads sieve */
            n = 34000000 + testing_below(1000000);
            k = n - n / 60;
        }
        ck_assert(binomial_ui(&w, x, n, k));
        real.mpz_bin_uiui(right, n, k);
        compare_composite(&w, x, right, "binomial", n, k);
    }
    mpz_clear(x);
    mpz_clear(right);
}
END_TEST

START_TEST(powers) {
    composite_open(backends[_i]);
    thresholds_at_one();
    struct composite w = {0};
    mpz_t b, x, right;
    mpz_inits(b, x, right, NULL);
    for (unsigned i = 0; i < 12; i++) {
        static const unsigned long bases[] = {3, 6, 10, 4096, ~0ul, 3ul << 62};
        const unsigned long e = 2000 + testing_below(10000);
        const bool has_one = i == 3; /* 4096^e is a power of two, which needs no product */
        if (i < 6)
            mpz_set_ui(b, bases[i]);
        else /* bases of several limbs, with runs of zeros */
            mpz_rrandomb(b, *testing_random(), 66 + testing_below(600));
        mpz_setbit(b, i == 3 ? 12 : 1);
        if (i > 7)
            mpz_mul_2exp(b, b, testing_below(200));
        ck_assert_int_eq(power_mpz(&w, x, b->_mp_d, mpz_size(b), e, i % 2), !has_one);
        ck_assert_int_eq(w.sent > 0, !has_one);
        w = (struct composite){0};
        if (has_one)
            continue;
        real.mpz_pow_ui(right, b, e);
        ck_assert_msg(mpz_cmpabs(x, right) == 0 && (mpz_sgn(x) < 0) == i % 2, "%u ^ %lu: wrong", i,
                      e);
    }
    mpz_clears(b, x, right, NULL);
}
END_TEST

/* Gives the device's product a wrong size in bits, so that the product is wrong: the check must
 * find it. Changing a factor instead would change the host's residue, too. */
START_TEST(spoilt_tree) {
    composite_open(backends[_i]);
    mp_limb_t p[100], rp[200];
    uint64_t bits = 3000;
    memset(p, 0xff, sizeof p);
    const struct limb_group group = {.p = p, .n = 100, .alloc = 100};
    struct limb_tree t = {.groups = &group, .count = 1};
    ck_assert(limb_tree_open(&t));
    const uint64_t *right = t.plan.bits;
    t.plan.bits = &bits;
    t.limbs = 3000 / 64 + 1;
    ck_assert_int_eq(limb_tree_run(&t, rp), OUTCOME_FAILED);
    t.plan.bits = right;
    limb_tree_close(&t);
}
END_TEST

int main(void) {
    return composite_tests("factorials, binomials and powers",
                           TESTS(ONCE(no_tree), PER_DEVICE(factorials, 1), PER_DEVICE(binomials, 1),
                                 PER_DEVICE(powers, 1), PER_DEVICE(spoilt_tree, 1)));
}
