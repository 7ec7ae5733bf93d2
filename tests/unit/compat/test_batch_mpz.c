/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the conversion of arrays of mpz_t to batches and back. The numbers have every length up to
 * the batch's. Some conversions run in pieces or in several threads. Also tests programs with
 * memory functions of their own, and errors, whose text gives the index of the bad number. */
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "tests/support/backends.h"

static int want_device;

static mpz_t *numbers(size_t count) {
    mpz_t *x = malloc(count * sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < count; i++)
        mpz_init(x[i]);
    return x;
}

static void forget(mpz_t *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        mpz_clear(x[i]);
    free(x);
}

/* Sets x to a number of up to n limbs; 0 and full length are frequent. */
static void choose(mpz_ptr x, size_t n) {
    unsigned long kind = testing_below(8);
    if (kind == 0)
        mpz_set_ui(x, 0);
    else if (kind < 3)
        mpz_rrandomb(x, *testing_random(), n * 64);
    else
        mpz_urandomb(x, *testing_random(), testing_below(n * 64 + 1));
}

static void expect(mpz_t *r, mpz_t *u, size_t count, size_t n) {
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(mpz_cmp(r[i], u[i]) == 0, "number %zu of %zu, %zu limbs", i, count, n);
}

static mpgpu_batch *batch_of(mpz_t *u, size_t count, size_t n) {
    mpgpu_batch *b = mpgpu_batch_create(count, n);
    ck_assert_ptr_nonnull(b);
    ck_assert_int_eq(mpgpu_batch_set_mpz(b, (const mpz_t *)u), 0);
    ck_assert_int_eq(mpgpu_batch_on_device(b), want_device);
    return b;
}

/* Uploads numbers and downloads them into results that have other values. Compares these results,
 * and the limbs that mpgpu_batch_get returns, with the numbers. */
static void compare(size_t count, size_t n) {
    mpz_t *u = numbers(count), *r = numbers(count);
    mp_limb_t *xp = limbs(count * n);
    for (size_t i = 0; i < count; i++) {
        choose(u[i], n);
        choose(r[i], 2 * n);
        mpz_neg(r[i], r[i]);
    }
    mpgpu_batch *b = batch_of(u, count, n);
    ck_assert_int_eq(mpgpu_batch_get_mpz(r, b), 0);
    expect(r, u, count, n);
    ck_assert_int_eq(mpgpu_batch_get(xp, b), 0);
    for (size_t i = 0; i < count * n; i++)
        ck_assert_msg(xp[i] == mpz_getlimbn(u[i / n], (mp_size_t)(i % n)), "limb %zu", i);
    mpgpu_batch_destroy(b);
    forget(u, count);
    forget(r, count);
    free(xp);
}

static void compare_all(void) {
    /* blocks of several numbers, of one number, and numbers longer than a block */
    static const size_t lengths[] = {16, 33, 171, 256, 257, 511, 512, 513};
    for (size_t n = 1; n <= 9; n++)
        compare(1 + testing_below(500), n);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        compare(1 + testing_below(500), lengths[k]);
    compare(3000, 100); /* several threads */
    compare(1, 400000);
    compare(3001, 3001); /* several pieces */
}

START_TEST(on_the_device) {
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    compare_all();
}
END_TEST

START_TEST(by_gmp) {
    use_backend((struct test_backend){"none", 0}, VERIFY_DEVICE);
    compare_all();
}
END_TEST

static void handle(int signal) {
    (void)signal;
    _exit(1);
}

/* If the program handles SIGSEGV, only the calling thread may access the program's memory pages, so
 * the library's threads must not convert the numbers. */
START_TEST(with_a_handler) {
    ck_assert(signal(SIGSEGV, handle) != SIG_ERR);
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    compare(3000, 100);
}
END_TEST

/* In a child of fork the batch must be lost, and the child can set it again. */
START_TEST(in_a_child) {
    int status;
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    mpz_t *u = numbers(2000), *r = numbers(2000);
    for (size_t i = 0; i < 2000; i++)
        choose(u[i], 100);
    mpgpu_batch *b = batch_of(u, 2000, 100);
    pid_t child = fork();
    if (child == 0) {
        int is_right = mpgpu_batch_get_mpz(r, b) == MPGPU_LOST &&
                       mpgpu_batch_set_mpz(b, (const mpz_t *)u) == 0 &&
                       mpgpu_batch_get_mpz(r, b) == 0;
        for (size_t i = 0; i < 2000 && is_right; i++)
            is_right = mpz_cmp(r[i], u[i]) == 0;
        _exit(!is_right);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    mpgpu_batch_destroy(b);
    forget(u, 2000);
    forget(r, 2000);
}
END_TEST

/* ---- memory functions of a program that allows only one thread to call them */

static pthread_t owner;
static unsigned long allocations;
static int others;

static void note(void) {
    allocations++;
    others += !pthread_equal(pthread_self(), owner);
}

static void *their_allocate(size_t bytes) {
    note();
    return malloc(bytes);
}

static void *their_reallocate(void *p, size_t old, size_t bytes) {
    (void)old;
    note();
    return realloc(p, bytes);
}

static void their_free(void *p, size_t bytes) {
    (void)bytes;
    note();
    free(p);
}

START_TEST(memory_functions) {
    owner = pthread_self();
    mp_set_memory_functions(their_allocate, their_reallocate, their_free);
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    mpz_t *u = numbers(3000), *r = numbers(3000);
    for (size_t i = 0; i < 3000; i++)
        choose(u[i], 100);
    mpgpu_batch *b = batch_of(u, 3000, 100);
    allocations = 0;
    ck_assert_int_eq(mpgpu_batch_get_mpz(r, b), 0);
    ck_assert_uint_ge(allocations, 1000);
    expect(r, u, 3000, 100);
    allocations = 0;
    /* the results have enough memory now, so the download may allocate nothing */
    ck_assert_int_eq(mpgpu_batch_get_mpz(r, b), 0);
    ck_assert_uint_eq(allocations, 0);
    ck_assert_int_eq(others, 0);
    mpgpu_batch_destroy(b);
    forget(u, 3000);
    forget(r, 3000);
}
END_TEST

static void refuse(mpgpu_batch *b, mpz_t *u, const char *text) {
    ck_assert_int_eq(mpgpu_batch_set_mpz(b, (const mpz_t *)u), MPGPU_ARGUMENTS);
    ck_assert_msg(strstr(mpgpu_error(), text), "%s", mpgpu_error());
}

START_TEST(bad_arguments) {
    want_device = 1;
    use_backend(backends[_i], VERIFY_DEVICE);
    mpz_t *u = numbers(5), *r = numbers(5);
    for (unsigned i = 0; i < 5; i++)
        mpz_set_ui(u[i], i + 7);
    mpgpu_batch *b = batch_of(u, 5, 3);
    mpz_set_si(u[3], -1);
    refuse(b, u, "number 3 is negative");
    mpz_set_ui(u[3], 10);
    mpz_setbit(u[4], 192);
    refuse(b, u, "number 4 has more limbs");
    mpz_set_ui(u[4], 11);
    ck_assert_int_eq(mpgpu_batch_get_mpz(r, b), 0);
    expect(r, u, 5, 3); /* nothing has changed */
    ck_assert_int_eq(mpgpu_batch_set_mpz(NULL, (const mpz_t *)u), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_set_mpz(b, NULL), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_get_mpz(NULL, b), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_batch_get_mpz(r, NULL), MPGPU_ARGUMENTS);
    mpgpu_batch_destroy(b);
    b = mpgpu_batch_create(5, 3);
    ck_assert_int_eq(mpgpu_batch_get_mpz(r, b), 0);
    for (unsigned i = 0; i < 5; i++)
        ck_assert_int_eq(mpz_sgn(r[i]), 0);
    mpgpu_batch_destroy(b);
    forget(u, 5);
    forget(r, 5);
}
END_TEST

int main(void) {
    setenv("MPGPU_CONF", "open:wait,watchdog:0,batch:1,mul:never,sqr:never,add:never", 1);
    return run_on_backends("batch_mpz",
                           TESTS(PER_DEVICE(on_the_device, 1), PER_DEVICE(with_a_handler, 1),
                                 PER_DEVICE(in_a_child, 1), PER_DEVICE(memory_functions, 1),
                                 PER_DEVICE(bad_arguments, 1), ONCE(by_gmp)),
                           NULL);
}
