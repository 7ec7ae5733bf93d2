/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Quotients and remainders of batches (include/mpgpu.h) beside GMP, number by number, as
 * tests/unit/modular/test_euclid.c; and zeros among divisors and moduli. */
#include "tests/unit/modular/euclid_numbers.h"

/* ---- quotients */

/* n = q d + r with both as long as they can be, or any. */
static void dividend(mpz_ptr u, mpz_ptr d, size_t un, size_t n) {
    mpz_t q;
    mpz_init(q);
    pair(u, d, n);
    if (mpz_sgn(d) == 0)
        mpz_set_ui(d, 1 + testing_below(3));
    any(u, un);
    switch (testing_below(4)) {
    case 0: /* a quotient of ones, and the largest remainder */
        any(q, un);
        mpz_tdiv_q_2exp(q, q, mpz_sizeinbase(d, 2));
        mpz_mul(u, q, d);
        mpz_add(u, u, d);
        mpz_sub_ui(u, u, 1);
        break;
    case 1: /* none */
        mpz_tdiv_q(u, u, d);
        mpz_mul(u, u, d);
        break;
    case 2:
        mpz_tdiv_q_2exp(u, u, some_bits(un) - 1);
    }
    mpz_tdiv_r_2exp(u, u, un * GMP_NUMB_BITS);
    mpz_clear(q);
}

struct division {
    struct numbers u, d, q, r;
};

static struct division division(size_t count, size_t un, size_t n, size_t divisors) {
    struct division x = {numbers(count, un), numbers(divisors, n), numbers(count, un),
                         numbers(count, n)};
    mpz_t u, d, kept, q, r;
    mpz_inits(u, d, kept, q, r, NULL);
    for (size_t i = 0; i < count; i++) {
        dividend(u, d, un, n);
        if (i < divisors)
            mpz_set(kept, d);
        mpz_tdiv_qr(q, r, u, kept);
        put(&x.u, i, u);
        put(&x.d, i < divisors ? i : 0, kept);
        put(&x.q, i, q);
        put(&x.r, i, r);
    }
    mpz_clears(u, d, kept, q, r, NULL);
    set(&x.u);
    set(&x.d);
    return x;
}

static void compare_divide(size_t count, size_t un, size_t n, size_t divisors) {
    struct division x = division(count, un, n, divisors);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(x.q.b, x.r.b, x.u.b, x.d.b), 0);
    expect(&x.q, x.q.b, "quotient", n);
    expect(&x.r, x.r.b, "remainder", n);
    if (testing_below(2)) {
        ck_assert_int_eq(mpgpu_batch_tdiv_qr(NULL, x.r.b, x.u.b, x.d.b), 0);
        expect(&x.r, x.r.b, "remainder alone", n);
        ck_assert_int_eq(mpgpu_batch_tdiv_qr(x.u.b, NULL, x.u.b, x.d.b), 0);
        expect(&x.q, x.u.b, "quotient in place", n);
    } else {
        mpgpu_batch *place = divisors == count ? x.d.b : x.r.b;
        ck_assert_int_eq(mpgpu_batch_tdiv_qr(x.u.b, place, x.u.b, x.d.b), 0);
        expect(&x.q, x.u.b, "quotient, both in place", n);
        expect(&x.r, place, "remainder, both in place", n);
    }
    done(&x.u);
    done(&x.d);
    done(&x.q);
    done(&x.r);
}

/* ---- tests */

static void compare_divisions(size_t n) {
    compare_divide(some(), 2 * n, n, 1);
    compare_divide(some(), n + testing_below(n + 1), n, 1);
    size_t count = some();
    compare_divide(count, 2 * n, n, count);
}

START_TEST(short_quotients) {
    open_with(backends[_i], VERIFY_DEVICE);
    for (size_t n = 1; n <= 36; n++)
        compare_divisions(n);
    compare_divide(1, 1, 1, 1);
}
END_TEST

static void compare_middle(size_t n) {
    compare_divide(1 + testing_below(9), 2 * n, n, 1);
}

static void compare_all(size_t n) {
    compare_divisions(n);
}

/* Teams of several. */
START_TEST(middle_numbers) {
    static const size_t middle[] = {64, 69, 70, 71, 139, 140, 280};
    open_with(backends[_i], VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof middle / sizeof *middle; i++)
        compare_middle(middle[i]);
}
END_TEST

static void compare_short(void) {
    for (size_t n = 1; n < 40; n += 1 + testing_below(9))
        compare_all(n);
}

START_TEST(unchecked) {
    open_with(backends[_i], VERIFY_OFF);
    compare_short();
}
END_TEST

START_TEST(verified_by_gmp) {
    open_with(backends[_i], _i % 2 ? VERIFY_RESIDUE : VERIFY_FULL);
    compare_all(6);
}
END_TEST

START_TEST(long_numbers) {
    open_with(backends[_i], VERIFY_DEVICE);
    compare_divide(2, 1120, 560, 2);
    compare_divide(1, 8192, 4096, 1);
}
END_TEST

static void too_long(void) {
    compare_divide(2, 8193, 4097, 2);
}

START_TEST(by_gmp) {
    open_with((struct test_backend){"none", 0}, VERIFY_DEVICE);
    compare_short();
    too_long();
}
END_TEST

START_TEST(longer_than_the_device_takes) {
    open_with(backends[_i], VERIFY_DEVICE);
    want_device = 0;
    too_long();
}
END_TEST

/* A zero among divisors, wherever they are, and whichever: nothing changes. */
static void compare_zero(void) {
    struct division x = division(77, 9, 5, 77);
    set(&x.q);
    set(&x.r);
    const size_t zero = testing_below(77);
    mp_limb_t *dp = x.d.xp + 5 * zero;
    memset(dp, 0, 5 * sizeof *dp);
    set(&x.d);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(x.q.b, x.r.b, x.u.b, x.d.b), MPGPU_DIVIDE_BY_ZERO);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(x.u.b, x.d.b, x.u.b, x.d.b), MPGPU_DIVIDE_BY_ZERO);
    ck_assert_str_ne(mpgpu_error(), "");
    expect(&x.u, x.u.b, "dividend", 5);
    expect(&x.d, x.d.b, "divisor", 5);
    expect(&x.q, x.q.b, "quotient", 5);
    expect(&x.r, x.r.b, "remainder", 5);
    mpgpu_batch *exists = mpgpu_batch_create(77, 1), *unset = mpgpu_batch_create(1, 5);
    ck_assert_int_eq(mpgpu_batch_mod_inv(x.r.b, exists, x.r.b, x.d.b), MPGPU_DIVIDE_BY_ZERO);
    ck_assert_int_eq(mpgpu_batch_mod_inv(x.r.b, exists, x.r.b, unset), MPGPU_DIVIDE_BY_ZERO);
    expect(&x.r, x.r.b, "operand", 5);
    mpgpu_batch_destroy(exists);
    mpgpu_batch_destroy(unset);
    done(&x.u);
    done(&x.d);
    done(&x.q);
    done(&x.r);
}

START_TEST(by_zero) {
    open_with(backends[_i], VERIFY_DEVICE);
    compare_zero();
}
END_TEST

START_TEST(by_zero_on_the_host) {
    open_with((struct test_backend){"none", 0}, VERIFY_DEVICE);
    compare_zero();
}
END_TEST

START_TEST(bad_arguments) {
    open_with((struct test_backend){"none", 0}, VERIFY_DEVICE);
    mpgpu_batch *u = mpgpu_batch_create(3, 5), *v = mpgpu_batch_create(3, 5);
    mpgpu_batch *other = mpgpu_batch_create(4, 5), *longer = mpgpu_batch_create(3, 11);
    mpgpu_batch *exists = mpgpu_batch_create(3, 1);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(NULL, NULL, u, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(u, u, u, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(longer, u, longer, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(exists, u, exists, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(u, v, u, other), MPGPU_ARGUMENTS);
    ck_assert_str_ne(mpgpu_error(), "");
    mpgpu_batch *const all[] = {u, v, other, longer, exists};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpgpu_batch_destroy(all[i]);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, short_quotients, 0, backend_count);
    tcase_add_loop_test(tests, middle_numbers, 0, backend_count);
    tcase_add_loop_test(tests, unchecked, 0, backend_count);
    tcase_add_loop_test(tests, verified_by_gmp, 0, backend_count);
    tcase_add_loop_test(tests, long_numbers, 0, backend_count);
    tcase_add_loop_test(tests, longer_than_the_device_takes, 0, backend_count);
    tcase_add_loop_test(tests, by_zero, 0, backend_count);
    tcase_add_test(tests, by_zero_on_the_host);
    tcase_add_test(tests, by_gmp);
    tcase_add_test(tests, bad_arguments);
}

int main(void) {
    return run_euclid("batch_divide", add);
}
