/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Calls of quotients, gcds and inverses of batches (include/mpgpu.h): inverses modulo an object
 * compared with GMP's, zeros among divisors and moduli, and calls that are refused.
 * tests/unit/job/test_jobs.c compares the operations with GMP. */
#include <string.h>

#include "include/mpgpu.h"
#include "tests/support/backends.h"

/* `count` numbers of n limbs on both sides. */
struct numbers {
    size_t count, n;
    mp_limb_t *xp;
    mpgpu_batch *b;
};

static struct numbers numbers(size_t count, size_t n) {
    struct numbers x = {count, n, limbs(count * n), mpgpu_batch_create(count, n)};
    ck_assert_ptr_nonnull(x.b);
    memset(x.xp, 0, count * n * sizeof *x.xp);
    return x;
}

static void done(struct numbers *x) {
    mpgpu_batch_destroy(x->b);
    free(x->xp);
}

static void set(struct numbers *x) {
    ck_assert_int_eq(mpgpu_batch_set(x->b, x->xp), 0);
}

static struct numbers random_numbers(size_t count, size_t n) {
    struct numbers x = numbers(count, n);
    for (size_t i = 0; i < count; i++) {
        testing_limbs(x.xp + i * n, n);
        x.xp[i * n] |= mpn_zero_p(x.xp + i * n, (mp_size_t)n);
    }
    set(&x);
    return x;
}

/* Its lowest n limbs. */
static void put(struct numbers *to, size_t i, mpz_srcptr x) {
    for (size_t k = 0; k < to->n; k++)
        to->xp[i * to->n + k] = mpz_getlimbn(x, (mp_size_t)k);
}

static void expect(const struct numbers *x, mpgpu_batch *b, const char *what, size_t from) {
    mp_limb_t *got = limbs(x->count * x->n);
    ck_assert_int_eq(mpgpu_batch_get(got, b), 0);
    for (size_t i = 0; i < x->count * x->n; i++)
        ck_assert_msg(got[i] == x->xp[i], "%s of %zu numbers of %zu limbs: number %zu limb %zu",
                      what, x->count, from, i / x->n, i % x->n);
    free(got);
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

static void compare_inverse(size_t count, size_t n, size_t moduli) {
    struct numbers x = random_numbers(count, n), m = random_numbers(moduli, n);
    struct numbers right = numbers(count, n), exists = numbers(count, 1);
    for (size_t i = 0; i < count; i++) {
        const mpz_t u = MPZ_ROINIT_N(x.xp + i * n, (mp_size_t)n),
                    v = MPZ_ROINIT_N(m.xp + i % moduli * n, (mp_size_t)n);
        exists.xp[i] = invert(&right, i, u, v);
    }
    compare_object(&right, &exists, &x, &m);
    done(&x);
    done(&m);
    done(&right);
    done(&exists);
}

START_TEST(inverses) {
    use_backend(_i % 2 ? (struct test_backend){"none", 0} : backends[_i / 2], VERIFY_DEVICE);
    for (size_t n = 1; n <= 9; n++) {
        compare_inverse(1 + testing_below(90), n, 1);
        compare_inverse(7, n, 7);
    }
}
END_TEST

/* ---- zeros */

/* A zero among divisors, wherever they are, and whichever: nothing changes. */
static void compare_zero(void) {
    struct numbers u = random_numbers(77, 9), d = random_numbers(77, 5);
    struct numbers q = random_numbers(77, 9), r = random_numbers(77, 5);
    memset(d.xp + 5 * testing_below(77), 0, 5 * sizeof *d.xp);
    set(&d);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(q.b, r.b, u.b, d.b), MPGPU_DIVIDE_BY_ZERO);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(u.b, d.b, u.b, d.b), MPGPU_DIVIDE_BY_ZERO);
    ck_assert_str_ne(mpgpu_error(), "");
    expect(&u, u.b, "dividend", 5);
    expect(&d, d.b, "divisor", 5);
    expect(&q, q.b, "quotient", 5);
    expect(&r, r.b, "remainder", 5);
    mpgpu_batch *exists = mpgpu_batch_create(77, 1), *unset = mpgpu_batch_create(1, 5);
    ck_assert_int_eq(mpgpu_batch_mod_inv(r.b, exists, r.b, d.b), MPGPU_DIVIDE_BY_ZERO);
    ck_assert_int_eq(mpgpu_batch_mod_inv(r.b, exists, r.b, unset), MPGPU_DIVIDE_BY_ZERO);
    expect(&r, r.b, "operand", 5);
    mpgpu_batch_destroy(exists);
    mpgpu_batch_destroy(unset);
    done(&u);
    done(&d);
    done(&q);
    done(&r);
}

START_TEST(by_zero) {
    use_backend(_i % 2 ? (struct test_backend){"none", 0} : backends[_i / 2], VERIFY_DEVICE);
    compare_zero();
}
END_TEST

/* ---- what is refused */

/* Moduli are 2, of as many limbs as operands or fewer, or one for two of three; or 0. */
START_TEST(bad_objects) {
    const mp_limb_t two[10] = {2, 0, 0, 0, 0, 2};
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
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
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
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

START_TEST(bad_divisions) {
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
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

int main(void) {
    choose_batches_alone();
    return run_on_backends("euclid",
                           TESTS(PER_DEVICE(inverses, 2), PER_DEVICE(by_zero, 2),
                                 ONCE(bad_arguments), ONCE(bad_divisions), ONCE(bad_objects)),
                           NULL);
}
