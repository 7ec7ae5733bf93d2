/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests polynomials (include/mpgpu.h): products, squares, divisions, values and interpolation.
 * Compares them with their definitions, computed by GMP, over Z and modulo n, with and without a
 * device, and with each kind of check. */
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/gmp/real.h"
#include "tests/support/backends.h"

enum { MOST = 160 };

/* Opens the backend so that it computes every product on its device. */
static void open_with(struct test_backend backend, int verify) {
    use_backend(backend, verify);
    session_wait();
    atomic_store(&thresholds.batch, 1);
}

/* ---- polynomials as arrays of mpz_t */

struct list {
    size_t length;
    mpz_t c[MOST];
};

static void list_init(struct list *u) {
    u->length = 0;
    for (size_t i = 0; i < MOST; i++)
        mpz_init(u->c[i]);
}

static void list_clear(struct list *u) {
    for (size_t i = 0; i < MOST; i++)
        mpz_clear(u->c[i]);
}

enum kind { RANDOM, ONES, MOST_NEGATIVE, ALTERNATING, SPARSE, ZERO_HIGH, KINDS };

static void random_bits(mpz_ptr x, size_t bits) {
    mpz_set_ui(x, 0);
    for (size_t done = 0; done < bits; done += 32) {
        mpz_mul_2exp(x, x, 32);
        mpz_add_ui(x, x, testing_below(UINT32_MAX));
    }
    mpz_tdiv_q_2exp(x, x, (bits + 31) / 32 * 32 - bits);
}

/* Sets *u to `length` coefficients from -2^bits to 2^bits - 1. In the kind ZERO_HIGH the highest
 * two thirds are 0. */
static void make(struct list *u, size_t length, size_t bits) {
    const enum kind kind = (enum kind)testing_below(KINDS);
    u->length = length;
    for (size_t i = 0; i < length; i++) {
        mpz_ptr c = u->c[i];
        mpz_set_ui(c, 1);
        mpz_mul_2exp(c, c, bits);
        if (kind != MOST_NEGATIVE)
            mpz_sub_ui(c, c, 1);
        if (kind == RANDOM)
            random_bits(c, bits);
        if (kind == MOST_NEGATIVE || (kind == ALTERNATING && i % 2) ||
            (kind == RANDOM && testing_below(2)))
            mpz_neg(c, c);
        if ((kind == SPARSE && testing_below(10)) || (kind == ZERO_HIGH && i > length / 3))
            mpz_set_ui(c, 0);
    }
}

static void reduce(struct list *u, mpz_srcptr m) {
    for (size_t i = 0; m && i < u->length; i++)
        mpz_mod(u->c[i], u->c[i], m);
    while (u->length > 0 && mpz_sgn(u->c[u->length - 1]) == 0)
        u->length--;
}

static void multiply(struct list *r, const struct list *u, const struct list *v, mpz_srcptr m) {
    mpz_t x;
    mpz_init(x);
    r->length = u->length && v->length ? u->length + v->length - 1 : 0;
    for (size_t i = 0; i < r->length; i++)
        mpz_set_ui(r->c[i], 0);
    for (size_t i = 0; i < u->length; i++)
        for (size_t j = 0; j < v->length; j++) {
            mpz_mul(x, u->c[i], v->c[j]);
            mpz_add(r->c[i + j], r->c[i + j], x);
        }
    reduce(r, m);
    mpz_clear(x);
}

static mpgpu_poly *poly_of(const struct list *u, mpz_srcptr m) {
    mpgpu_poly *p = mpgpu_poly_create(m);
    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(mpgpu_poly_set_mpz(p, (const mpz_t *)u->c, u->length), 0);
    return p;
}

static void expect(const mpgpu_poly *p, const struct list *right, const char *what) {
    struct list got;
    list_init(&got);
    ck_assert_msg(mpgpu_poly_length(p) == right->length, "%s: length %zu, not %zu", what,
                  mpgpu_poly_length(p), right->length);
    ck_assert_int_eq(mpgpu_poly_get_mpz(got.c, right->length, p), 0);
    for (size_t i = 0; i < right->length; i++)
        ck_assert_msg(mpz_cmp(got.c[i], right->c[i]) == 0, "%s: coefficient %zu of %zu", what, i,
                      right->length);
    list_clear(&got);
}

/* ---- cases */

/* Sets m to a modulus, whose kind is random: a number 2^k - 1, 2^64, or a random number. Returns m,
 * or NULL for polynomials over Z. */
static mpz_srcptr random_modulus_of(mpz_ptr m) {
    const uint64_t kind = testing_below(8);
    mpz_set_ui(m, 1);
    if (kind == 0)
        return NULL;
    mpz_mul_2exp(m, m, kind == 1 ? 61 : kind == 2 ? 521 : kind == 3 ? 127 : 64);
    if (kind < 5)
        mpz_sub_ui(m, m, 1);
    if (kind == 5)
        random_bits(m, 1 + testing_below(64));
    if (kind == 6)
        random_bits(m, 65 + testing_below(300));
    if (kind == 5 || kind == 6)
        mpz_add_ui(m, m, 1);
    return m;
}

static void compare_products(size_t un, size_t vn, size_t bits, mpz_srcptr m) {
    struct list u, v, right;
    list_init(&u);
    list_init(&v);
    list_init(&right);
    make(&u, un, bits);
    make(&v, vn, 1 + testing_below(bits));
    mpgpu_poly *x = poly_of(&u, m), *y = poly_of(&v, m);
    reduce(&u, m);
    reduce(&v, m);
    multiply(&right, &u, &u, m);
    mpgpu_poly *r = poly_of(&v, m);
    ck_assert_int_eq(mpgpu_poly_sqr(r, x), 0);
    expect(r, &right, "square");
    multiply(&right, &u, &v, m);
    ck_assert_int_eq(mpgpu_poly_mul(r, x, y), 0);
    expect(r, &right, "product");
    ck_assert_int_eq(mpgpu_poly_mul(y, x, y), 0);
    expect(y, &right, "product in place");
    expect(x, &u, "operand");
    mpgpu_poly_destroy(x);
    mpgpu_poly_destroy(y);
    mpgpu_poly_destroy(r);
    list_clear(&u);
    list_clear(&v);
    list_clear(&right);
}

/* Checks that u = q v + r and that r is shorter than v, for a divisor v whose leading coefficient
 * is 1 or -1. */
static void compare_division(size_t un, size_t vn, size_t bits, mpz_srcptr m) {
    struct list u, v, w, quotient, rest;
    struct list *const all[] = {&u, &v, &w, &quotient, &rest};
    for (int i = 0; i < 5; i++)
        list_init(all[i]);
    make(&u, un, bits);
    make(&v, vn, bits);
    mpz_set_si(v.c[vn - 1], testing_below(2) ? 1 : -1);
    mpgpu_poly *x = poly_of(&u, m), *y = poly_of(&v, m);
    mpgpu_poly *q = mpgpu_poly_create(m), *r = mpgpu_poly_create(m);
    reduce(&u, m);
    reduce(&v, m);
    ck_assert_msg(mpgpu_poly_divrem(q, r, x, y) == 0, "division: %s", mpgpu_error());
    quotient.length = mpgpu_poly_length(q);
    rest.length = mpgpu_poly_length(r);
    ck_assert_uint_lt(rest.length, v.length);
    ck_assert_int_eq(mpgpu_poly_get_mpz(quotient.c, quotient.length, q), 0);
    ck_assert_int_eq(mpgpu_poly_get_mpz(rest.c, rest.length, r), 0);
    multiply(&w, &quotient, &v, NULL);
    for (size_t i = w.length; i < rest.length; i++)
        mpz_set_ui(w.c[i], 0);
    w.length = w.length > rest.length ? w.length : rest.length;
    for (size_t i = 0; i < rest.length; i++)
        mpz_add(w.c[i], w.c[i], rest.c[i]);
    reduce(&w, m);
    expect(x, &w, "q v + r");
    ck_assert_int_eq(mpgpu_poly_divrem(x, NULL, x, y), 0); /* in place */
    expect(x, &quotient, "quotient in place");
    mpgpu_poly_destroy(x);
    mpgpu_poly_destroy(y);
    mpgpu_poly_destroy(q);
    mpgpu_poly_destroy(r);
    for (int i = 0; i < 5; i++)
        list_clear(all[i]);
}

static void horner(mpz_ptr y, const struct list *u, mpz_srcptr x, mpz_srcptr m) {
    mpz_t sum;
    mpz_init(sum);
    for (size_t i = u->length; i-- > 0;) {
        mpz_mul(sum, sum, x);
        mpz_add(sum, sum, u->c[i]);
        mpz_mod(sum, sum, m);
    }
    mpz_set(y, sum);
    mpz_clear(sum);
}

/* Compares a polynomial's values at `count` different points with GMP's. If `interpolates` is true,
 * also computes a polynomial from these values. */
static void compare_points(size_t un, size_t count, mpz_srcptr m, bool interpolates) {
    struct list u, x, y;
    mpz_t right;
    mpz_init(right);
    list_init(&u);
    list_init(&x);
    list_init(&y);
    make(&u, un, 100);
    for (size_t i = 0; i < count; i++) {
        mpz_set_ui(x.c[i], i * 7919 + testing_below(7919));
        if (i % 5 == 0)
            mpz_neg(x.c[i], x.c[i]);
    }
    mpgpu_poly *p = poly_of(&u, m);
    reduce(&u, m);
    ck_assert_msg(mpgpu_poly_evaluate(y.c, p, (const mpz_t *)x.c, count) == 0, "values: %s",
                  mpgpu_error());
    for (size_t i = 0; i < count; i++) {
        horner(right, &u, x.c[i], m);
        ck_assert_msg(mpz_cmp(y.c[i], right) == 0, "value %zu of %zu, %zu coefficients", i, count,
                      un);
    }
    if (interpolates && u.length <= count) {
        ck_assert_msg(mpgpu_poly_interpolate(p, (const mpz_t *)x.c, (const mpz_t *)y.c, count) == 0,
                      "interpolation: %s", mpgpu_error());
        expect(p, &u, "interpolation");
    }
    mpgpu_poly_destroy(p);
    mpz_clear(right);
    list_clear(&u);
    list_clear(&x);
    list_clear(&y);
}

static void compare_all(unsigned rounds) {
    mpz_t m;
    mpz_init(m);
    for (unsigned i = 0; i < rounds; i++) {
        compare_products(testing_below(40), testing_below(40), 1 + testing_below(300),
                         random_modulus_of(m));
        compare_division(1 + testing_below(60), 1 + testing_below(30), 1 + testing_below(90),
                         random_modulus_of(m));
        mpz_srcptr modulus = random_modulus_of(m);
        if (modulus)
            compare_points(testing_below(50), 1 + testing_below(60), modulus, false);
        mpz_set_ui(m, 1);
        mpz_mul_2exp(m, m, i % 2 ? 61 : 521);
        mpz_sub_ui(m, m, 1); /* primes */
        const size_t n = 1 + testing_below(40);
        compare_points(n, n + testing_below(3), m, true);
    }
    compare_points(MOST - 1, 3, m, false);
    compare_points(3, MOST - 1, m, false);
    compare_products(1, 1, 1, NULL);
    compare_products(79, 1, 500, NULL);
    mpz_clear(m);
}

START_TEST(on_devices) {
    open_with(backends[_i], VERIFY_DEVICE);
    const unsigned long before = mpgpu_sent();
    compare_all(12);
    ck_assert_uint_gt(mpgpu_sent(), before + 50);
}
END_TEST

START_TEST(checks) {
    static const int kinds[] = {VERIFY_OFF, VERIFY_RESIDUE, VERIFY_FULL};
    open_with(backends[_i / 3], kinds[_i % 3]);
    compare_all(3);
}
END_TEST

START_TEST(without_a_device) {
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    compare_all(30);
}
END_TEST

/* ---- bad input */

static void expect_text(const char *part) {
    ck_assert_msg(strstr(mpgpu_error(), part), "\"%s\" does not contain \"%s\"", mpgpu_error(),
                  part);
}

START_TEST(bad_input) {
    mpz_t m, x[3];
    mpz_init(m);
    for (int i = 0; i < 3; i++) {
        mpz_init(x[i]);
        mpz_set_ui(x[i], (unsigned long)(i == 2 ? 4 : i));
    }
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    ck_assert_ptr_null(mpgpu_poly_create(m));
    expect_text("modulus of a polynomial is 0");
    mpz_set_si(m, -5);
    ck_assert_ptr_null(mpgpu_poly_create(m));
    expect_text("negative");
    mpz_set_ui(m, 6);
    mpgpu_poly *u = mpgpu_poly_create(NULL), *v = mpgpu_poly_create(m), *w = mpgpu_poly_create(m);
    ck_assert_int_eq(mpgpu_poly_set_mpz(u, (const mpz_t *)x, 3), 0);
    ck_assert_int_eq(mpgpu_poly_set_mpz(v, (const mpz_t *)x, 3), 0);
    ck_assert_int_eq(mpgpu_poly_mul(w, u, v), MPGPU_ARGUMENTS);
    expect_text("different moduli");
    ck_assert_int_eq(mpgpu_poly_divrem(NULL, u, u, u), MPGPU_ARGUMENTS);
    expect_text("number 2 of the divisor's coefficients is not 1 or -1");
    ck_assert_int_eq(mpgpu_poly_divrem(NULL, v, v, v), MPGPU_ARGUMENTS);
    expect_text("number 2 of the divisor's coefficients has no inverse");
    /* the same errors if the dividend is shorter than the divisor */
    ck_assert_int_eq(mpgpu_poly_divrem(NULL, w, w, v), MPGPU_ARGUMENTS);
    expect_text("number 2 of the divisor's coefficients has no inverse");
    mpgpu_poly *zero = mpgpu_poly_create(NULL);
    ck_assert_int_eq(mpgpu_poly_divrem(zero, NULL, zero, u), MPGPU_ARGUMENTS);
    expect_text("number 2 of the divisor's coefficients is not 1 or -1");
    mpgpu_poly_destroy(zero);
    ck_assert_int_eq(mpgpu_poly_divrem(v, NULL, v, w), MPGPU_DIVIDE_BY_ZERO);
    expect_text("polynomial 0");
    ck_assert_int_eq(mpgpu_poly_divrem(v, v, v, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_poly_divrem(NULL, NULL, v, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_poly_evaluate(x, u, (const mpz_t *)x, 3), MPGPU_ARGUMENTS);
    expect_text("without a modulus");
    /* the interpolation divides by 4 - 1 = 3, which has no inverse modulo 6 */
    ck_assert_int_eq(mpgpu_poly_interpolate(w, (const mpz_t *)x, (const mpz_t *)x, 3),
                     MPGPU_ARGUMENTS);
    expect_text("without an inverse");
    ck_assert_int_eq(mpgpu_poly_interpolate(w, (const mpz_t *)x, (const mpz_t *)x, 0),
                     MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_poly_set_mpz(u, (const mpz_t *)x, SIZE_MAX / 8), MPGPU_NO_MEMORY);
    ck_assert_uint_eq(mpgpu_poly_length(u), 3);
    ck_assert_int_eq(mpgpu_poly_set_mpz(NULL, NULL, 0), MPGPU_ARGUMENTS);
    ck_assert_uint_eq(mpgpu_poly_length(NULL), 0);
    mpgpu_poly_destroy(NULL);
    mpgpu_poly_destroy(u);
    mpgpu_poly_destroy(v);
    mpgpu_poly_destroy(w);
}
END_TEST

/* Checks that modulo 1 every polynomial is 0. */
START_TEST(modulus_one) {
    mpz_t m, x[2];
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    mpz_init(m);
    mpz_set_ui(m, 1);
    for (int i = 0; i < 2; i++) {
        mpz_init(x[i]);
        mpz_set_ui(x[i], (unsigned long)i + 5);
    }
    mpgpu_poly *u = mpgpu_poly_create(m);
    ck_assert_int_eq(mpgpu_poly_set_mpz(u, (const mpz_t *)x, 2), 0);
    ck_assert_uint_eq(mpgpu_poly_length(u), 0);
    ck_assert_int_eq(mpgpu_poly_mul(u, u, u), 0);
    ck_assert_int_eq(mpgpu_poly_interpolate(u, (const mpz_t *)x, (const mpz_t *)x, 2), 0);
    ck_assert_uint_eq(mpgpu_poly_length(u), 0);
    ck_assert_int_eq(mpgpu_poly_evaluate(x, u, (const mpz_t *)x, 2), 0);
    ck_assert(mpz_sgn(x[0]) == 0 && mpz_sgn(x[1]) == 0);
    ck_assert_int_eq(mpgpu_poly_divrem(u, NULL, u, u), MPGPU_DIVIDE_BY_ZERO);
    mpgpu_poly_destroy(u);
}
END_TEST

int main(void) {
    choose_batches_alone();
    return run_on_backends("poly",
                           TESTS(ONCE(without_a_device), ONCE(bad_input), ONCE(modulus_one),
                                 PER_DEVICE(on_devices, 1), PER_DEVICE(checks, 3)),
                           NULL);
}
