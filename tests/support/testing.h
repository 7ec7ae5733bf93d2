/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Shared by the unit tests: the seed, operands with extreme carries, the runner. */
#ifndef MPGPU_TESTING_H
#define MPGPU_TESTING_H

#include "config.h" /* declares what the system has beyond C11; so this header comes first */

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

/* Check writes to a file whenever an assertion holds.  That takes longer than most assertions here,
 * which compare limb by limb: so Check only gets assertions that fail. */
#undef ck_assert_msg
#undef ck_assert
#define ck_assert_msg(expression, ...) ((expression) ? (void)0 : ck_abort_msg(__VA_ARGS__))
#define ck_assert(expression) ck_assert_msg(expression, "Assertion '%s' failed", #expression)

/* The state of a generator seeded from MPGPU_TEST_SEED, or from the clock; the first
 * call prints the seed and how to give it again. */
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

/* {xp, n}: uniform, or long runs of ones and zeros, or all ones, or 1 0 0 ... 0. */
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

/* A size up to `most`, every order of magnitude as likely. */
static inline size_t testing_size(size_t most) {
    unsigned bits = 1;
    while ((most >> bits) > 0)
        bits++;
    size_t size = testing_below(2ul << testing_below(bits));
    return size < 1 ? 1 : size > most ? most : size;
}

/* Bytes that depend on their place. */
static inline void testing_fill(unsigned char *x, size_t bytes, unsigned seed) {
    for (size_t i = 0; i < bytes; i++)
        x[i] = (unsigned char)((i * 2654435761u + seed) >> 13);
}

/* Returns the value of environment variable `name` as a number; `otherwise` if it is not set.  Such
 * variables make a test run longer. */
static inline unsigned long testing_option(const char *name, unsigned long otherwise) {
    const char *given = getenv(name);
    return given ? strtoul(given, NULL, 0) : otherwise;
}

/* The count of skipped tests, in memory that all test processes share. */
static atomic_int *testing_skipped;

/* Prints what cannot be tested here, and the reason; the test then returns.  Once a test. */
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

/* Run a suite: the exit status of the program.  Check counts a skipped test as passed; so their
 * number is printed, and the status is 77 if all were skipped. */
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

/* A test, and its loops; a negative number of loops counts for each device of the program. */
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

/* Functions that run before and after each test of the program, or NULL. */
static void (*testing_set_up)(void), (*testing_tear_down)(void);

/* Adds these tests to the suite, or only the test that MPGPU_TEST_ONLY names; each loop has
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

/* Runs these tests: the exit status of the program. */
static inline int testing_main(const char *name, double seconds, const struct testing_test *tests) {
    Suite *suite = suite_create(name);
    testing_add(suite, name, seconds, tests, 1);
    return testing_run(suite);
}

#endif
