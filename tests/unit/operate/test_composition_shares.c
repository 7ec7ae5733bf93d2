/* SPDX-License-Identifier: LGPL-3.0-or-later
 * One composite operation by two devices, beside GMP's.  Every test runs in a process of its own.
 * The shortest transforms of 2^13 limbs ask for numbers of some thousands. */
#include "tests/support/shares_composite.h"

#include "lib/base/conf.h"

static const struct shares_devices twice = {"two with copies", "0+1", 2, true};
static const struct shares_devices without = {"two without", "0+1", 2, false};
static const struct shares_devices three = {"three with copies", "all", 3, true};

static void check(struct composite_case *c, const char *what, bool is_shared) {
    composite_expect(c);
    enum outcome outcome = composite_run(c);
    ck_assert_msg(outcome == OUTCOME_DONE, "%s, %s: outcome %d", composite_names[c->which], what,
                  outcome);
    composite_check(c, what);
    ck_assert_msg(composite_was_shared(c) == is_shared, "%s, %s: %s", composite_names[c->which],
                  what, is_shared ? "not shared" : "shared");
}

/* ---- sizes: all products in halves, some, those in rings alone */

static const struct {
    enum shared_composite which;
    size_t n, m;
    bool is_shared;
} sizes[] = {{QUOTIENT, 28000, 14000, true},     {QUOTIENT, 32766, 16383, true},
             {QUOTIENT, 25200, 12500, true},     {QUOTIENT, 60000, 8000, true},
             {QUOTIENT, 40000, 26000, true},     {QUOTIENT, 2000, 1000, false},
             {POWER_MODULO, 8000, 8000, true},   {POWER_MODULO, 7000, 8191, true},
             {POWER_MODULO, 20000, 7900, true},  {POWER_MODULO, 1, 8188, true},
             {POWER_MODULO, 12000, 12000, true}, {POWER_MODULO, 900, 1000, false},
             {SQUARE_ROOT, 29000, 1, true},      {SQUARE_ROOT, 16001, 1, true},
             {CUBE_ROOT, 16000, 1, true},        {CUBE_ROOT, 24500, 1, true}};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(each_size) {
    composite_begin(&twice, "shared:1");
    for (int k = 0; k < 2; k++) {
        struct composite_case c = composite_case(sizes[_i].which, sizes[_i].n, sizes[_i].m);
        check(&c, "random", sizes[_i].is_shared);
        composite_free(&c);
    }
}
END_TEST

START_TEST(random_sizes) {
    composite_begin(&twice, "shared:1");
    for (unsigned long k = testing_option("MPGPU_TEST_COMPOSITES", 3); k > 0; k--) {
        size_t m = 2 + testing_below(20000), n = m + testing_below(25000);
        struct composite_case c = composite_case((enum shared_composite)_i, n, m);
        composite_expect(&c);
        ck_assert_int_eq(composite_run(&c), OUTCOME_DONE);
        composite_check(&c, "random size");
        composite_free(&c);
    }
}
END_TEST

/* ---- shapes that carries run through.  A product in a ring whose carry goes far is made in full
 * by one device. */

enum shape { ZEROS, ONES, ONE, HIGH, HIGH_PLUS, RUNS, HALVES, SHAPES };

static void fill(mp_limb_t *x, size_t n, enum shape shape) {
    memset(x, shape == ONES || shape == RUNS ? 0xff : 0, n * sizeof *x);
    if (shape == HALVES)
        memset(x, 0xff, n / 2 * sizeof *x);
    if (shape == ONE || shape == HIGH_PLUS)
        x[0] = 1;
    if (shape == HIGH || shape == HIGH_PLUS || shape == HALVES)
        x[n - 1] = 1;
    if (shape == RUNS)
        x[n - 1] = 3;
}

START_TEST(each_shape) {
    enum shared_composite which = (enum shared_composite)(_i / SHAPES);
    enum shape a = (enum shape)(_i % SHAPES);
    bool is_root = which == SQUARE_ROOT || which == CUBE_ROOT;
    size_t m = which == QUOTIENT ? 16383 : 8191, n = which == QUOTIENT ? 32766
                                                     : is_root         ? 29000
                                                                       : m;
    composite_begin(&twice, "shared:1");
    for (int b = ZEROS; b < SHAPES; b++) {
        struct composite_case c = composite_case(which, n, m);
        fill(c.a, n, a);
        fill(c.b, m, (enum shape)b);
        c.exponent[0] = 5;
        c.b[m - 1] |= b == ZEROS || b == ONE ? (mp_limb_t)1 << 63 : 0;
        c.a[n - 1] |= is_root && c.a[n - 1] == 0;
        composite_expect(&c);
        enum outcome outcome = composite_run(&c);
        ck_assert_msg(outcome == OUTCOME_DONE || (outcome == OUTCOME_SMALL && which == QUOTIENT),
                      "%s of shapes %d and %d: outcome %d", composite_names[which], a, b, outcome);
        if (outcome == OUTCOME_DONE)
            composite_check(&c, "shape");
        composite_free(&c);
        if (is_root)
            break;
    }
}
END_TEST

/* ---- operands */

/* Each device brings half of them, in whole lines, and a first approximation. */
enum { SLACK = 10000 };

START_TEST(operands_by_halves) {
    composite_begin(&twice, _i == QUOTIENT ? "shared:1000" : "shared:1");
    struct composite_case c = composite_case((enum shared_composite)_i, 32000, 16000);
    composite_fill(&c);
    check(&c, "first", true);
    for (int i = 0; i < 2; i++)
        twins[i].uploaded = 0;
    check(&c, "again", true);
    size_t n = c.n + (_i == QUOTIENT || _i == POWER_MODULO ? c.m : 0);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_ge(twins[i].uploaded, 8 * n / 2 - SLACK);
        ck_assert_int_le(twins[i].uploaded, 8 * n / 2 + SLACK);
    }
    composite_free(&c);
}
END_TEST

/* Overlapped, or the same number twice. */
START_TEST(operands_in_one_place) {
    composite_begin(&twice, "shared:1");
    struct composite_case power = composite_case(POWER_MODULO, 8000, 8000);
    struct composite_case quotient = composite_case(QUOTIENT, 28000, 14000);
    mp_limb_t *b[2] = {power.b, quotient.b};
    power.b = power.a;
    quotient.b = quotient.a + 5000;
    quotient.b[quotient.m - 1] |= 1;
    check(&power, "base and modulus", true);
    check(&quotient, "divisor inside", true);
    power.b = b[0];
    quotient.b = b[1];
    composite_free(&power);
    composite_free(&quotient);
}
END_TEST

/* Products whose halves are the same, 0 or of one high bit. */
START_TEST(small_powers) {
    composite_begin(&twice, "shared:1");
    for (mp_limb_t base = 0; base < 4; base++) {
        struct composite_case c = composite_case(POWER_MODULO, 8191, 8191);
        memset(c.a, 0, c.n * sizeof *c.a);
        c.a[base == 3 ? 4000 : 0] = base;
        check(&c, "small base", true);
        composite_free(&c);
    }
}
END_TEST

/* ---- not shared */

static const struct {
    const struct shares_devices *devices;
    const char *conf;
    bool is_shared;
} options[] = {{&twice, "shared:1000", true},
               {&twice, "shared:4001", false},
               {&twice, "shared:never", false},
               {&twice, "shared:auto", false},
               {&twice, "shared:0", true},
               {&twice, "shared:1,verify:off", true},
               {&twice, "shared:1,clear:true", false},
               {&without, "shared:1", false},
               {&three, "shared:1", true},
               {&twice, "shared:1,memory:4M", false}};
enum { OPTIONS = sizeof options / sizeof *options };

START_TEST(by_option) {
    composite_begin(options[_i].devices, options[_i].conf);
    struct composite_case c = composite_case(POWER_MODULO, 8000, 8000);
    composite_expect(&c);
    ck_assert_int_eq(composite_run(&c), OUTCOME_DONE);
    composite_check(&c, options[_i].conf);
    ck_assert_msg(composite_was_shared(&c) == options[_i].is_shared, "%s", options[_i].conf);
    composite_free(&c);
}
END_TEST

/* A thread that is bound to a device shares nothing; nor does one device that is left. */
START_TEST(bound_or_alone) {
    composite_begin(&twice, "shared:1");
    struct composite_case c = composite_case(QUOTIENT, 28000, 14000);
    session_bind(1);
    check(&c, "bound", false);
    session_bind(SESSION_ANY);
    check(&c, "not bound", true);
    session_device_leave_alone(session_device(0), "of a test");
    check(&c, "alone", false);
    composite_free(&c);
}
END_TEST

/* ---- by the program's calls */

/* What two can't share is right, also where `shared` is every size: |w - u v|, whose sign the
 * host asks for, and a text with a wrong digit. */
START_TEST(others_with_one) {
    enum { LIMBS = 8000, DIGITS = 300000 };
    mpz_t u, v, w, right;
    static char text[DIGITS + 1];
    shares_begin(&twice, "shared:0");
    mpz_inits(u, v, w, right, NULL);
    mpz_urandomb(u, *testing_random(), LIMBS * 64);
    mpz_urandomb(v, *testing_random(), LIMBS * 64);
    mpz_urandomb(w, *testing_random(), 2 * LIMBS * 64);
    mpz_setbit(w, 2 * LIMBS * 64);
    real.mpz_mul(right, u, v);
    real.mpz_sub(right, w, right);
    mpz_submul(w, u, v);
    ck_assert(mpz_cmp(w, right) == 0);
    memset(text, '7', DIGITS);
    text[DIGITS - 5] = '!';
    ck_assert_int_eq(mpz_set_str(w, text, 10), -1);
    mpz_clears(u, v, w, right, NULL);
}
END_TEST

/* Results in the place of operands. */
START_TEST(by_mpz) {
    mpz_t a, b, q, r;
    shares_begin(&twice, "shared:1");
    mpz_inits(a, b, q, r, NULL);
    mpz_urandomb(q, *testing_random(), 14000 * 64);
    mpz_urandomb(b, *testing_random(), 14000 * 64);
    mpz_setbit(b, 14000 * 64 - 1);
    mpz_urandomb(r, *testing_random(), 14000 * 64 - 1);
    real.mpz_mul(a, q, b);
    real.mpz_add(a, a, r);
    long copies = twins[1].peer_copies;
    mpz_tdiv_qr(a, b, a, b);
    ck_assert_int_ge(twins[1].peer_copies, copies + 2); /* of the products of two blocks */
    ck_assert(mpz_cmp(a, q) == 0 && mpz_cmp(b, r) == 0);
    mpz_clears(a, b, q, r, NULL);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("composition_shares");
    TCase *tests = tcase_create("twins");
    if (!twin_real()) {
        printf("skipped: no device\n");
        return 77;
    }
    tcase_set_timeout(tests, 600);
    tcase_add_loop_test(tests, each_size, 0, SIZES);
    tcase_add_loop_test(tests, random_sizes, 0, COMPOSITES);
    tcase_add_loop_test(tests, each_shape, 0, COMPOSITES * SHAPES);
    tcase_add_loop_test(tests, operands_by_halves, 0, COMPOSITES);
    tcase_add_test(tests, operands_in_one_place);
    tcase_add_test(tests, small_powers);
    tcase_add_loop_test(tests, by_option, 0, OPTIONS);
    tcase_add_test(tests, bound_or_alone);
    tcase_add_test(tests, others_with_one);
    tcase_add_test(tests, by_mpz);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
