/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Calls every function of mpgpu.h with NULL for each pointer that must not be NULL. The function
 * must return an error (MPGPU_ARGUMENTS, NULL, 0 or -1) and must touch no memory.
 * tests/programs/test_exports.sh checks that every function with a pointer is tested here. */
#include "tests/support/testing.h"

#include <limits.h>
#include <signal.h>

#include "include/mpgpu.h"

#define REFUSED(call) ck_assert_int_eq((call), MPGPU_ARGUMENTS)
#define NONE(call) ck_assert_ptr_null((call))

/* Calls f several times, each time with another one of its pointers replaced by NULL. */
#define EACH_OF_2(f, a, b)                                                                         \
    do {                                                                                           \
        REFUSED(f(NULL, b));                                                                       \
        REFUSED(f(a, NULL));                                                                       \
    } while (0)
#define EACH_OF_3(f, a, b, c)                                                                      \
    do {                                                                                           \
        REFUSED(f(NULL, b, c));                                                                    \
        REFUSED(f(a, NULL, c));                                                                    \
        REFUSED(f(a, b, NULL));                                                                    \
    } while (0)
#define EACH_OF_4(f, a, b, c, d)                                                                   \
    do {                                                                                           \
        REFUSED(f(NULL, b, c, d));                                                                 \
        REFUSED(f(a, NULL, c, d));                                                                 \
        REFUSED(f(a, b, NULL, d));                                                                 \
        REFUSED(f(a, b, c, NULL));                                                                 \
    } while (0)

static void leaf(void *context, size_t k, mpz_ptr p, mpz_ptr q, mpz_ptr t) {
    (void)context, (void)k;
    mpz_set_ui(p, 1), mpz_set_ui(q, 1), mpz_set_ui(t, 1);
}

START_TEST(arrays) {
    static const unsigned char other[MPGPU_UUID] = {1, 2, 3};
    mp_limb_t x[2] = {3, 5};
    unsigned char uuid[MPGPU_UUID];
    /* an invalid pointer, which no call reads because another argument is NULL or 0 */
    mpgpu_array *a = (mpgpu_array *)(void *)x;
    mpgpu_array_memory m;
    mpgpu_batch *b = mpgpu_batch_create(1, 2);
    mpgpu_queue *q = mpgpu_queue_create();
    mpgpu_number *n = mpgpu_number_create(q);
    NONE(mpgpu_array_create(NULL, 0));
    ck_assert_str_eq(mpgpu_error(), "arguments that do not fit together");
    NONE(mpgpu_array_create(NULL, SIZE_MAX));
    ck_assert_str_eq(mpgpu_error(), "host memory is exhausted");
    NONE(mpgpu_array_create(other, 2));
    ck_assert_str_eq(mpgpu_error(), "the library does not use this GPU through CUDA");
    mpgpu_array_destroy(NULL);
    ck_assert_int_eq(mpgpu_batch_gpu(uuid, NULL), 0);
    ck_assert_int_eq(mpgpu_batch_gpu(NULL, b), 0);
    ck_assert_int_eq(mpgpu_number_gpu(uuid, NULL), 0);
    ck_assert_int_eq(mpgpu_number_gpu(NULL, n), 0);
    ck_assert_int_eq(mpgpu_array_gpu(NULL), mpgpu_array_gpu(uuid));
    EACH_OF_2(mpgpu_array_open, &m, a);
    EACH_OF_2(mpgpu_batch_get_array, a, b);
    EACH_OF_2(mpgpu_batch_set_array, b, a);
    EACH_OF_2(mpgpu_number_get_array, a, n);
    REFUSED(mpgpu_number_set_array(NULL, a, 1));
    REFUSED(mpgpu_number_set_array(n, NULL, 1));
    REFUSED(mpgpu_number_set_array(n, a, 0));
    mpgpu_number_destroy(n);
    mpgpu_queue_destroy(q);
    mpgpu_batch_destroy(b);
}
END_TEST

START_TEST(batches) {
    mp_limb_t x[2] = {3, 5};
    mpz_t z[2];
    mpgpu_batch *b = mpgpu_batch_create(2, 1), *r = mpgpu_batch_create(2, 1);
    mpgpu_batch *wide = mpgpu_batch_create(2, 2), *terms[] = {b, NULL};
    mpz_init(z[0]), mpz_init(z[1]);
    ck_assert_int_eq(mpgpu_batch_set(b, x), 0);
    mpgpu_batch_destroy(NULL);
    ck_assert_uint_eq(mpgpu_batch_count(NULL), 0);
    ck_assert_uint_eq(mpgpu_batch_limbs(NULL), 0);
    ck_assert_int_eq(mpgpu_batch_on_device(NULL), 0);
    EACH_OF_2(mpgpu_batch_set, b, x);
    EACH_OF_2(mpgpu_batch_get, x, b);
    REFUSED(mpgpu_batch_set_mpz(NULL, (const mpz_t *)z));
    REFUSED(mpgpu_batch_set_mpz(b, NULL));
    EACH_OF_2(mpgpu_batch_get_mpz, z, b);
    REFUSED(mpgpu_batch_add(NULL, NULL, b, b));
    REFUSED(mpgpu_batch_add(r, NULL, NULL, b));
    REFUSED(mpgpu_batch_add(r, NULL, b, NULL));
    REFUSED(mpgpu_batch_sub(NULL, NULL, b, b));
    REFUSED(mpgpu_batch_sub(r, NULL, NULL, b));
    REFUSED(mpgpu_batch_sub(r, NULL, b, NULL));
    EACH_OF_3(mpgpu_batch_mul, wide, b, b);
    EACH_OF_3(mpgpu_batch_mullo, r, b, b);
    EACH_OF_2(mpgpu_batch_sqr, wide, b);
    REFUSED(mpgpu_batch_sum(NULL, NULL, terms, 1, 0));
    REFUSED(mpgpu_batch_sum(r, NULL, NULL, 1, 0));
    REFUSED(mpgpu_batch_sum(r, NULL, terms, 2, 0));
    EACH_OF_3(mpgpu_batch_cmp, r, b, b);
    EACH_OF_4(mpgpu_batch_select, r, b, b, b);
    EACH_OF_3(mpgpu_batch_gcd, r, b, b);
    REFUSED(mpgpu_batch_mul_n(NULL, x, x, 1, 1));
    REFUSED(mpgpu_batch_mul_n(x, NULL, x, 1, 1));
    REFUSED(mpgpu_batch_mul_n(x, x, NULL, 1, 1));
    REFUSED(mpgpu_batch_sqr_n(NULL, x, 1, 1));
    REFUSED(mpgpu_batch_sqr_n(x, NULL, 1, 1));
    REFUSED(mpgpu_batch_mullo_n(NULL, x, x, 1, 1));
    REFUSED(mpgpu_batch_mullo_n(x, NULL, x, 1, 1));
    REFUSED(mpgpu_batch_mullo_n(x, x, NULL, 1, 1));
    mpgpu_batch_destroy(b), mpgpu_batch_destroy(r), mpgpu_batch_destroy(wide);
    mpz_clear(z[0]), mpz_clear(z[1]);
}
END_TEST

START_TEST(batches_modulo_numbers) {
    mp_limb_t x[2] = {3, 5};
    mpgpu_batch *b = mpgpu_batch_create(2, 1), *r = mpgpu_batch_create(2, 1);
    mpgpu_batch *exists = mpgpu_batch_create(2, 1);
    ck_assert_int_eq(mpgpu_batch_set(b, x), 0);
    mpgpu_batch_modulus *m = mpgpu_batch_modulus_create(b);
    ck_assert_ptr_nonnull(m);
    NONE(mpgpu_batch_modulus_create(NULL));
    mpgpu_batch_modulus_destroy(NULL);
    EACH_OF_4(mpgpu_batch_mod_inv, r, exists, b, b);
    REFUSED(mpgpu_batch_tdiv_qr(r, exists, NULL, b));
    REFUSED(mpgpu_batch_tdiv_qr(r, exists, b, NULL));
    EACH_OF_3(mpgpu_batch_mod, r, b, m);
    EACH_OF_4(mpgpu_batch_mod_add, r, b, b, m);
    EACH_OF_4(mpgpu_batch_mod_sub, r, b, b, m);
    EACH_OF_4(mpgpu_batch_mod_mul, r, b, b, m);
    EACH_OF_3(mpgpu_batch_mod_sqr, r, b, m);
    EACH_OF_4(mpgpu_batch_mod_invert, r, exists, b, m);
    EACH_OF_4(mpgpu_batch_mod_pow, r, b, b, m);
    EACH_OF_4(mpgpu_batch_mod_pow_sec, r, b, b, m);
    REFUSED(mpgpu_batch_probable_prime(NULL, b, x, 1, MPGPU_FERMAT));
    REFUSED(mpgpu_batch_probable_prime(r, NULL, x, 1, MPGPU_FERMAT));
    REFUSED(mpgpu_batch_probable_prime(r, b, NULL, 1, MPGPU_FERMAT));
    mpgpu_batch_modulus_destroy(m);
    mpgpu_batch_destroy(b), mpgpu_batch_destroy(r), mpgpu_batch_destroy(exists);
}
END_TEST

/* mpgpu_batch_mod_inv must refuse a batch that is passed both as `exists` and as result or operand.
 * Here all batches have one limb, so the mistake does not show in their lengths. */
START_TEST(inverses_of_one_limb) {
    mp_limb_t x[2] = {3, 5}, m[2] = {7, 9}, got[2];
    mpgpu_batch *u = mpgpu_batch_create(2, 1), *by = mpgpu_batch_create(2, 1);
    mpgpu_batch *exists = mpgpu_batch_create(2, 1);
    ck_assert_int_eq(mpgpu_batch_set(u, x) | mpgpu_batch_set(by, m), 0);
    REFUSED(mpgpu_batch_mod_inv(u, u, u, by));
    REFUSED(mpgpu_batch_mod_inv(exists, u, u, by));
    REFUSED(mpgpu_batch_mod_inv(u, by, u, by));
    ck_assert_int_eq(mpgpu_batch_mod_inv(u, exists, u, by), 0);
    ck_assert_int_eq(mpgpu_batch_get(got, u), 0);
    ck_assert(got[0] == 5 && got[1] == 2);
    mpgpu_batch_destroy(u), mpgpu_batch_destroy(by), mpgpu_batch_destroy(exists);
}
END_TEST

START_TEST(expressions) {
    mpgpu_batch *b = mpgpu_batch_create(2, 1), *none = NULL;
    int node = 0;
    NONE(mpgpu_expression_create(0));
    mpgpu_expression_destroy(NULL);
    ck_assert_int_eq(mpgpu_expression_operand(NULL, 0), -1);
    ck_assert_int_eq(mpgpu_expression_add(NULL, 0, 0), -1);
    ck_assert_int_eq(mpgpu_expression_sub(NULL, 0, 0), -1);
    ck_assert_int_eq(mpgpu_expression_mul(NULL, 0, 0), -1);
    ck_assert_int_eq(mpgpu_expression_mullo(NULL, 0, 0), -1);
    ck_assert_int_eq(mpgpu_expression_sqr(NULL, 0), -1);
    ck_assert_int_eq(mpgpu_expression_sum(NULL, &node, 1, 0), -1);
    ck_assert_int_eq(mpgpu_expression_resize(NULL, 0, 1), -1);
    ck_assert_int_eq(mpgpu_expression_result(NULL, 0), -1);
    REFUSED(mpgpu_expression_finish(NULL));
    ck_assert_uint_eq(mpgpu_expression_times(NULL, 0), 0);
    mpgpu_expression *e = mpgpu_expression_create(1);
    mpgpu_expression_result(e, mpgpu_expression_operand(e, 0));
    ck_assert_int_eq(mpgpu_expression_finish(e), 0);
    REFUSED(mpgpu_expression_run(NULL, &b, &b));
    REFUSED(mpgpu_expression_run(e, NULL, &b));
    REFUSED(mpgpu_expression_run(e, &b, NULL));
    REFUSED(mpgpu_expression_run(e, &none, &b));
    REFUSED(mpgpu_expression_run(e, &b, &none));
    mpgpu_expression_destroy(e);
    mpgpu_batch_destroy(b);
}
END_TEST

START_TEST(numbers) {
    int sign;
    size_t bits;
    char *text;
    mpz_t z;
    mpz_init(z);
    mpgpu_queue *q = mpgpu_queue_create();
    mpgpu_number *x = mpgpu_number_create(q), *r = mpgpu_number_create(q);
    mpgpu_queue_destroy(NULL);
    REFUSED(mpgpu_queue_finish(NULL));
    NONE(mpgpu_number_create(NULL));
    mpgpu_number_destroy(NULL);
    EACH_OF_2(mpgpu_number_set, x, x);
    EACH_OF_2(mpgpu_number_set_mpz, x, z);
    REFUSED(mpgpu_number_set_ui(NULL, 1));
    EACH_OF_2(mpgpu_number_swap, x, x);
    EACH_OF_2(mpgpu_number_get_mpz, z, x);
    REFUSED(mpgpu_number_get_str(NULL, x, 10));
    REFUSED(mpgpu_number_get_str(&text, NULL, 10));
    EACH_OF_2(mpgpu_number_bits, &bits, x);
    EACH_OF_2(mpgpu_number_sign, &sign, x);
    EACH_OF_3(mpgpu_number_cmp, &sign, x, x);
    ck_assert_uint_eq(mpgpu_number_bits_most(NULL), 0);
    ck_assert_int_eq(mpgpu_number_on_device(NULL), 0);
    EACH_OF_2(mpgpu_number_neg, r, x);
    EACH_OF_3(mpgpu_number_add, r, x, x);
    EACH_OF_3(mpgpu_number_sub, r, x, x);
    EACH_OF_3(mpgpu_number_mul, r, x, x);
    EACH_OF_2(mpgpu_number_sqr, r, x);
    REFUSED(mpgpu_number_mul_2exp(NULL, x, 1));
    REFUSED(mpgpu_number_mul_2exp(r, NULL, 1));
    REFUSED(mpgpu_number_tdiv_q_2exp(NULL, x, 1));
    REFUSED(mpgpu_number_tdiv_q_2exp(r, NULL, 1));
    REFUSED(mpgpu_number_tdiv_qr(NULL, NULL, x, x));
    REFUSED(mpgpu_number_tdiv_qr(r, NULL, NULL, x));
    REFUSED(mpgpu_number_tdiv_qr(NULL, r, x, NULL));
    EACH_OF_3(mpgpu_number_mod, r, x, x);
    mpgpu_number_destroy(x), mpgpu_number_destroy(r);
    mpgpu_queue_destroy(q);
    mpz_clear(z);
}
END_TEST

START_TEST(moduli) {
    mpz_t e;
    mpz_init_set_ui(e, 5);
    mpgpu_queue *q = mpgpu_queue_create();
    mpgpu_number *x = mpgpu_number_create(q), *r = mpgpu_number_create(q);
    mpgpu_number_set_ui(x, 7);
    mpgpu_modulus *m = mpgpu_modulus_create(x);
    ck_assert_ptr_nonnull(m);
    NONE(mpgpu_modulus_create(NULL));
    mpgpu_modulus_destroy(NULL);
    EACH_OF_3(mpgpu_modulus_reduce, r, x, m);
    EACH_OF_4(mpgpu_modulus_mul, r, x, x, m);
    EACH_OF_3(mpgpu_modulus_sqr, r, x, m);
    EACH_OF_4(mpgpu_modulus_pow, r, x, e, m);
    mpgpu_modulus_destroy(m);
    mpgpu_number_destroy(x), mpgpu_number_destroy(r);
    mpgpu_queue_destroy(q);
    mpz_clear(e);
}
END_TEST

/* Operations whose results would be longer than an mpz_t allows must be refused when they are
 * recorded, before they are computed. */
START_TEST(too_long) {
    const size_t most = ((size_t)INT_MAX - 1) * 64;
    mpgpu_queue *q = mpgpu_queue_create();
    mpgpu_number *x = mpgpu_number_create(q), *y = mpgpu_number_create(q);
    mpgpu_number_set_ui(x, 1);
    ck_assert_int_eq(mpgpu_number_mul_2exp(y, x, most), MPGPU_TOO_LARGE);
    ck_assert_int_eq(mpgpu_number_mul_2exp(y, x, ((size_t)1 << 31) * 64 - 66), MPGPU_TOO_LARGE);
    ck_assert_int_eq(mpgpu_number_mul_2exp(y, x, SIZE_MAX), MPGPU_TOO_LARGE);
    mpgpu_number_destroy(y);
    mpgpu_number_destroy(x);
    mpgpu_queue_destroy(q);
}
END_TEST

START_TEST(matrices) {
    const mp_limb_t x[1] = {3};
    mp_limb_t got[1];
    mpz_t z[1];
    mpgpu_matrix *m = mpgpu_matrix_create(1, 1);
    mpz_init(z[0]);
    mpgpu_matrix_destroy(NULL);
    ck_assert_uint_eq(mpgpu_matrix_rows(NULL), 0);
    ck_assert_uint_eq(mpgpu_matrix_columns(NULL), 0);
    ck_assert_uint_eq(mpgpu_matrix_bits_most(NULL), 0);
    ck_assert_uint_eq(mpgpu_matrix_limbs(NULL), 0);
    ck_assert_int_eq(mpgpu_matrix_on_device(NULL), 0);
    REFUSED(mpgpu_matrix_set_mpz(NULL, (const mpz_t *)z));
    REFUSED(mpgpu_matrix_set_mpz(m, NULL));
    EACH_OF_2(mpgpu_matrix_get_mpz, z, m);
    REFUSED(mpgpu_matrix_set(NULL, x, 1));
    REFUSED(mpgpu_matrix_set(m, NULL, 1));
    REFUSED(mpgpu_matrix_set(m, x, 0));
    EACH_OF_2(mpgpu_matrix_get, got, m);
    EACH_OF_3(mpgpu_matrix_mul, m, m, m);
    REFUSED(mpgpu_matrix_det(NULL, m, NULL));
    REFUSED(mpgpu_matrix_det(z[0], NULL, NULL));
    REFUSED(mpgpu_matrix_solve(NULL, z[0], m, m, NULL));
    REFUSED(mpgpu_matrix_solve(m, NULL, m, m, NULL));
    REFUSED(mpgpu_matrix_solve(m, z[0], NULL, m, NULL));
    REFUSED(mpgpu_matrix_solve(m, z[0], m, NULL, NULL));
    REFUSED(mpgpu_matrix_inverse(NULL, z[0], m, NULL));
    REFUSED(mpgpu_matrix_inverse(m, NULL, m, NULL));
    REFUSED(mpgpu_matrix_inverse(m, z[0], NULL, NULL));
    mpgpu_matrix_destroy(m);
    mpz_clear(z[0]);
}
END_TEST

START_TEST(trees) {
    mpz_t z[2], p;
    mpz_init_set_ui(z[0], 3), mpz_init_set_ui(z[1], 5), mpz_init(p);
    mpgpu_tree *t = mpgpu_tree_create((const mpz_t *)z, 2);
    ck_assert_ptr_nonnull(t);
    NONE(mpgpu_tree_create(NULL, 1));
    NONE(mpgpu_tree_create_batch(NULL));
    mpgpu_tree_destroy(NULL);
    ck_assert_uint_eq(mpgpu_tree_count(NULL), 0);
    ck_assert_int_eq(mpgpu_tree_on_device(NULL), 0);
    EACH_OF_2(mpgpu_tree_root, p, t);
    EACH_OF_3(mpgpu_tree_mod, z, t, p);
    EACH_OF_2(mpgpu_tree_mod_sqr, z, t);
    EACH_OF_2(mpgpu_tree_cofactors, z, t);
    REFUSED(mpgpu_tree_split(NULL, NULL, z[1], 1, leaf, NULL));
    REFUSED(mpgpu_tree_split(NULL, z[0], NULL, 1, leaf, NULL));
    REFUSED(mpgpu_tree_split(NULL, z[0], z[1], 1, NULL, NULL));
    mpgpu_tree_destroy(t);
    mpz_clear(z[0]), mpz_clear(z[1]), mpz_clear(p);
}
END_TEST

START_TEST(polynomials) {
    mpz_t z[2], m;
    mpz_init_set_ui(z[0], 3), mpz_init_set_ui(z[1], 5), mpz_init_set_ui(m, 7);
    mpgpu_poly *u = mpgpu_poly_create(m), *r = mpgpu_poly_create(m);
    ck_assert_int_eq(mpgpu_poly_set_mpz(u, (const mpz_t *)z, 2), 0);
    mpgpu_poly_destroy(NULL);
    ck_assert_uint_eq(mpgpu_poly_length(NULL), 0);
    REFUSED(mpgpu_poly_set_mpz(NULL, (const mpz_t *)z, 2));
    REFUSED(mpgpu_poly_set_mpz(r, NULL, 2));
    REFUSED(mpgpu_poly_get_mpz(NULL, 2, u));
    REFUSED(mpgpu_poly_get_mpz(z, 2, NULL));
    EACH_OF_3(mpgpu_poly_mul, r, u, u);
    EACH_OF_2(mpgpu_poly_sqr, r, u);
    REFUSED(mpgpu_poly_divrem(NULL, NULL, u, u));
    REFUSED(mpgpu_poly_divrem(r, NULL, NULL, u));
    REFUSED(mpgpu_poly_divrem(r, NULL, u, NULL));
    REFUSED(mpgpu_poly_evaluate(NULL, u, (const mpz_t *)z, 2));
    REFUSED(mpgpu_poly_evaluate(z, NULL, (const mpz_t *)z, 2));
    REFUSED(mpgpu_poly_evaluate(z, u, NULL, 2));
    REFUSED(mpgpu_poly_interpolate(NULL, (const mpz_t *)z, (const mpz_t *)z, 2));
    REFUSED(mpgpu_poly_interpolate(r, NULL, (const mpz_t *)z, 2));
    REFUSED(mpgpu_poly_interpolate(r, (const mpz_t *)z, NULL, 2));
    mpgpu_poly_destroy(u), mpgpu_poly_destroy(r);
    mpz_clear(z[0]), mpz_clear(z[1]), mpz_clear(m);
}
END_TEST

START_TEST(views) {
    char text[8];
    uint32_t x[1], y[1];
    mpgpu_mandelbrot_view v = {.width = 1, .rows = 1, .iterations = 1};
    EACH_OF_3(mpgpu_mandelbrot_host, &v, x, y);
    EACH_OF_3(mpgpu_mandelbrot_device, &v, x, y);
    NONE(mpgpu_device(NULL, sizeof text));
    NONE(mpgpu_device(text, 0));
}
END_TEST

static int error_in_handler;

static void split_in_handler(int signal) {
    (void)signal;
    mpz_t q, t;
    mpz_init(q);
    mpz_init(t);
    error_in_handler = mpgpu_tree_split(NULL, q, t, 40, leaf, NULL);
    mpz_clear(q);
    mpz_clear(t);
}

/* If the library's first call is in a signal handler, the error's text must say so. */
START_TEST(begins_in_handler) {
    signal(SIGUSR1, split_in_handler);
    raise(SIGUSR1);
    ck_assert_int_eq(error_in_handler, MPGPU_NO_MEMORY);
    ck_assert_str_eq(mpgpu_error(), "the library cannot begin in a signal handler");
}
END_TEST

int main(void) {
    setenv("MPGPU_CONF", "backend:none", 1);
    return testing_main("null", 120,
                        TESTS(ONCE(arrays), ONCE(batches), ONCE(batches_modulo_numbers),
                              ONCE(inverses_of_one_limb), ONCE(expressions), ONCE(numbers),
                              ONCE(moduli), ONCE(too_long), ONCE(matrices), ONCE(trees),
                              ONCE(polynomials), ONCE(views), ONCE(begins_in_handler)));
}
