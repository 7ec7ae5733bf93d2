/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds, inverses and quotients of batches (include/mpgpu.h) beside GMP, number by number: lengths
 * about the ends of each program and team, operands of every kind, results in place; with and
 * without a device. */
#include <string.h>

#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"

static int want_device;    /* results lie there */
static int may_be_on_host; /* or not: where a device has no teams */

static void open_with(struct test_backend backend, int verify) {
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

/* Its lowest n limbs. */
static void put(struct numbers *to, size_t i, mpz_srcptr x) {
    for (size_t k = 0; k < to->n; k++)
        to->xp[i * to->n + k] = mpz_getlimbn(x, (mp_size_t)k);
}

static void expect(const struct numbers *x, mpgpu_batch *b, const char *what, size_t from) {
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

static void any(mpz_ptr x, size_t n) {
    mp_limb_t *xp = limbs(n);
    testing_limbs(xp, n);
    mpz_import(x, n, -1, sizeof *xp, 0, 0, xp);
    free(xp);
}

static size_t some_bits(size_t n) {
    return 1 + testing_below(n * GMP_NUMB_BITS);
}

/* Neighbours among Fibonacci's, the longest or shorter ones. */
static void fibonacci(mpz_ptr u, mpz_ptr v, size_t n) {
    size_t most = n * GMP_NUMB_BITS * 36 / 25 - 1; /* 2^(25/36) is above their ratio */
    mpz_fib2_ui(u, v, testing_below(2) ? most : 1 + testing_below(most));
}

static void powers(mpz_ptr x, size_t n, int less) {
    mpz_set_ui(x, 0);
    mpz_setbit(x, some_bits(n) - !less);
    if (less)
        mpz_sub_ui(x, x, 1);
}

/* With a factor in common. */
static void with_factor(mpz_ptr u, mpz_ptr v, size_t n) {
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

static void pair(mpz_ptr u, mpz_ptr v, size_t n) {
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
    mpgpu_batch *place = moduli == count && kind % 2 ? m.b : x.b;
    ck_assert_int_eq(mpgpu_batch_mod_inv(place, exists.b, x.b, m.b), 0);
    expect(&right, place, "inverse in place", n);
    done(&x);
    done(&m);
    done(&right);
    done(&exists);
}

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

static size_t some(void) {
    return 1 + testing_below(90);
}

static void compare_divisions(size_t n) {
    compare_divide(some(), 2 * n, n, 1);
    compare_divide(some(), n + testing_below(n + 1), n, 1);
    size_t count = some();
    compare_divide(count, 2 * n, n, count);
}

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

START_TEST(short_quotients) {
    open_with(backends[_i], VERIFY_DEVICE);
    for (size_t n = 1; n <= 36; n++)
        compare_divisions(n);
    compare_divide(1, 1, 1, 1);
}
END_TEST

/* Teams of several. */
START_TEST(middle_numbers) {
    static const size_t middle[] = {64, 69, 70, 71, 139, 140, 280};
    open_with(backends[_i], VERIFY_DEVICE);
    for (size_t i = 0; i < sizeof middle / sizeof *middle; i++) {
        compare_gcd(1 + testing_below(9), middle[i]);
        compare_inverse(1 + testing_below(9), middle[i], (enum moduli)testing_below(5));
        compare_divide(1 + testing_below(9), 2 * middle[i], middle[i], 1);
    }
}
END_TEST

START_TEST(unchecked) {
    open_with(backends[_i], VERIFY_OFF);
    for (size_t n = 1; n < 40; n += 1 + testing_below(9)) {
        compare_gcd(some(), n);
        compare_inverses(n);
        compare_divisions(n);
    }
}
END_TEST

START_TEST(verified_by_gmp) {
    open_with(backends[_i], _i % 2 ? VERIFY_RESIDUE : VERIFY_FULL);
    compare_gcd(some(), 5);
    compare_inverses(6);
    compare_divisions(7);
}
END_TEST

/* Up to 2^18 bits a number; on a CPU, where gcds of those take long, quotients alone. */
START_TEST(long_numbers) {
    struct gpu_device dev;
    struct profile unused;
    open_with(backends[_i], VERIFY_DEVICE);
    ck_assert_int_eq(session_profile(&dev, &unused), OUTCOME_DONE);
    compare_divide(2, 1120, 560, 2);
    compare_divide(1, 8192, 4096, 1);
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
    compare_divide(2, 8193, 4097, 2);
}

START_TEST(by_gmp) {
    open_with((struct test_backend){"none", 0}, VERIFY_DEVICE);
    for (size_t n = 1; n < 40; n += 1 + testing_below(9)) {
        compare_gcd(some(), n);
        compare_inverses(n);
        compare_divisions(n);
    }
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
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(NULL, NULL, u, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(u, u, u, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(longer, u, longer, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(exists, u, exists, v), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_tdiv_qr(u, v, u, other), MPGPU_ARGUMENTS);
    ck_assert_str_ne(mpgpu_error(), "");
    mpgpu_batch *const all[] = {u, v, other, longer, exists, one};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpgpu_batch_destroy(all[i]);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, short_gcds, 0, backend_count);
    tcase_add_loop_test(tests, short_inverses, 0, backend_count);
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
    char conf[96];
    snprintf(conf, sizeof conf, "open:wait,watchdog:0,batch:1,mul:never,sqr:never,log:%lu",
             testing_option("MPGPU_TEST_LOG", 1) % 10);
    setenv("MPGPU_CONF", conf, 1);
    return run_on_backends("euclid", add, NULL);
}
