/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds and inverses of batches (include/mpgpu.h) beside GMP, number by number: lengths about the
 * ends of each program and team, operands of every kind, results in place; with and without a
 * device. */
#include "tests/unit/modular/euclid_numbers.h"

/* ---- gcds */

static void compare_gcd(size_t count, size_t n) {
    struct numbers x = numbers(count, n), y = numbers(count, n), right = numbers(count, n);
    mpz_t u, v;
    mpz_inits(u, v, NULL);
    for (size_t i = 0; i < count; i++) {
        pair(u, v, n);
        put(&x, i, u);
        put(&y, i, v);
        mpz_gcd(u, u, v);
        put(&right, i, u);
    }
    mpz_clears(u, v, NULL);
    set(&x);
    set(&y);
    ck_assert_int_eq(mpgpu_batch_gcd(right.b, x.b, y.b), 0);
    expect(&right, right.b, "gcd", n);
    ck_assert_int_eq(mpgpu_batch_gcd(y.b, x.b, y.b), 0);
    expect(&right, y.b, "gcd in place", n);
    expect(&x, x.b, "operand", n);
    done(&x);
    done(&y);
    done(&right);
}

/* ---- inverses */

/* One number's, and whether there is one. */
static mp_limb_t invert(struct numbers *right, size_t i, mpz_srcptr u, mpz_srcptr m) {
    mp_limb_t exists = 1;
    mpz_t r;
    mpz_init(r);
    if (mpz_cmp_ui(m, 1) != 0)
        exists = mpz_invert(r, u, m) != 0;
    if (!exists)
        mpz_set_ui(r, 0);
    put(right, i, r);
    mpz_clear(r);
    return exists;
}

/* The same modulo an object, which is a copy; at last in place. */
static void compare_object(struct numbers *right, struct numbers *exists, struct numbers *x,
                           struct numbers *m) {
    struct numbers place = numbers(x->count, x->n);
    mpgpu_batch_modulus *modulus = mpgpu_batch_modulus_create(m->b);
    ck_assert_ptr_nonnull(modulus);
    memcpy(place.xp, x->xp, x->count * x->n * sizeof *x->xp);
    set(&place);
    ck_assert_int_eq(mpgpu_batch_mod_invert(right->b, exists->b, place.b, modulus), 0);
    expect(exists, exists->b, "whether there is an inverse modulo an object", x->n);
    expect(right, right->b, "inverse modulo an object", x->n);
    expect(x, place.b, "operand", x->n);
    ck_assert_int_eq(mpgpu_batch_mod_invert(place.b, exists->b, place.b, modulus), 0);
    expect(right, place.b, "inverse modulo an object, in place", x->n);
    mpgpu_batch_modulus_destroy(modulus);
    done(&place);
}

enum moduli { ANY, ODD, EVEN, ONE_ODD, ONE_EVEN };

static void compare_inverse(size_t count, size_t n, enum moduli kind) {
    const size_t moduli = kind >= ONE_ODD ? 1 : count;
    struct numbers x = numbers(count, n), m = numbers(moduli, n), right = numbers(count, n);
    struct numbers exists = numbers(count, 1);
    mpz_t u, v, kept;
    mpz_inits(u, v, kept, NULL);
    for (size_t i = 0; i < count; i++) {
        pair(u, v, n);
        if (kind != ANY)
            mpz_setbit(v, 0);
        if (kind == EVEN || kind == ONE_EVEN)
            mpz_combit(v, 0);
        if (mpz_sgn(v) == 0)
            mpz_set_ui(v, 1 + (unsigned long)testing_below(5));
        if (i < moduli)
            mpz_set(kept, v);
        put(&x, i, u);
        put(&m, i < moduli ? i : 0, kept);
        exists.xp[i] = invert(&right, i, u, kept);
    }
    mpz_clears(u, v, kept, NULL);
    set(&x);
    set(&m);
    ck_assert_int_eq(mpgpu_batch_mod_inv(right.b, exists.b, x.b, m.b), 0);
    expect(&exists, exists.b, "whether there is an inverse", n);
    expect(&right, right.b, "inverse", n);
    if (n <= 4 || !want_device) /* other lengths differ in the object's kernels alone */
        compare_object(&right, &exists, &x, &m);
    mpgpu_batch *place = moduli == count && kind % 2 ? m.b : x.b;
    ck_assert_int_eq(mpgpu_batch_mod_inv(place, exists.b, x.b, m.b), 0);
    expect(&right, place, "inverse in place", n);
    done(&x);
    done(&m);
    done(&right);
    done(&exists);
}

/* ---- tests */

static void compare_inverses(size_t n) {
    compare_inverse(some(), n, ANY);
    compare_inverse(some(), n, ODD);
    compare_inverse(some(), n, (enum moduli)(EVEN + testing_below(3)));
}

/* In a team of one; about the ends of each program, and of numbers that CGBN's table has. */
static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 15, 16, 17, 18, 32, 33, 34, 35};

START_TEST(short_gcds) {
    open_with(backends[_i], VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare_gcd(some(), sizes[i]);
    compare_gcd(1, 1);
    compare_gcd(testing_option("MPGPU_TEST_PRODUCTS", 100) * 20 + 1, 3);
}
END_TEST

START_TEST(short_inverses) {
    open_with(backends[_i], VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare_inverses(sizes[i]);
}
END_TEST

static void compare_middle(size_t n) {
    compare_gcd(1 + testing_below(9), n);
    compare_inverse(1 + testing_below(9), n, (enum moduli)testing_below(5));
}

static void compare_all(size_t n) {
    compare_gcd(some(), n);
    compare_inverses(n);
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

/* Up to 2^18 bits a number; a CPU takes long for those. */
START_TEST(long_numbers) {
    struct gpu_device dev;
    struct profile unused;
    open_with(backends[_i], VERIFY_DEVICE);
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    ck_assert_int_eq(session_profile(&dev, &unused), OUTCOME_DONE);
    compare_gcd(3, 557);
    if (!dev.caps.is_cpu || testing_option("MPGPU_TEST_LARGE", 0)) {
        compare_inverse(3, 900, ANY);
        compare_gcd(2, 4096);
        compare_inverse(2, 4096, EVEN);
    }
}
END_TEST

static void too_long(void) {
    compare_gcd(2, 4097);
    compare_inverse(2, 4097, ANY);
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

/* Moduli are 2, of as many limbs as operands or fewer, or one for two of three; or 0. */
START_TEST(bad_objects) {
    const mp_limb_t two[10] = {2, 0, 0, 0, 0, 2};
    open_with((struct test_backend){"none", 0}, VERIFY_DEVICE);
    mpgpu_batch *u = mpgpu_batch_create(3, 5), *exists = mpgpu_batch_create(3, 1);
    mpgpu_batch *one = mpgpu_batch_create(1, 5), *few = mpgpu_batch_create(2, 5);
    mpgpu_batch *zero = mpgpu_batch_create(1, 5), *shorter = mpgpu_batch_create(1, 1);
    ck_assert_int_eq(mpgpu_batch_set(one, two), 0);
    ck_assert_int_eq(mpgpu_batch_set(few, two), 0);
    ck_assert_int_eq(mpgpu_batch_set(shorter, two), 0);
    mpgpu_batch *const batches[] = {one, few, shorter, zero};
    mpgpu_batch_modulus *m[4];
    for (int i = 0; i < 4; i++)
        m[i] = mpgpu_batch_modulus_create(batches[i]);
    ck_assert_ptr_null(m[3]);
    ck_assert_int_eq(mpgpu_batch_mod_invert(u, exists, u, m[0]), 0);
    ck_assert_int_eq(mpgpu_batch_mod_invert(u, exists, u, m[1]), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_invert(u, exists, u, m[2]), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_invert(u, exists, u, m[3]), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_invert(u, exists, NULL, m[0]), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_invert(NULL, exists, u, m[0]), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_invert(u, NULL, u, m[0]), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_invert(u, u, u, m[0]), MPGPU_ARGUMENTS);
    ck_assert_str_ne(mpgpu_error(), "");
    for (int i = 0; i < 4; i++) {
        mpgpu_batch_modulus_destroy(m[i]);
        mpgpu_batch_destroy(batches[i]);
    }
    mpgpu_batch_destroy(u);
    mpgpu_batch_destroy(exists);
}
END_TEST

START_TEST(bad_arguments) {
    open_with((struct test_backend){"none", 0}, VERIFY_DEVICE);
    mpgpu_batch *u = mpgpu_batch_create(3, 5), *v = mpgpu_batch_create(3, 5);
    mpgpu_batch *other = mpgpu_batch_create(4, 5), *longer = mpgpu_batch_create(3, 11);
    mpgpu_batch *exists = mpgpu_batch_create(3, 1), *one = mpgpu_batch_create(1, 5);
    ck_assert_int_eq(mpgpu_batch_gcd(u, u, other), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_gcd(u, u, one), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_gcd(longer, u, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_gcd(NULL, u, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_gcd(u, NULL, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_inv(u, NULL, u, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_inv(u, u, u, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_inv(u, exists, other, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_mod_inv(u, exists, NULL, one), MPGPU_ARGUMENTS);
    ck_assert_str_ne(mpgpu_error(), "");
    mpgpu_batch *const all[] = {u, v, other, longer, exists, one};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpgpu_batch_destroy(all[i]);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, short_gcds, 0, backend_count);
    tcase_add_loop_test(tests, short_inverses, 0, backend_count);
    tcase_add_loop_test(tests, middle_numbers, 0, backend_count);
    tcase_add_loop_test(tests, unchecked, 0, backend_count);
    tcase_add_loop_test(tests, verified_by_gmp, 0, backend_count);
    tcase_add_loop_test(tests, long_numbers, 0, backend_count);
    tcase_add_loop_test(tests, longer_than_the_device_takes, 0, backend_count);
    tcase_add_test(tests, by_gmp);
    tcase_add_test(tests, bad_arguments);
    tcase_add_test(tests, bad_objects);
}

int main(void) {
    return run_euclid("euclid", add);
}
