/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shared by the unit tests: the random seed, operands with extreme carries, and the functions that
 * run tests. */
#ifndef MPGPU_TESTING_H
#define MPGPU_TESTING_H

/* this header must come first: config.h makes the system declare more than C11 has */
#include "config.h"

#include <check.h>
#include <gmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Replaces Check's macros: Check writes to a file for each assertion that holds.  This takes longer
 * than most assertions here, which compare single limbs, so Check is called only if an assertion
 * fails. */
#undef ck_assert_msg
#undef ck_assert
#define ck_assert_msg(expression, ...) ((expression) ? (void)0 : ck_abort_msg(__VA_ARGS__))
#define ck_assert(expression) ck_assert_msg(expression, "Assertion '%s' failed", #expression)

/* Returns a random generator seeded from MPGPU_TEST_SEED, otherwise from the clock.  The first call
 * prints the seed and how to repeat the run with it. */
static inline gmp_randstate_t *testing_random(void) {
    static gmp_randstate_t state;
    static int seeded;
    if (!seeded) {
        const char *given = getenv("MPGPU_TEST_SEED");
        unsigned long seed = given ? strtoul(given, NULL, 0) : (unsigned long)time(NULL);
        printf("seed %lu (again: MPGPU_TEST_SEED=%lu)\n", seed, seed);
        gmp_randinit_default(state);
        gmp_randseed_ui(state, seed);
        seeded = 1;
    }
    return &state;
}

static inline unsigned long testing_below(unsigned long n) {
    return gmp_urandomm_ui(*testing_random(), n);
}

/* Sets {xp, n} to uniform bits, long runs of ones and zeros, all ones, or a single one followed by
 * zeros. */
static inline void testing_limbs(mp_limb_t *xp, size_t n) {
    unsigned long kind = testing_below(8);
    mpz_t x;
    mpz_init(x);
    if (kind < 2)
        mpz_urandomb(x, *testing_random(), n * GMP_NUMB_BITS);
    else if (kind < 6)
        mpz_rrandomb(x, *testing_random(), n * GMP_NUMB_BITS);
    else
        mpz_setbit(x, n * GMP_NUMB_BITS);
    if (kind == 6)
        mpz_sub_ui(x, x, 1);
    else if (kind == 7)
        mpz_tdiv_q_2exp(x, x, 1 + testing_below(GMP_NUMB_BITS));
    for (size_t i = 0; i < n; i++)
        xp[i] = mpz_getlimbn(x, i);
    mpz_clear(x);
}

/* Returns a size from 1 to `most`; each number of bits is equally likely. */
static inline size_t testing_size(size_t most) {
    unsigned bits = 1;
    while ((most >> bits) > 0)
        bits++;
    size_t size = testing_below(2ul << testing_below(bits));
    return size < 1 ? 1 : size > most ? most : size;
}

/* Fills x with bytes that depend on their offset and the seed. */
static inline void testing_fill(unsigned char *x, size_t bytes, unsigned seed) {
    for (size_t i = 0; i < bytes; i++)
        x[i] = (unsigned char)((i * 2654435761u + seed) >> 13);
}

/* Returns the value of environment variable `name` as a number; `otherwise` if it is not set.  Most
 * such variables make a test run longer. */
static inline unsigned long testing_option(const char *name, unsigned long otherwise) {
    const char *given = getenv(name);
    return given ? strtoul(given, NULL, 0) : otherwise;
}

/* The number of skipped tests, in memory shared by all test processes. */
static atomic_int *testing_skipped;

/* Prints what is not tested and the reason.  Call it once in a test, and then return from the
 * test. */
static inline void __attribute__((format(printf, 1, 2))) testing_skip(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("skipped: ", stdout);
    vprintf(format, list);
    puts("");
    va_end(list);
    fflush(stdout);
    if (testing_skipped)
        atomic_fetch_add(testing_skipped, 1);
}

/* Runs a suite.  Returns the program's exit status: 77 if all tests were skipped.  Check counts a
 * skipped test as passed, so the number of skipped tests is printed. */
static inline int testing_run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    void *shared = mmap(NULL, sizeof *testing_skipped, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    testing_skipped = shared == MAP_FAILED ? NULL : shared;
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner), run = srunner_ntests_run(runner);
    int skipped = testing_skipped ? atomic_load(testing_skipped) : 0;
    if (skipped > 0)
        printf("of %d tests %d were skipped\n", run, skipped);
    srunner_free(runner);
    return failed || run == 0 ? EXIT_FAILURE : skipped > 0 && skipped == run ? 77 : EXIT_SUCCESS;
}

/* A test function and how often it runs, with the loop number as its argument. If `loops` is
 * negative, the test runs -loops times for each device of the program. */
struct testing_test {
    const TTest *test;
    const char *name;
    int loops;
};
#define LOOP(test, loops)                                                                          \
    { test, #test, loops }
#define ONCE(test) LOOP(test, 1)
#define PER_DEVICE(test, loops) LOOP(test, -(loops))
#define TESTS(...)                                                                                 \
    (const struct testing_test[]) {                                                                \
        __VA_ARGS__, {                                                                             \
            NULL, NULL, 0                                                                          \
        }                                                                                          \
    }

/* Functions that Check calls before and after each test of the program, or NULL. */
static void (*testing_set_up)(void), (*testing_tear_down)(void);

/* Adds these tests to the suite, or only the test that MPGPU_TEST_ONLY names.  Each loop may take
 * `seconds`. */
static inline void testing_add(Suite *suite, const char *name, double seconds,
                               const struct testing_test *tests, int devices) {
    const char *only = getenv("MPGPU_TEST_ONLY");
    TCase *all = tcase_create(name);
    tcase_set_timeout(all, seconds);
    tcase_add_checked_fixture(all, testing_set_up, testing_tear_down);
    for (; tests && tests->test; tests++)
        if (!only || strcmp(only, tests->name) == 0)
            tcase_add_loop_test(all, tests->test, 0,
                                tests->loops < 0 ? -tests->loops * devices : tests->loops);
    suite_add_tcase(suite, all);
}

/* Runs these tests.  Returns the program's exit status. */
static inline int testing_main(const char *name, double seconds, const struct testing_test *tests) {
    Suite *suite = suite_create(name);
    testing_add(suite, name, seconds, tests, 1);
    return testing_run(suite);
}

#endif
