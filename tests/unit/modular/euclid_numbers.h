/* SPDX-License-Identifier: LGPL-3.0-or-later
 * For tests of gcds, inverses and quotients of batches: numbers on both sides, and pairs of
 * operands of every kind. */
#ifndef MPGPU_TEST_EUCLID_NUMBERS_H
#define MPGPU_TEST_EUCLID_NUMBERS_H

#include <string.h>

#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"

static int want_device;    /* results lie there */
static int may_be_on_host; /* or not: where a device has no teams */

static inline void open_with(struct test_backend backend, int verify) {
    if (backend.kernels_of_gpus)
        gpu_use_kernels_of_gpus();
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "%s", backend.name);
    mpgpu_conf.verify = verify;
    may_be_on_host = backend.kernels_of_gpus;
    want_device = strcmp(backend.name, "none") != 0;
}

/* ---- numbers */

/* `count` numbers of n limbs on both sides. */
struct numbers {
    size_t count, n;
    mp_limb_t *xp;
    mpgpu_batch *b;
};

static inline struct numbers numbers(size_t count, size_t n) {
    struct numbers x = {count, n, limbs(count * n), mpgpu_batch_create(count, n)};
    ck_assert_ptr_nonnull(x.b);
    memset(x.xp, 0, count * n * sizeof *x.xp);
    return x;
}

static inline void done(struct numbers *x) {
    mpgpu_batch_destroy(x->b);
    free(x->xp);
}

static inline void set(struct numbers *x) {
    ck_assert_int_eq(mpgpu_batch_set(x->b, x->xp), 0);
}

/* Its lowest n limbs. */
static inline void put(struct numbers *to, size_t i, mpz_srcptr x) {
    for (size_t k = 0; k < to->n; k++)
        to->xp[i * to->n + k] = mpz_getlimbn(x, (mp_size_t)k);
}

static inline void expect(const struct numbers *x, mpgpu_batch *b, const char *what, size_t from) {
    mp_limb_t *got = limbs(x->count * x->n);
    if (!may_be_on_host)
        ck_assert_int_eq(mpgpu_batch_on_device(b), want_device);
    ck_assert_int_eq(mpgpu_batch_get(got, b), 0);
    for (size_t i = 0; i < x->count * x->n; i++)
        ck_assert_msg(got[i] == x->xp[i], "%s of %zu numbers of %zu limbs: number %zu limb %zu",
                      what, x->count, from, i / x->n, i % x->n);
    free(got);
}

/* ---- pairs of operands */

static inline void any(mpz_ptr x, size_t n) {
    mp_limb_t *xp = limbs(n);
    testing_limbs(xp, n);
    mpz_import(x, n, -1, sizeof *xp, 0, 0, xp);
    free(xp);
}

static inline size_t some_bits(size_t n) {
    return 1 + testing_below(n * GMP_NUMB_BITS);
}

/* Neighbours among Fibonacci's, the longest or shorter ones. */
static inline void fibonacci(mpz_ptr u, mpz_ptr v, size_t n) {
    size_t most = n * GMP_NUMB_BITS * 36 / 25 - 1; /* 2^(25/36) is above their ratio */
    mpz_fib2_ui(u, v, testing_below(2) ? most : 1 + testing_below(most));
}

static inline void powers(mpz_ptr x, size_t n, int less) {
    mpz_set_ui(x, 0);
    mpz_setbit(x, some_bits(n) - !less);
    if (less)
        mpz_sub_ui(x, x, 1);
}

/* With a factor in common. */
static inline void with_factor(mpz_ptr u, mpz_ptr v, size_t n) {
    size_t bits = some_bits(n);
    mpz_t g;
    mpz_init(g);
    mpz_rrandomb(g, *testing_random(), bits);
    mpz_rrandomb(u, *testing_random(), n * GMP_NUMB_BITS - bits + 1);
    mpz_rrandomb(v, *testing_random(), n * GMP_NUMB_BITS - bits + 1);
    mpz_tdiv_q_2exp(u, u, 1);
    mpz_tdiv_q_2exp(v, v, 1 + testing_below(9));
    mpz_mul(u, u, g);
    mpz_mul(v, v, g);
    mpz_clear(g);
}

static inline void pair(mpz_ptr u, mpz_ptr v, size_t n) {
    any(u, n);
    any(v, n);
    switch (testing_below(12)) {
    case 0:
        mpz_set(v, u);
        break;
    case 1:
        mpz_tdiv_q_2exp(u, u, some_bits(n) - 1);
        mpz_tdiv_q_ui(v, v, 3);
        mpz_sub(v, v, u);
        mpz_abs(v, v);
        break;
    case 2:
        fibonacci(u, v, n);
        break;
    case 3:
        powers(u, n, 0);
        powers(v, n, 0);
        break;
    case 4:
        powers(u, n, 1);
        powers(v, n, 1);
        break;
    case 5:
        mpz_set_ui(testing_below(2) ? u : v, testing_below(4));
        mpz_tdiv_q_2exp(v, v, testing_below(2) ? some_bits(n) : 0);
        break;
    case 6:
    case 7:
        with_factor(u, v, n);
        break;
    case 8:
        mpz_tdiv_q_2exp(u, u, some_bits(n) - 1);
        mpz_tdiv_q_2exp(v, v, some_bits(n) - 1);
        break;
    case 9:
        mpz_urandomb(u, *testing_random(), n * GMP_NUMB_BITS);
        mpz_urandomb(v, *testing_random(), n * GMP_NUMB_BITS);
        mpz_setbit(v, 0);
    }
    if (testing_below(2)) /* the largest are above 2^63 */
        mpz_swap(u, v);
}

/* ---- tests */

/* How many numbers. */
static inline size_t some(void) {
    return 1 + testing_below(90);
}

static inline int run_euclid(const char *name, void (*add)(TCase *tests)) {
    char conf[96];
    snprintf(conf, sizeof conf, "open:wait,watchdog:0,batch:1,mul:never,sqr:never,log:%lu",
             testing_option("MPGPU_TEST_LOG", 1) % 10);
    setenv("MPGPU_CONF", conf, 1);
    return run_on_backends(name, add, NULL);
}

#endif
