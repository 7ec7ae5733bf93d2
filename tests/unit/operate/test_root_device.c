/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Roots by every engine, beside GMP's.  MPGPU_TEST_ROOTS random
 * ones a backend, of up to MPGPU_TEST_LIMBS limbs. */
#include <string.h>

#include "kernels/common/tables.h"
#include "lib/algorithms/root.h"
#include "lib/device/tables.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "tests/support/engines.h"

static bool same(const mp_limb_t *xp, size_t n, mpz_srcptr x) {
    mpz_t a = MPZ_ROINIT_N((mp_ptr)xp, (mp_size_t)normalize(xp, n));
    return mpz_cmp(a, x) == 0;
}

/* The k-th root of n > 0 beside mpz_rootrem's; the remainder is not always wanted. */
static void compare(mpz_srcptr n, unsigned long k) {
    mpz_t s, r;
    struct root x = {.np = n->_mp_d, .nn = mpz_size(n), .k = k};
    size_t sn = root_limbs(&x), rn = root_rest_limbs(&x);
    bool is_exact, has_rest = testing_below(4) > 0;
    mpz_inits(s, r, NULL);
    x.sp = guarded(sn);
    x.rp = has_rest ? guarded(rn) : NULL;
    x.is_exact = testing_below(4) ? &is_exact : NULL;
    engine_check(root_of_limbs(&engine_work, &x), "root", x.nn);
    real.mpz_rootrem(s, r, n, k);
    ck_assert_msg(same(x.sp, sn, s), "root %lu of %zu limbs", k, x.nn);
    ck_assert_msg(!has_rest || same(x.rp, rn, r), "root %lu of %zu limbs: remainder", k, x.nn);
    ck_assert(!x.is_exact || is_exact == (mpz_sgn(r) == 0));
    check_guards(x.sp, sn);
    if (has_rest)
        check_guards(x.rp, rn);
    mpz_clears(s, r, NULL);
}

/* {limbs} to x, with any number of bits in the highest. */
static void set_random(mpz_ptr x, size_t n) {
    mp_limb_t *p = mpz_limbs_write(x, (mp_size_t)n);
    testing_limbs(p, n);
    p[n - 1] = p[n - 1] >> testing_below(64) | 1;
    mpz_limbs_finish(x, (mp_size_t)n);
}

/* s^k, and what lies next to it on both sides. */
static void compare_powers(mpz_srcptr s, unsigned long k) {
    mpz_t power;
    mpz_init(power);
    real.mpz_pow_ui(power, s, k);
    compare(power, k);
    real.mpz_add_ui(power, power, 1);
    compare(power, k);
    real.mpz_sub_ui(power, power, 2);
    if (mpz_sgn(power) > 0)
        compare(power, k);
    mpz_clear(power);
}

static unsigned long degree(void) {
    return testing_below(3) ? 3 + testing_below(5) : 3 + testing_below(62);
}

START_TEST(random_square_roots) {
    engine_open(_i);
    size_t most = testing_option("MPGPU_TEST_LIMBS", 4000);
    mpz_t n;
    mpz_init(n);
    for (unsigned long i = testing_option("MPGPU_TEST_ROOTS", 20); i > 0; i--) {
        set_random(n, testing_size(most));
        compare(n, 2);
        set_random(n, 1000 + testing_below(most));
        compare(n, 2);
        set_random(n, testing_size(most / 2));
        compare_powers(n, 2);
    }
    mpz_clear(n);
}
END_TEST

START_TEST(random_higher_roots) {
    engine_open(_i);
    size_t most = testing_option("MPGPU_TEST_LIMBS", 4000);
    mpz_t n;
    mpz_init(n);
    for (unsigned long i = testing_option("MPGPU_TEST_ROOTS", 20); i > 0; i--) {
        unsigned long k = degree();
        set_random(n, 4 * k + 1 + testing_size(most));
        compare(n, k);
        set_random(n, 1000 + testing_below(most));
        compare(n, k);
        set_random(n, 5 + testing_size(most / k));
        compare_powers(n, k);
    }
    mpz_clear(n);
}
END_TEST

/* The 1 among the device's tables becomes that number. */
static enum gpu_status set_one(struct context *s, void *one) {
    gpu_mem tables;
    enum gpu_status status = tables_get(s, &tables);
    if (status == GPU_OK)
        status = gpu_write(&s->queue, tables, TABLE_ONE * sizeof(uint32_t), one, sizeof(uint32_t));
    return status == GPU_OK ? gpu_finish(&s->queue) : status;
}

/* Of 2^2000 + 1 the remainder is less than 2, and not less than 1. */
START_TEST(one_changes) {
    engine_open(_i);
    uint32_t one = 1, wrong = 2;
    bool is_exact = false;
    mp_limb_t root[16], number[2000 / GMP_NUMB_BITS + 1] = {1};
    const size_t n = sizeof number / sizeof *number;
    const struct root x = {.np = number, .nn = n, .k = 2, .sp = root, .is_exact = &is_exact};
    number[n - 1] = (mp_limb_t)1 << 2000 % GMP_NUMB_BITS;
    engine_check(root_of_limbs(&engine_work, &x), "root", n);
    ck_assert(!is_exact);
    ck_assert_int_eq(session_run(set_one, &wrong, sizeof wrong, 0), OUTCOME_DONE);
    ck_assert(root_of_limbs(&engine_work, &x));
    ck_assert_int_eq(engine_work.failed, engine == ENGINE_DEVICE ? OUTCOME_FAILED : OUTCOME_DONE);
    ck_assert(!is_exact);
    ck_assert_int_eq(session_run(set_one, &one, sizeof one, 0), OUTCOME_DONE);
    engine_work = (struct composite){0};
    engine_check(root_of_limbs(&engine_work, &x), "root", n);
    ck_assert(!is_exact);
}
END_TEST

/* The quads that GMP's first approximation has at most. */
static size_t first_quads(unsigned long k) {
    return k == 2 ? 256 : 512 / k;
}

/* Round a size at which there is one step more: a root of so many quads with its guard bits, and of
 * one more. */
static void compare_steps(unsigned long k, size_t quads, size_t guard) {
    mpz_t s;
    mpz_init(s);
    for (size_t bits = 128 * quads - guard; bits < 128 * quads - guard + 2; bits++) {
        mpz_urandomb(s, *testing_random(), bits);
        mpz_setbit(s, bits - 1);
        compare_powers(s, k);
    }
    mpz_clear(s);
}

START_TEST(steps) {
    engine_open(_i);
    const unsigned long degrees[] = {2, 3, 4, 5, 31, 64};
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        unsigned long k = degrees[i];
        size_t quads = first_quads(k), guard = k == 2 ? 2 : 40;
        compare_steps(k, quads - 1, guard);
        compare_steps(k, quads, guard);
        compare_steps(k, 2 * quads - 2, guard);
        compare_steps(k, 2 * quads - 1, guard);
    }
}
END_TEST

/* All ones, one bit, and one more and less than that, of every length modulo a limb. */
static void compare_hard(unsigned long k, size_t bits) {
    mpz_t n;
    mpz_init(n);
    mpz_setbit(n, bits);
    compare(n, k);
    real.mpz_sub_ui(n, n, 1);
    compare(n, k);
    real.mpz_add_ui(n, n, 2);
    compare(n, k);
    mpz_clear(n);
}

START_TEST(hard_numbers) {
    engine_open(_i);
    for (size_t bits = 1; bits < 140; bits++)
        compare_hard(2, bits);
    for (size_t i = 0; i < 4; i++)
        compare_hard(2, 70000 + 10000 * testing_below(30) + testing_below(256));
    for (unsigned long k = 3; k <= 64; k += 1 + testing_below(20)) {
        size_t several = 256 * first_quads(k) + testing_below(1000);
        compare_hard(k, k * (256 + testing_below(300)));
        compare_hard(k, k * several);
        compare_hard(k, k * several + testing_below(k));
    }
}
END_TEST

/* Products modulo B^n - 1 in every step. */
START_TEST(large) {
    engine_open(_i);
    mpz_t n;
    mpz_init(n);
    set_random(n, 131000); /* in the last step and behind it */
    compare(n, 2);
    set_random(n, 65500);
    compare_powers(n, 2);
    set_random(n, 40000);
    compare(n, 2);
    set_random(n, 16300);
    compare_powers(n, 2);
    set_random(n, 50000);
    compare(n, 3);
    set_random(n, 9000);
    compare_powers(n, 3);
    set_random(n, 5000);
    compare_powers(n, 6);
    mpz_clear(n);
}
END_TEST

/* Results in the place of the number, and overlapping it. */
static void compare_alias(unsigned long k, bool is_rest) {
    mpz_t n, s, r;
    mpz_inits(n, s, r, NULL);
    set_random(n, 900);
    real.mpz_rootrem(s, r, n, k);
    struct root x = {.np = n->_mp_d, .nn = 900, .k = k};
    size_t sn = root_limbs(&x), rn = root_rest_limbs(&x);
    mp_limb_t *other = limbs(900), *in_place = (mp_limb_t *)n->_mp_d + (is_rest ? 0 : 100);
    x.sp = is_rest ? other : in_place;
    x.rp = is_rest ? in_place : other;
    engine_check(root_of_limbs(&engine_work, &x), "root", 900);
    ck_assert(same(x.sp, sn, s) && same(x.rp, rn, r));
    free(other);
    mpz_clears(n, s, r, NULL);
}

START_TEST(aliases) {
    engine_open(_i);
    for (unsigned long k = 2; k < 5; k++) {
        compare_alias(k, false);
        compare_alias(k, true);
    }
}
END_TEST

/* Degrees and roots that are left to GMP; the results stay. */
START_TEST(not_possible) {
    engine_open(_i);
    mpz_t n;
    mpz_init(n);
    set_random(n, 3000);
    mp_limb_t s[800];
    struct root x = {.sp = s, .np = n->_mp_d, .nn = 3000, .k = 65};
    memset(s, 0xa5, sizeof s);
    ck_assert(!root_of_limbs(&engine_work, &x));
    set_random(n, 12);
    x.nn = 12;
    x.k = 4;
    x.np = n->_mp_d;
    ck_assert(!root_of_limbs(&engine_work, &x));
    for (size_t i = 0; i < 800; i++)
        ck_assert_uint_eq(s[i], 0xa5a5a5a5a5a5a5a5u);
    mpz_clear(n);
}
END_TEST

static void add(TCase *tests) {
    engine_add(tests, large);
    engine_add(tests, random_square_roots);
    engine_add(tests, one_changes);
    engine_add(tests, random_higher_roots);
    engine_add(tests, steps);
    engine_add(tests, hard_numbers);
    engine_add(tests, aliases);
    engine_add(tests, not_possible);
}

int main(void) {
    return composite_tests("roots", add);
}
