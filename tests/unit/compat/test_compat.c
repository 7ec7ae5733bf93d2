/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests all intercepted GMP functions with a mock device, which computes, fails, writes random
 * limbs or computes wrong results, depending on the test. The results of the functions must always
 * be GMP's. */
#include <pthread.h>
#include <string.h>

#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/symbols.h"
#include "lib/memory/pool.h"
#include "tests/differential/differential.h"
#include "tests/support/mock.h"
#include "tests/support/testing.h"

static struct reference gmp; /* GMP's own functions, which are not intercepted */

enum { OPERATIONS = 3000, MOST_LIMBS = 300 };

static struct run run;
static unsigned long seed;

/* Loads GMP's own functions and seeds a generator of random numbers other than GMP's, which would
 * call intercepted functions. */
static void set_up(void) {
    ck_assert_msg(reference_load(&gmp), "no libgmp.so.10");
    mock.wraps = 1;
    run = (struct run){&gmp, seed, 1, MOST_LIMBS, 0, NULL, NULL};
}

static void run_all(struct run *r) {
    for (int i = 0; i < OPERATIONS; i++)
        ck_assert(differential_run(r, NULL));
}

/* Checks that every function of lib/gmp/functions.def has a test case, so that it is tested here
 * and on each device. */
START_TEST(test_every_function_has_a_case) {
    static const char *const symbols[] = {
#define FUNCTION(symbol, type, parameters, arguments) #symbol,
#include "lib/gmp/functions.def"
#undef FUNCTION
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        ck_assert_msg(differential_count(symbols_public(symbols[i]), 0),
                      "%s has no case in tests/differential/differential_*.c", symbols[i]);
}
END_TEST

/* The device must compute all calls at or above their thresholds. A function below its threshold
 * runs in GMP; if GMP calls a large product inside, the device computes this product. */
START_TEST(test_computes) {
    run_all(&run);
    ck_assert_uint_ge(mpgpu_sent(), run.eligible);
    /* at least, because one composite operation makes several calls of the device */
    ck_assert_int_ge(mock.calls, (int)run.eligible);
}
END_TEST

/* Runs a hundred operations of one function. If the operands are mostly small, runs more operations
 * until one was large enough for the device. */
static void check_function(const char *function) {
    unsigned long sent = mpgpu_sent();
    int computes = !strstr(function, "next_size");
    run.eligible = 0;
    for (int i = 0; i < 100 || (computes && run.eligible == 0 && i < 10000); i++)
        ck_assert(differential_run(&run, function));
    ck_assert_msg(mpgpu_sent() - sent >= run.eligible && (run.eligible > 0) == computes,
                  "%s: %lu eligible, %lu sent", function, run.eligible, mpgpu_sent() - sent);
}

START_TEST(test_each_function_computes) {
#define FUNCTION(symbol, type, parameters, arguments) check_function(symbols_public(#symbol));
#include "lib/gmp/functions.def"
#undef FUNCTION
}
END_TEST

/* Every call on the device fails, so GMP computes it. The functions that GMP then calls inside must
 * not be sent to the device, either. */
START_TEST(test_fails) {
    mock.behaviour = FAILS;
    mock.failure = (enum outcome)_i;
    run.least = 100; /* large operands, so that GMP calls other functions inside */
    run_all(&run);
    ck_assert_uint_eq(mpgpu_sent(), 0);
    ck_assert_int_ge(mock.calls, (int)run.eligible);
}
END_TEST

/* While the device is not ready, no composite operation (one of several products) may begin on
 * it. */
START_TEST(test_not_ready) {
    mock.behaviour = FAILS;
    mock.readiness = mock.failure = OUTCOME_OPENING;
    run_all(&run);
    ck_assert_uint_eq(mpgpu_sent(), 0);
}
END_TEST

START_TEST(test_errs_and_is_verified) {
    mock.behaviour = ERRS;
    mpgpu_conf.verify = _i;
    run_all(&run);
    ck_assert_int_ge(mock.faults, (int)run.eligible);
    ck_assert_uint_eq(mpgpu_sent(), 0);
}
END_TEST

START_TEST(test_computes_and_is_verified) {
    mpgpu_conf.verify = _i;
    run_all(&run);
    ck_assert_int_eq(mock.faults, 0);
    ck_assert_uint_ge(mpgpu_sent(), run.eligible);
}
END_TEST

START_TEST(test_any_behaviour) {
    mock.any_behaviour = 1;
    mpgpu_conf.verify = VERIFY_RESIDUE;
    run_all(&run);
    ck_assert_int_ge(mock.calls, (int)run.eligible);
    ck_assert_uint_lt(mpgpu_sent(), (unsigned long)mock.calls);
    ck_assert_int_gt(mock.faults, 0);
}
END_TEST

enum { THREADS = 4 };

static void *thread_main(void *argument) {
    run_all(argument);
    return NULL;
}

/* Several threads make their first calls at the same time, and so race for the library's
 * initialisation. */
START_TEST(test_threads) {
    pthread_t thread[THREADS];
    struct run runs[THREADS];
    mock.any_behaviour = 1;
    mpgpu_conf.verify = VERIFY_RESIDUE;
    for (int i = 0; i < THREADS; i++) {
        runs[i] = run;
        runs[i].random += (uint64_t)i << 32;
        ck_assert_int_eq(pthread_create(&thread[i], NULL, thread_main, &runs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}
END_TEST

/* Allocation functions that count bytes and check that GMP passes each block's original size when
 * it frees or reallocates the block. */
static size_t in_use;

static void *counting_alloc(size_t bytes) {
    size_t *block = malloc(bytes + 16);
    *block = bytes;
    in_use += bytes;
    return block + 2;
}

static void counting_free(void *p, size_t bytes) {
    size_t *block = (size_t *)p - 2;
    ck_assert_uint_eq(*block, bytes);
    in_use -= bytes;
    free(block);
}

static void *counting_realloc(void *p, size_t old, size_t bytes) {
    void *fresh = counting_alloc(bytes);
    memcpy(fresh, p, old < bytes ? old : bytes);
    counting_free(p, old);
    return fresh;
}

START_TEST(test_allocation_functions) {
    mp_set_memory_functions(counting_alloc, counting_realloc, counting_free);
    mock.any_behaviour = 1;
    mpgpu_conf.verify = VERIFY_FULL;
    run_all(&run);
    ck_assert_uint_eq(in_use, 0);
}
END_TEST

/* Results of all sizes are stored in the pool, the library's memory for large results. In the end
 * all its blocks must have been released. */
START_TEST(test_results_in_the_pool) {
    struct pool_numbers n;
    pool_open();
    memory_least = 1;
    mock.any_behaviour = _i;
    mpgpu_conf.verify = VERIFY_RESIDUE;
    run_all(&run);
    pool_ask(&n);
    ck_assert_uint_gt(n.blocks, 100);
    ck_assert_uint_eq(n.refused, 0);
    ck_assert_uint_eq(n.used, 0);
}
END_TEST

/* Makes the first call of a process with trivial operands: the result must be right although
 * nothing was initialised before. Each case runs in a separate process. */
START_TEST(test_first_call) {
    mpz_t r, n;
    mpz_init(r);
    mpz_init_set_si(n, _i == 1 ? -3 : 3);
    if (_i == 2)
        mpz_bin_uiui(r, 3, 5);
    else
        mpz_bin_ui(r, n, 5);
    ck_assert_int_eq(mpz_get_si(r), _i == 1 ? -21 : 0);
    mpz_clear(r);
    mpz_clear(n);
}
END_TEST

int main(void) {
    seed = testing_option("MPGPU_TEST_SEED", (unsigned long)time(NULL));
    printf("seed %lu (again: MPGPU_TEST_SEED=%lu)\n", seed, seed);
    Suite *suite = suite_create("compat");
    TCase *tcase = tcase_create("compat");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, set_up, NULL);
    tcase_add_test(tcase, test_every_function_has_a_case);
    tcase_add_test(tcase, test_computes);
    tcase_add_test(tcase, test_each_function_computes);
    tcase_add_loop_test(tcase, test_fails, OUTCOME_OPENING, OUTCOME_COUNT);
    tcase_add_test(tcase, test_not_ready);
    tcase_add_loop_test(tcase, test_errs_and_is_verified, VERIFY_RESIDUE, VERIFY_FULL + 1);
    tcase_add_loop_test(tcase, test_computes_and_is_verified, VERIFY_RESIDUE, VERIFY_FULL + 1);
    tcase_add_test(tcase, test_any_behaviour);
    tcase_add_test(tcase, test_threads);
    tcase_add_test(tcase, test_allocation_functions);
    tcase_add_loop_test(tcase, test_results_in_the_pool, 0, 2);
    tcase_add_loop_test(tcase, test_first_call, 0, 3);
    suite_add_tcase(suite, tcase);
    return testing_run(suite);
}
