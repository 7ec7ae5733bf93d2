/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product trees on the device of every backend, and powers, Fibonacci and Lucas numbers by every
 * engine, beside GMP's.  MPGPU_TEST_TREES random ones of each. */
#include <string.h>

#include "lib/algorithms/binomial.h"
#include "lib/algorithms/factorial.h"
#include "lib/algorithms/fibonacci.h"
#include "lib/algorithms/power.h"
#include "lib/base/thresholds.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/algorithms/limb_tree.h"
#include "tests/support/engines.h"

static unsigned long rounds(void) {
    return testing_option("MPGPU_TEST_TREES", 3);
}

/* Is {rp, n}, with zeros at its top, x? */
static bool is_equal(mp_srcptr rp, size_t n, mpz_srcptr x) {
    n = normalize(rp, n);
    return n == mpz_size(x) && mpn_cmp(rp, x->_mp_d, (mp_size_t)n) == 0;
}

/* ---- trees */

enum { GROUPS_MOST = 5 };

static mp_ptr random_factors(size_t n, unsigned kind) {
    mp_ptr p = limbs(n + 1);
    testing_limbs(p, n);
    for (size_t i = 0; i < n; i++)
        p[i] = kind == 0 ? ~(mp_limb_t)0 : kind == 1 ? 1 : p[i] >> testing_below(64) | 1;
    return p;
}

/* x = x {p, n}. */
static void multiply(mpz_ptr x, mp_srcptr p, size_t n) {
    if (n > 20) {
        mpz_t y;
        mpz_init_set_ui(y, 1);
        multiply(y, p, n / 2);
        multiply(x, p + n / 2, n - n / 2);
        mpz_mul(x, x, y);
        mpz_clear(y);
        return;
    }
    for (size_t i = 0; i < n; i++)
        mpz_mul_ui(x, x, p[i]);
}

static void run_tree(struct limb_tree *t, mpz_srcptr right) {
    ck_assert(limb_tree_open(t));
    mp_ptr rp = guarded(t->limbs);
    enum outcome outcome = limb_tree_run(t, rp);
    ck_assert_msg(outcome == OUTCOME_DONE, "not done: %u groups: %d", t->count, outcome);
    ck_assert_msg(is_equal(rp, t->limbs, right), "%u groups, %u levels, %lu columns: wrong",
                  t->count, t->plan.levels, (unsigned long)t->plan.columns);
    check_guards(rp, t->limbs);
    limb_tree_close(t);
}

static void compare_tree(const size_t *sizes, unsigned count, size_t start_n, bool is_spare) {
    struct limb_group groups[GROUPS_MOST];
    struct limb_tree t = {.start_n = start_n, .groups = groups, .count = count};
    mp_ptr start = limbs(start_n + 1);
    mpz_t right;
    testing_limbs(start, start_n);
    start[start_n ? start_n - 1 : 0] |= 1;
    t.start = start;
    mpz_init_set_ui(right, 1);
    if (start_n > 0) {
        mpz_t x = MPZ_ROINIT_N(start, (mp_size_t)start_n);
        mpz_set(right, x);
    }
    for (unsigned i = 0; i < count; i++) {
        size_t alloc = is_spare ? limb_tree_alloc(sizes[i]) : sizes[i];
        mp_ptr p = random_factors(alloc, (unsigned)testing_below(4));
        groups[i] = (struct limb_group){p, sizes[i], alloc, testing_below(2)};
        if (groups[i].is_squared)
            mpz_mul(right, right, right);
        multiply(right, p, sizes[i]);
    }
    run_tree(&t, right);
    for (unsigned i = 0; i < count; i++)
        free(groups[i].p);
    free(start);
    mpz_clear(right);
}

START_TEST(small_trees) {
    composite_open(backends[_i]);
    for (size_t n = 1; n < 20; n++)
        compare_tree(&n, 1, n % 3, n % 2);
}
END_TEST

/* More limbs than a column holds, so that columns are multiplied too. */
START_TEST(large_trees) {
    composite_open(backends[_i]);
    const size_t sizes[] = {8191, 9000};
    for (unsigned i = 0; i < 2; i++)
        compare_tree(&sizes[i], 1, 0, i % 2);
}
END_TEST

START_TEST(random_trees) {
    composite_open(backends[_i]);
    for (unsigned long k = rounds(); k > 0; k--) {
        size_t sizes[GROUPS_MOST] = {0};
        unsigned count = 1 + (unsigned)testing_below(GROUPS_MOST);
        for (unsigned i = 0; i < count; i++)
            sizes[i] = testing_size(900);
        sizes[testing_below(count)] += 1;
        if (count > 1)
            sizes[0] *= testing_below(2);
        if (sizes[0] + sizes[count - 1] > 0)
            compare_tree(sizes, count, testing_size(50), false);
    }
}
END_TEST

START_TEST(no_tree) {
    const struct limb_group group = {.n = 0};
    struct limb_tree t = {.groups = &group, .count = 1};
    ck_assert(!limb_tree_open(&t));
}
END_TEST

/* ---- powers */

static void thresholds_at_one(void) {
    thresholds.fac = thresholds.fib = thresholds.pow = 1;
}

/* The base has so many limbs, and zero bits below them. */
static void compare_power(size_t bn, unsigned long e, mp_bitcnt_t zeros) {
    mpz_t b, x, right;
    mpz_inits(b, x, right, NULL);
    mp_ptr bp = mpz_limbs_write(b, (mp_size_t)bn);
    testing_limbs(bp, bn);
    bp[bn - 1] |= (mp_limb_t)1 << testing_below(64);
    if (testing_below(4) == 0)
        memset(bp, 0xff, bn * sizeof *bp);
    bp[0] |= 3;
    mpz_limbs_finish(b, (mp_size_t)bn);
    mpz_mul_2exp(b, b, zeros);
    real.mpz_pow_ui(right, b, e);
    engine_check(power_mpz(&engine_work, x, b->_mp_d, mpz_size(b), e, false), "power", bn);
    ck_assert_msg(mpz_cmp(x, right) == 0, "%zu limbs ^ %lu, %lu zeros: wrong", bn, e, zeros);
    mpz_clears(b, x, right, NULL);
}

START_TEST(powers) {
    engine_open(_i);
    thresholds_at_one();
    for (unsigned long e = 2; e < 10; e++)
        for (size_t bn = 1; bn < 4; bn++)
            compare_power(bn, e, 40 * (bn - 1));
    for (unsigned long k = rounds(); k > 0; k--) {
        size_t bn = 1 + testing_size(300);
        compare_power(bn, 2 + testing_below(3000 / bn + 2), testing_below(200));
    }
    compare_power(1, 3001, 0);
    compare_power(1, 12345, 64);
}
END_TEST

/* ---- Fibonacci and Lucas numbers */

static void compare_fibonacci(unsigned long n, int kind) {
    mpz_t x, y, r, s;
    mpz_inits(x, y, r, s, NULL);
    bool has_two = kind == CALC_FIBONACCI_TWO || (kind == CALC_FIBONACCI_LUCAS && n % 2);
    engine_check(fibonacci(&engine_work, x, has_two ? y : NULL, n, kind), "Fibonacci number",
                 fibonacci_size(n));
    if (kind == CALC_FIBONACCI_LUCAS)
        real.mpz_lucnum2_ui(r, s, n);
    else
        real.mpz_fib2_ui(r, s, n);
    ck_assert_msg(mpz_cmp(x, r) == 0, "%lu, kind %d: wrong", n, kind);
    ck_assert_msg(!has_two || mpz_cmp(y, s) == 0, "%lu, kind %d: the one before", n, kind);
    mpz_clears(x, y, r, s, NULL);
}

START_TEST(fibonacci_numbers) {
    engine_open(_i);
    for (int kind = CALC_FIBONACCI_ONE; kind <= CALC_FIBONACCI_LUCAS; kind++) {
        for (unsigned long n = 2; n < 12; n++)
            compare_fibonacci(n, kind);
        for (unsigned long n = 47190; n < 47210; n += 7) /* round 2^15 bits */
            compare_fibonacci(n, kind);
        for (unsigned long k = rounds() / 2; k > 0; k--)
            compare_fibonacci(50000 + testing_below(150000), kind);
    }
}
END_TEST

/* ---- whole functions, with every threshold at one limb */

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

START_TEST(powers_of_limbs) {
    composite_open(backends[_i]);
    thresholds_at_one();
    struct composite w = {0};
    const mp_limb_t bases[] = {3, 6, 10, 4096, ~(mp_limb_t)0, (mp_limb_t)3 << 62};
    mpz_t x, right;
    mpz_init(x);
    mpz_init(right);
    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++) {
        unsigned long e = 2000 + testing_below(10000);
        bool has_one = bases[i] == 4096; /* of 1^e nothing is made */
        ck_assert_int_eq(power_mpz(&w, x, &bases[i], 1, e, i % 2), !has_one);
        ck_assert_int_eq(w.sent > 0, !has_one);
        w = (struct composite){0};
        if (has_one)
            continue;
        real.mpz_ui_pow_ui(right, bases[i], e);
        ck_assert_msg(mpz_cmpabs(x, right) == 0 && (mpz_sgn(x) < 0) == i % 2, "%lu ^ %lu: wrong",
                      bases[i], e);
    }
    mpz_clear(x);
    mpz_clear(right);
}
END_TEST

/* With a factor changed behind the layout's back the host's residue would change with it: so the
 * device's product is spoilt, by another bound of bits than it has.  The check has to find that. */
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

static void add(TCase *tests) {
    tcase_add_loop_test(tests, small_trees, 0, backend_count);
    tcase_add_loop_test(tests, large_trees, 0, backend_count);
    tcase_add_loop_test(tests, random_trees, 0, backend_count);
    tcase_add_test(tests, no_tree);
    engine_add(tests, powers);
    engine_add(tests, fibonacci_numbers);
    tcase_add_loop_test(tests, factorials, 0, backend_count);
    tcase_add_loop_test(tests, binomials, 0, backend_count);
    tcase_add_loop_test(tests, powers_of_limbs, 0, backend_count);
    tcase_add_loop_test(tests, spoilt_tree, 0, backend_count);
}

int main(void) {
    return composite_tests("product trees, powers and Fibonacci numbers", add);
}
