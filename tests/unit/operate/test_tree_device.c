/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Product trees, powers, Fibonacci and Lucas numbers made on the device, on every backend that has
 * one, beside GMP's.  MPGPU_TEST_TREES random ones of each a backend. */
#include <string.h>

#include "lib/algorithms/binomial.h"
#include "lib/algorithms/factorial.h"
#include "lib/algorithms/fibonacci.h"
#include "lib/algorithms/power.h"
#include "lib/base/conf.h"
#include "lib/base/thresholds.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/operate/operate_fibonacci.h"
#include "lib/operate/operate_power.h"
#include "lib/operate/operate_tree.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"

/* The options were read when the first random number was made. */
static void open_with(struct test_backend backend) {
    if (backend.kernels_of_gpus)
        gpu_use_kernels_of_gpus();
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "%s", backend.name);
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
}

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

static void run_tree(struct operate_tree *t, mpz_srcptr right) {
    ck_assert(operate_tree_open(t));
    mp_ptr rp = guarded(t->limbs);
    enum outcome outcome = operate_tree_run(t, rp);
    ck_assert_msg(outcome == OUTCOME_DONE, "not done: %u groups: %d", t->count, outcome);
    ck_assert_msg(is_equal(rp, t->limbs, right), "%u groups, %u levels, %lu columns: wrong",
                  t->count, t->plan.levels, (unsigned long)t->plan.columns);
    check_guards(rp, t->limbs);
    operate_tree_close(t);
}

static void compare_tree(const size_t *sizes, unsigned count, size_t start_n, bool is_spare) {
    struct operate_group groups[GROUPS_MOST];
    struct operate_tree t = {.start_n = start_n, .groups = groups, .count = count};
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
        size_t alloc = is_spare ? operate_tree_alloc(sizes[i]) : sizes[i];
        mp_ptr p = random_factors(alloc, (unsigned)testing_below(4));
        groups[i] = (struct operate_group){p, sizes[i], alloc, testing_below(2)};
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
    open_with(backends[_i]);
    for (size_t n = 1; n < 20; n++)
        compare_tree(&n, 1, n % 3, n % 2);
}
END_TEST

/* More limbs than a column holds, so that columns are multiplied too. */
START_TEST(large_trees) {
    open_with(backends[_i]);
    const size_t sizes[] = {8191, 9000};
    for (unsigned i = 0; i < 2; i++)
        compare_tree(&sizes[i], 1, 0, i % 2);
}
END_TEST

START_TEST(random_trees) {
    open_with(backends[_i]);
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
    const struct operate_group group = {.n = 0};
    struct operate_tree t = {.groups = &group, .count = 1};
    ck_assert(!operate_tree_open(&t));
}
END_TEST

/* ---- powers */

static void compare_power(size_t bn, unsigned long e, mp_bitcnt_t twos) {
    mp_ptr bp = limbs(bn);
    mpz_t right;
    testing_limbs(bp, bn);
    bp[bn - 1] |= (mp_limb_t)1 << testing_below(64);
    if (testing_below(4) == 0)
        memset(bp, 0xff, bn * sizeof *bp);
    mpz_t b = MPZ_ROINIT_N(bp, (mp_size_t)bn);
    mpz_init(right);
    real.mpz_pow_ui(right, b, e);
    mpz_mul_2exp(right, right, twos);
    size_t alloc = bn * e + twos / 64 + 3, n;
    mp_ptr rp = guarded(alloc);
    enum outcome outcome = operate_power(rp, alloc, &n, bp, bn, e, twos);
    ck_assert_msg(outcome == OUTCOME_DONE, "not done: %zu limbs ^ %lu: %d", bn, e, outcome);
    ck_assert(n <= alloc);
    ck_assert_msg(is_equal(rp, n, right), "%zu limbs ^ %lu 2^%lu: wrong", bn, e, twos);
    check_guards(rp, alloc);
    mpz_clear(right);
    free(bp);
}

START_TEST(powers) {
    open_with(backends[_i]);
    for (unsigned long e = 2; e < 10; e++)
        for (size_t bn = 1; bn < 4; bn++)
            compare_power(bn, e, 40 * e);
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
    size_t size = operate_fibonacci_limbs(n);
    mp_ptr rp = guarded(size), sp = guarded(size);
    const struct operate_fibonacci f = {rp, kind == CALC_FIBONACCI_ONE ? NULL : sp, n, kind};
    mpz_t r, s;
    mpz_init(r);
    mpz_init(s);
    ck_assert_msg(operate_fibonacci(&f) == OUTCOME_DONE, "not done: %lu, kind %d", n, kind);
    if (kind == CALC_FIBONACCI_LUCAS)
        real.mpz_lucnum2_ui(r, s, n);
    else
        real.mpz_fib2_ui(r, s, n);
    ck_assert_msg(is_equal(rp, size, r), "%lu, kind %d: wrong", n, kind);
    ck_assert_msg(!f.sp || is_equal(sp, size, s), "%lu, kind %d: the one before", n, kind);
    check_guards(rp, size);
    check_guards(sp, size);
    mpz_clear(r);
    mpz_clear(s);
}

START_TEST(fibonacci_numbers) {
    open_with(backends[_i]);
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
    open_with(backends[_i]);
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
    open_with(backends[_i]);
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

START_TEST(other_functions) {
    open_with(backends[_i]);
    thresholds_at_one();
    struct composite w = {0};
    const mp_limb_t bases[] = {3, 6, 10, 4096, ~(mp_limb_t)0, (mp_limb_t)3 << 62};
    mpz_t x, y, right;
    mpz_init(x);
    mpz_init(y);
    mpz_init(right);
    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++) {
        unsigned long e = 2000 + testing_below(10000);
        ck_assert(power_mpz(&w, x, &bases[i], 1, e, i % 2));
        real.mpz_ui_pow_ui(right, bases[i], e);
        ck_assert_msg(mpz_cmpabs(x, right) == 0 && (mpz_sgn(x) < 0) == i % 2, "%lu ^ %lu: wrong",
                      bases[i], e);
        ck_assert_int_eq(w.sent > 0, bases[i] != 4096); /* of 1^e the device makes nothing */
        w = (struct composite){0};
    }
    fibonacci_one(&w, x, 100001);
    real.mpz_fib_ui(right, 100001);
    compare_composite(&w, x, right, "Fibonacci number", 100001, 0);
    fibonacci_two(&w, x, y, 100000);
    real.mpz_fib_ui(right, 99999);
    compare_composite(&w, y, right, "Fibonacci number", 100000, 1);
    fibonacci_lucas(&w, x, NULL, 100000);
    real.mpz_lucnum_ui(right, 100000);
    compare_composite(&w, x, right, "Lucas number", 100000, 0);
    mpz_clear(x);
    mpz_clear(y);
    mpz_clear(right);
}
END_TEST

/* With a factor changed behind the layout's back the host's residue would change with it: so the
 * device's product is spoilt, by another bound of bits than it has.  The check has to find that. */
START_TEST(spoilt_tree) {
    open_with(backends[_i]);
    mp_limb_t p[100], rp[200];
    uint64_t bits = 3000;
    memset(p, 0xff, sizeof p);
    const struct operate_group group = {.p = p, .n = 100, .alloc = 100};
    struct operate_tree t = {.groups = &group, .count = 1};
    ck_assert(operate_tree_open(&t));
    const uint64_t *right = t.plan.bits;
    t.plan.bits = &bits;
    t.limbs = 3000 / 64 + 1;
    ck_assert_int_eq(operate_tree_run(&t, rp), OUTCOME_FAILED);
    t.plan.bits = right;
    operate_tree_close(&t);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, small_trees, 0, backend_count);
    tcase_add_loop_test(tests, large_trees, 0, backend_count);
    tcase_add_loop_test(tests, random_trees, 0, backend_count);
    tcase_add_test(tests, no_tree);
    tcase_add_loop_test(tests, powers, 0, backend_count);
    tcase_add_loop_test(tests, fibonacci_numbers, 0, backend_count);
    tcase_add_loop_test(tests, factorials, 0, backend_count);
    tcase_add_loop_test(tests, binomials, 0, backend_count);
    tcase_add_loop_test(tests, other_functions, 0, backend_count);
    tcase_add_loop_test(tests, spoilt_tree, 0, backend_count);
}

int main(void) {
    setenv("MPGPU_CONF", "open:wait,watchdog:600,log:1,batch:1,mul:never,sqr:never,add:never", 1);
    return run_on_backends("product trees on the device", add, NULL);
}
