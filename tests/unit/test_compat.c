/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's face before a device that is played here: one that computes, fails,
 * scribbles or errs as each test has it.  The results are GMP's, always. */
#include "testing.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "capture.h"
#include "lib/conf.h"
#include "lib/mpgpu.h"
#include "lib/mul.h"
#include "lib/stats.h"
#include "tests/integration/differential.h"
#include "thresholds.h"

/* ---- the device */

static struct reference gmp; /* from outside the reach of this program's functions */

enum behaviour { COMPUTES, FAILS, ERRS, BEHAVIOURS };
static enum behaviour behaviour;
static enum mpgpu_why failure = WHY_FAILED, readiness = WHY_DONE;
static int any_behaviour; /* another one at each call */
static size_t threshold;
static _Atomic int calls, faults;

struct session_thresholds session_thresholds;

void session_init(void) {
    thresholds_set(threshold);
}

void session_fault(void) {
    faults++;
}

enum mpgpu_why session_wait(void) {
    return behaviour == COMPUTES ? WHY_DONE : WHY_NONE;
}

/* A device that fails is there before it does. */
enum mpgpu_why session_ready(void) {
    return readiness;
}

void session_describe(char *text, size_t size) {
    snprintf(text, size, "played");
}

/* What becomes of a right result {rp, n}. */
static enum mpgpu_why behave(mp_limb_t *rp, size_t n) {
    int call = calls++;
    enum behaviour now = any_behaviour ? (enum behaviour)(call % BEHAVIOURS) : behaviour;
    errno = EDOM;
    if (now == FAILS)
        memset(rp, 0xa5, n * sizeof *rp);
    else if (now == ERRS && n > 2 && call % 2 && rp[0] != rp[n - 2]) {
        mp_limb_t limb = rp[0]; /* limbs in the wrong order */
        rp[0] = rp[n - 2];
        rp[n - 2] = limb;
    } else if (now == ERRS)
        rp[n / 2] ^= (mp_limb_t)1 << call % GMP_NUMB_BITS;
    return now == FAILS ? failure : WHY_DONE;
}

enum mpgpu_why mpgpu_mul(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn) {
    ck_assert(un >= vn && vn >= 1);
    ck_assert(rp + un + vn <= up || up + un <= rp);
    ck_assert(rp + un + vn <= vp || vp + vn <= rp);
    gmp.mpn_mul(rp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    return behave(rp, un + vn);
}

/* To be freed. */
static mp_ptr product_of(const mp_limb_t *up, size_t un, const mp_limb_t *vp, size_t vn) {
    mp_ptr pp = malloc((un + vn) * sizeof *pp);
    ck_assert(un >= vn && vn >= 1 && pp);
    gmp.mpn_mul(pp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    return pp;
}

enum mpgpu_why mpgpu_mul_low(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                             const mp_limb_t *vp, size_t vn) {
    ck_assert(1 <= rn && rn <= un + vn);
    mp_ptr pp = product_of(up, un, vp, vn);
    memcpy(rp, pp, rn * sizeof *rp);
    free(pp);
    return behave(rp, rn);
}

enum mpgpu_why mpgpu_mul_minus(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                               const mp_limb_t *vp, size_t vn) {
    ck_assert(rn >= un && un + vn > rn);
    mp_ptr pp = product_of(up, un, vp, vn);
    mp_limb_t carry = mpn_add(rp, pp, (mp_size_t)rn, pp + rn, (mp_size_t)(un + vn - rn));
    mpn_add_1(rp, rp, (mp_size_t)rn, carry);
    free(pp);
    return behave(rp, rn);
}

enum mpgpu_why mpgpu_mul_plus(mp_limb_t *rp, size_t rn, const mp_limb_t *up, size_t un,
                              const mp_limb_t *vp, size_t vn, mp_limb_t *top) {
    ck_assert(rn >= un);
    mp_ptr pp = product_of(up, un, vp, vn);
    memset(rp, 0, rn * sizeof *rp);
    memcpy(rp, pp, (un + vn < rn ? un + vn : rn) * sizeof *rp);
    *top = 0;
    if (un + vn > rn && mpn_sub(rp, rp, (mp_size_t)rn, pp + rn, (mp_size_t)(un + vn - rn)))
        *top = mpn_add_1(rp, rp, (mp_size_t)rn, 1);
    free(pp);
    return behave(rp, rn);
}

enum mpgpu_why mpgpu_add(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy) {
    ck_assert(un >= vn && vn >= 1);
    *cy = mpn_add(rp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    return behave(rp, un);
}

enum mpgpu_why mpgpu_sub(mp_limb_t *rp, const mp_limb_t *up, size_t un, const mp_limb_t *vp,
                         size_t vn, mp_limb_t *cy) {
    ck_assert(un >= vn && vn >= 1);
    *cy = mpn_sub(rp, up, (mp_size_t)un, vp, (mp_size_t)vn);
    return behave(rp, un);
}

/* ---- the tests */

enum { OPERATIONS = 3000, MOST_LIMBS = 300 };

static struct run run;
static unsigned long seed;

/* Nothing here calls an intercepted function, as GMP's random numbers would. */
static void set_up(void) {
    ck_assert_msg(reference_load(&gmp), "no libgmp.so.10");
    run = (struct run){&gmp, seed, 1, MOST_LIMBS, 0, NULL, NULL};
}

static void run_all(struct run *r) {
    for (int i = 0; i < OPERATIONS; i++)
        ck_assert(differential_run(r, NULL));
}

/* One that is added to compat/functions.def is tested here and on each device. */
START_TEST(test_every_function_has_a_case) {
    static const char *const symbols[] = {
#define FUNCTION(symbol, type, parameters) #symbol,
#include "compat/functions.def"
#undef FUNCTION
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        ck_assert_msg(differential_count(symbols[i] + strlen("__g"), 0),
                      "%s has no case in tests/integration/differential_*.c", symbols[i]);
}
END_TEST

/* As many as are counted; and those of GMP's gcds (compat/mpq.h), and those that GMP
 * makes inside a whole operation which is too small for us. */
START_TEST(test_computes) {
    run_all(&run);
    ck_assert_uint_ge(mpgpu_sent(), run.eligible);
    ck_assert_int_ge(calls, (int)run.eligible); /* several for a whole operation */
}
END_TEST

static void check_function(const char *function) {
    unsigned long sent = mpgpu_sent();
    run.eligible = 0;
    for (int i = 0; i < 100; i++)
        ck_assert(differential_run(&run, function));
    int computes = !strstr(function, "next_size");
    ck_assert_msg(mpgpu_sent() - sent >= run.eligible && (run.eligible > 0) == computes,
                  "%s: %lu eligible, %lu sent", function, run.eligible, mpgpu_sent() - sent);
}

START_TEST(test_each_function_computes) {
#define FUNCTION(symbol, type, parameters) check_function(#symbol + strlen("__g"));
#include "compat/functions.def"
#undef FUNCTION
}
END_TEST

/* GMP's inner calls, made while it computes what the device did not, stay GMP's. */
START_TEST(test_fails) {
    behaviour = FAILS;
    failure = (enum mpgpu_why)_i;
    run.least = 100; /* so that GMP makes inner calls */
    run_all(&run);
    ck_assert_uint_eq(mpgpu_sent(), 0);
    ck_assert_int_ge(calls, (int)run.eligible);
}
END_TEST

/* A whole operation does not begin then. */
START_TEST(test_not_ready) {
    behaviour = FAILS;
    readiness = failure = WHY_OPENING;
    run_all(&run);
    ck_assert_uint_eq(mpgpu_sent(), 0);
}
END_TEST

START_TEST(test_errs_and_is_verified) {
    behaviour = ERRS;
    mpgpu_conf.verify = _i;
    run_all(&run);
    ck_assert_int_ge(faults, (int)run.eligible);
    ck_assert_uint_eq(mpgpu_sent(), 0);
}
END_TEST

START_TEST(test_computes_and_is_verified) {
    mpgpu_conf.verify = _i;
    run_all(&run);
    ck_assert_int_eq(faults, 0);
    ck_assert_uint_ge(mpgpu_sent(), run.eligible);
}
END_TEST

START_TEST(test_any_behaviour) {
    any_behaviour = 1;
    mpgpu_conf.verify = VERIFY_RESIDUE;
    run_all(&run);
    ck_assert_int_ge(calls, (int)run.eligible);
    ck_assert_uint_lt(mpgpu_sent(), run.eligible);
    ck_assert_int_gt(faults, 0);
}
END_TEST

enum { THREADS = 4 };

static void *thread_main(void *argument) {
    run_all(argument);
    return NULL;
}

/* The first calls of all race for the initialisation. */
START_TEST(test_threads) {
    pthread_t thread[THREADS];
    struct run runs[THREADS];
    any_behaviour = 1;
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

/* Sizes just below and at the threshold. */
START_TEST(test_threshold) {
    mp_limb_t u[60], v[60], r[120];
    threshold = 50;
    run_limbs(&run, u, 60);
    run_limbs(&run, v, 60);
    mpn_mul(r, u, 60, v, 49);
    mpn_mul_n(r, u, v, 49);
    mpn_sqr(r, u, 49);
    ck_assert_int_eq(calls, 0);
    mpn_mul(r, u, 60, v, 50);
    mpn_mul_n(r, u, v, 50);
    mpn_sqr(r, u, 50);
    ck_assert_int_eq(calls, 3);
}
END_TEST

START_TEST(test_squares_have_their_threshold) {
    mpz_t x, y;
    threshold = 50;
    mpz_init(x);
    mpz_init(y);
    mpz_setbit(x, 40 * GMP_NUMB_BITS);
    mpz_mul(y, x, x);
    session_thresholds.sqr = 41;
    mpz_mul(y, x, x);
    ck_assert_int_eq(calls, 1);
    mpn_mul_n(mpz_limbs_write(y, 82), mpz_limbs_read(x), mpz_limbs_read(x), 41);
    ck_assert_int_eq(calls, 2);
    mpn_mul(mpz_limbs_write(y, 82), mpz_limbs_read(x), 41, mpz_limbs_read(x), 41);
    ck_assert_int_eq(calls, 3);
    mpn_mul(mpz_limbs_write(y, 81), mpz_limbs_read(x), 41, mpz_limbs_read(x), 40);
    ck_assert_int_eq(calls, 3);
    mpz_clear(x);
    mpz_clear(y);
}
END_TEST

START_TEST(test_sizes_are_decided_once) {
    mp_size_t n = 31000, own = gmp.mpn_mulmod_bnm1_next_size(n), power = 1 << 15;
    ck_assert_int_lt(own, power);
    readiness = _i ? WHY_DONE : WHY_OPENING;
    mp_size_t decided = mpn_mulmod_bnm1_next_size(n);
    ck_assert_int_eq(decided, _i ? power : own);
    readiness = _i ? WHY_NONE : WHY_DONE;
    session_thresholds.mulmod = 1;
    ck_assert_int_eq(mpn_mulmod_bnm1_next_size(n), decided);
    ck_assert_int_eq(mpn_sqrmod_bnm1_next_size(n), decided);
    ck_assert_int_eq(mpn_mulmod_bnm1_next_size(29000), gmp.mpn_mulmod_bnm1_next_size(29000));
    ck_assert_int_eq(mpn_mulmod_bnm1_next_size(600), gmp.mpn_mulmod_bnm1_next_size(600));
}
END_TEST

START_TEST(test_errno_stays) {
    mpz_t x;
    mpz_init_set_ui(x, 12345);
    errno = ERANGE;
    mpz_mul(x, x, x);
    ck_assert_int_eq(errno, ERANGE);
    mpz_add(x, x, x);
    ck_assert_int_eq(errno, ERANGE);
    ck_assert_int_eq(calls, 2);
    mpz_clear(x);
}
END_TEST

/* GMP's allocation functions are given the sizes that they gave. */
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
    any_behaviour = 1;
    mpgpu_conf.verify = VERIFY_FULL;
    run_all(&run);
    ck_assert_uint_eq(in_use, 0);
}
END_TEST

/* Shared limbs under another mpz_t, as mpz_roinit_n makes them. */
START_TEST(test_destination_shares_limbs) {
    mpz_t x, alias, right;
    mpz_init2(x, 100 * GMP_NUMB_BITS);
    run_limbs(&run, mpz_limbs_write(x, 10), 10);
    mpz_limbs_finish(x, 10);
    mpz_roinit_n(alias, mpz_limbs_read(x), 10);
    gmp.mpz_init_(right);
    gmp.mpz_mul(right, alias, alias);
    mpz_mul(x, alias, alias);
    ck_assert_int_eq(mpz_cmp(x, right), 0);
    ck_assert_int_eq(calls, 1);
    gmp.mpz_clear_(right);
    mpz_clear(x);
}
END_TEST

START_TEST(test_statistics) {
    mpz_t x;
    mpgpu_conf.stats = STATS_TEXT;
    mpz_init_set_ui(x, 3);
    mpz_mul(x, x, x);
    mpz_mul_si(x, x, -5);
    behaviour = FAILS;
    failure = WHY_OPENING;
    mpz_mul(x, x, x);
    mpz_addmul(x, x, x);
    capture_begin();
    stats_report("played");
    const char *text = capture_end();
    ck_assert_contains(text, "mpgpu: mpz_mul              2         1             2");
    ck_assert_contains(text, "mpgpu: mpz_mul_si           1         1             2");
    ck_assert_contains(text, "mpgpu: mpz_addmul           1         0             1");
    ck_assert_contains(text, "opening 1\n");
    mpz_clear(x);
}
END_TEST

START_TEST(test_wait) {
    ck_assert_int_eq(mpgpu_wait(), 1);
    behaviour = FAILS;
    ck_assert_int_eq(mpgpu_wait(), 0);
    ck_assert_str_ne(mpgpu_version(), "");
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
    tcase_add_loop_test(tcase, test_fails, WHY_OPENING, WHY_COUNT);
    tcase_add_test(tcase, test_not_ready);
    tcase_add_loop_test(tcase, test_errs_and_is_verified, VERIFY_RESIDUE, VERIFY_FULL + 1);
    tcase_add_loop_test(tcase, test_computes_and_is_verified, VERIFY_RESIDUE, VERIFY_FULL + 1);
    tcase_add_test(tcase, test_any_behaviour);
    tcase_add_test(tcase, test_threads);
    tcase_add_test(tcase, test_threshold);
    tcase_add_test(tcase, test_squares_have_their_threshold);
    tcase_add_loop_test(tcase, test_sizes_are_decided_once, 0, 2);
    tcase_add_test(tcase, test_errno_stays);
    tcase_add_test(tcase, test_allocation_functions);
    tcase_add_test(tcase, test_destination_shares_limbs);
    tcase_add_test(tcase, test_statistics);
    tcase_add_test(tcase, test_wait);
    suite_add_tcase(suite, tcase);
    return testing_run(suite);
}
