/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests what an intercepted call does at its begin and end: thresholds, errno, statistics, and
 * where the result is stored. The device is a mock. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/device/context.h"
#include "lib/session/report/stats_report.h"
#include "tests/differential/differential.h"
#include "tests/support/capture.h"
#include "tests/support/mock.h"
#include "tests/support/testing.h"

static struct reference gmp; /* GMP's own functions, which are not intercepted */
static struct run run;

/* Loads GMP's own functions and seeds a generator of random numbers other than GMP's, which would
 * call intercepted functions. */
static void set_up(void) {
    ck_assert_msg(reference_load(&gmp), "no libgmp.so.10");
    run = (struct run){&gmp, testing_option("MPGPU_TEST_SEED", 1), 1, 60, 0, NULL, NULL};
}

/* Calls with sizes just below the threshold must not use the device; calls at the threshold
 * must. */
START_TEST(test_threshold) {
    mp_limb_t u[60], v[60], r[120];
    mock.threshold = 50;
    run_limbs(&run, u, 60);
    run_limbs(&run, v, 60);
    mpn_mul(r, u, 60, v, 49);
    mpn_mul_n(r, u, v, 49);
    mpn_sqr(r, u, 49);
    ck_assert_int_eq(mock.calls, 0);
    mpn_mul(r, u, 60, v, 50);
    mpn_mul_n(r, u, v, 50);
    mpn_sqr(r, u, 50);
    ck_assert_int_eq(mock.calls, 3);
}
END_TEST

/* Compares numbers of positive and negative sizes with thresholds. A threshold may exceed the
 * largest possible size. */
START_TEST(test_magnitudes) {
    static const int sizes[] = {0, 1, -1, 2, -2, 49, -50, INT_MAX, -INT_MAX};
    static const size_t thresholds[] = {
        0, 1, 2, 50, INT_MAX, 1UL << 31, 3UL << 30, UINT_MAX, 1UL << 32, 1UL << 40, MPGPU_NEVER};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof thresholds / sizeof *thresholds; k++) {
            _Atomic size_t threshold = thresholds[k];
            int small = (size_t)labs(sizes[i]) < thresholds[k];
            ck_assert_msg(thresholds_magnitude_is_small(&sizes[i], &threshold) == small, "%d, %zu",
                          sizes[i], thresholds[k]);
        }
}
END_TEST

START_TEST(test_squares_have_their_threshold) {
    mpz_t x, y;
    mock.threshold = 50;
    mpz_init(x);
    mpz_init(y);
    mpz_setbit(x, 40 * GMP_NUMB_BITS);
    mpz_mul(y, x, x);
    thresholds_set(PROFILE_sqr, 41);
    mpz_mul(y, x, x);
    ck_assert_int_eq(mock.calls, 1);
    mpn_mul_n(mpz_limbs_write(y, 82), mpz_limbs_read(x), mpz_limbs_read(x), 41);
    ck_assert_int_eq(mock.calls, 2);
    mpn_mul(mpz_limbs_write(y, 82), mpz_limbs_read(x), 41, mpz_limbs_read(x), 41);
    ck_assert_int_eq(mock.calls, 3);
    mpn_mul(mpz_limbs_write(y, 81), mpz_limbs_read(x), 41, mpz_limbs_read(x), 40);
    ck_assert_int_eq(mock.calls, 3);
    mpq_t q;
    mpq_init(q);
    mpz_set(mpq_numref(q), x);
    mpz_set(mpq_denref(q), x);
    unsigned long sent = mpgpu_sent();
    mpq_mul(q, q, q);
    ck_assert_int_eq(mock.calls, 5);
    ck_assert_uint_eq(mpgpu_sent() - sent, 1); /* one call, not two that GMP makes */
    mpq_clear(q);
    mpz_clear(x);
    mpz_clear(y);
}
END_TEST

START_TEST(test_sizes_are_decided_once) {
    mp_size_t n = 31000, own = gmp.mpn_mulmod_bnm1_next_size(n), power = 1 << 15;
    ck_assert_int_lt(own, power);
    mock.readiness = _i ? OUTCOME_DONE : OUTCOME_OPENING;
    mp_size_t decided = mpn_mulmod_bnm1_next_size(n);
    ck_assert_int_eq(decided, _i ? power : own);
    mock.readiness = _i ? OUTCOME_NONE : OUTCOME_DONE;
    thresholds_set(PROFILE_mulmod, 1);
    ck_assert_int_eq(mpn_mulmod_bnm1_next_size(n), decided);
    ck_assert_int_eq(mpn_sqrmod_bnm1_next_size(n), decided);
    ck_assert_int_eq(mpn_mulmod_bnm1_next_size(29000), gmp.mpn_mulmod_bnm1_next_size(29000));
    ck_assert_int_eq(mpn_mulmod_bnm1_next_size(600), gmp.mpn_mulmod_bnm1_next_size(600));
}
END_TEST

START_TEST(test_errno_stays) {
    mpz_t x;
    mpz_init_set_ui(x, 12345);
    errno = ERANGE;
    mpz_mul(x, x, x);
    ck_assert_int_eq(errno, ERANGE);
    mpz_add(x, x, x);
    ck_assert_int_eq(errno, ERANGE);
    ck_assert_int_eq(mock.calls, 2);
    mpz_clear(x);
}
END_TEST

/* The destination x and the operand are two mpz_t with the same limbs. */
START_TEST(test_destination_shares_limbs) {
    mpz_t x, alias, right;
    mpz_init2(x, 100 * GMP_NUMB_BITS);
    run_limbs(&run, mpz_limbs_write(x, 10), 10);
    mpz_limbs_finish(x, 10);
    mpz_roinit_n(alias, mpz_limbs_read(x), 10);
    gmp.mpz_init_(right);
    gmp.mpz_mul(right, alias, alias);
    mpz_mul(x, alias, alias);
    ck_assert_int_eq(mpz_cmp(x, right), 0);
    ck_assert_int_eq(mock.calls, 1);
    gmp.mpz_clear_(right);
    mpz_clear(x);
}
END_TEST

START_TEST(test_statistics) {
    mpz_t x;
    mpgpu_conf.stats = STATS_TEXT;
    mpz_init_set_ui(x, 3);
    mpz_mul(x, x, x);
    mpz_mul_si(x, x, -5);
    mock.behaviour = FAILS;
    mock.failure = OUTCOME_OPENING;
    mpz_mul(x, x, x);
    mpz_addmul(x, x, x);
    capture_begin();
    stats_report("mock");
    const char *text = capture_end();
    ck_assert_contains(text, "mpgpu: mpz_mul                    2         1             2");
    ck_assert_contains(text, "mpgpu: mpz_mul_si                 1         1             2");
    ck_assert_contains(text, "mpgpu: mpz_addmul                 1         0             1");
    ck_assert_contains(text, "opening 1\n");
    mpz_clear(x);
}
END_TEST

/* Returns how often `word` occurs in the report. Sets *sum to the sum of the numbers that follow
 * its occurrences. */
static int count_numbers(const char *text, const char *word, double *sum) {
    int count = 0;
    for (*sum = 0; (text = strstr(text, word)); count++) {
        text += strlen(word);
        *sum += strtod(text, NULL);
    }
    return count;
}

static void gcdext(mpz_t x, mpz_t y, mpz_t z) {
    mpz_gcdext(z, x, y, x, y);
}

static void fraction(mpz_t x, mpz_t y, mpz_t z) {
    mpq_t q;
    mpz_mul(x, x, z);
    mpz_mul(y, y, z);
    mpq_init(q);
    mpz_swap(mpq_numref(q), x);
    mpz_swap(mpq_denref(q), y);
    mpq_canonicalize(q);
    mpq_clear(q);
}

static void root(mpz_t x, mpz_t y, mpz_t z) {
    (void)y;
    mpz_root(z, x, 3);
}

static void common_multiple(mpz_t x, mpz_t y, mpz_t z) {
    mpz_lcm(z, x, y);
}

/* Composite operations, which call other intercepted functions inside. The function `fraction` also
 * computes products directly. */
static const struct {
    const char *name;
    void (*call)(mpz_t x, mpz_t y, mpz_t z);
    int own; /* how many products `call` computes directly; the statistics count these as separate
                calls */
} composites[] = {{"mpz_gcdext", gcdext, 0},
                  {"mpq_canonicalize", fraction, 2},
                  {"mpz_root", root, 0},
                  {"mpz_lcm", common_multiple, 0}};

/* Turns on statistics in JSON and makes operands whose sizes are proportional to `size`. */
static void begin_composite(mpz_t x, mpz_t y, mpz_t z, unsigned long size) {
    mock.threshold = 4;
    mpgpu_conf.stats = STATS_JSON;
    mpz_init(x), mpz_init(y), mpz_init(z);
    mpz_ui_pow_ui(x, 3, 10 * size);
    mpz_ui_pow_ui(y, 7, 7 * size);
    mpz_ui_pow_ui(z, 11, 4 * size);
}

/* A composite call (an operation of several products) has one row in the statistics. Its products
 * must be counted in this row only. Time that was measured before the call must not be in the
 * row. */
START_TEST(test_rows_of_composites) {
    mpz_t x, y, z;
    char row[99];
    double sum, calls, kernels;
    begin_composite(x, y, z, 10000);
    int before = mock.calls;
    mock.seconds = 0.001;
    stats_here()->kernels = 5;
    composites[_i].call(x, y, z);
    capture_begin();
    stats_report("mock");
    const char *text = capture_end();
    snprintf(row, sizeof row, "{\"function\":\"%s\",\"calls\":1,\"sent\":1,", composites[_i].name);
    ck_assert_contains(text, row);
    count_numbers(text, "\"calls\":", &calls);
    ck_assert_int_eq((int)calls, 3 + 1 + composites[_i].own);
    count_numbers(text, "\"kernels\":", &kernels);
    ck_assert_double_eq_tol(kernels, 0.001 * (mock.calls - before), 1e-5);
    count_numbers(text, "\"ntt\":", &sum);
    ck_assert_int_eq((int)sum, mock.calls);
    count_numbers(strstr(text, row), "\"kernels\":", &kernels);
    ck_assert_double_ge(kernels, 0.001 * (mock.calls - before - composites[_i].own) - 1e-5);
    mpz_clear(x), mpz_clear(y), mpz_clear(z);
}
END_TEST

/* Tests the statistics of composite calls while the device is not ready, so that GMP computes
 * them. */
START_TEST(test_rows_of_refused) {
    mpz_t x, y, z;
    char row[99];
    double seconds;
    begin_composite(x, y, z, 100000);
    mock.readiness = mock.failure = OUTCOME_OPENING;
    mock.behaviour = FAILS;
    errno = ERANGE;
    composites[_i].call(x, y, z);
    ck_assert_int_eq(errno, ERANGE);
    capture_begin();
    stats_report("mock");
    const char *text = capture_end();
    snprintf(row, sizeof row, "{\"function\":\"%s\",\"calls\":1,\"sent\":0,", composites[_i].name);
    ck_assert_contains(text, row);
    count_numbers(text, "\"calls\":", &seconds);
    ck_assert_int_eq((int)seconds, 3 + 1 + composites[_i].own);
    count_numbers(strstr(text, row), "\"gmp\":", &seconds);
    ck_assert_double_gt(seconds, 0.001);
    ck_assert_contains(strstr(text, row), "\"opening\":1");
    mpz_clear(x), mpz_clear(y), mpz_clear(z);
}
END_TEST

/* Sets x to a float of n limbs: the highest limb is `top`, the others are 0 or have all bits
 * set. */
static void set_float(mpf_ptr x, size_t n, mp_limb_t top, bool has_ones) {
    mpf_init2(x, n * GMP_NUMB_BITS);
    memset(x->_mp_d, has_ones ? 0xff : 0, n * sizeof top);
    x->_mp_d[n - 1] = top;
    x->_mp_size = (int)n;
    x->_mp_exp = (mp_exp_t)n;
}

/* The library may compute only the upper part of a product of floats if the operands' highest limbs
 * determine the length of the product. */
START_TEST(test_lengths_of_float_products) {
    enum { N = 1 << 13 };
    static const mp_limb_t half = GMP_NUMB_MAX / 2 + 1;
    const mp_limb_t tops[][2] = {{1, 1},        {1, half},         {1, GMP_NUMB_MAX},
                                 {2, half - 1}, {2, half},         {3, GMP_NUMB_MAX / 3},
                                 {half, half},  {half, half | 99}, {GMP_NUMB_MAX, GMP_NUMB_MAX}};
    mock.threshold = 4;
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        mpf_t u, v, r, right;
        set_float(u, N, tops[i][_i % 2], _i & 2);
        set_float(v, N + 1, tops[i][1 - _i % 2], _i & 4);
        mpf_init2(r, N * GMP_NUMB_BITS);
        mpf_init2(right, N * GMP_NUMB_BITS);
        const int before = mock.calls;
        mpf_mul(r, u, v);
        gmp.mpf_mul(right, u, v);
        ck_assert_int_gt(mock.calls, before);
        ck_assert_int_eq(r->_mp_size, right->_mp_size);
        ck_assert_int_eq(r->_mp_exp, right->_mp_exp);
        ck_assert_mem_eq(r->_mp_d, right->_mp_d, (size_t)r->_mp_size * sizeof *r->_mp_d);
        mpf_clears(u, v, r, right, NULL);
    }
}
END_TEST

/* The digits of a mantissa are converted even if they exceed the float's precision. So the device
 * must convert a long mantissa, whatever the exponent is. */
START_TEST(test_long_mantissa) {
    enum { DIGITS = 2400 };
    static const char *const exponents[] = {"", "e100", "e9000", "e-9000"};
    char text[DIGITS + 20];
    mpf_t x, right;
    memset(text, '7', DIGITS);
    strcpy(text + DIGITS, exponents[_i]);
    mock.threshold = 20;
    mpgpu_conf.stats = STATS_JSON;
    mpf_init2(x, 10 * GMP_NUMB_BITS);
    mpf_init2(right, 10 * GMP_NUMB_BITS);
    ck_assert_int_eq(mpf_set_str(x, text, 10), 0);
    capture_begin();
    stats_report("mock");
    const char *report = capture_end();
    ck_assert_contains(report, "{\"function\":\"mpf_set_str\",\"calls\":1,\"sent\":1,");
    ck_assert_int_eq(gmp.mpf_set_str(right, text, 10), 0);
    ck_assert_int_eq(mpf_cmp(x, right), 0);
    mpf_clears(x, right, NULL);
}
END_TEST

START_TEST(test_wait) {
    ck_assert_int_eq(mpgpu_wait(), 1);
    mock.behaviour = FAILS;
    ck_assert_int_eq(mpgpu_wait(), 0);
}
END_TEST

/* Checks that the macros of mpgpu.h, the functions and configure.ac give the same version. */
START_TEST(test_version) {
    char text[64];
    snprintf(text, sizeof text, "%d.%d.%d", MPGPU_VERSION_MAJOR, MPGPU_VERSION_MINOR,
             MPGPU_VERSION_PATCH);
    ck_assert_str_eq(text, PACKAGE_VERSION);
    ck_assert_str_eq(mpgpu_version(), text);
    ck_assert_int_eq(mpgpu_version_number(), MPGPU_VERSION_NUMBER);
    snprintf(text, sizeof text, "%d.%d.%d", mpgpu_version_number() / 10000,
             mpgpu_version_number() / 100 % 100, mpgpu_version_number() % 100);
    ck_assert_str_eq(text, PACKAGE_VERSION);
}
END_TEST

int main(void) {
    testing_set_up = set_up;
    return testing_main("call", 60,
                        TESTS(ONCE(test_threshold), ONCE(test_magnitudes),
                              ONCE(test_squares_have_their_threshold),
                              LOOP(test_sizes_are_decided_once, 2), ONCE(test_errno_stays),
                              ONCE(test_destination_shares_limbs), ONCE(test_statistics),
                              LOOP(test_rows_of_composites, sizeof composites / sizeof *composites),
                              LOOP(test_rows_of_refused, sizeof composites / sizeof *composites),
                              LOOP(test_lengths_of_float_products, 8), LOOP(test_long_mantissa, 4),
                              ONCE(test_wait), ONCE(test_version)));
}
