/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations of test_inject: batches, expressions, moduli, numbers that stay, trees. */
#include <string.h>

#include "include/mpgpu.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/inject_operations.h"

enum { N = 9, COUNT = 6, ALL = N * COUNT };

static mpgpu_batch *of_length(size_t n) {
    mpgpu_batch *b = mpgpu_batch_create(COUNT, n);
    ck_assert_ptr_nonnull(b);
    return b;
}

/* A batch of operand `which`; odd: the lowest limbs are. */
static mpgpu_batch *batch(size_t n, unsigned set, unsigned which, bool odd) {
    static mp_limb_t x[2 * ALL];
    mpgpu_batch *b = of_length(n);
    operand_limbs(x, n * COUNT, set, which);
    for (size_t i = 0; i < COUNT; i++) {
        x[i * n] |= odd;
        x[i * n + n - 1] |= (mp_limb_t)1 << 60;
    }
    ck_assert_int_eq(mpgpu_batch_set(b, x), 0);
    return b;
}

/* Written down, and gone. */
static void give(mpgpu_batch *b) {
    static mp_limb_t x[4 * ALL];
    if (!written_error(mpgpu_batch_get(x, b)))
        written_limbs(x, mpgpu_batch_count(b) * mpgpu_batch_limbs(b));
    mpgpu_batch_destroy(b);
}

/* Results and then the operands, which are the same as before. */
static void give_all(int error, mpgpu_batch *r, mpgpu_batch *s, mpgpu_batch *u, mpgpu_batch *v) {
    mpgpu_batch *const all[] = {r, s, u, v};
    for (int i = 0; i < 4; i++)
        if (error || !all[i])
            mpgpu_batch_destroy(all[i]);
        else
            give(all[i]);
    written_error(error);
}

/* Of batches u and v, which are odd where it says so, into r of `times` N limbs and s of one. */
#define WITH_TWO(name, times, odd, expression)                                                     \
    static void call_##name(unsigned set) {                                                        \
        mpgpu_batch *u = batch(N, set, 1, false), *v = batch(N, set, 2, odd);                      \
        mpgpu_batch *r = of_length((times)*N), *s = of_length(1);                                  \
        give_all(expression, r, s, u, v);                                                          \
    }
WITH_TWO(add, 1, false, mpgpu_batch_add(r, s, u, v))
WITH_TWO(sub, 1, false, mpgpu_batch_sub(r, s, u, v))
WITH_TWO(multiply, 2, false, mpgpu_batch_mul(r, u, v))
WITH_TWO(mullo, 1, false, mpgpu_batch_mullo(r, u, v))
WITH_TWO(sqr, 2, false, mpgpu_batch_sqr(r, u))
WITH_TWO(sum, 1, false, mpgpu_batch_sum(r, s, (mpgpu_batch *const[]){u, v, u}, 3, 2))
WITH_TWO(cmp, 1, false, mpgpu_batch_cmp(s, u, v))
WITH_TWO(gcd, 1, false, mpgpu_batch_gcd(r, u, v))
WITH_TWO(mod_inv, 1, true, mpgpu_batch_mod_inv(r, s, u, v))
WITH_TWO(mod_inv_even, 1, false, mpgpu_batch_mod_inv(r, s, u, v))

/* The first of a chain stays on the device. */
static void call_chain(unsigned set) {
    mpgpu_batch *u = batch(N, set, 1, false), *v = batch(N, set, 2, false), *r = of_length(N);
    int error = mpgpu_batch_mullo(r, u, v);
    error = error ? error : mpgpu_batch_add(r, NULL, r, u);
    error = error ? error : mpgpu_batch_mullo(r, r, v);
    give_all(error, r, NULL, u, v);
}

static void call_select(unsigned set) {
    mpgpu_batch *u = batch(N, set, 1, false), *v = batch(N, set, 2, false);
    mpgpu_batch *c = of_length(1), *r = of_length(N);
    int error = mpgpu_batch_cmp(c, u, v);
    give_all(error ? error : mpgpu_batch_select(r, c, u, v), r, c, u, v);
}

static void call_tdiv_qr(unsigned set) {
    mpgpu_batch *n = batch(2 * N, set, 1, false), *d = batch(N, set, 2, false);
    mpgpu_batch *q = of_length(2 * N), *r = of_length(N);
    give_all(mpgpu_batch_tdiv_qr(q, r, n, d), q, r, n, d);
}

/* Modulo m, odd or not. */
static void with_modulus(unsigned set, bool odd, bool raises, bool is_secret) {
    mpgpu_batch *u = batch(N, set, 1, false), *v = batch(N, set, 2, false);
    mpgpu_batch *m = batch(N, set, 3, odd), *r = of_length(N), *e = mpgpu_batch_create(1, 1);
    const mp_limb_t exponent = 0x1234567 + set;
    ck_assert_int_eq(mpgpu_batch_set(e, &exponent), 0);
    mpgpu_batch_modulus *by = mpgpu_batch_modulus_create(m);
    int error = by ? 0 : MPGPU_LOST;
    if (!error && raises)
        error = (is_secret ? mpgpu_batch_mod_pow_sec : mpgpu_batch_mod_pow)(r, u, e, by);
    else if (!error && (error = mpgpu_batch_mod_mul(r, u, u, by)) == 0 && /* into the same memory */
             (error = mpgpu_batch_mod_mul(r, u, v, by)) == 0 &&
             (error = mpgpu_batch_mod_add(r, r, u, by)) == 0)
        error = mpgpu_batch_mod_sqr(r, r, by);
    mpgpu_batch_modulus_destroy(by);
    mpgpu_batch_destroy(e);
    give_all(error, r, u, v, m);
}

static void call_mod_mul(unsigned set) {
    with_modulus(set, true, false, false);
}
static void call_mod_mul_even(unsigned set) {
    with_modulus(set, false, false, false);
}
static void call_mod_pow(unsigned set) {
    with_modulus(set, true, true, false);
}
static void call_mod_pow_even(unsigned set) {
    with_modulus(set, false, true, false);
}
static void call_mod_pow_sec(unsigned set) {
    with_modulus(set, true, true, true);
}

/* Reduced from twice the limbs, subtracted, inverted. */
static void call_mod_others(unsigned set) {
    mpgpu_batch *u = batch(2 * N, set, 1, false), *v = batch(N, set, 2, false);
    mpgpu_batch *m = batch(N, set, 3, true), *r = of_length(N), *exists = of_length(1);
    mpgpu_batch_modulus *by = mpgpu_batch_modulus_create(m);
    int error = by ? mpgpu_batch_mod(r, u, by) : MPGPU_LOST;
    error = error ? error : mpgpu_batch_mod_sub(r, r, v, by);
    error = error ? error : mpgpu_batch_mod_invert(r, exists, r, by);
    mpgpu_batch_modulus_destroy(by);
    mpgpu_batch_destroy(m);
    give_all(error, r, exists, u, v);
}

static void call_probable_prime(unsigned set) {
    static const mp_limb_t bases[] = {2, 3};
    mpgpu_batch *u = batch(2, set, 1, true), *r = of_length(1);
    give_all(mpgpu_batch_probable_prime(r, u, bases, 2, MPGPU_FERMAT), r, NULL, u, NULL);
}

/* Of numbers in host memory. */
static void call_mul_n(unsigned set) {
    static mp_limb_t u[ALL], v[ALL], r[2 * ALL];
    operand_limbs(u, ALL, set, 1);
    operand_limbs(v, ALL, set, 2);
    if (!written_error(mpgpu_batch_mul_n(r, u, v, N, COUNT)))
        written_limbs(r, 2 * ALL);
}

static void call_sqr_n(unsigned set) {
    static mp_limb_t u[ALL], v[ALL], r[3 * ALL];
    operand_limbs(u, ALL, set, 1);
    operand_limbs(v, ALL, set, 2);
    int error = mpgpu_batch_sqr_n(r, u, N, COUNT);
    error = error ? error : mpgpu_batch_mullo_n(r + 2 * ALL, u, v, N, COUNT);
    if (!written_error(error))
        written_limbs(r, 3 * ALL);
}

/* x y + y, x^2. */
static void call_expression(unsigned set) {
    mpgpu_batch *u = batch(N, set, 1, false), *v = batch(N, set, 2, false);
    mpgpu_batch *const operands[] = {u, v};
    mpgpu_batch *const r[] = {of_length(N), of_length(2 * N)};
    mpgpu_expression *e = mpgpu_expression_create(2);
    mpgpu_expression_result(e, mpgpu_expression_add(e, mpgpu_expression_mullo(e, 0, 1), 1));
    mpgpu_expression_result(e, mpgpu_expression_sqr(e, 0));
    ck_assert_int_eq(mpgpu_expression_finish(e), 0);
    int error = mpgpu_expression_run(e, r, operands);
    mpgpu_expression_destroy(e);
    give_all(error, r[0], r[1], u, v);
}

/* ---- numbers that stay */

static void give_number(mpgpu_number *x) {
    mpz_t got;
    mpz_init(got);
    if (!written_error(mpgpu_number_get_mpz(got, x)))
        written_number(got);
    mpz_clear(got);
    mpgpu_number_destroy(x);
}

static mpgpu_number *number(mpgpu_queue *queue, size_t n, unsigned set, unsigned which) {
    mpz_t value;
    operand(value, n, set, which);
    mpgpu_number *x = mpgpu_number_create(queue);
    ck_assert_int_eq(mpgpu_number_set_mpz(x, value), 0);
    mpz_clear(value);
    return x;
}

static void call_numbers(unsigned set) {
    mpgpu_queue *queue = mpgpu_queue_create();
    mpgpu_number *u = number(queue, 120, set, 1), *v = number(queue, 90, set, 2);
    mpgpu_number *x[4];
    for (int i = 0; i < 4; i++)
        x[i] = mpgpu_number_create(queue);
    int error = mpgpu_number_mul(x[0], u, v);
    error = error ? error : mpgpu_number_sub(x[1], x[0], u);
    error = error ? error : mpgpu_number_tdiv_qr(x[2], x[3], x[1], v);
    error = error ? error : mpgpu_queue_finish(queue);
    error = error ? error : mpgpu_number_sqr(x[1], x[3]);
    error = error ? error : mpgpu_number_mul_2exp(x[0], x[0], 77);
    error = error ? error : mpgpu_number_tdiv_q_2exp(x[2], x[0], 1000);
    error = error ? error : mpgpu_number_add(x[3], x[3], u);
    written_error(error);
    for (int i = 0; i < 4; i++)
        give_number(x[i]);
    give_number(u);
    give_number(v);
    mpgpu_queue_destroy(queue);
}

/* A modulus that is kept for several operations; odd and not. */
static void call_modulus(unsigned set) {
    mpgpu_queue *queue = mpgpu_queue_create();
    mpgpu_number *u = number(queue, 60, set, 1), *m = number(queue, 64, set, 2);
    mpgpu_number *x = mpgpu_number_create(queue), *y = mpgpu_number_create(queue);
    mpz_t e;
    mpz_init_set_ui(e, 0x1a5 + set);
    mpgpu_modulus *by = mpgpu_modulus_create(m);
    int error = by ? 0 : MPGPU_LOST;
    error = error ? error : mpgpu_modulus_sqr(x, u, by);
    error = error ? error : mpgpu_queue_finish(queue);
    error = error ? error : mpgpu_modulus_mul(x, x, u, by);
    error = error ? error : mpgpu_modulus_pow(y, x, e, by);
    error = error ? error : mpgpu_modulus_reduce(x, u, by);
    error = error ? error : mpgpu_number_neg(x, x);
    error = error ? error : mpgpu_number_mod(x, x, m);
    written_error(error);
    give_number(x);
    give_number(y);
    mpgpu_modulus_destroy(by);
    give_number(u);
    give_number(m);
    mpgpu_queue_destroy(queue);
    mpz_clear(e);
}

/* ---- trees */

enum { LEAVES = 12 };

static void give_numbers(int error, mpz_t *r) {
    if (!written_error(error))
        for (int i = 0; i < LEAVES; i++)
            written_number(r[i]);
}

static void call_tree(unsigned set) {
    mpz_t u[LEAVES], r[LEAVES], x;
    for (unsigned i = 0; i < LEAVES; i++) {
        operand(u[i], 6, set, i);
        mpz_init(r[i]);
    }
    operand(x, 60, set, LEAVES);
    mpgpu_tree *tree = mpgpu_tree_create(u, LEAVES);
    ck_assert_ptr_nonnull(tree);
    if (!written_error(mpgpu_tree_root(r[0], tree)))
        written_number(r[0]);
    give_numbers(mpgpu_tree_mod(r, tree, x), r);
    give_numbers(mpgpu_tree_cofactors(r, tree), r);
    give_numbers(mpgpu_tree_mod_sqr(r, tree), r);
    mpgpu_tree_destroy(tree);
    for (int i = 0; i < LEAVES; i++)
        mpz_clears(u[i], r[i], NULL);
    mpz_clear(x);
}

static void leaf(void *context, size_t k, mpz_ptr p, mpz_ptr q, mpz_ptr t) {
    const unsigned set = *(unsigned *)context;
    mpz_set_ui(p, 0xfffffffffffffffb - 7 * k - set);
    mpz_set_ui(q, 0xfffffffffffffff1 - 5 * k);
    mpz_mul_ui(t, p, k + 1 + set);
}

static void call_split(unsigned set) {
    mpz_t p, q, t;
    mpz_inits(p, q, t, NULL);
    if (!written_error(mpgpu_tree_split(p, q, t, 40, leaf, &set))) {
        written_number(p);
        written_number(q);
        written_number(t);
    }
    mpz_clears(p, q, t, NULL);
}

#define ENTRY(name)                                                                                \
    { "batch_" #name, call_##name, true }
const struct inject_operation inject_batches[] = {ENTRY(add),
                                                  ENTRY(sub),
                                                  {"batch_mul", call_multiply, true},
                                                  ENTRY(mullo),
                                                  ENTRY(sqr),
                                                  ENTRY(sum),
                                                  ENTRY(cmp),
                                                  ENTRY(select),
                                                  ENTRY(chain),
                                                  ENTRY(gcd),
                                                  ENTRY(mod_inv),
                                                  ENTRY(mod_inv_even),
                                                  ENTRY(tdiv_qr),
                                                  ENTRY(mod_mul),
                                                  ENTRY(mod_mul_even),
                                                  ENTRY(mod_pow),
                                                  ENTRY(mod_pow_even),
                                                  ENTRY(mod_pow_sec),
                                                  ENTRY(mod_others),
                                                  ENTRY(probable_prime),
                                                  {"batch_mul_n", call_mul_n, false},
                                                  {"batch_sqr_n", call_sqr_n, false},
                                                  {"expression", call_expression, true},
                                                  {"numbers", call_numbers, true},
                                                  {"modulus", call_modulus, true},
                                                  {"tree", call_tree, true},
                                                  {"split", call_split, false},
                                                  {NULL, NULL, false}};
