/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests that the library leaves some roots to GMP, and that the check fails if a constant on the
 * device is wrong. tests/unit/job/test_composites.c compares roots with GMP's. */
#include <string.h>

#include "kernels/common/tables.h"
#include "lib/algorithms/root.h"
#include "lib/device/tables.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "tests/support/engines.h"

/* Sets x to a random number of n limbs, with any number of bits in the highest limb. */
static void set_random(mpz_ptr x, size_t n) {
    mp_limb_t *p = mpz_limbs_write(x, (mp_size_t)n);
    testing_limbs(p, n);
    p[n - 1] = p[n - 1] >> testing_below(64) | 1;
    mpz_limbs_finish(x, (mp_size_t)n);
}

/* Overwrites the constant 1 in the device's tables with another number. */
static enum gpu_status set_one(struct context *s, void *one) {
    gpu_mem tables;
    enum gpu_status status = tables_get(s, &tables);
    if (status == GPU_OK)
        status = gpu_write(&s->queue, tables, TABLE_ONE * sizeof(uint32_t), one, sizeof(uint32_t));
    return status == GPU_OK ? gpu_finish(&s->queue) : status;
}

/* Computes the square root of 2^2000 + 1, whose remainder is 1. The device's check compares the
 * remainder with the constant 1. If that constant is 2, the check must fail. */
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

/* If the library leaves a root to GMP because of its degree or size, root_of_limbs must return
 * false and must not change the result. */
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

int main(void) {
    return composite_tests(
        "roots", TESTS(PER_DEVICE(one_changes, ENGINES), PER_DEVICE(not_possible, ENGINES)));
}
